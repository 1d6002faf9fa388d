"""How answers are shown: measured against the known ones, with the passages behind them, and in no
other step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gear_app.core.types import Source
from gear_app.display import answers, draw
from gear_app.display.markup import NO_NAMES
from gear_app.trace.events import Answered, Event, RankedPassage
from gear_app.trace.metrics import scored_answers
from gear_app.trace.trace import RunTrace
from tests import factories
from tests.display.told import tellings
from tests.factories import GOLD
from tests.rivals import EVIL

KNOWN = ("François Carpentier", "Carpentier")


def answered(
    run: Sequence[Event], said: str, gold: str = "Carpentier", count: int = 5
) -> list[Event]:
    """A finished run with its answers: from its first passages, from the gold ones, from none."""
    last = RunTrace.of(run).result
    assert last
    behind: dict[Source, tuple[str, tuple[RankedPassage, ...]]] = {
        "retrieved": (said, last.ranking[:count]),
        "gold": (gold, tuple(p for p in last.ranking if p.key in GOLD)),
        "nothing": ("", ()),
    }
    return [
        *run,
        *(Answered(source, words, of, iteration=0) for source, (words, of) in behind.items()),
    ]


def test_measures_are_of_the_nearest_known_answer() -> None:
    right, bound, nothing = scored_answers(answered(factories.gear_run(), "Jean Carpentier"), KNOWN)
    assert (right.em, right.f1) == (0.0, pytest.approx(2 / 3))
    assert (bound.em, bound.f1, answers.measures(bound)) == (1.0, 1.0, "EM 1 · F1 1.00")
    assert (nothing.answer, nothing.em) == ("", 0.0)


def test_words_of_models_and_documents_are_escaped() -> None:
    run = factories.hybrid_run()
    hostile = replace(factories.ranked(["marc"])[0], title=EVIL)
    told = tellings([*run, Answered("retrieved", EVIL, (hostile,), iteration=0)])[-1]
    drawn = draw.columns(told, NO_NAMES)
    assert "<script" not in drawn and drawn.count("&lt;script&gt;") >= 2


# Compare
