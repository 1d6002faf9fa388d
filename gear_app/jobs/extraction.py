"""What an extractor makes of some passages: which were extracted, and which failed and why."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.errors import Cancelled, GearError
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage

Found = Extraction | GearError | ValueError


def extract(extractor: Extractor, passages: Sequence[Passage]) -> list[Found]:
    """What came of each passage, in order: all in one go, else each alone, so that one that fails
    is alone in that.

    Raises Cancelled.
    """
    try:
        return list(extractor.extract(passages))
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) == 1:
            return [error]
    return [found for passage in passages for found in extract(extractor, [passage])]
