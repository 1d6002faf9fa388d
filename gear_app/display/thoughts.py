"""Iterative methods: thoughts, the pool of all queries, and BDTR's reasoning chain with what it
promotes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from gear_app.core.text import count, cut
from gear_app.core.types import Form
from gear_app.display.labels import exact
from gear_app.display.search import place_in_first_search, with_ranking
from gear_app.display.telling import (
    FACT,
    LONGEST,
    PASSAGE,
    Card,
    Column,
    Detail,
    K,
    Link,
    Scene,
    ScoredRanking,
    Table,
    Telling,
    fact_cards,
    passages_column,
    teller,
    titles,
)
from gear_app.trace.events import Chained, Event, Pooled, Promoted, RankedPassage, Thought, Verified
from gear_app.trace.metrics import found_at

PASSAGES_SHOWN = 12  # passages in the picture of a promotion
NAMES = {
    "ircot": "Thought",
    "gcot": "What is missing",
    "tog": "Does it suffice?",
    "irgs": "Reasoning",
    "fast": "Fast thought · asks directly",
    "slow": "Slow thought · asks for the bridge",
    **dict.fromkeys(get_args(Form), "The agent"),
}


@teller("think", Thought, "What does the reader make of it?")
def thinking(scene: Scene, event: Thought) -> Telling:
    """The thoughts of a reader, the facts that they rest on, and the queries that follow."""
    thoughts = scene.of(Thought)
    facts = list(dict.fromkeys(fact for thought in thoughts for fact in thought.because))
    cards = []
    for n, thought in enumerate(thoughts):
        parents = tuple(f"f{facts.index(fact)}" for fact in thought.because)
        name = NAMES[thought.style] + (" · final" if thought.final else "")
        cards.append(Card(f"t{n}", name, thought.text or "(no words)", "query", parents=parents))
    following = tuple(_next(n, thought) for n, thought in enumerate(thoughts))
    because = tuple(replace(card, uncovered=True) for card in fact_cards("f", facts, "gist"))
    answer = next((thought.answer for thought in thoughts if thought.answer), "")
    queries = [f"“{cut(thought.query, LONGEST)}”" for thought in thoughts if thought.query]
    headline = (
        f"Searched next: {' and '.join(queries)}" if queries else "There is nothing new to ask"
    )
    headline = f"So the answer is: {answer}" if answer else headline
    return Telling(
        headline=headline,
        columns=(
            Column("the facts behind it", because, FACT),
            Column("the thought", tuple(cards), "What does the reader think?", roomy=True),
            Column("what follows", following, "What is searched next?", roomy=True),
        ),
    )


def _next(n: int, thought: Thought) -> Card:
    """The answer of a thought, or the query that follows from it, or why none does."""
    parents = (f"t{n}",)
    if thought.answer:
        return Card(f"q{n}", "Answer", thought.answer, "gold", parents=parents)
    if thought.query:
        return Card(f"q{n}", "Searched next", thought.query, "query", parents=parents)
    return Card(f"q{n}", "Not searched", thought.skip_reason, "pruned", parents=parents)


@teller("pool", Pooled, "What have all queries found?")
def pool(scene: Scene, event: Pooled) -> Telling:
    """The pool of what all queries found, with the queries as a table."""
    pools = [e for e in scene.trace if isinstance(e, Pooled) and e.iteration < event.iteration]
    badges = dict.fromkeys(event.entered, "new") if pools else {}
    telling = Telling(
        headline=scene.ranking_headline(event.ranking),
        columns=passages_column(scene, event.ranking, partial(place_in_first_search, scene)),
        picture=False,
        notes=(
            f"{count(len(event.queries), 'query', 'queries')},"
            f" {count(len(event.entered), 'passage')} new in the pool. A passage scores the"
            f" greatest of its normalised scores ({event.normalised}), not their sum.",
        ),
        tables=(Table("queries", "Its queries", lambda: list(_queries(event, scene.trace))),),
    )
    ranking = ScoredRanking(event.reached, "greatest", event.ranking, badges)
    return with_ranking(scene, telling, ranking)


def _queries(event: Pooled, events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """The queries of a pool, numbered as the arithmetic names them, each with its thought."""
    thoughts = {e.query: e for e in events if isinstance(e, Thought)}
    weights = [*event.weights, *[1.0] * len(event.queries)]
    for n, (words, weight) in enumerate(zip(event.queries, weights, strict=False), start=1):
        thought = thoughts.get(words)
        name = NAMES[thought.style].partition(" · ")[0] if thought else ""
        asker = f"{name}, iteration {thought.iteration}" if thought else "the question"
        yield {"query": n, "words": words, "asked by": asker, "weight": weight}


@teller("chain", Chained, "How does it hang together?")
def chain(scene: Scene, event: Chained) -> Telling:
    """The reasoning chain from the question to its answer, next to the facts that join it."""
    nodes = tuple(
        Card(f"n{n}", node, kind="kept", lead=str(n)) for n, node in enumerate(event.nodes, 1)
    )
    ends = [cut(node, LONGEST) for node in (*event.nodes[:1], *event.nodes[-1:])]
    single = "There is no chain from the question to an answer"
    return Telling(
        headline=f"A chain from {ends[0]} to {ends[1]}" if len(nodes) > 1 else single,
        columns=(
            Column("the chain", nodes),
            Column("its facts", fact_cards("f", event.because), FACT),
        ),
    )


@teller("verify", Verified, "Which passages bear it out?")
def verification(scene: Scene, event: Verified) -> Telling:
    """The passages that support the chain, each with the reader's reason."""
    reasons = [*event.reasons, *[""] * len(event.passages)]
    cards = tuple(
        scene.passage_card(f"p{passage.id}", passage, rank, reason)
        for rank, (passage, reason) in enumerate(zip(event.passages, reasons, strict=False), 1)
    )
    return Telling(
        headline=f"{event.summary[:1].upper()}{event.summary[1:]}",
        columns=(Column("passages that bear it out", cards, PASSAGE),),
        detail=lambda card: Detail(passage=int(card[1:])),
    )


