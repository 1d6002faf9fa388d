"""Methods that order passages anew after one search, as pictures of columns: facts and names that a
walk starts from, and the walk itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gear_app.events import (
    Activated,
    Activation,
    Chosen,
    Propagated,
    RankedPassage,
    Visited,
    VisitedEntity,
    Voted,
    Voter,
)
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
from gear_app.step_views.retrieval import RankingView
from gear_app.step_views.view import K, Kind, StepView, fact_card, note, titles
from gear_app.step_views.walk_graph import small
from gear_app.text import count, normalise_entity
from gear_app.views.decimals import exact
from gear_app.views.markup import legend

ROWS = 8  # cards of a column
Links = Mapping[tuple[str, str], tuple[float, str]]  # from and to: how much of it, and in words


def picture(
    name: str, columns: Sequence[Column], links: Links, choices: Mapping[str, Choice], label: str
) -> PictureBlock:
    """Columns of cards with lines between them; the first starred card, or the last column's first,
    is open.
    """
    most = max((strength for strength, _ in links.values()), default=0.0) or 1.0
    data: dict[str, Any] = {
        "columns": [
            {
                "name": column.name,
                "cards": [_card(card) for card in column.cards],
                "more": column.more,
                "weight": 1.2,
                "order": [card.id for card in column.cards],
            }
            for column in columns
        ],
        "links": [
            {
                "from": start,
                "to": end,
                "kind": "kept",
                "dashed": False,
                "strength": round(strength / most, 3),
                "words": words,
            }
            for (start, end), (strength, words) in links.items()
        ],
        "label": label,
    }
    cards = [card for column in reversed(columns) for card in column.cards]
    opens = next((card.id for card in cards if card.star), cards[0].id if cards else None)
    return PictureBlock(name, "flow", data, opens, lambda id_: choices.get(id_, Choice()))


def lines_between(columns: Sequence[Column], tell: Callable[[Card], tuple[float, str]]) -> Links:
    """A line to each card from what led to it, as much and in the words that `tell` gives."""
    return {
        (parent, card.id): tell(card)
        for column in columns
        for card in column.cards
        for parent in card.parents
    }


def _card(card: Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "rank": card.lead,
        "title": card.title,
        "entity": normalise_entity(card.title),
        "note": card.text,
        "score": card.note,
        "kind": "plain" if card.kind in ("passage", "pruned") else card.kind,
        "dashed": card.kind == "pruned",
        "star": card.star,
        "label": ", ".join(filter(None, (card.title, card.text, card.note))),
    }


class ChooseView(
    StepView[Chosen], verb="choose", kind=Chosen, asks="Which facts near the question help?"
):
    """The facts nearest to the question."""

    def headline_of(self, event: Chosen) -> str:
        """How many of them the walk starts from."""
        kept = sum(fact.kept for fact in event.facts)
        if not kept:
            return "No fact helps, so the order is that of meaning"
        return f"A walk starts from {kept} of the {count(len(event.facts), 'nearest fact')}"

    def card_of(self, event: Chosen) -> list[Block]:
        """The facts in order, each with its score."""
        if not event.facts:
            return [note("The collection has no facts, so the order is that of meaning.")]
        who = "The reader kept those that help." if event.asked else "Nobody was asked: all stay."
        question = Card("q", event.query, kind="query")
        columns = (Column("The question", (question,)), *self.columns_of(event))
        links = {
            ("q", f"f{n}"): (fact.score, f"cosine {fact.cosine:.3f}, stretched {fact.score:.3f}")
            for n, fact in enumerate(event.facts)
        }
        choices = {
            f"f{n}": Choice(passage_id=fact.triple.passage_id) for n, fact in enumerate(event.facts)
        }
        return [
            picture("facts", columns, links, choices, "The facts nearest to the question"),
            MarkupBlock(legend([("kept", "the walk starts from it"), ("pruned", "left out")])),
            note(f"{who} A score is the cosine, stretched to 0 to 1 over all facts."),
            TableBlock("facts", "As a table", partial(self._rows, event)),
        ]

    def columns_of(self, event: Chosen) -> tuple[Column, ...]:
        """The facts; those left out are dashed."""
        cards = tuple(
            fact_card(
                f"f{n}",
                fact.triple,
                "kept" if fact.kept else "pruned",
                note=f"{fact.score:.2f}",
            )
            for n, fact in enumerate(event.facts)
        )
        return (Column("Nearest facts", cards, FACT),) if cards else ()

    @staticmethod
    def _rows(event: Chosen) -> list[dict[str, Any]]:
        return [
            {
                "fact": fact.triple.text,
                "cosine": fact.cosine,
                "score": fact.score,
                "kept": fact.kept,
                "passage": fact.triple.passage_name,
            }
            for fact in event.facts
        ]


class ActivateView(
    StepView[Activated],
    verb="activate",
    kind=Activated,
    asks="Where do the question's names lead?",
):
    """Names, from the question's own on."""

    ROUND, BY = "Round", "by the sentence"

    def headline_of(self, event: Activated) -> str:
        """How many names came to those of the question."""
        own = {one.name for one in event.names if one.tier == 1}
        if not own:
            return "The question names nothing that is known"
        new = {one.name for one in event.names if one.kept} - own
        asked = titles(sorted(own))
        return f"{asked} lead{'s' * (len(own) == 1)} to {count(len(new), 'other name')}"

    def card_of(self, event: Activated) -> list[Block]:
        """The names by round, with the sentence that led to each."""
        if not event.names:
            return [note("The question names nothing known, so the order is that of meaning.")]
        columns = self.columns_of(event)
        links = lines_between(columns, lambda card: (float(card.note), f"{self.BY}: {card.text}"))
        return [
            picture("names", columns, links, {}, f"Names by {self.ROUND.lower()}"),
            *self.explained(event),
            TableBlock("names", "As a table", partial(self._rows, event)),
        ]

    def explained(self, event: Activated) -> list[Block]:
        """What stands below the picture."""
        least = (
            f"A name's activation is its source's times the sentence's cosine with the question;"
            f" below δ = {event.least:g} it is not gone to."
        )
        return [MarkupBlock(legend([("kept", "active"), ("pruned", "below δ")])), note(least)]

    def columns_of(self, event: Activated) -> tuple[Column, ...]:
        """A column a round; of the names that a round reached the most active."""
        columns: list[Column] = []
        before: dict[str, str] = {}
        for tier in sorted({one.tier for one in event.names}):
            reached: dict[str, Activation] = {}
            for one in event.names:
                if one.tier == tier and (one.name not in reached or one.kept):
                    reached[one.name] = one
            shown = sorted(reached.values(), key=lambda one: (-one.value, one.name))
            cards = tuple(
                self._name(f"n{tier}-{n}", one, before) for n, one in enumerate(shown[:ROWS])
            )
            name = "The question names" if tier == 1 else f"{self.ROUND} {tier - 1}"
            columns.append(Column(name, cards, more=max(0, len(shown) - ROWS)))
            before = {card.title: card.id for card in cards}
        return tuple(columns)

    @staticmethod
    def _name(id_: str, one: Activation, before: Mapping[str, str]) -> Card:
        kind = "query" if one.tier == 1 else "kept" if one.kept else "pruned"
        parents = (before[one.source],) if one.tier > 1 and one.source in before else ()
        return Card(id_, one.name, one.sentence, kind, note=f"{one.value:.2f}", parents=parents)

    @staticmethod
    def _rows(event: Activated) -> list[dict[str, Any]]:
        return [
            {
                "round": one.tier - 1,
                "name": one.name,
                "from": one.source,
                "activation": one.value,
                "kept": one.kept,
                "sentence": one.sentence,
                "cosine": one.cosine if one.sentence else None,
                "passage": one.title or one.key,
            }
            for one in event.names
        ]


