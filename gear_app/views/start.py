"""The start screen: what a featured run shows, in one sentence and three captions, and which
questions to begin with. Everything is read from the run's events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from gear_app.analysis import timeline
from gear_app.analysis.gold import (
    GoldPassage,
    alone,
    base,
    decisive_step,
    gold_passages,
    title_is_absent,
)
from gear_app.analysis.metrics import Gold, exact_match, found_at, gold_count, stands_for
from gear_app.analysis.passage_origin import origin_of
from gear_app.analysis.paths import beam_of
from gear_app.analysis.rankings import CUTS, final, keys, per_iteration, rank_of, within
from gear_app.analysis.timeline import GistIteration, gist_iterations
from gear_app.events import Event, Expanded, RankedPassage, Reasoned, ShownTriple, Thought
from gear_app.text import count, cut, normalise_entity
from gear_app.types import ProximalTriple, Question
from gear_app.views.gold_strip import origin_words
from gear_app.views.labels import METHOD_NAMES, base_name_capital, method_name

DEMO, EVERYDAY = "demo", "garden"  # collections that `gear-app demo` makes
SEEN = CUTS[0]  # passages that a reader sees
BELOW = 2  # lines shown under these, beside the gold ones
PRUNED = 2
FACTS = 2  # of one iteration
LONGEST = 90  # characters of a query
SUGGESTED = 3
SIMPLE = ("bm25", "dense", "hybrid", "composed")  # they rank by words and meaning alone
NEW = "new: the first search does not have this passage"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
IDEAS: Mapping[str, str] = {
    "gear": "GEAR reads facts from passages and follows them",
    "sync_ge": "SyncGE reads facts from passages and follows them",
    "naive_ge": "NaiveGE follows facts from passage to passage",
    "chain": "Chain follows the names that passages share",
    "hipporag": "HippoRAG walks along a graph of names",
    "griever": "GRIEVER takes the question hop by hop",
}

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


@dataclass(frozen=True, slots=True)
class Story:
    """What a run tells a newcomer. Names that facts share are numbered alike in all captions."""

    sentence: str
    question: str
    captions: tuple[Caption, ...]


def story(
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
    chain, pruned, step = _beam(events, way)
    rounds = gist_iterations(events)
    remembered = [triple for one in rounds for triple in one.added]
    marks = _shared_names([*chain, *remembered])
    captions = [_first_search(first.ranking, first.base, question, way, marks, events)]
    if not alone(events):
        captions.append(
            _beam_caption(chain, pruned, step, Gold(gold), marks, first.ranking)
            if chain
            else _origins(events, way, marks)
        )
        recall = _recall(events, method, gold)
        captions.append(
            _memory(rounds, marks, events, recall)
            if rounds
            else _ranking(events, Gold(gold), marks, recall)
        )
    return Story(sentence(events, method, gold, known), question, tuple(captions))


def sentence(
    events: Sequence[Event], method: str, gold: Sequence[str], known: Sequence[str]
) -> str:
    """What the run is an example of: its method's idea, and what came of it, in figures."""
    name = method_name(method)
    idea = IDEAS.get(method.split(":")[0], f"{name} searches on from what it finds")
    who, n = "it", timeline.iterations(events)
    if timeline.iterates(events):
        who = f"{_in_words(n)} {'round' if n == 1 else 'rounds'}"
    ends = "" if timeline.iterates(events) and n != 1 else "s"
    answer = _answer(events)
    first = base(events)
    if not gold or first is None:
        return f"{idea}: {who} {_without_gold(events, answer, ends)}."
    total = gold_count(gold)
    before = found_at(keys(first.ranking), gold, SEEN)
    after = found_at(keys(final(events)), gold, SEEN)
    if alone(events):
        search = "One search" if method in SIMPLE else f"One search by {name}"
        if before == total == 1:
            return f"{search} finds the one passage that answers the question."
        found = _all(total) if before == total else f"{before} of the {total}"
        return f"{search} finds {found} passages that answer the question."
    right = bool(answer and known and exact_match(answer, known))
    too = " too" if after == before else ""
    found = _all(total) if after == total else _of(after, total)
    and_answer = " and the answer" if right else ""
    return (
        f"{idea}: one search finds {_of(before, total)}, {who} find{ends} {found}{too}{and_answer}."
    )


def _without_gold(events: Sequence[Event], answer: str, ends: str) -> str:
    if answer:
        return f"lead{ends} from this question to an answer: {answer}"
    if any(isinstance(event, Reasoned | Thought) for event in events):
        return f"find{ends} no answer to this question"
    first = base(events)
    before = keys(first.ranking)[:SEEN] if first else []
    new = sum(key not in before for key in keys(final(events))[:SEEN])
    if not new:
        return f"change{ends} nothing among the first five passages"
    return f"bring{ends} {_other_passages(new)} into the first five"


