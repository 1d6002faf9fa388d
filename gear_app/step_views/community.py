"""GraphRAG's local search: entities near the question, their communities, and passages."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.events import Community, Gathered, RankedPassage
from gear_app.step_views.blocks import (
    Block,
    Card,
    Column,
    MarkupBlock,
    TableBlock,
)
from gear_app.step_views.network import ROWS, OrderView, lines_between, opens, picture
from gear_app.step_views.view import K, note, titles
from gear_app.text import count
from gear_app.views import labels
from gear_app.views.labels import reader_note
from gear_app.views.markup import join, legend, tag

NO_REPORT = "no report"


class GatherView(
    OrderView[Gathered], verb="gather", kind=Gathered, asks="What lies around what is asked about?"
):
    """Entities, communities and passages side by side."""

    ORIGIN = "the order of the entities that they name"

    def headline_of(self, event: Gathered) -> str:
        """The gold passages that name an entity near the question, else how many do."""
        found = self.gold_of(event.reached[:K])
        if found:
            return f"What is near the question leads to {titles(found)}"
        verb = "has" if len(event.reached) == 1 else "have"
        return f"{count(len(event.reached), 'passage')} {verb} what is near the question"

    def picture_of(self, event: Gathered) -> list[Block]:
        """A line from a community to its entities, and from these to passages."""
        columns = self.columns_of(event)
        links = lines_between(columns, lambda card: (1.0, card.title))
        how = (
            f"An entity is as near as its facts are on average. The graph has {event.total:,}"
            " communities (Louvain): entities with more facts among them than with others. They"
            " change no rank, and answering reads passages, not reports. A passage scores by the"
            " nearest entity that it names, then by how many of its facts it has."
        )
        return [
            picture(
                "gather", columns, links, opens(event.ranking), "Communities, entities and passages"
            ),
            MarkupBlock(legend([("kept", "near the question"), ("gold", "gold")])),
            *self._reports(event),
            note(how),
            TableBlock("entities", "The entities as a table", partial(self._rows, event)),
            TableBlock("facts", "Their facts as a table", partial(_fact_rows, event)),
        ]

    def columns_of(self, event: Gathered) -> tuple[Column, ...]:
        """Communities, the entities near the question, and the first passages that name one."""
        numbers = {one.number: f"c{n}" for n, one in enumerate(event.communities)}
        groups = tuple(
            Card(numbers[one.number], _name(one), f"{count(one.size, 'entity', 'entities')}")
            for one in event.communities
        )
        near, ids = [], dict[str, str]()
        for n, one in enumerate(event.entities[:ROWS]):
            ids[one.name] = f"e{n}"
            parents = (numbers[one.community],) if one.community in numbers else ()
            words = f"{one.cosine:.2f}"
            near.append(Card(f"e{n}", one.name, kind="kept", note=words, parents=parents))

        def passage(rank: int, line: RankedPassage) -> Card:
            parents = tuple(ids[part.source] for part in line.parts[:1] if part.source in ids)
            return replace(self.passage_card(rank, line), parents=parents)

        columns = (
            Column("Communities", groups),
            Column("Near the question", tuple(near), more=len(event.entities) - len(near)),
            self.passages_of(event.reached, passage),
        )
        return tuple(column for column in columns if column.cards)

    def _reports(self, event: Gathered) -> list[Block]:
        """What is reported of each community, and by whom."""
        run = self.scene.run
        by = reader_note(run.reader, labels.model_of(run))
        drawn = [
            tag("p", tag("b", _name(one)), f": {one.report or NO_REPORT}", dir="auto")
            for one in event.communities
        ]
        head = tag("p", f"Reports on communities, {by}", class_="gear-note")
        return [MarkupBlock(join([head, *drawn]))] if drawn else []

    @staticmethod
    def _rows(event: Gathered) -> list[dict[str, Any]]:
        there = {one.number: _name(one) for one in event.communities}
        return [
            {
                "entity": one.name,
                "mean cosine": one.cosine,
                "community": there.get(one.community, str(one.community)),
            }
            for one in event.entities
        ]


def _fact_rows(event: Gathered) -> list[dict[str, Any]]:
    return [{"fact": fact.text, "passage": fact.passage_name} for fact in event.facts]


def _name(community: Community) -> str:
    """A community goes by its entities with most facts."""
    return ", ".join(community.names[:2])
