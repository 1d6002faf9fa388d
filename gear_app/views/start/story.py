"""What a run tells a newcomer: a sentence and three captions, read from its events: what one search
finds and misses, the beam in which a fact leads to the next by a name or what else brought in new
passages, and what the memory holds in the end or is ranked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from gear_app.analysis.gold import GoldPassage, base, gold_passages, title_is_absent
from gear_app.analysis.metrics import Gold, found_at, gold_count
from gear_app.analysis.passage_origin import origin_of
from gear_app.analysis.rankings import keys, rank_of, within
from gear_app.analysis.timeline import GistIteration
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, RankedPassage, ShownTriple
from gear_app.retrievers import METHODS
from gear_app.step_views.beams import LeadingBeam, best_beam
from gear_app.text import cut, normalise_entity
from gear_app.types import ProximalTriple
from gear_app.views.labels import absent_from, base_name_capital, method_name
from gear_app.views.origin_words import origin_words
from gear_app.views.start.sentence import SEEN, is_plain, sentence_of

Kind = Literal["passage", "missed", "cut", "fact", "pruned", "link", "memory"]


class StoryPiece(NamedTuple):
    """Words; `mark` is the number of a name that several facts share, None for other words.

    `entity` is a name's normal form, by which it lights up wherever it is pointed at.
    """

    text: str
    mark: int | None = None
    entity: str = ""


@dataclass(frozen=True, slots=True)
class CaptionItem:
    """A line or card of a caption, which opens the run at `step`.

    `head` is what stands before or above its words: a rank, an iteration, a fact's passage. `tone`
    is that of the note: "yes" and "no" for a verdict.
    """

    kind: Kind
    words: tuple[StoryPiece, ...] = ()
    head: tuple[StoryPiece, ...] = ()
    star: bool = False
    note: str = ""
    tone: Literal["", "yes", "no"] = ""
    more: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """Gold passages among the first five: after every iteration, and in the first search."""

    found: tuple[int, ...]
    first: int
    gold: int
    name: str  # the method


@dataclass(frozen=True, slots=True)
class Caption:
    """One of the captions over a run."""

    title: str
    words: tuple[StoryPiece, ...]
    items: tuple[CaptionItem, ...]
    recall: Recall | None = None


def shared_names(facts: Iterable[ShownTriple | ProximalTriple]) -> dict[str, int]:
    """Names that two facts or more have as subject or object, numbered as they first appear."""
    once = {normalise_entity(fact.text): fact for fact in facts}
    names = [
        name
        for fact in once.values()
        for name in dict.fromkeys(map(normalise_entity, (fact.subject, fact.object)))
    ]
    times = Counter(name for name in names if name)
    shared = [name for name in dict.fromkeys(names) if times[name] > 1]
    return {name: number for number, name in enumerate(shared)}


def name_piece(words: str, marks: Mapping[str, int]) -> StoryPiece:
    """A name, with its number in `marks` where several facts share it."""
    entity = normalise_entity(words)
    return StoryPiece(words, marks.get(entity), entity)


def fact_pieces(
    fact: ShownTriple | ProximalTriple, marks: Mapping[str, int]
) -> tuple[StoryPiece, ...]:
    """A fact with its two names."""
    return (
        name_piece(fact.subject, marks),
        StoryPiece(f" {fact.predicate} "),
        name_piece(fact.object, marks),
    )


SHOWN = 3  # new passages, where there is no beam
BELOW = 2  # lines shown under these, beside the gold ones
FACTS = 2  # of one iteration
LONGEST = 90  # characters of a query


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
    iterations = RunTrace.of(events).memory
    remembered = [triple for one in iterations for triple in one.added]
    marks = shared_names([*beam.chain, *remembered])
    captions = [first_search(first.ranking, first.base, question, way, marks, events)]
    if not RunTrace.of(events).single:
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


def first_search(
    ranking: Sequence[RankedPassage],
    by: str,
    question: str,
    way: Sequence[GoldPassage],
    marks: Mapping[str, int],
    events: Sequence[Event],
) -> Caption:
    """The ranking that everything else is measured against, and the gold passages it misses."""
    missed = [one for one in way if not within(one.first, SEEN)]
    title = "One search"
    if way:
        title = "One search fails" if missed else "One search finds them"
    step = RunTrace.of(events).first_step("retrieve", 1) or 0
    gold = Gold(one.key for one in way)
    lines = [
        CaptionItem(
            "passage",
            (name_piece(one.name, marks),),
            (StoryPiece(str(rank)),),
            star,
            step=step,
        )
        for rank, one in enumerate(ranking, start=1)
        for star in [one.key in gold]
        if rank <= SEEN + BELOW or star
    ]
    if len(ranking) > SEEN:
        lines.insert(SEEN, CaptionItem("cut", note="what a reader sees ends here"))
    lost = [
        CaptionItem(
            "missed",
            (name_piece(one.title, marks),),
            star=True,
            note=absent_from(ranking),
            step=step,
        )
        for one in way
        if one.first is None
    ]
    who = "One search"
    if not is_plain(by):
        who = base_name_capital(by) if by in METHODS else "The first search"
    what = "what sounds like the question" if is_plain(by) else "passages for the question"
    words = (
        StoryPiece(f"{who} ranks {what}. "),
        *_missed(missed, question, marks, absent_from(ranking)),
    )
    return Caption(title, words, (*lines, *lost))


def _missed(
    missed: Sequence[GoldPassage], question: str, marks: Mapping[str, int], absent: str
) -> tuple[StoryPiece, ...]:
    """Which gold passages are not seen, and why, as far as their titles tell; `absent` says of one
    without a rank that it has none.
    """
    if not missed:
        return ()
    names: list[StoryPiece] = []
    for at, one in enumerate(missed):
        between = "" if not at else (" and " if at == len(missed) - 1 else ", ")
        names += [StoryPiece(between), name_piece(one.title, marks)]
    many = len(missed) > 1
    are, they = ("are", "they") if many else ("is", "it")
    ranks = [str(one.first) for one in missed if one.first is not None]
    if not ranks:
        place = f"{are} {absent}"
    elif len(ranks) == len(missed):
        place = f"come{'' if many else 's'} at rank {' and '.join(ranks)}"
    else:
        place = f"come at rank {' and '.join(ranks)} or {absent}"
    unnamed = all(title_is_absent(question, one.title) for one in missed)
    why = f" {are} not named in it, so {they} {place}." if unnamed else f" {place}."
    return (*names[1:], StoryPiece(why))


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
    new = [one for one in RunTrace.of(events).final[:SEEN] if one.key not in there]
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


def memory(
    iterations: Sequence[GistIteration],
    marks: Mapping[str, int],
    events: Sequence[Event],
    recall: Recall | None,
) -> Caption:
    """What every iteration remembered, the verdict on it, and what it asks next."""
    words = (
        "Each iteration keeps what it learned, asks whether that is enough, and searches for what"
        " is missing."
    )
    items = tuple(_memory_item(one, marks, events) for one in iterations)
    last = next((one.verdict for one in reversed(iterations) if one.verdict), None)
    enough = last is None or last.answerable
    title = "The memory holds it" if enough else "The memory is not enough"
    return Caption(title, (StoryPiece(words),), items, recall)


def _memory_item(
    one: GistIteration, marks: Mapping[str, int], events: Sequence[Event]
) -> CaptionItem:
    words: list[StoryPiece] = []
    for at, triple in enumerate(one.added[:FACTS]):
        words += [StoryPiece("; ")] * bool(at) + list(fact_pieces(triple, marks))
    if len(one.added) > FACTS:
        words.append(StoryPiece(f"; and {len(one.added) - FACTS} more"))
    verdict = one.verdict
    tone: Literal["", "yes", "no"] = ""
    note = more = ""
    if verdict is not None:
        tone = "yes" if verdict.answerable else "no"
        note = verdict.verdict
    if one.next_query:
        more = f"asks next: {cut(one.next_query, LONGEST)}"
    step = RunTrace.of(events).first_step("remember", one.iteration)
    if step is None:
        step = RunTrace.of(events).first_step("reason", one.iteration)
    return CaptionItem(
        "memory",
        tuple(words) or (StoryPiece("nothing new"),),
        (StoryPiece(str(one.iteration)),),
        note=note,
        tone=tone,
        more=more,
        step=step,
    )


def ranking(
    events: Sequence[Event], gold: Gold, marks: Mapping[str, int], recall: Recall | None
) -> Caption:
    """For a run without a memory: the first passages of what it ends with."""
    last = len(RunTrace.of(events).steps) - 1
    items = tuple(
        CaptionItem(
            "passage",
            (name_piece(one.name, marks),),
            (StoryPiece(str(rank)),),
            one.key in gold,
            step=last,
        )
        for rank, one in enumerate(RunTrace.of(events).final[:SEEN], start=1)
    )
    return Caption(
        "What a reader sees now",
        (StoryPiece("The first five passages of the final ranking."),),
        items,
        recall,
    )


def recall_of(events: Sequence[Event], method: str, gold: Sequence[str]) -> Recall | None:
    """Recall after every iteration; None without gold passages, or without a search."""
    first = base(events)
    if not gold or first is None:
        return None
    found = tuple(found_at(keys(one), gold, SEEN) for one in RunTrace.of(events).rankings.values())
    before = found_at(keys(first.ranking), gold, SEEN)
    return Recall(found, before, gold_count(gold), method_name(method))
