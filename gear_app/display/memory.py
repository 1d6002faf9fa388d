"""What a run gathered over its iterations, as columns of cards: the gist memory with its verdicts,
queries and thoughts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gear_app.core.text import count
from gear_app.core.types import ProximalTriple
from gear_app.display.labels import capital, model_of, reader_note
from gear_app.display.markup import entity, join, tag
from gear_app.display.telling import Card, Column, Detail, Telling, fact_card, names_of
from gear_app.display.thoughts import NAMES
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, PassagesLinked, Pooled, Read, Rewrote, ShownTriple, Thought
from gear_app.trace.timeline import GistIteration
from gear_app.trace.trace import RunTrace


def title(events: Sequence[Event], run: RunInfo) -> tuple[str, str]:
    """The heading over what a run gathered, and beside it what that is and who read it."""
    trace = RunTrace.of(events)
    by = f", {reader_note(trace.start.reader, model_of(run))}" if trace.start else ""
    if trace.memory:
        return "Gist memory", f"what each iteration added and what was decided{by}"
    by = by if any(event.is_of("think") for event in events) else ""
    return "Queries and thoughts", f"what each iteration asked and what came of it{by}"


def memory(events: Sequence[Event]) -> Telling | None:
    """The gist memory, else the queries and thoughts by iteration; None without either."""
    return gist(events) if RunTrace.of(events).memory else queries(events)


def gist(events: Sequence[Event]) -> Telling:
    """A column an iteration: its verdict, and below it the facts that it added. A line leads from a
    fact to a later one that goes on by one of its names.
    """
    stored = {
        triple.id: triple for event in events if isinstance(event, Read) for triple in event.stored
    }
    columns: list[Column] = []
    facts: dict[str, ProximalTriple] = {}
    for iteration in RunTrace.of(events).memory:
        cards = [_verdict(iteration)]
        for fact in iteration.added:
            id_ = f"f{len(facts) + 1}"
            cards.append(_fact(id_, stored.get(fact.triple_id or 0) or fact, facts))
            facts[id_] = fact
        cards += [
            fact_card(f"r{iteration.iteration}-{n}", fact, "pruned", "known already")
            for n, fact in enumerate(iteration.repeated)
        ]
        columns.append(Column(f"Iteration {iteration.iteration}", tuple(cards)))
    linked = {event.name: event for event in events if isinstance(event, PassagesLinked)}
    return Telling(
        headline="The gist memory by iteration",
        columns=tuple(columns),
        detail=lambda card: _fact_detail(facts.get(card), stored, linked.get(f"gist {card[1:]}")),
    )


def _verdict(iteration: GistIteration) -> Card:
    id_, verdict = f"v{iteration.iteration}", iteration.verdict
    if verdict is None:
        return Card(id_, "No verdict yet", kind="plain", uncovered=True)
    sign, kind = ("● ", "gold") if verdict.answerable else ("○ ", "plain")
    return Card(id_, sign + capital(verdict.verdict), capital(verdict.reason), kind, uncovered=True)


def _fact(id_: str, fact: ShownTriple | ProximalTriple, earlier: dict[str, ProximalTriple]) -> Card:
    """A fact with the names marked that an earlier one has, and a line from the last such fact."""
    names = names_of(fact)
    parents = [before for before, other in earlier.items() if names & names_of(other)]
    shared = {name for before in parents for name in names_of(earlier[before])}
    card = fact_card(id_, fact, "gist", shared=shared)
    return replace(card, parents=tuple(parents[-1:]), source=card.source or "written by the reader")


def _fact_detail(
    fact: ProximalTriple | None, stored: dict[int, ShownTriple], linked: PassagesLinked | None
) -> Detail:
    if fact is None:
        return Detail()
    passages = linked.ranking[: linked.size] if linked else ()
    lines = [tag("li", entity(passage.name), dir="auto") for passage in passages]
    heading = tag("p", "Linked to these passages, best first:", class_="gear-note")
    html = join([heading, tag("ol", *lines, class_="gear-linked")] if lines else [])
    return Detail(fact.text, html=html, triple=stored.get(fact.triple_id or 0))


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
        Column(
            f"Iteration {n}" if n else "Before any search",
            tuple(_iteration_cards(trace, n)),
            roomy=True,
        )
        for n in numbers
    )
    return Telling(headline="Queries and thoughts by iteration", columns=columns, links=())


def _iteration_cards(trace: RunTrace, n: int) -> Iterator[Card]:
    """The queries of an iteration, what came into the pool, and the thoughts."""
    for at, search in enumerate(search for search in trace.searches if search.iteration == n):
        yield Card(f"s{n}-{at}", capital(f"{search.name} query".strip()), search.query, "query")
    for at, event in enumerate(trace.during(n)):
        id_ = f"e{n}-{at}"
        if isinstance(event, Pooled):
            yield Card(id_, f"{count(len(event.entered), 'new passage')} in the pool")
        if isinstance(event, Thought):
            yield Card(id_, NAMES[event.style].partition(" · ")[0], event.text, "gist")
        if isinstance(event, Rewrote) and event.substitutions:
            changes = (f"“{put.inserted}” for “{put.removed}”" for put in event.substitutions)
            yield Card(id_, "Into the next query", "; ".join(changes), "kept")