@teller("promote", Promoted, "Which passages move up?")
def promotion(scene: Scene, event: Promoted) -> Telling:
    """The ranks before and after the verified passages moved to the top, and the cut."""
    before = {move.id: move.before for move in event.moves}
    after = list(enumerate(event.ranking[:PASSAGES_SHOWN], start=1))
    earlier = sorted((before.get(passage.id, rank), passage) for rank, passage in after)
    left = tuple(_promoted(scene, event, "b", rank, passage) for rank, passage in earlier)
    right = tuple(_promoted(scene, event, "a", rank, passage) for rank, passage in after)
    links = [
        Link(
            f"b{passage.id}",
            f"a{passage.id}",
            0.7 if passage.id in event.promoted else 0.1,
            f"{passage.name}: rank {before.get(passage.id, rank)} → {rank}",
            "kept" if passage.id in event.promoted else "passage",
        )
        for rank, passage in after
    ]
    up = [move for move in event.moves if move.after < move.before and move.after <= K]
    best = max(
        up,
        key=lambda move: (found_at([move.key], scene.gold, 1), move.before - move.after),
        default=None,
    )
    moves_up = best and f"{titles([best.name])} moves up from {best.before} to {best.after}"
    return Telling(
        headline=moves_up or "No passage moves up",
        columns=(
            Column("Rank in the pool", left, PASSAGE),
            Column("Rank after promotion", right, PASSAGE, len(event.ranking) - len(right)),
        ),
        links=tuple(links),
        opens=right[0].id if right else "",
        detail=lambda card: Detail(passage=int(card[1:])),
        legend=(
            ("kept", "promoted"),
            ("gold", "★ gold passage, promoted or not"),
            ("passage", "found by search, not promoted"),
            ("pruned", "dashed: not handed to answering"),
        ),
        notes=(
            f"{count(len(event.kept), 'passage')} handed to answering. Threshold: mean μ of the"
            f" first {event.considered} scores {exact(event.mean)} + their deviation σ"
            f" {exact(event.deviation)} = {exact(event.threshold)}.",
        ),
        tables=(Table("moved", "Every passage that moved, as a table", partial(_moved, event)),),
    )


def _promoted(scene: Scene, event: Promoted, side: str, rank: int, passage: RankedPassage) -> Card:
    """A passage of either ranking; dashed where it is not handed to answering."""
    promoted = passage.id in event.promoted
    card = scene.passage_card(f"{side}{passage.id}", passage, rank)
    kind = "kept" if promoted and not card.star else card.kind
    return replace(
        card,
        kind=kind if passage.id in event.kept else "pruned",
        parents=(f"b{passage.id}",) if side == "a" else (),
        weight=float(promoted) + card.star,
    )


def _moved(event: Promoted) -> list[dict[str, Any]]:
    return [
        {
            "passage": move.name,
            "before": move.before,
            "after": move.after,
            "score in the pool": move.score,
            "promoted": move.id in event.promoted,
            "why": move.reason,
        }
        for move in event.moves
    ]
