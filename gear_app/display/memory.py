"""What a run gathered over its iterations, as columns of cards: the gist memory with its verdicts,
queries and thoughts, and the beams that join the first passages (GEAR Fig. 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gear_app.core.text import count, normalise_entity
from gear_app.core.types import ProximalTriple
from gear_app.display.beams import names_of
from gear_app.display.labels import capital
from gear_app.display.markup import entity, join, tag
from gear_app.display.telling import Card, Column, Detail, Telling, fact_card
from gear_app.display.thoughts import NAMES
from gear_app.trace import timeline
from gear_app.trace.events import Event, PassagesLinked, Pooled, Read, Rewrote, ShownTriple, Thought
from gear_app.trace.paths import beam_path
from gear_app.trace.rankings import rank_of
from gear_app.trace.timeline import GistIteration
from gear_app.trace.trace import RunTrace

FACTS = "facts"  # id of the heading, to which the answer of a run leads
JOINED = 5  # passages of the final ranking
TITLE = "The beams that join the first passages"
PURPOSE = (
    "Of each of the first 5 passages that a beam reached, the best beam that led there: its triples"
    " from left to right, each with its passage and that passage's final rank."
)


class Title(NamedTuple):
    """The heading over what a run gathered, and whether a reader had a part in it."""

    name: str
    aside: str
    reads: bool


def title(events: Sequence[Event]) -> Title:
    """Heading of the gist memory, or of the queries and thoughts of a method without one."""
    if RunTrace.of(events).memory:
        return Title("Gist memory", "what each iteration added and what was decided", True)
    thought = any(event.is_of("think") for event in events)
    name = "Queries and thoughts" if thought else "Queries"
    return Title(name, "what each iteration asked and what came of it", thought)


def memory(events: Sequence[Event]) -> Telling | None:
    """The gist memory, else the queries and thoughts by iteration; None without either."""
    return gist(events) if RunTrace.of(events).memory else queries(events)


def gist(events: Sequence[Event]) -> Telling:
    """A column an iteration: its verdict, and below it the facts that it added. A line leads from a
    fact to a later one that goes on by one of its names.
    """
    trace = RunTrace.of(events)
    stored = {
        triple.id: triple for event in events if isinstance(event, Read) for triple in event.stored
    }
    waiting = "No verdict" if trace.result is not None else "Reading …"
    columns: list[Column] = []
    facts: dict[str, ProximalTriple] = {}
    for gist_iteration in trace.memory:
        cards = [_verdict(gist_iteration, waiting)]
        for fact in gist_iteration.added:
            id_ = f"f{len(facts) + 1}"
            cards.append(_fact(id_, fact, stored.get(fact.triple_id or 0), facts))
            facts[id_] = fact
        repeated = [
            fact_card(f"r{gist_iteration.iteration}-{n}", fact, "pruned", note="known already")
            for n, fact in enumerate(gist_iteration.repeated)
        ]
        columns.append(Column(f"Iteration {gist_iteration.iteration}", (*cards, *repeated)))
    linked = {event.name: event for event in events if isinstance(event, PassagesLinked)}
    return Telling(
        headline="The gist memory by iteration",
        columns=tuple(columns),
        detail=lambda card: _fact_detail(facts.get(card), stored, linked.get(f"gist {card[1:]}")),
    )


def _verdict(iteration: GistIteration, waiting: str) -> Card:
    verdict = iteration.verdict
    if verdict is None:
        return Card(f"v{iteration.iteration}", waiting, kind="plain", given=True)
    sign = "● " if verdict.answerable else "○ "
    kind = "gold" if verdict.answerable else "plain"
    words = sign + capital(verdict.verdict)
    return Card(f"v{iteration.iteration}", words, capital(verdict.reason), kind, given=True)


def _fact(
    id_: str, fact: ProximalTriple, stored: ShownTriple | None, earlier: dict[str, ProximalTriple]
) -> Card:
    """A fact with the names marked that an earlier one has, and lines from the last such fact."""
    names = names_of(fact)
    parents = [before for before, other in earlier.items() if names & names_of(other)]
    shared = {name for before in parents for name in names_of(earlier[before])}
    mark = "mark" if normalise_entity(fact.object) in shared else ""
    return Card(
        id_,
        fact.subject,
        kind="gist",
        pieces=((f"{fact.predicate} → ", ""), (fact.object, mark)),
        marked=normalise_entity(fact.subject) in shared,
        parents=tuple(parents[-1:]),
        source=f"in {stored.passage_name}" if stored else "written by the reader",
    )


def _fact_detail(
    fact: ProximalTriple | None, stored: dict[int, ShownTriple], linked: PassagesLinked | None
) -> Detail:
    """A fact with its sentence, and the passages that it was linked to and that count."""
    if fact is None:
        return Detail()
    passages = linked.ranking[: linked.size] if linked else ()
    lines = [tag("li", entity(passage.name), dir="auto") for passage in passages]
    heading = tag("p", "Linked to these passages, best first:", class_="gear-note")
    html = join([heading, tag("ol", *lines, class_="gear-linked")] if lines else [])
    return Detail(fact.text, html=html, triple=stored.get(fact.triple_id or 0))


def gist_rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The gist memory as a table: a line for every triple added or repeated."""
    return [
        {
            "iteration": iteration.iteration,
            "what": state,
            "subject": triple.subject,
            "predicate": triple.predicate,
            "object": triple.object,
            "why": triple.why,
        }
        for iteration in RunTrace.of(events).memory
        for state, triples in (
            ("added", iteration.added),
            ("repeated, not added", iteration.repeated),
        )
        for triple in triples
    ]