class PropagateView(
    ActivateView,
    verb="propagate",
    kind=Propagated,
    asks="Which entities do messages from the question's own reach?",
):
    """Entities that a network changes, layer by layer."""

    ROUND, BY = "Layer", "by the relation"

    def explained(self, event: Activated) -> list[Block]:
        """What the numbers and the lines are."""
        return [
            note(
                "A number is how far an entity's state is from what it were if the question named"
                " nothing. A line comes from the entity whose message differs most by that."
            )
        ]

    @staticmethod
    def _rows(event: Activated) -> list[dict[str, Any]]:
        return [
            {
                "layer": one.tier - 1,
                "entity": one.name,
                "change": one.value,
                "from": one.source,
                "by": one.sentence,
            }
            for one in event.names
        ]


class OrderView(RankingView[Kind]):
    """A picture of what led to a new order of passages, and the order."""

    FOLLOWERS = "dense"

    def card_of(self, event: Kind) -> list[Block]:
        """The picture; below it the ranking with the sums of the scores."""
        return [*self.picture_of(event), *self.ranking_blocks(event)]

    @property
    def blocks(self) -> list[Block]:
        """What stands in the step's card."""
        return [*self.failures, *(block for event in self.events for block in self.card_of(event))]

    def picture_of(self, event: Kind) -> list[Block]:
        """What led to the order; nothing where there is no picture of it."""
        return []

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of the picture."""
        return self.columns_of(self.event) if self.event else ()

    def passages_of(
        self,
        ranking: Sequence[RankedPassage],
        card: Callable[[int, RankedPassage], Card] | None = None,
    ) -> Column:
        """The first passages, each as `card` draws it with its rank."""
        draw = card or self.passage_card
        cards = tuple(draw(rank, line) for rank, line in enumerate(ranking[:ROWS], 1))
        return Column("First passages", cards, PASSAGE, len(ranking) - len(cards))


def opens(ranking: Sequence[RankedPassage]) -> dict[str, Choice]:
    """What the cards of `OrderView.passages_of` open."""
    return {f"p{rank}": Choice(passage_id=line.id) for rank, line in enumerate(ranking, 1)}


class VisitView(
    OrderView[Visited], verb="visit", kind=Visited, asks="Where does a walk from there lead?"
):
    """A walk over entities and passages."""

    ORIGIN = "the walk's own"

    def headline_of(self, event: Visited) -> str:
        """The gold passages that it leads to, else the first one."""
        if not event.ranking:
            return "The walk reaches no passage"
        first = self.gold_of(event.ranking[:K]) or [event.ranking[0].name]
        return f"The walk leads to {titles(first)}"

    def picture_of(self, event: Visited) -> list[Block]:
        """Entities that it starts from, those that passages owe most, and the first passages."""
        columns = self.columns_of(event)
        ids = {card.title: card.id for column in columns[:-1] for card in column.cards}
        links = {
            (ids[part.source], card.id): (part.value, f"{part.source}: {exact(part.value)} of it")
            for card, line in zip(columns[-1].cards, event.ranking, strict=False)
            for part in line.parts
            if part.score is not None and part.source in ids
        }
        how = (
            f"Personalized PageRank over {event.graph_nodes:,} entities and passages and"
            f" {event.graph_edges:,} edges: {count(event.steps, 'step')}, and in each it goes back"
            f" to where it starts with probability {event.restart:g}. A passage scores the"
            " probability of being there: what comes in a step from each entity that it names, and"
            " from the start."
        )
        return [
            picture(
                "visit", columns, links, opens(event.ranking), "The walk, from entities to passages"
            ),
            MarkupBlock(
                legend([("query", "it starts there"), ("kept", "it comes there"), ("gold", "gold")])
            ),
            note(how),
            TableBlock("entities", "The entities as a table", partial(self._rows, event)),
        ]

    def columns_of(self, event: Visited) -> tuple[Column, ...]:
        """Entities it starts from, others, passages."""
        starts = sorted((one for one in event.entities if one.weight), key=lambda one: -one.weight)
        given: dict[str, float] = {}
        for line in event.ranking[:ROWS]:
            for part in line.parts:
                if part.score is not None:
                    given[part.source] = given.get(part.source, 0.0) + part.value
        own = {one.name for one in starts[:ROWS]}
        others = [one for one in event.entities if one.name in given and one.name not in own]
        others.sort(key=lambda one: -given[one.name])
        columns = (
            self._entities("It starts from", "s", starts, "query"),
            self._entities("It comes to", "e", others, "kept"),
            self.passages_of(event.ranking),
        )
        return tuple(column for column in columns if column.cards)

    @staticmethod
    def _entities(name: str, prefix: str, found: Sequence[VisitedEntity], kind: str) -> Column:
        cards = tuple(
            Card(f"{prefix}{n}", one.name, kind=kind, note=small(one.probability))
            for n, one in enumerate(found[:ROWS])
        )
        return Column(name, cards, more=max(0, len(found) - ROWS))

    @staticmethod
    def _rows(event: Visited) -> list[dict[str, Any]]:
        return [
            {"entity": one.name, "probability": one.probability, "starts with": one.weight or None}
            for one in event.entities
        ]


class VoteView(
    OrderView[Voted], verb="vote", kind=Voted, asks="Which passages do these entities vote for?"
):
    """The entities that a network scores best, and their votes."""

    ORIGIN = "the votes' own"

    def headline_of(self, event: Voted) -> str:
        """The gold passages that have votes, else the first one."""
        first = self.gold_of(event.reached[:K]) or [event.reached[0].name]
        return f"Entities vote for {titles(first)}"

    def picture_of(self, event: Voted) -> list[Block]:
        """Voters and passages, with a line for each vote."""
        voters, passages = columns = self.columns_of(event)
        ids = {card.title: card.id for card in voters.cards}
        links = {
            (ids[part.source], card.id): (part.value, f"a vote of {exact(part.value)}")
            for card, line in zip(passages.cards, event.reached, strict=False)
            for part in line.parts
            if part.source in ids
        }
        how = (
            f"The network {event.model} scores {event.graph_nodes:,} entities by"
            f" {event.graph_edges:,} edges. Each of the best {len(event.voters)} gives 1 / the"
            " number of passages that name it to each of these."
        )
        return [
            picture("votes", columns, links, opens(event.reached), "Who votes for which passage"),
            note(how),
            TableBlock("voters", "The voters as a table", partial(self._rows, event)),
        ]

    def columns_of(self, event: Voted) -> tuple[Column, ...]:
        """The first voters, and the first passages."""
        cards = tuple(self._voter(rank, one) for rank, one in enumerate(event.voters[:ROWS], 1))
        return (
            Column("Best entities", cards, more=len(event.voters) - len(cards)),
            self.passages_of(event.reached),
        )

    @staticmethod
    def _voter(rank: int, one: Voter) -> Card:
        named = f"in {count(one.passages, 'passage')}"
        return Card(f"v{rank}", one.name, named, "kept", lead=str(rank), note=f"{one.score:.2f}")

    @staticmethod
    def _rows(event: Voted) -> list[dict[str, Any]]:
        return [
            {"entity": one.name, "score": one.score, "passages": one.passages}
            for one in event.voters
        ]
