"""What a step of a run found, in one short sentence for a hall; and before it may be told, the
question that the step answers.

A heading says nothing but what its step's events, and those before them, say. Whoever draws it
keeps it back until all that it speaks of is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from gear_app.analysis import timeline
from gear_app.analysis.answer_source import source_of
from gear_app.analysis.gold import alone, base
from gear_app.analysis.metrics import found_at, gold_count
from gear_app.analysis.paths import beam_of
from gear_app.analysis.rankings import CUTS, keys, of_event, rank_of, within, without_followers
from gear_app.analysis.timeline import Step
from gear_app.events import (
    Answered,
    Chained,
    Event,
    Expanded,
    Extracted,
    Failed,
    Followed,
    Linked,
    Matched,
    Pooled,
    Promoted,
    RankedPassage,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Retrieved,
    Rewrote,
    Split,
    Thought,
    Verified,
    Walked,
)
from gear_app.text import count, cut
from gear_app.views import chain_round, labels
from gear_app.views.labels import base_name

K = CUTS[0]
LONGEST = 48  # characters of a title or of words of the question
Kind = TypeVar("Kind", bound=Event)

PROMPTS = {
    "extract": "Which facts do these passages state?",
    "retrieve": "What does one search find?",
    "recognise": "Which entities does the question name?",
    "walk": "Where does a walk from these entities lead?",
    "read": "Which facts of the passages touch the query?",
    "link": "Which stored facts are these?",
    "expand": "Where do these facts lead?",
    "follow": "Where do the names in these passages lead?",
    "fuse": "What comes first when both are put together?",
    "remember": "What is worth remembering?",
    "reason": "Is the question answered?",
    "rewrite": "What is asked next?",
    "think": "What does the reader make of it?",
    "pool": "What have all queries found?",
    "split": "Where can the question be cut?",
    "match": "Which facts does the question half state?",
    "chain": "How does it hang together?",
    "verify": "Which passages bear it out?",
    "promote": "Which passages move up?",
    "rank": "What comes first in the end?",
    "answer": "What is the answer?",
}


def prompt(step: Step) -> str:
    """The question that a step answers; it gives nothing away."""
    if step.verb == "retrieve" and step.iteration > 1:
        return "What does the new query find?"
    return PROMPTS.get(step.verb, labels.step_title(step))


def heading(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    """What the step found. `events` are those known at it, `gold` the keys of the run."""
    gave_up = step.failed and all(isinstance(e, Failed) or e.verb is None for e in step.events)
    if gave_up:
        return labels.gave_up(step.verb)
    found = HEADINGS.get(step.verb)
    return (found(step, events, gold) if found else "") or labels.step_title(step)


SEARCHES = {
    "hybrid": "one search",
    "weighted": "one search",
    "dense": "search by meaning",
    "bm25": "search by words",
}


def search_name(base: str) -> str:
    """A search in words for those who do not know its name; another method keeps its own."""
    return SEARCHES.get(base, base_name(base))


def _one(step: Step, kind: type[Kind]) -> Kind | None:
    """The step's last event of a kind."""
    return next((event for event in reversed(step.events) if isinstance(event, kind)), None)


def _named(titles: Sequence[str]) -> str:
    """Titles in quotation marks: one, two, or the first and how many others."""
    quoted = [f"“{cut(title, LONGEST)}”" for title in titles]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{quoted[0]} and {len(quoted) - 1} more"


def _gold_of(
    passages: Sequence[RankedPassage], gold: Sequence[str], without: Collection[str] = ()
) -> list[str]:
    """Titles of the gold passages of a list, but not of those in `without`."""
    wanted = [key for key in dict.fromkeys(gold) if key not in without]
    first = [next((one for one in passages if rank_of(key, [one])), None) for key in wanted]
    return [passage.name for passage in first if passage]


