"""The paths that lead to a passage: through HippoRAG's walk, along a beam of triples, by a link."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from gear_app.trace.events import (
    BeamCandidate,
    Event,
    Followed,
    RankedPassage,
    ScorePart,
    ShownTriple,
    Walked,
)
from gear_app.trace.events.graph_walks import FACTOR, TERM
from gear_app.trace.metrics import stands_for

Term = tuple[int, int]  # position of a node, and how many triples of a passage name it


class WalkPath(NamedTuple):
    """The entity that gives a passage's score most, by name; `triples` of the passage name it."""

    name: str
    triples: int


class LinkPath(NamedTuple):
    """A mention that a passage shares with the one it is linked from, by that one's title.

    `passages` of the collection's `size` hold it.
    """

    start: str
    mention: str
    passages: int
    size: int


def walk_path(event: Event | None, key: str) -> WalkPath | None:
    """How the walk reached a passage; None where the event is none, or does not explain its
    score.
    """
    explained = event.passages if isinstance(event, Walked) else ()
    passage = next((passage for passage in explained if stands_for(passage.key, key)), None)
    if not isinstance(event, Walked) or passage is None or not passage.terms:
        return None
    node, triples = max(passage.terms, key=lambda term: contribution(event, term))
    return WalkPath(event.nodes[node].name, triples)


def contribution(event: Walked, term: Term) -> float:
    """Product that a term adds to its passage's score: probability × number of triples."""
    return event.nodes[term[0]].probability * term[1]


def scored(event: Event) -> tuple[RankedPassage, ...]:
    """An event's passages with the parts of their scores. Of a walk's scores they are its terms,
    the greatest first: the entity, how many triples name it, and its probability.
    """
    if not isinstance(event, Walked) or event.ensembled:
        return event.listed
    terms = {
        passage.id: sorted(passage.terms, key=lambda term: -contribution(event, term))
        for passage in event.passages
    }
    return tuple(
        replace(line, parts=tuple(_part(event, *term) for term in terms.get(line.id, ())))
        for line in event.ranking
    )


def _part(event: Walked, node: int, number: int) -> ScorePart:
    entity = event.nodes[node]
    value = round(round(entity.probability, FACTOR) * number, TERM)
    return ScorePart(entity.name, number, value, entity.probability)


def link_path(event: Event, key: str) -> LinkPath | None:
    """The best link into a passage; None where it has none, or the event does not have it."""
    if not isinstance(event, Followed):
        return None
    ids = {passage.id for passage in event.ranking if stands_for(passage.key, key)}
    link = next((link for link in event.links if link.id in ids), None)
    if link is None:
        return None
    start = next((p for p in (*event.starts, *event.ranking) if p.id == link.start), None)
    title = start.name if start else "a passage"
    return LinkPath(title, link.mention, link.passages, event.size)


def beam_path(event: Event, key: str) -> tuple[ShownTriple, ...]:
    """The beam that led to a passage, each triple once; () where none did, or the event has no
    beams.

    It is the best beam of the last step that holds a triple of the passage.
    """
    last = len(event.beams) - 1
    for candidate in event.beams[last].kept if event.beams else ():
        beam = beam_of(event, last, candidate)
        if any(candidate.triple.passage_key == key for candidate in beam):
            return tuple({candidate.triple.id: candidate.triple for candidate in beam}.values())
    return ()


def beam_of(event: Event, step: int, candidate: BeamCandidate) -> list[BeamCandidate]:
    """The candidates of a beam, from the first step to this candidate of step number `step`."""
    beam = [candidate]
    while beam[0].parent is not None and step > 0:
        step -= 1
        beam.insert(0, event.beams[step].kept[beam[0].parent])
    return beam


def on_gold_path(event: Event, step: int, candidate: BeamCandidate, gold: Collection[str]) -> bool:
    """Whether a candidate was kept and all triples of its beam come from gold passages."""
    beam = beam_of(event, step, candidate)
    return candidate.kept and all(candidate.triple.passage_key in gold for candidate in beam)
