"""Iterative methods: thoughts, analyses, the pool of all queries, and BDTR's reasoning chain with
the passages that it promotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from gear_app.core.text import count, cut
from gear_app.core.types import Form
from gear_app.display.decimals import exact
from gear_app.display.markup import Html, join, named, tag
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
from gear_app.trace.events import (
    Analysed,
    AnalysedPassage,
    Chained,
    Event,
    Pooled,
    Promoted,
    RankedPassage,
    Thought,
    Verified,
)
from gear_app.trace.events.iterative import GIVEN
from gear_app.trace.metrics import found_at

SHOWN = 12  # passages in the picture of a promotion
NAMES = {
    "ircot": "Thought",
    "gcot": "What is missing",
    "tog": "Does it suffice?",
    "irgs": "Reasoning",
    "fast": "Fast thought · asks directly",
    "slow": "Slow thought · asks for the bridge",
    **dict.fromkeys(get_args(Form), "The agent"),
}
NORMALISED = {
    "min-max": "Each query's scores are stretched to 0 to 1 first, so that queries compare.",
    "reciprocal rank": (
        "Each query's scores are sums of reciprocal ranks, so 1 / rank takes their place here."
    ),
}


@teller("think", Thought, "What does the reader make of it?")
def thinking(scene: Scene, event: Thought) -> Telling:
    """The thoughts of a reader, the facts that they rest on, and the queries that follow."""
    thoughts = scene.of(Thought)
    facts = list(dict.fromkeys(fact for thought in thoughts for fact in thought.because))
    cards, queries = [], []
    for n, thought in enumerate(thoughts):
        parents = tuple(f"f{facts.index(fact)}" for fact in thought.because)
        final = " · final" if thought.final else ""
        words = thought.text or "(no words)"
        cards.append(Card(f"t{n}", NAMES[thought.style] + final, words, "query", parents=parents))
        queries.append(_next(n, thought))
    given_cards = tuple(replace(card, given=True) for card in fact_cards("f", facts, "gist"))
    columns = (
        Column("the facts behind it", given_cards, FACT),
        Column("the thought", tuple(cards), "What does the reader think?", roomy=True),
        Column("what follows", tuple(queries), "What is searched next?", roomy=True),
    )
    return Telling(
        headline=_thinking_headline(thoughts, event),
        columns=tuple(column for column in columns if column.cards),
    )


def _next(n: int, thought: Thought) -> Card:
    """The answer of a thought, or the query that follows from it, or why none does."""
    parents = (f"t{n}",)
    if thought.answer:
        return Card(f"q{n}", "Answer", thought.answer, "gold", parents=parents)
    if not thought.query:
        reason = thought.unasked or "Nothing is searched because of it."
        return Card(f"q{n}", "Not searched", reason, "pruned", parents=parents)
    words = thought.query if thought.query != thought.text else "the thought, word for word"
    return Card(f"q{n}", "Searched next", words, "query", parents=parents)


def _thinking_headline(thoughts: Sequence[Thought], event: Thought) -> str:
    """The answer, or that there are queries."""
    answer = next((thought.answer for thought in thoughts if thought.answer), "")
    if answer:
        return f"So the answer is: {answer}"
    if any(thought.final for thought in thoughts):
        return "That is enough to answer"
    queries = sum(bool(thought.query) for thought in thoughts)
    if queries and event.style in get_args(Form):
        return f"The agent searches for “{cut(event.query, LONGEST)}”"
    if not queries:
        return "There is nothing new to ask"
    several = f"{queries} thoughts, {queries} queries"
    return "The thought is the next query" if queries == 1 else several


@teller("analyse", Analysed, "What is the agent shown of it?")
def analysis(scene: Scene, event: Analysed) -> Telling:
    """The analysis that an agent gets, and the documents with the sentences that it leaves out."""
    silent = [
        passage.name
        for passage in event.passages
        if passage.key in scene.gold and not passage.taken
    ]
    left = sum(len(passage.left) for passage in event.passages)
    total = left + sum(len(passage.taken) for passage in event.passages)
    headline = f"The analysis leaves out {left} of {count(total, 'sentence')}"
    if silent:
        headline = f"The analysis has nothing of the gold passages: {titles(silent)}"
    documents = tuple(
        _document(scene, n, passage) for n, passage in enumerate(event.passages, start=1)
    )
    parents = tuple(card.id for card in documents)
    analysis = Card("a", "The analysis", event.text, "query", parents=parents)
    return Telling(
        headline=headline,
        columns=(
            Column("The documents", documents, "What of these is left out?"),
            Column("The agent sees", (analysis,), "What is it shown?", roomy=True),
        ),
        detail=lambda card: _sentences(scene, event, card),
        notes=(
            "A sentence counts as left out where less than half of its content words stand in the"
            " analysis. Whether the analysis is true nobody checks.",
        ),
    )


def _document(scene: Scene, n: int, passage: AnalysedPassage) -> Card:
    total = count(len(passage.left + passage.taken), "sentence")
    line = RankedPassage(passage.id, passage.key, passage.title, 0.0)
    return scene.passage_card(n, line, f"{len(passage.left)} of {total} left out")


def _sentences(scene: Scene, event: Analysed, card: str) -> Detail:
    """Every sentence of a document, in the analysis or left out."""
    if not card.startswith("p"):
        return Detail()
    passage = event.passages[int(card[1:]) - 1]
    sentences = [
        tag("div", tag("i", label), named(words, scene.names), class_="gear-asks", dir="auto")
        for label, several in (("Left out", passage.left), ("In it", passage.taken))
        for words in several
    ]
    return Detail(passage.name, html=join(sentences))


@teller("pool", Pooled, "What have all queries found?")
def pool(scene: Scene, event: Pooled) -> Telling:
    """The pool of what all queries found, with the queries above it."""
    headline = f"{count(len(event.entered), 'passage')} new among all that was found"
    given = any(part.source == GIVEN for passage in event.ranking for part in passage.parts)
    origin = "what the question found, the only query that was asked"
    if len(event.queries) > 1:
        origin = "the pool of all queries, each passage by its best score"
    if given:
        origin = "what the agent was given, in this order, then the pool of its queries"
    badges, reached = pool_badges(event, scene.events), event.reached
    telling = Telling(
        headline=scene.gold_found(event.ranking) if scene.gold else headline,
        extra=pool_queries(event, scene.events, given=given),
        columns=passages_column(scene, event.ranking, partial(place_in_first_search, scene)),
        picture=False,
        origin=origin,
    )
    return with_ranking(
        scene, telling, ScoredRanking(reached, "greatest", "pool", event.ranking, badges)
    )


def _before(event: Pooled, events: Sequence[Event]) -> Pooled | None:
    earlier = [
        pooled
        for pooled in events
        if isinstance(pooled, Pooled) and pooled.iteration < event.iteration
    ]
    return earlier[-1] if earlier else None


def pool_badges(event: Pooled, events: Sequence[Event]) -> dict[int, str]:
    """Words next to a passage: "new" in the pool, or "better" where its best score rose."""
    before = _before(event, events)
    if before is None:  # everything is new in the first pool
        return {}
    scores = {passage.id: passage.score for passage in before.reached}
    badges = dict.fromkeys(event.entered, "new")
    for passage in event.reached:
        if passage.id not in badges and passage.score > scores.get(passage.id, passage.score):
            badges[passage.id] = f"better, was {scores[passage.id]:.2f}"
    return badges


def pool_queries(event: Pooled, events: Sequence[Event], *, given: bool) -> Html:
    """The queries so far, numbered as the arithmetic names them, each with who asked it."""
    lines = []
    for n, words in enumerate(event.queries, start=1):
        weight = event.weights[n - 1] if n <= len(event.weights) else 1.0
        unsure = f" · rests on no sure fact: counts {weight:g}" if weight < 1 else ""
        asker = tag("em", _asker(words, n, events) + unsure)
        number = tag("i", f"query {n}")
        lines.append(tag("li", number, tag("span", words, dir="auto"), asker))
    new = "" if _before(event, events) is None else f", {len(event.entered)} of them new"
    below = f"; below it {event.below} more of the first query" if event.below else ""
    note = (
        f"{count(len(event.reached), 'passage')} in the pool{new}{below}. A passage scores the"
        f" greatest of its scores, not their sum. {NORMALISED[event.normalised]}"
    )
    if event.power != 1 and len(event.queries) > 1:
        power = "squared" if event.power == 2 else f"raised to the power {event.power:g}"
        note += f" Those of the queries after the first are then {power}."
    if given:
        note += (
            " What the agent was given stands above the rest, in the order in which it was, the"
            " n-th with 1 + 1 / n: its papers rank nothing, this order is ours."
        )
    queries = tag("ol", join(lines), class_="gear-queries")
    return tag("div", queries, tag("p", note, class_="gear-note"))


def _asker(words: str, n: int, events: Sequence[Event]) -> str:
    thought = next(
        (event for event in events if isinstance(event, Thought) and event.query == words), None
    )
    if thought is None:
        return "the question" if n == 1 else ""
    if not thought.iteration:
        return "the agent, before any search"
    kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
    return f"{kind} of iteration {thought.iteration}"


@teller("chain", Chained, "How does it hang together?")
def chain(scene: Scene, event: Chained) -> Telling:
    """The reasoning chain from the question to its answer, next to the facts that join it."""
    nodes = tuple(
        Card(f"n{n}", node, kind="kept", lead=str(n)) for n, node in enumerate(event.nodes, 1)
    )
    if not nodes:
        nothing = "The reader found no chain, so nothing can be verified and nothing moves."
        return Telling("", "There is no chain from the question to an answer", notes=(nothing,))
    ends = [cut(node, LONGEST) for node in (event.nodes[0], event.nodes[-1])]
    single = "There is no chain from the question to an answer"
    facts = Column("its facts", fact_cards("f", event.because), FACT)
    chained = Column("the chain", nodes)
    return Telling(
        headline=f"A chain from {ends[0]} to {ends[1]}" if len(nodes) > 1 else single,
        columns=(chained, facts) if facts.cards else (chained,),
    )


@teller("verify", Verified, "Which passages bear it out?")
def verification(scene: Scene, event: Verified) -> Telling:
    """The passages that support the chain, each with the reader's reason."""
    n = len(event.passages)
    reasons = [*event.reasons, *[""] * n]
    cards = tuple(
        scene.passage_card(rank, passage, reason)
        for rank, (passage, reason) in enumerate(zip(event.passages, reasons, strict=False), 1)
    )
    support = "supports" if n == 1 else "support"
    notes = [f"Of the pool's first {count(event.shown, 'passage')}, {n} {support} the chain."]
    if event.ignored:
        ignored = ", ".join(map(str, event.ignored))
        notes.append(f"Numbers of the reply that name no passage, or one again: {ignored}.")
    bear = f"{count(n, 'passage')} {'bears' if n == 1 else 'bear'} the chain out"
    return Telling(
        headline=bear if n else "No passage bears the chain out",
        columns=(Column("passages that bear it out", cards, PASSAGE),) if cards else (),
        detail=lambda card: Detail(passage=event.passages[int(card[1:]) - 1].id),
        notes=tuple(notes),
    )


