"""The second caption: the beam in which a fact leads to the next by a name, or, where there is
none, what else brought in new passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from gear_app.analysis import timeline
from gear_app.analysis.gold import GoldPassage, base, decisive_step
from gear_app.analysis.metrics import Gold, stands_for
from gear_app.analysis.passage_origin import origin_of
from gear_app.analysis.paths import beam_of
from gear_app.analysis.rankings import final, keys, rank_of, within
from gear_app.events import Event, Expanded, RankedPassage, ShownTriple
from gear_app.text import normalise_entity
from gear_app.views.labels import absent_from
from gear_app.views.origin_words import origin_words
from gear_app.views.start.caption import (
    SEEN,
    Caption,
    CaptionItem,
    Kind,
    StoryPiece,
    fact_pieces,
    name_piece,
)

PRUNED = 2  # triples beside the beam
SHOWN = 3  # new passages, where there is no beam


class LeadingBeam(NamedTuple):
    """The triples of a beam, the best of those that were pruned beside it, and the step."""

    chain: tuple[ShownTriple, ...] = ()
    pruned: tuple[ShownTriple, ...] = ()
    step: int | None = None


def best_beam(events: Sequence[Event], way: Sequence[GoldPassage]) -> LeadingBeam:
    """The beam that led to a gold passage the first search misses, else the best one; of the step
    that shows it best, else of the first beam search.
    """
    opening = decisive_step(events, [one.key for one in way])
    steps = [step for step in timeline.steps(events) if step.verb == "expand"]
    steps.sort(key=lambda step: step.number != opening)
    for step in steps:
        for event in step.events:
            if isinstance(event, Expanded) and event.steps and event.steps[-1].kept:
                chain = _best_chain(event, way)
                return LeadingBeam(chain, _pruned(event), step.number)
    return LeadingBeam()


def _best_chain(event: Expanded, way: Sequence[GoldPassage]) -> tuple[ShownTriple, ...]:
    last = len(event.steps) - 1
    ends = [found for found in event.steps[last].kept if not found.carried]
    wanted = [one.key for one in way if not within(one.first, SEEN)] + [one.key for one in way]
    reached = (
        found for key in wanted for found in ends if stands_for(found.triple.passage_key, key)
    )
    end = next(reached, event.steps[last].kept[0])
    beam = beam_of(event, last, end)
    return tuple({found.triple.id: found.triple for found in beam}.values())


def _pruned(event: Expanded) -> tuple[ShownTriple, ...]:
    """The best triples that no beam kept, each once, of the last step that pruned some."""
    kept = {found.triple.id for step in event.steps for found in step.kept}
    for step in reversed(event.steps):
        dropped = {f.triple.id: f.triple for f in step.pruned if f.triple.id not in kept}
        if dropped:
            return tuple(dropped.values())[:PRUNED]
    return ()


def beam_caption(
    beam: LeadingBeam,
    gold: Gold,
    marks: Mapping[str, int],
    first: Sequence[RankedPassage],
) -> Caption:
    """The facts of a beam, joined by the names they share, and what was left beside them."""
    items: list[CaptionItem] = []
    for at, triple in enumerate(beam.chain):
        if at:
            shared = _shared(beam.chain[at - 1], triple)
            link = (StoryPiece("the same name: "), name_piece(shared, marks)) if shared else ()
            items.append(CaptionItem("link", link))
        is_new = rank_of(triple.passage_key, first) is None
        new = f"new: {absent_from(first)} of the first search" if is_new else ""
        items.append(_fact_item("fact", triple, beam.step, gold, marks, new))
    items += [
        _fact_item("pruned", triple, beam.step, gold, marks, "pruned") for triple in beam.pruned
    ]
    name = next((_shared(*two) for two in pairwise(beam.chain)), "")
    words: tuple[StoryPiece, ...] = (
        StoryPiece(
            "Facts are read from the passages that were found. A fact that fits is followed."
        ),
    )
    if name:
        on = ". Facts that share this name are followed next."
        if beam.pruned:
            on += " Those that fit the question best go on; the others are pruned."
        words = (
            StoryPiece("A passage that was found names "),
            name_piece(name, marks),
            StoryPiece(on),
        )
    return Caption("A fact leads on", words, tuple(items))


def _fact_item(
    kind: Kind,
    triple: ShownTriple,
    step: int | None,
    gold: Gold,
    marks: Mapping[str, int],
    note: str = "",
) -> CaptionItem:
    title = name_piece(triple.passage_name, marks)
    star = triple.passage_key in gold
    return CaptionItem(kind, fact_pieces(triple, marks), (title,), star, note=note, step=step)


def _shared(one: ShownTriple, other: ShownTriple) -> str:
    """The name that two triples share, as the second writes it; "" where there is none."""
    names = {normalise_entity(one.subject), normalise_entity(one.object)}
    ends = (other.subject, other.object)
    return next((name for name in ends if normalise_entity(name) in names), "")


def origins(
    events: Sequence[Event], way: Sequence[GoldPassage], marks: Mapping[str, int]
) -> Caption:
    """For a run without beams: what brought in the passages that the first search misses."""
    first = base(events)
    there = keys(first.ranking)[:SEEN] if first else []
    new = [one for one in final(events)[:SEEN] if one.key not in there]
    gold = Gold(one.key for one in way)
    new.sort(key=lambda one: one.key not in gold)
    items = [
        CaptionItem(
            "fact",
            (StoryPiece(origin_words(origin)),),
            (name_piece(one.name, marks),),
            one.key in gold,
            step=origin.step,
        )
        for one in new[:SHOWN]
        for origin in [origin_of(events, one.key)]
    ]
    words = "What the first search lacks comes in by another way."
    if not items:
        words = "It found nothing that the first search does not have."
    return Caption("Then it searches on", (StoryPiece(words),), tuple(items))