def queries(events: Sequence[Event]) -> Telling | None:
    """A column an iteration: its queries, thoughts, and what went into the next query; None for a
    run of a single round.
    """
    trace = RunTrace.of(events)
    first = 0 if any(isinstance(event, Thought) and not event.iteration for event in events) else 1
    numbers = range(first, trace.iterations + 1)
    if len(numbers) < 2 or not any(event.is_of("think", "rewrite") for event in events):
        return None
    columns = tuple(
        Column(f"Iteration {n}" if n else "Before any search", tuple(_asked(trace, n)), roomy=True)
        for n in numbers
    )
    return Telling(headline="Queries and thoughts by iteration", columns=columns, links=())


def _asked(trace: RunTrace, n: int) -> Iterator[Card]:
    """The queries of an iteration, what came into the pool, and the thoughts."""
    for at, search in enumerate(search for search in trace.searches if search.iteration == n):
        name = f"{search.name} query" if search.name in ("fast", "slow") else search.name or "query"
        yield Card(f"s{n}-{at}", capital(name), search.query, "query")
    for at, event in enumerate(timeline.at_iteration(trace, n)):
        id_ = f"e{n}-{at}"
        if isinstance(event, Pooled):
            yield Card(id_, f"{count(len(event.entered), 'new passage')} in the pool")
        if isinstance(event, Thought):
            yield Card(id_, NAMES[event.style].partition(" · ")[0], event.text, "gist")
        if isinstance(event, Rewrote):
            changes = [
                f"“{substitution.inserted}” for “{substitution.removed}”"
                for substitution in event.substitutions
            ]
            if changes:
                yield Card(id_, "Into the next query", "; ".join(changes), "kept")


def query_rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """A line for every query asked and every thought."""
    telling = queries(events)
    return [
        {"iteration": column.name, "what": card.title, "words": card.text}
        for column in (telling.columns if telling else ())
        for card in column.cards
    ]


def rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The table of `memory`."""
    return gist_rows(events) if RunTrace.of(events).memory else query_rows(events)


def joining_beams(events: Sequence[Event], first: int = JOINED) -> list[tuple[ShownTriple, ...]]:
    """The beams that lead to the first passages, by these passages' ranks; of several searches the
    last that reached it. A passage that no beam reached has none.
    """
    searches = [event for event in reversed(events) if event.beams]
    paths = (
        next((path for event in searches if (path := beam_path(event, passage.key))), ())
        for passage in RunTrace.of(events).final[:first]
    )
    return list(dict.fromkeys(path for path in paths if path))


def beams(events: Sequence[Event], gold: Sequence[str]) -> Telling | None:
    """The beams that join the first passages, a column a place in them; None without."""
    ranking = RunTrace.of(events).final
    columns: list[dict[str, Card]] = []
    triples: dict[str, ShownTriple] = {}
    for path in joining_beams(events):
        for at, triple in enumerate(path):
            if at == len(columns):
                columns.append({})
            id_, before = f"{at}.{triple.id}", f"{at - 1}.{path[at - 1].id}"
            card = columns[at].get(id_) or _joined(id_, triple, ranking, gold)
            parents = (*card.parents, *([before] if at else []))
            columns[at][id_] = replace(card, parents=tuple(dict.fromkeys(parents)))
            triples[id_] = triple
    if not columns:
        return None
    return Telling(
        headline=TITLE,
        columns=tuple(
            Column(f"Triple {at}", tuple(cards.values())) for at, cards in enumerate(columns, 1)
        ),
        detail=lambda card: Detail("Triple", triple=triples.get(card)),
    )


def _joined(id_: str, triple: ShownTriple, ranking: Sequence[Any], gold: Sequence[str]) -> Card:
    star = triple.passage_key in gold
    rank = rank_of(triple.passage_key, ranking)
    card = fact_card(id_, triple, "gold" if star else "kept")
    return replace(card, star=star, source=f"rank {rank or '–'} · {triple.passage_name}")