@teller("promote", Promoted, "Which passages move up?")
def promotion(scene: Scene, event: Promoted) -> Telling:
    """The ranks before and after the verified passages moved to the top, and the cut."""
    before = {move.id: move.before for move in event.moves}
    after = list(enumerate(event.ranking[:SHOWN], start=1))
    earlier = sorted((before.get(passage.id, rank), passage) for rank, passage in after)
    left = tuple(_promoted(scene, event, "b", rank, passage) for rank, passage in earlier)
    right = tuple(_promoted(scene, event, "a", rank, passage) for rank, passage in after)
    links = [
        Link(
            f"b{passage.id}",
            f"a{passage.id}",
            0.7 if passage.id in event.promoted else 0.1,
            f"{passage.name}: rank {before.get(passage.id, rank)} → {rank}",
            _colour(scene, event, passage),
        )
        for rank, passage in after
    ]
    star = [("gold", "★ gold passage, promoted or not")] if any(c.star for c in right) else []
    opens = [card for card in right if card.kind == "gold" and card.weight] or list(right)
    moved = partial(_moved_rows, event, scene.gold)
    origin = "the pool with the verified passages on top"
    return Telling(
        headline=_promotion_headline(scene, event),
        columns=(
            Column("Rank in the pool", left, PASSAGE),
            Column("Rank after promotion", right, PASSAGE, len(event.ranking) - len(right)),
        ),
        links=tuple(links),
        opens=opens[0].id if opens else "",
        detail=lambda card: Detail(passage=int(card[1:])),
        legend=(
            ("kept", "promoted"),
            *star,
            ("passage", "found by search, not promoted"),
            ("pruned", "dashed: not handed to answering"),
        ),
        notes=(_cut_sentence(event), _cut_arithmetic(event)),
        tables=(Table("moved", "Every passage that moved, as a table", moved),),
        origin=origin if event.promoted else "the pool, since no passage was verified",
    )


