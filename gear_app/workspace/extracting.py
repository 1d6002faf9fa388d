"""What an extractor makes of some passages: which were extracted, which failed and why, and whether to go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gear_app.errors import Cancelled, GearError, ModelFailed
from gear_app.models.failures import CallFailed, ServerFailed
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage

Failed = tuple[Passage, GearError | ValueError]


@runtime_checkable
class Extracting(Protocol):
    """An extractor that asks for many passages at once and can tell which of them failed."""

    def extract_all(self, passages: Sequence[Passage]) -> Sequence[Extraction | ModelFailed]:
        """What came of each passage, in order."""
        ...


def extract(
    extractor: Extractor, passages: Sequence[Passage]
) -> tuple[list[tuple[Passage, Extraction]], list[Failed], ServerFailed | None]:
    """Extract passages; one that fails is alone in that, and comes with the reason.

    Where the model's server is gone, that is the third: passages that it gave no reply to are neither found nor failed,
    so that they are asked about again. Raises Cancelled.
    """
    outcomes = list(zip(passages, _outcomes(extractor, passages), strict=True))
    gone = next((outcome for _, outcome in outcomes if isinstance(outcome, ServerFailed)), None)
    found = [(passage, outcome) for passage, outcome in outcomes if isinstance(outcome, Extraction)]
    failed = [(passage, outcome) for passage, outcome in outcomes if not isinstance(outcome, Extraction)]
    return found, [one for one in failed if not (gone and isinstance(one[1], CallFailed))], gone


def _outcomes(extractor: Extractor, passages: Sequence[Passage]) -> Sequence[Extraction | GearError | ValueError]:
    """What came of each passage: by `extract_all` where there is one, else all in one go, else each alone."""
    if isinstance(extractor, Extracting):
        return extractor.extract_all(passages)
    try:
        return list(extractor.extract(passages))
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) == 1:
            return [error]
    return [outcome for passage in passages for outcome in _outcomes(extractor, [passage])]
