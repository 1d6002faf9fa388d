"""What a run tells a newcomer: a sentence and three captions, read from its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_app.analysis.gold import alone, base, gold_passages
from gear_app.analysis.metrics import Gold
from gear_app.analysis.timeline import gist_iterations
from gear_app.events import Event
from gear_app.views.start.beam import beam_caption, best_beam, origins
from gear_app.views.start.caption import Caption, shared_names
from gear_app.views.start.first_search import first_search
from gear_app.views.start.outcome import memory, ranking, recall_of
from gear_app.views.start.sentence import sentence_of


@dataclass(frozen=True, slots=True)
class Story:
    """What a run tells a newcomer. Names that facts share are numbered alike in all captions."""

    sentence: str
    question: str
    captions: tuple[Caption, ...]


def story_of(
    events: Sequence[Event],
    question: str,
    method: str,
    gold: Sequence[str] = (),
    known: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Story | None:
    """A run's story; None where it has no search to tell of.

    `known` answers; `titles` by key, of gold passages that no step found.
    """
    first = base(events)
    if first is None:
        return None
    way = gold_passages(events, gold, titles)
    beam = best_beam(events, way)
    iterations = gist_iterations(events)
    remembered = [triple for one in iterations for triple in one.added]
    marks = shared_names([*beam.chain, *remembered])
    captions = [first_search(first.ranking, first.base, question, way, marks, events)]
    if not alone(events):
        captions.append(
            beam_caption(beam, Gold(gold), marks, first.ranking)
            if beam.chain
            else origins(events, way, marks)
        )
        recall = recall_of(events, method, gold)
        captions.append(
            memory(iterations, marks, events, recall)
            if iterations
            else ranking(events, Gold(gold), marks, recall)
        )
    return Story(sentence_of(events, method, gold, known), question, tuple(captions))
