"""BDTR's calibration: the reasoning chain, the passages verified for it, and their promotion."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from gear_app.analysis.metrics import found_at
from gear_app.events import Chained, Promoted, RankedPassage, Verified
from gear_app.step_views.blocks import (
    FACT,
    PASSAGE,
    Block,
    Card,
    Choice,
    Column,
    MarkupBlock,
    PictureBlock,
    TableBlock,
)
from gear_app.step_views.view import (
    LONGEST,
    Conclusion,
    K,
    StepView,
    fact_cards,
    pictured,
    titles,
)
from gear_app.text import count, cut, normalise_entity
from gear_app.views import markup
from gear_app.views.decimals import exact
from gear_app.views.markup import Html, entity, fact, join, tag

SHOWN = 12


class ChainView(StepView[Chained], verb="chain", kind=Chained, asks="How does it hang together?"):
    """The reasoning chain from the question to its answer."""

    def headline_of(self, event: Chained) -> str:
        """From where to where it leads."""
        if len(event.nodes) < 2:
            return "There is no chain from the question to an answer"
        return f"A chain from {cut(event.nodes[0], LONGEST)} to {cut(event.nodes[-1], LONGEST)}"

    def card_of(self, event: Chained) -> list[Block]:
        """Its nodes, and the facts it is made of."""
        return [MarkupBlock(chain(event))]

    def columns_of(self, event: Chained) -> tuple[Column, ...]:
        """Its nodes beside the facts that join them."""
        nodes = tuple(
            Card(f"n{n}", node, kind="kept", lead=str(n))
            for n, node in enumerate(event.nodes, start=1)
        )
        facts = Column("its facts", fact_cards("f", event.because), FACT)
        chained = (Column("the chain", nodes),) if nodes else ()
        return (*chained, facts) if chained and facts.cards else chained


class VerifyView(
    StepView[Verified], verb="verify", kind=Verified, asks="Which passages bear it out?"
):
    """The passages that support the chain."""

    def headline_of(self, event: Verified) -> str:
        """How many they are."""
        n = len(event.passages)
        if not n:
            return "No passage bears the chain out"
        return f"{count(n, 'passage')} {'bears' if n == 1 else 'bear'} the chain out"

    def card_of(self, event: Verified) -> list[Block]:
        """Each with the reader's reason."""
        return [MarkupBlock(verified_passages(event, self.scene.gold))]

    def columns_of(self, event: Verified) -> tuple[Column, ...]:
        """Each with the reader's reason."""
        reasons = [*event.reasons, *[""] * len(event.passages)]
        cards = tuple(
            self.passage_card(n, passage, reason)
            for n, (passage, reason) in enumerate(zip(event.passages, reasons, strict=False), 1)
        )
        return (Column("passages that bear it out", cards, PASSAGE),) if cards else ()


class PromoteView(
    StepView[Promoted], verb="promote", kind=Promoted, asks="Which passages move up?"
):
    """The verified passages on top of the pool, and the cut."""

    def headline_of(self, event: Promoted) -> str:
        """The gold passage, else the one, that moves up most."""
        moves = [move for move in event.moves if move.after < move.before]
        up = [move for move in moves if move.id in event.promoted and move.after <= K]
        if not up:
            return "No passage moves up"
        gold = self.scene.gold
        best = max(up, key=lambda move: (found_at([move.key], gold, 1), move.before - move.after))
        title = titles([best.name])
        return f"{title} moves up from {best.before} to {best.after}"

    def card_of(self, event: Promoted) -> list[Block]:
        """Ranks before and after, and the arithmetic of the cut."""
        gold = self.scene.gold

        def choose(card: str) -> Choice:
            return Choice(passage_id=passage_of(event, card))

        label = "Every passage that moved, as a table"
        return [
            PictureBlock("promoted", "flow", slope(event, gold), best_card(event, gold), choose),
            MarkupBlock(markup.legend(legend(event, gold))),
            MarkupBlock(tag("p", cut_sentence(event), class_="gear-note")),
            MarkupBlock(markup.sum_of(arithmetic(event))),
            TableBlock("moved", label, partial(rows, event, gold)),
        ]

    def columns_of(self, event: Promoted) -> tuple[Column, ...]:
        """Which passages rise and which fall."""
        return pictured(slope(event, self.scene.gold, K), PASSAGE)

    @classmethod
    def conclusion_of(cls, event: Promoted, *, over: bool) -> Conclusion:
        """How much is handed to answering."""
        return Conclusion(str(len(event.kept)), "passages handed to answering")

    def origin_of_ranking(self, event: Promoted) -> str:
        """The pool, and whether something was promoted."""
        if event.promoted:
            return "the pool with the verified passages on top"
        return "the pool as it was, since no passage was verified"

    FOLLOWERS = "the first query"


def chain(event: Chained) -> Html:
    """The chain's nodes with arrows between them, and the facts it is made of."""
    if not event.nodes:
        return tag(
            "p",
            "The reader found no chain, so nothing can be verified and nothing moves.",
            class_="gear-note",
        )
    nodes = join(
        (tag("span", entity(node), class_="gear-node", dir="auto") for node in event.nodes), " → "
    )
    return tag(
        "div", tag("p", nodes, class_="gear-chain"), *map(fact, event.because), class_="gear-list"
    )


