"""The paths that lead to a passage: through HippoRAG's walk, along a beam of triples, by a link."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gear_app.analysis.metrics import stands_for
from gear_app.events import Candidate, Expanded, Followed, ShownTriple, Walked

Term = tuple[int, int]  # a node by position, and how many triples of a passage name it


class WalkPath(NamedTuple):
    """Entities from a seed to the one that gives a passage's score most, by name.

    `triples` of the passage name that last entity.
    """

    names: tuple[str, ...]
    triples: int


def walk_path(event: Walked, key: str) -> WalkPath | None:
    """How the walk reached a passage; None where the event does not explain its score."""
    passage = next((passage for passage in event.passages if stands_for(passage.key, key)), None)
    if passage is None or not passage.terms:
        return None
    node, triples = max(passage.terms, key=lambda term: contribution(event, term))
    return WalkPath(tuple(event.nodes[at].name for at in path_from_seed(event, node)), triples)


def contribution(event: Walked, term: Term) -> float:
    """What a term adds to its passage's score: probability × number of triples."""
    return event.nodes[term[0]].probability * term[1]


def path_from_seed(event: Walked, node: int) -> list[int]:
    """Positions from a seed to the node, by the strongest edge of every step back.

    The node alone where no edge of the event leads to it.
    """
    distance, path = distances(event), [node]
    while not event.nodes[path[0]].seed:
        here = distance.get(path[0], 0)
        edges = [edge for edge in event.edges if edge.target == path[0]]
        nearer = [edge for edge in edges if distance.get(edge.source, here) < here]
        if not nearer:
            break
        path.insert(0, max(nearer, key=lambda edge: edge.flow).source)
    return path


def distances(event: Walked) -> dict[int, int]:
    """Edges between each node and the seeds, by position; without nodes that no edge leads to."""
    distance = {place: 0 for place, node in enumerate(event.nodes) if node.seed}
    ends = [(edge.source, edge.target) for edge in event.edges]
    for away in range(1, len(event.nodes) + 1):
        next_to = {target for source, target in ends if distance.get(source) == away - 1}
        new = next_to - distance.keys()
        if not new:
            break
        distance |= dict.fromkeys(new, away)
    return distance


def beam_path(event: Expanded, key: str) -> tuple[ShownTriple, ...]:
    """The beam that led to a passage, each triple once; () where none did.

    It is the best beam of the last step that holds a triple of the passage.
    """
    last = len(event.steps) - 1
    for candidate in event.steps[last].kept if event.steps else ():
        beam = beam_of(event, last, candidate)
        if any(one.triple.passage_key == key for one in beam):
            return tuple({one.triple.id: one.triple for one in beam}.values())
    return ()


def beam_of(event: Expanded, step: int, candidate: Candidate) -> list[Candidate]:
    """The candidates of a beam, from the first step to this candidate of step number `step`."""
    beam = [candidate]
    while beam[0].parent is not None and step > 0:
        step -= 1
        beam.insert(0, event.steps[step].kept[beam[0].parent])
    return beam


def on_gold_path(event: Expanded, step: int, candidate: Candidate, gold: Collection[str]) -> bool:
    """Whether a candidate was kept and all triples of its beam come from gold passages."""
    beam = beam_of(event, step, candidate)
    return candidate.kept and all(one.triple.passage_key in gold for one in beam)


class LinkPath(NamedTuple):
    """A mention that a passage shares with the one it is linked from, by that one's title.

    `passages` of the collection's `size` hold it.
    """

    start: str
    mention: str
    passages: int
    size: int


def link_path(event: Followed, key: str) -> LinkPath | None:
    """The best link into a passage; None where it has none, or the event does not have it."""
    ids = {passage.id for passage in event.ranking if stands_for(passage.key, key)}
    link = next((link for link in event.links if link.id in ids), None)
    if link is None:
        return None
    start = next((p for p in (*event.starts, *event.ranking) if p.id == link.start), None)
    title = start.name if start else "a passage"
    return LinkPath(title, link.mention, link.passages, event.size)