def _counts(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> str:
    found, total = found_at(keys(ranking), gold, K), gold_count(gold)
    return f"{found} of {total} gold passages in {'its' if total else 'the'} first {K}"


def _first(ranking: Sequence[RankedPassage]) -> str:
    return f"{_named([ranking[0].name])} comes first" if ranking else "No passage was found"


def _retrieve(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Retrieved)
    if event is None or not event.ranking:
        return "No passage was found"
    if not gold:
        return _first(event.ranking)
    before = [
        of_event(one)[:K] for one in events[: _place(events, event)] if isinstance(one, Retrieved)
    ]
    seen = [key for key in gold if any(rank_of(key, ranking) for ranking in before)]
    new = _gold_of(event.ranking[:K], gold, seen)
    if before and new:
        return f"The new query finds {_named(new)}"
    return f"{labels.capital(search_name(event.base))} has {_counts(event.ranking, gold)}"


def _place(events: Sequence[Event], event: Event) -> int:
    return next((at for at, one in enumerate(events) if one is event), len(events))


def _read(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Read)
    n = len(event.triples) if event else 0
    if not n:
        return "The reader takes no fact from these passages"
    return f"{count(n, 'fact')} of these passages {'touches' if n == 1 else 'touch'} the query"


def _link(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Linked)
    links = event.links if event else ()
    linked = sum(link.triple is not None for link in links)
    if not links:
        return "There is no fact to begin with"
    if linked == len(links):
        return "Every fact has its place in the graph: here the search begins"
    return f"{linked} of {count(len(links), 'fact')} {'has' if linked == 1 else 'have'} a place"


def _expand(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Expanded)
    if event is None or not event.steps:
        return "There is no fact to begin with"
    search = searched(step, events)
    there = [key for key in gold if rank_of(key, search.ranking[:K])] if search else list(gold)
    new = _gold_of(event.passages, gold, there)
    if new and search:
        return f"The facts lead to {_named(new)}, which {search_name(search.base)} missed"
    last = len(event.steps) - 1
    if not event.steps[last].kept:
        return "No fact leads any further"
    beam = beam_of(event, last, event.steps[last].kept[0])
    triple = beam[-1].triple
    return f"The best beam ends with: {triple.text}"


def searched(step: Step, events: Sequence[Event]) -> Retrieved | None:
    """The retrieval that the step's search began with."""
    there = [
        event
        for event in events
        if isinstance(event, Retrieved)
        and event.iteration == step.iteration
        and step.query in ("", event.query)
    ]
    return there[-1] if there else None


def _follow(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Followed)
    return chain_round.heading(chain_round.round_of(event, events, gold)) if event else ""


def _fuse(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    ranking = _ranking(step)
    search = searched(step, events)
    for passage in ranking[:K]:
        if search is None or not found_at([passage.key], gold, 1):
            continue
        before, now = (rank_of(passage.key, one) for one in (search.ranking, ranking))
        if not within(before, K):
            rises = f"rises from {before} to {now}" if before else f"comes in at {now}"
            return f"{_named([passage.name])} {rises}"
    return _of_gold(ranking, gold) if gold else _first(ranking)


def _ranking(step: Step) -> Sequence[RankedPassage]:
    return next((of_event(event) for event in reversed(step.events) if of_event(event)), ())


def _of_gold(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> str:
    found, total = found_at(keys(ranking), gold, K), gold_count(gold)
    return f"{found} of {count(total, 'gold passage')} among the first {K}"


def _remember(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Remembered)
    if event is None or not event.added:
        return "Nothing new to remember"
    return f"{count(len(event.added), 'fact')} remembered; the memory holds {event.size}"


def _reason(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Reasoned)
    if event is None:
        return ""
    if not event.answerable:
        return "The memory does not answer the question yet"
    return f"The memory answers it: {event.answer}" if event.answer else "The memory answers it"


def _rewrite(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Rewrote)
    if event is None or not event.query.strip():
        return "There is nothing new to ask"
    new = timeline.new_substitutions(events, event)
    if not new:
        return "The next query asks in other words"
    if not new[-1].removed:
        return f"“{cut(new[-1].inserted, LONGEST)}” comes in"
    return f"“{cut(new[-1].removed, LONGEST)}” is now “{cut(new[-1].inserted, LONGEST)}”"


def _recognise(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Recognised)
    n = sum(bool(one.node or one.title) for one in event.entities) if event else 0
    if not n:
        return "Nothing that the question names is in the graph"
    return f"The question names {count(n, 'entity', 'entities')} of the graph"


def _walk(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Walked)
    ranking = without_followers(event) if event else ()
    if not ranking:
        return "The walk reaches no passage"
    near = _gold_of(ranking[:K], gold)
    return f"The walk leads to {_named(near or [ranking[0].name])}"


def _think(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    thoughts = [event for event in step.events if isinstance(event, Thought)]
    answer = next((one.answer for one in thoughts if one.answer), "")
    if answer:
        return f"So the answer is: {answer}"
    if any(one.final for one in thoughts):
        return "That is enough to answer"
    asked = sum(bool(one.query) for one in thoughts)
    if not asked:
        return "There is nothing new to ask"
    return "The thought is the next query" if asked == 1 else f"{asked} thoughts, {asked} queries"


def _pool(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Pooled)
    if event is None:
        return ""
    if gold:
        return _of_gold(event.ranking, gold)
    return f"{count(len(event.entered), 'passage')} new among all that was found"


def _split(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Split)
    n = len(event.clauses) if event else 0
    return f"It asks {n} things, one inside the other" if n > 1 else "It asks one thing only"


def _match(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Matched)
    taken = next((one for one in event.matches if one.taken), None) if event else None
    if taken is None:
        return "No fact answers a part of the question"
    return f"“{cut(taken.mention, LONGEST)}” leads to {cut(taken.new, LONGEST)}"


def _chain(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Chained)
    if event is None or len(event.nodes) < 2:
        return "There is no chain from the question to an answer"
    return f"A chain from {cut(event.nodes[0], LONGEST)} to {cut(event.nodes[-1], LONGEST)}"


def _verify(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Verified)
    n = len(event.passages) if event else 0
    if not n:
        return "No passage bears the chain out"
    return f"{count(n, 'passage')} {'bears' if n == 1 else 'bear'} the chain out"


def _promote(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Promoted)
    moves = [move for move in event.moves if move.after < move.before] if event else []
    up = [move for move in moves if event and move.id in event.promoted and move.after <= K]
    if not up:
        return "No passage moves up"
    best = max(up, key=lambda move: (found_at([move.key], gold, 1), move.before - move.after))
    title = _named([best.name])
    return f"{title} moves up from {best.before} to {best.after}"


def _rank(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    source = source_of(events)
    answer = f". Answer: {cut(source.answer, LONGEST)}" if source else ""
    return _ranked(step, events, gold) + answer


def _ranked(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    ranking, first = _ranking(step), base(events)
    if not gold or first is None:
        return _first(ranking)
    if alone(events):
        return f"{labels.capital(search_name(first.base))} has {_counts(ranking, gold)}"
    before = found_at(keys(first.ranking), gold, K)
    found, total = found_at(keys(ranking), gold, K), gold_count(gold)
    return f"One search finds {before} of {total}, this run finds {found}"


def _answer(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    answers = [event for event in step.events if isinstance(event, Answered)]
    own = next((event.answer for event in answers if event.source == "retrieved"), "")
    return f"The answer: {own}" if own else "There is no answer"


def _extract(step: Step, events: Sequence[Event], gold: Sequence[str]) -> str:
    event = _one(step, Extracted)
    if event is None:
        return ""
    return f"{count(len(event.triples), 'fact')} from {count(len(event.passages), 'passage')}"


Heading = Callable[[Step, Sequence[Event], Sequence[str]], str]
HEADINGS: Mapping[str, Heading] = {
    "extract": _extract,
    "retrieve": _retrieve,
    "recognise": _recognise,
    "walk": _walk,
    "read": _read,
    "link": _link,
    "expand": _expand,
    "follow": _follow,
    "fuse": _fuse,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "think": _think,
    "pool": _pool,
    "split": _split,
    "match": _match,
    "chain": _chain,
    "verify": _verify,
    "promote": _promote,
    "rank": _rank,
    "answer": _answer,
}
