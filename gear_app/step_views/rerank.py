"""The first passages of a method before and after they were judged again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gear_app.events import Moved, Reranked
from gear_app.step_views.blocks import (
    PASSAGE,
    Block,
    Card,
    Choice,
    Column,
    MarkupBlock,
    TableBlock,
)
from gear_app.step_views.network import ROWS, OrderView, picture
from gear_app.step_views.view import note, titles
from gear_app.views.labels import base_name, capital
from gear_app.views.markup import legend


class RerankView(
    OrderView[Reranked], verb="rerank", kind=Reranked, asks="Who rises and who sinks, judged again?"
):
    """The first passages before and after."""

    ORIGIN = "the judgement's own"

    def headline_of(self, event: Reranked) -> str:
        """What becomes of the gold passages that were judged, else which comes first."""
        sunk = [one for one in self._gold(event) if one.after > one.before]
        lifted = [one for one in self._gold(event) if one.after < one.before]
        told = [
            f"{titles([one.name for one in moved])} {verb}"
            for moved, verb in ((lifted, "rise"), (sunk, "sink"))
            if moved
            for verb in [verb + "s" * (len(moved) == 1)]
        ]
        return capital(" and ".join(told)) if told else self.first_of(event.ranking)

    def _gold(self, event: Reranked) -> list[Moved]:
        return [one for one in event.moves if one.key in self.scene.gold]

    def picture_of(self, event: Reranked) -> list[Block]:
        """Each passage's two places, with a line between them."""
        columns = self.columns_of(event)
        there = {card.id for card in columns[0].cards}
        links = {
            (card.parents[0], card.id): (1.0 if card.star else 0.3, f"{card.note}: {card.title}")
            for card in columns[1].cards
            if card.parents[0] in there
        }
        ids = {line.key: line.id for line in event.ranking}
        choices = {
            f"{side}{one.before}": Choice(passage_id=ids[one.key])
            for side in "ba"
            for one in event.moves
            if one.key in ids
        }
        judge = (
            f"The cross-encoder {event.by} reads the question and a passage as one text."
            if event.by
            else "Late interaction adds up, over the words of the question, the cosine of the"
            " nearest word of the passage."
        )
        why = "" if self._gold(event) else " Mark gold passages to see whether they sink."
        return [
            picture("moves", columns, links, choices, "Places before and after"),
            MarkupBlock(legend([("gold", "gold"), ("kept", "lifted"), ("pruned", "sunk")])),
            note(
                f"{judge} A passage that is only a bridge shares few words with the question.{why}"
            ),
            TableBlock("moves", "As a table", partial(self._rows, event)),
        ]

    def columns_of(self, event: Reranked) -> tuple[Column, ...]:
        """The first of both orders, and gold passages wherever they are."""
        before = sorted(event.moves, key=lambda one: one.before)
        return (
            self._column(f"By {base_name(event.of)}", before, "b"),
            self._column("Judged again", event.moves, "a"),
        )

    def _column(self, name: str, moves: Sequence[Moved], side: str) -> Column:
        shown = [one for n, one in enumerate(moves) if n < ROWS or one.key in self.scene.gold]
        return Column(
            name,
            tuple(self._moved(one, side) for one in shown),
            PASSAGE,
            len(moves) - len(shown),
        )

    def _moved(self, one: Moved, side: str) -> Card:
        star, by = one.key in self.scene.gold, one.before - one.after
        kind = "gold" if star else "kept" if by > 0 else "pruned" if by < 0 else "passage"
        moved = f"up {by}" if by > 0 else f"down {-by}" if by < 0 else "as before"
        lacks = f"without: {', '.join(one.lacks)}" if one.lacks else "has every word"
        after = side == "a"
        return Card(
            f"{side}{one.before}",
            one.name,
            lacks if after else "",
            kind if after or star else "passage",
            lead=str(one.after if after else one.before),
            star=star,
            note=moved if after else "",
            parents=(f"b{one.before}",) if after else (),
        )

    @staticmethod
    def _rows(event: Reranked) -> list[dict[str, Any]]:
        return [
            {
                "passage": one.name,
                "before": one.before,
                "after": one.after,
                "lacks of the question": ", ".join(one.lacks),
            }
            for one in event.moves
        ]

    def order_of_followers(self, event: Reranked) -> str:
        """The method below, for what was not judged."""
        return event.of
