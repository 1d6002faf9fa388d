"""EM and F1 of the answers that an evaluation's runs wrote, and the two bounds (GEAR Table 3)."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from gear_app.analysis.answers import exact_match, f1
from gear_app.events import Answered, Event
from gear_app.types import Source


class Score(NamedTuple):
    """Of one answer."""

    em: float
    f1: float


Scores = Mapping[Source, Score]
BOUNDS: tuple[Source, ...] = ("gold", "nothing")
NONE = Score(0.0, 0.0)


def scores(happened: Sequence[Event], known: Sequence[str]) -> dict[Source, Score]:
    """A run's answers against the known ones; without known answers none, which is not counted.

    A source without an answer scores 0, whether the reader had none, its reply could not be used,
    or the run failed.
    """
    if not known:
        return {}
    said = {event.source: event.answer for event in happened if isinstance(event, Answered)}
    measured = {
        source: Score(exact_match(answer, known), f1(answer, known))
        for source, answer in said.items()
    }
    return {source: measured.get(source, NONE) for source in get_args(Source)}


def mean(of: Iterable[Score]) -> dict[str, Any]:
    """EM and F1 as fractions averaged over questions, and how many these are; null over none."""
    found = list(of)
    if not found:
        return {"em": None, "f1": None, "n": 0}
    em, f1_ = (round(statistics.fmean(values), 6) for values in zip(*found, strict=True))
    return {"em": em, "f1": f1_, "n": len(found)}


def bounds(asked: Iterable[tuple[str, Scores]]) -> dict[str, dict[str, Any]]:
    """The bounds over the questions, each once though every method's run has asked for them:
    (question id, scores).

    Of several runs the best counts: what one of them could not use, another could.
    """
    best: dict[tuple[Source, str], Score] = {}
    for id_, found in asked:
        for source in BOUNDS:
            if source in found:
                best[source, id_] = max(found[source], best.get((source, id_), NONE))
    return {
        source: mean(score for (of, _), score in best.items() if of == source) for source in BOUNDS
    }