def suggestions(questions: Sequence[Question], shown: str) -> list[tuple[Question, str]]:
    """Questions to begin with, other than the one shown, each with where its answer stands: one
    that needs three passages, one that needs two, one whose answer is not in the collection; where
    there are no such, the first ones.
    """
    others = [one for one in questions if one.question != shown]
    answered = [one for one in others if one.supporting_keys]
    by_passages = {len(set(one.supporting_keys)): one for one in reversed(answered)}
    nowhere = next((one for one in others if one.type == "unanswerable"), None)
    wanted = [by_passages[needed] for needed in (3, 2) if needed in by_passages]
    rest = [one for one in others if one is not nowhere]
    picked = list(dict.fromkeys([*wanted, *rest]))[: SUGGESTED - bool(nowhere)]
    return [(one, _where(one)) for one in [*picked, *filter(None, [nowhere])]]


def _where(question: Question) -> str:
    if question.supporting_keys:
        return count(len(set(question.supporting_keys)), "passage")
    return "nowhere: see how it says so" if question.type == "unanswerable" else ""


def _in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def _other_passages(number: int) -> str:
    return "one other passage" if number == 1 else f"{_in_words(number)} other passages"


def _of(found: int, total: int) -> str:
    return f"{found} of {total}"


def _all(total: int) -> str:
    return {1: "the one passage", 2: "both"}.get(total, f"all {_in_words(total)}")


def _answer(events: Sequence[Event]) -> str:
    """The answer that the reader ended with; "" where there is none."""
    for event in reversed(events):
        if isinstance(event, Reasoned | Thought) and event.answer:
            return event.answer
    return ""


def _shared_names(facts: Iterable[ShownTriple | ProximalTriple]) -> dict[str, int]:
    """Names that two facts or more have as subject or object, numbered as they first appear."""
    once = {normalise_entity(_text(fact)): fact for fact in facts}
    names = [
        name
        for fact in once.values()
        for name in dict.fromkeys(map(normalise_entity, (fact.subject, fact.object)))
    ]
    times = Counter(name for name in names if name)
    shared = [name for name in dict.fromkeys(names) if times[name] > 1]
    return {name: number for number, name in enumerate(shared)}


def _text(fact: ShownTriple | ProximalTriple) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _name(words: str, marks: Mapping[str, int]) -> StoryPiece:
    entity = normalise_entity(words)
    return StoryPiece(words, marks.get(entity), entity)


def _fact(fact: ShownTriple | ProximalTriple, marks: Mapping[str, int]) -> tuple[StoryPiece, ...]:
    return (
        _name(fact.subject, marks),
        StoryPiece(f" {fact.predicate} "),
        _name(fact.object, marks),
    )