def verified_passages(event: Verified, gold: Collection[str]) -> Html:
    """The passages picked, strongest first, each with why."""
    of = (
        f"Of the pool's first {count(event.shown, 'passage')}, {len(event.passages)}"
        f" {'supports' if len(event.passages) == 1 else 'support'} the chain; the strongest is"
        " first."
    )
    ignored = ", ".join(map(str, event.ignored))
    notes = [tag("p", of, class_="gear-note")]
    if ignored:
        notes.append(
            tag(
                "p",
                f"Numbers of the reply that name no passage, or one again: {ignored}.",
                class_="gear-note",
            )
        )
    reasons = [*event.reasons, *[""] * len(event.passages)]
    items = [
        _verified_passage(n, p, reason, gold)
        for n, (p, reason) in enumerate(zip(event.passages, reasons, strict=False), 1)
    ]
    return tag("div", *notes, join(items), class_="gear-list")


def _verified_passage(n: int, passage: RankedPassage, reason: str, gold: Collection[str]) -> Html:
    star = "★ " if passage.key in gold else ""
    return tag(
        "div",
        tag("span", f"{n} · {star}", entity(passage.name, "b")),
        tag("span", reason, class_="gear-why"),
        class_="gear-item gear-kept",
        dir="auto",
    )


def slope(event: Promoted, gold: Collection[str], shown: int = SHOWN) -> dict[str, Any]:
    """Component data: the first `shown` passages after the promotion, and by rank before it."""
    before = {move.id: move.before for move in event.moves}
    after = list(enumerate(event.ranking[:shown], start=1))
    earlier = sorted((before.get(p.id, rank), p) for rank, p in after) if after else []
    ranks = {passage.id: rank for rank, passage in after}
    left = [_card("b", rank, passage, event, gold) for rank, passage in earlier]
    right = [_card("a", rank, passage, event, gold) for rank, passage in after]
    return {
        "columns": [
            _column("Rank in the pool", left, 0),
            _column("Rank after promotion", right, max(0, len(event.ranking) - len(right))),
        ],
        "links": [
            {
                "from": f"b{passage.id}",
                "to": f"a{passage.id}",
                "kind": _kind(passage, event, gold),
                "dashed": False,
                "strength": 0.7 if passage.id in event.promoted else 0.1,
                "words": f"{passage.name}: rank {rank} → {ranks[passage.id]}",
            }
            for rank, passage in earlier
        ],
        "label": f"Promotion: {count(len(event.promoted), 'passage')} moved to the top",
    }


def _column(name: str, cards: list[dict[str, Any]], more: int) -> dict[str, Any]:
    return {
        "name": name,
        "cards": cards,
        "more": more,
        "weight": 1,
        "order": [card["id"] for card in cards],
    }


def legend(event: Promoted, gold: Collection[str]) -> list[tuple[str, str]]:
    """What colours and lines mean, as (palette name, words)."""
    there = any(passage.key in gold for passage in event.ranking[:SHOWN])
    star = [("gold", "★ gold passage, promoted or not")] if there else []
    found = [
        ("kept", "promoted"),
        *star,
        ("passage", "found by search, not promoted"),
        ("", "wide line: promoted"),
    ]
    return [*found, ("pruned", "dashed border: not handed to answering")]


def passage_of(event: Promoted, card: str) -> int | None:
    """The passage id of a card id."""
    return next((p.id for p in event.ranking if card in (f"a{p.id}", f"b{p.id}")), None)


def best_card(event: Promoted, gold: Collection[str]) -> str | None:
    """The card to open first: the first promoted gold passage, else the first."""
    first = next((p for p in event.ranking if p.id in event.promoted and p.key in gold), None)
    chosen = first or (event.ranking[0] if event.ranking else None)
    return f"a{chosen.id}" if chosen else None


def arithmetic(event: Promoted) -> list[tuple[str, str]]:
    """The cut, as (term, value)."""
    return [
        (f"mean μ of the first {event.considered} scores", exact(event.mean)),
        ("+ their deviation σ", exact(event.deviation)),
        ("= threshold", exact(event.threshold)),
    ]


def cut_sentence(event: Promoted) -> str:
    """What is handed to answering, in a sentence."""
    others = set(event.kept) - set(event.promoted)
    above = sum(
        passage.id in others and passage.score >= event.threshold for passage in event.ranking
    )
    return (
        f"{count(len(event.kept), 'passage')}"
        f" {'is' if len(event.kept) == 1 else 'are'} handed to answering:"
        f" {len(event.kept) - len(others)} promoted, {above} at or above the threshold,"
        f" {len(others) - above} to make up the least number. The ranking below stays whole."
    )


def rows(event: Promoted, gold: Collection[str]) -> list[dict[str, Any]]:
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


def _card(
    side: str, rank: int, passage: RankedPassage, event: Promoted, gold: Collection[str]
) -> dict[str, Any]:
    title = passage.name
    promoted = " promoted," if passage.id in event.promoted else ""
    answer_passages = (
        "handed to answering" if passage.id in event.kept else "not handed to answering"
    )
    return {
        "id": f"{side}{passage.id}",
        "rank": rank,
        "title": title,
        "entity": normalise_entity(title),
        "score": "",
        "kind": _kind(passage, event, gold),
        "star": passage.key in gold,
        "dashed": passage.id not in event.kept,
        "label": (
            f"Rank {rank}: {title},{promoted} {answer_passages}"
            + (", gold" if passage.key in gold else "")
        ),
    }


def _kind(passage: RankedPassage, event: Promoted, gold: Collection[str]) -> str:
    if passage.key in gold:
        return "gold"
    return "kept" if passage.id in event.promoted else "passage"
