"""The paths that lead to a passage: through HippoRAG's walk, along a beam of triples, by a link."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gear_app.analysis.metrics import Gold, stands_for
from gear_app.analysis.rankings import rank_of
from gear_app.events import (
    BeamCandidate,
    Event,
    LinkPath,
    RankedPassage,
    ShownTriple,
    WalkPath,
)


def walk_path(event: Event | None, key: str) -> WalkPath | None:
    """How the walk reached a passage; None where the event is none, or does not explain its
    score.
    """
    way = _way(event, key)
    return way if isinstance(way, WalkPath) else None


def link_path(event: Event, key: str) -> LinkPath | None:
    """The best link into a passage; None where it has none, or the event does not have it."""
    way = _way(event, key)
    return way if isinstance(way, LinkPath) else None


def _way(event: Event | None, key: str) -> WalkPath | LinkPath | None:
    if event is None:
        return None
    return event.way_to({one.key for one in event.listed if stands_for(one.key, key)})


def beam_path(event: Event, key: str) -> tuple[ShownTriple, ...]:
    """The beam that led to a passage, each triple once; () where none did, or the event has no
    beams.

    It is the best beam of the last step that holds a triple of the passage.
    """
    last = len(event.beams) - 1
    for candidate in event.beams[last].kept if event.beams else ():
        beam = beam_of(event, last, candidate)
        if any(one.triple.passage_key == key for one in beam):
            return tuple({one.triple.id: one.triple for one in beam}.values())
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
    return candidate.kept and all(one.triple.passage_key in gold for one in beam)


def has_contrast(
    event: Event, ranking: Sequence[RankedPassage], missed: Sequence[str], gold: Sequence[str]
) -> bool:
    """Whether a beam search shows all three: a kept triple of a missed passage that its own search,
    which found this ranking, does not have either, a kept triple of a passage that is no gold, and
    something pruned. Passages by key.
    """
    kept = [found.triple.passage_key for step in event.beams for found in step.kept]
    new = [key for key in missed if rank_of(key, ranking) is None]
    is_new = any(stands_for(key, wanted) for key in kept for wanted in new)
    has_rival = any(key not in Gold(gold) for key in kept)
    return is_new and has_rival and any(step.pruned or step.others for step in event.beams)