def _promoted(scene: Scene, event: Promoted, side: str, rank: int, passage: RankedPassage) -> Card:
    colour, handed = _colour(scene, event, passage), passage.id in event.kept
    return Card(
        f"{side}{passage.id}",
        passage.name,
        kind=colour if handed else "pruned",
        star=passage.key in scene.gold,
        lead=str(rank),
        parents=(f"b{passage.id}",) if side == "a" else (),
        weight=float(passage.id in event.promoted) + (passage.key in scene.gold),
    )


def _colour(scene: Scene, event: Promoted, passage: RankedPassage) -> str:
    if passage.key in scene.gold:
        return "gold"
    return "kept" if passage.id in event.promoted else "passage"


def _promotion_headline(scene: Scene, event: Promoted) -> str:
    """The gold passage, else the passage, that moves up most."""
    moves = [move for move in event.moves if move.after < move.before]
    up = [move for move in moves if move.id in event.promoted and move.after <= K]
    if not up:
        return "No passage moves up"
    best = max(up, key=lambda move: (found_at([move.key], scene.gold, 1), move.before - move.after))
    return f"{titles([best.name])} moves up from {best.before} to {best.after}"


def _cut_sentence(event: Promoted) -> str:
    """Sentence on the passages that are handed to answering."""
    followers = set(event.kept) - set(event.promoted)
    above = sum(
        passage.id in followers and passage.score >= event.threshold for passage in event.ranking
    )
    return (
        f"{count(len(event.kept), 'passage')}"
        f" {'is' if len(event.kept) == 1 else 'are'} handed to answering:"
        f" {len(event.kept) - len(followers)} promoted, {above} at or above the threshold,"
        f" {len(followers) - above} to make up the least number."
    )


def _cut_arithmetic(event: Promoted) -> str:
    return (
        f"Threshold: mean μ of the first {event.considered} scores {exact(event.mean)} + their"
        f" deviation σ {exact(event.deviation)} = {exact(event.threshold)}."
    )


def _moved_rows(event: Promoted, gold: Sequence[str]) -> list[dict[str, Any]]:
    """Every passage whose rank changed."""
    return [
        {
            "passage": move.name,
            "gold": move.key in gold,
            "before": move.before,
            "after": move.after,
            "score in the pool": move.score,
            "promoted": move.id in event.promoted,
            "why": move.reason,
        }
        for move in event.moves
    ]