def _first_search(
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
    step = timeline.step_number(events, "retrieve", 1) or 0
    gold = Gold(one.key for one in way)
    lines = [
        CaptionItem(
            "passage",
            (_name(one.title or one.key, marks),),
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
        CaptionItem("missed", (_name(one.title, marks),), star=True, note="not found", step=step)
        for one in way
        if one.first is None
    ]
    who = "One search"
    if by not in SIMPLE:
        who = base_name_capital(by) if by in METHOD_NAMES else "The first search"
    what = "what sounds like the question" if by in SIMPLE else "passages for the question"
    words = (StoryPiece(f"{who} ranks {what}. "), *_missed(missed, question, marks))
    return Caption(title, words, (*lines, *lost))


def _missed(
    missed: Sequence[GoldPassage], question: str, marks: Mapping[str, int]
) -> tuple[StoryPiece, ...]:
    """Which gold passages are not seen, and why, as far as their titles tell."""
    if not missed:
        return ()
    names: list[StoryPiece] = []
    for at, one in enumerate(missed):
        between = "" if not at else (" and " if at == len(missed) - 1 else ", ")
        names += [StoryPiece(between), _name(one.title, marks)]
    many = len(missed) > 1
    are, they = ("are", "they") if many else ("is", "it")
    ranks = [str(one.first) for one in missed if one.first is not None]
    if not ranks:
        place = f"{are} not found"
    elif len(ranks) == len(missed):
        place = f"come{'' if many else 's'} at rank {' and '.join(ranks)}"
    else:
        place = f"come at rank {' and '.join(ranks)} or not at all"
    unnamed = all(title_is_absent(question, one.title) for one in missed)
    why = f" {are} not named in it, so {they} {place}." if unnamed else f" {place}."
    return (*names[1:], StoryPiece(why))


class _Beam(NamedTuple):
    """The triples of a beam, the best of those that were pruned beside it, and the step."""

    chain: tuple[ShownTriple, ...] = ()
    pruned: tuple[ShownTriple, ...] = ()
    step: int | None = None


def _beam(events: Sequence[Event], way: Sequence[GoldPassage]) -> _Beam:
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
                return _Beam(chain, _pruned(event), step.number)
    return _Beam()


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


def _beam_caption(
    chain: Sequence[ShownTriple],
    pruned: Sequence[ShownTriple],
    step: int | None,
    gold: Gold,
    marks: Mapping[str, int],
    first: Sequence[RankedPassage],
) -> Caption:
    """The facts of a beam, joined by the names they share, and what was left beside them."""
    items: list[CaptionItem] = []
    for at, triple in enumerate(chain):
        if at:
            shared = _shared(chain[at - 1], triple)
            link = (StoryPiece("the same name: "), _name(shared, marks)) if shared else ()
            items.append(CaptionItem("link", link))
        is_new = rank_of(triple.passage_key, first) is None
        items.append(_fact_item("fact", triple, step, gold, marks, NEW if is_new else ""))
    items += [_fact_item("pruned", triple, step, gold, marks, "pruned") for triple in pruned]
    name = next((_shared(*two) for two in pairwise(chain)), "")
    words: tuple[StoryPiece, ...] = (
        StoryPiece(
            "Facts are read from the passages that were found. A fact that fits is followed."
        ),
    )
    if name:
        rest = " Those that fit the question best go on; the others are pruned."
        words = (
            StoryPiece("A passage that was found names "),
            _name(name, marks),
            StoryPiece(". Facts that share this name are followed next." + rest * bool(pruned)),
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
    title = _name(triple.passage_title or triple.passage_key, marks)
    star = triple.passage_key in gold
    return CaptionItem(kind, _fact(triple, marks), (title,), star, note=note, step=step)


def _shared(one: ShownTriple, other: ShownTriple) -> str:
    """The name that two triples share, as the second writes it; "" where there is none."""
    names = {normalise_entity(one.subject), normalise_entity(one.object)}
    ends = (other.subject, other.object)
    return next((name for name in ends if normalise_entity(name) in names), "")


def _origins(
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
            (_name(one.title or one.key, marks),),
            one.key in gold,
            step=origin.step,
        )
        for one in new[:SUGGESTED]
        for origin in [origin_of(events, one.key)]
    ]
    words = "What the first search lacks comes in by another way."
    if not items:
        words = "It found nothing that the first search does not have."
    return Caption("Then it searches on", (StoryPiece(words),), tuple(items))


def _memory(
    rounds: Sequence[GistIteration],
    marks: Mapping[str, int],
    events: Sequence[Event],
    recall: Recall | None,
) -> Caption:
    """What every iteration remembered, the verdict on it, and what it asks next."""
    words = (
        "Each round keeps what it learned, asks whether that is enough, and searches for what is"
        " missing."
    )
    items = tuple(_memory_item(one, marks, events) for one in rounds)
    last = next((one.verdict for one in reversed(rounds) if one.verdict), None)
    enough = last is None or last.answerable
    title = "The memory holds it" if enough else "The memory is not enough"
    return Caption(title, (StoryPiece(words),), items, recall)


def _memory_item(
    one: GistIteration, marks: Mapping[str, int], events: Sequence[Event]
) -> CaptionItem:
    words: list[StoryPiece] = []
    for at, triple in enumerate(one.added[:FACTS]):
        words += [StoryPiece("; ")] * bool(at) + list(_fact(triple, marks))
    if len(one.added) > FACTS:
        words.append(StoryPiece(f"; and {len(one.added) - FACTS} more"))
    verdict, asked = one.verdict, one.rewrote
    tone: Literal["", "yes", "no"] = ""
    note = more = ""
    if verdict is not None:
        tone = "yes" if verdict.answerable else "no"
        told = f": {verdict.answer}" if verdict.answer else ""
        note = f"answerable{told}" if verdict.answerable else "not answerable yet"
    if asked is not None and asked.query:
        more = f"asks next: {cut(asked.query, LONGEST)}"
    step = timeline.step_number(events, "remember", one.iteration)
    if step is None:
        step = timeline.step_number(events, "reason", one.iteration)
    return CaptionItem(
        "memory",
        tuple(words) or (StoryPiece("nothing new"),),
        (StoryPiece(str(one.iteration)),),
        note=note,
        tone=tone,
        more=more,
        step=step,
    )


def _ranking(
    events: Sequence[Event], gold: Gold, marks: Mapping[str, int], recall: Recall | None
) -> Caption:
    """For a run without a memory: the first passages of what it ends with."""
    last = len(timeline.steps(events)) - 1
    items = tuple(
        CaptionItem(
            "passage",
            (_name(one.title or one.key, marks),),
            (StoryPiece(str(rank)),),
            one.key in gold,
            step=last,
        )
        for rank, one in enumerate(final(events)[:SEEN], start=1)
    )
    return Caption(
        "What a reader sees now",
        (StoryPiece("The first five passages of the final ranking."),),
        items,
        recall,
    )


def _recall(events: Sequence[Event], method: str, gold: Sequence[str]) -> Recall | None:
    first = base(events)
    if not gold or first is None:
        return None
    found = tuple(found_at(keys(one), gold, SEEN) for one in per_iteration(events).values())
    before = found_at(keys(first.ranking), gold, SEEN)
    return Recall(found, before, gold_count(gold), method_name(method))
