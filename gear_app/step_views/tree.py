"""Texts that open into passages: summaries of a tree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.events import OpenedNode, RankedPassage, TreeSearched
from gear_app.events.base import ITSELF
from gear_app.step_views.blocks import Block, Card, Choice, Column, MarkupBlock, TableBlock
from gear_app.step_views.network import ROWS, OrderView, opens, picture
from gear_app.step_views.view import K, note, titles
from gear_app.text import count, cut
from gear_app.views.decimals import exact
from gear_app.views.labels import capital
from gear_app.views.markup import Html, join, legend, tag, title

WORDS = 160  # characters of a summary in a card


class OpenView(
    OrderView[TreeSearched], verb="open", kind=TreeSearched, asks="Which summaries open, and where?"
):
    """Summaries near the question, and the passages below them."""

    ORIGIN = "the nearer of two ways to each: itself, or a summary above it"

    def headline_of(self, event: TreeSearched) -> str:
        """The gold passages that a summary lifts, else how many of the first it lifts."""
        lifted = [line for line in event.ranking[:K] if _above(line)]
        if gold := self.gold_of(lifted):
            return f"Summaries lead to {titles(gold)}"
        return f"Summaries lead to {len(lifted) or 'none'} of the first {K} passages"

    def picture_of(self, event: TreeSearched) -> list[Block]:
        """The question, the nearest nodes, the first passages."""
        columns = self.columns_of(event)
        question = Column("The question", (Card("q", event.query, kind="query"),))
        shown = event.nodes[:ROWS]
        names = {node.name: f"n{n}" for n, node in enumerate(shown) if node.layer}
        links = {
            ("q", f"n{n}"): (max(0.0, node.cosine), f"cosine {node.cosine:.3f}")
            for n, node in enumerate(shown)
        }
        links |= {
            (names[above], f"p{rank}"): (line.score, f"{exact(line.score)} by {above}")
            for rank, line in enumerate(event.ranking[:ROWS], 1)
            if (above := _above(line)) in names
        }
        choices = opens(event.ranking) | {
            f"n{n}": Choice(why=_words(node))
            if node.layer
            else Choice(passage_id=node.passages[0].id)
            for n, node in enumerate(shown)
        }
        passages, *summaries = event.layers
        how = (
            f"Summaries above {count(passages, 'passage')}, layer by layer:"
            f" {', '.join(f'{size:,}' for size in summaries) or 'none'}. A passage scores its own"
            " cosine with the question, or, where that is greater, a summary’s times that of"
            " summary and passage. RAPTOR is made for questions about whole texts, not for chains"
            " of facts."
        )
        return [
            picture("tree", (question, *columns), links, choices, "Summaries and their passages"),
            MarkupBlock(legend([("kept", "a summary"), ("gold", "gold")])),
            note(f"{how} {_written(event)}"),
            TableBlock("nodes", "The nearest nodes as a table", partial(self._rows, event)),
        ]

    def columns_of(self, event: TreeSearched) -> tuple[Column, ...]:
        """The nearest nodes, and the first passages."""
        nodes = tuple(self._node(n, node) for n, node in enumerate(event.nodes[:ROWS]))
        names = {node.name: card.id for node, card in zip(event.nodes, nodes, strict=False)}
        columns = (
            Column("Nearest summaries and passages", nodes, more=len(event.nodes) - len(nodes)),
            self.passages_of(event.ranking, partial(self._passage, names)),
        )
        return tuple(column for column in columns if column.cards)

    def _node(self, n: int, node: OpenedNode) -> Card:
        number = f"{node.cosine:.2f}"
        if not node.layer:
            star = node.passages[0].key in self.scene.gold
            kind = "gold" if star else "passage"
            return Card(f"n{n}", node.name, kind=kind, star=star, note=number)
        below = count(len(node.passages) + node.more, "passage")
        text = f"of {below}: {cut(node.text, WORDS)}"
        return Card(f"n{n}", capital(node.name), text, "kept", note=number)

    def _passage(self, names: dict[str, str], rank: int, line: RankedPassage) -> Card:
        above = _above(line)
        card = self.passage_card(rank, line, f"by {above}" if above else "by itself")
        parents = (names[above],) if above in names else ()
        return replace(card, note=f"{line.score:.2f}", parents=parents)

    @staticmethod
    def _rows(event: TreeSearched) -> list[dict[str, Any]]:
        return [
            {
                "node": node.name,
                "layer": node.layer,
                "cosine": node.cosine,
                "passages": ", ".join(one.name for one in node.passages),
                "and more": node.more,
                "words": node.text,
            }
            for node in event.nodes
        ]


def _above(line: RankedPassage) -> str:
    """The summary that a score is by; "" where the passage's own cosine is greater."""
    best = max(line.parts, key=lambda part: part.value, default=None)
    return "" if best is None or best.source == ITSELF else best.source


def _words(node: OpenedNode) -> Html:
    """What a summary says, and what it opens into."""
    below = [one.name for one in node.passages] + ([f"{node.more} more"] if node.more else [])
    return join(
        [
            title(capital(node.name), f"by {node.by}" if node.by else "sentences of its passages"),
            tag("p", node.text, dir="auto"),
            tag("p", f"It opens into {', '.join(below)}.", class_="gear-note", dir="auto"),
        ]
    )


def _written(event: TreeSearched) -> str:
    by = {node.by for node in event.nodes if node.layer}
    if not by:
        return ""
    who = " and ".join(sorted(filter(None, by)))
    taken = "sentences of the texts, those nearest to the middle of all"
    if not who:
        return f"The summaries are {taken}."
    return f"The summaries are written by {who}{f', some are {taken}' if '' in by else ''}."
