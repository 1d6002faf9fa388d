"""HippoRAG's walk: the question's entities, where probability went, and scores as sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import partial
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.paths import contribution
from gear_app.events import QueryEntity, Recognised, Walked, WalkedPassage
from gear_app.step_views import walk_graph
from gear_app.step_views.blocks import (
    ENTITY,
    Block,
    Card,
    Choice,
    Column,
    MarkupBlock,
    PictureBlock,
    RankingBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.step_views.retrieval import RankingView
from gear_app.step_views.view import K, StepView, pictured, titles
from gear_app.step_views.walk_graph import edge_words
from gear_app.text import count
from gear_app.types import Span
from gear_app.views import rankings
from gear_app.views.decimals import MOST, STORED, exact, fine
from gear_app.views.labels import base_name
from gear_app.views.markup import NO_NAMES, Html, around, find, join, legend, tag
from gear_app.views.markup import entity as named_entity
from gear_app.views.rankings import rounded_sum

ENTITY_HEADS = ("In the question", "Entity of the graph", "cosine", "passages |P|", "seed weight")
NO_ENTITY = (
    "The reader named no entity of the graph, so there is nowhere for a walk to start: dense"
    " retrieval takes over."
)

SCORE = (
    "A passage scores the sum over its entities of probability × triples of the passage that name"
    " the entity."
)
SPECIFICITY = (
    "Seed weight = node specificity, 1 / the number of passages that name the entity: a rare name"
    " says more."
)


class RecogniseView(
    StepView[Recognised],
    verb="recognise",
    kind=Recognised,
    asks="Which entities does the question name?",
):
    """The question's entities, and what they are called in the graph."""

    def headline_of(self, event: Recognised) -> str:
        """How many the graph has."""
        known = sum(bool(one.node or one.title) for one in event.entities)
        if not known:
            return "Nothing that the question names is in the graph"
        return f"The question names {count(known, 'entity', 'entities')} of the graph"

    def card_of(self, event: Recognised) -> list[Block]:
        """The question with its entities marked, and a line for each."""
        return [MarkupBlock(entities(event, self.scene.names))]

    def columns_of(self, event: Recognised) -> tuple[Column, ...]:
        """What the question names beside the nodes that were found for it."""
        numbered = list(enumerate(event.entities))
        names = tuple(Card(f"q{n}", one.text, kind="query") for n, one in numbered)
        nodes = tuple(
            Card(f"e{n}", one.node or one.title, kind="kept", parents=(f"q{n}",))
            for n, one in numbered
            if one.node or one.title
        )
        return (Column("the question names", names), Column("in the graph", nodes)) if names else ()


class WalkView(
    StepView[Walked], verb="walk", kind=Walked, asks="Where does a walk from these entities lead?"
):
    """The walk over the graph of entities."""

    def headline_of(self, event: Walked) -> str:
        """The gold passages that it leads to, else the first one."""
        ranking = event.reached
        if not ranking:
            return "The walk reaches no passage"
        return f"The walk leads to {titles(self.gold_of(ranking[:K]) or [ranking[0].name])}"

    def card_of(self, event: Walked) -> list[Block]:
        """The graph, and the ranking where the walk alone did not decide."""
        gold = self.scene.gold
        if not event.passages:
            return [SentenceBlock("The walk reached no passage.")]
        data, opens = walk_graph.graph(event, gold), walk_graph.best_card(event, gold)
        nodes = count(len(event.nodes), "entity", "entities")
        passages = count(len(event.passages), "passage")
        drawn: list[Block] = [
            PictureBlock("walk", "flow", data, opens, partial(_choice, event)),
            MarkupBlock(legend(walk_graph.legend(data))),
            MarkupBlock(tag("p", how(event), class_="gear-note")),
            TableBlock("nodes", f"All {nodes} as a table", partial(node_rows, event)),
            TableBlock("walked", f"All {passages} as a table", partial(passage_rows, event, gold)),
        ]
        return drawn + (self._ensemble(event) if event.ensembled else [])

    def _ensemble(self, event: Walked) -> list[Block]:
        """Both normalised scores of every passage."""
        gold = self.scene.gold
        lines = rankings.lines(
            event.ranking, gold, way="mean", beside=rankings.Beside(names=self.scene.names)
        )
        opens = event.ranking[0].id if event.ranking else None
        shown = event.ranking[: len(lines["lines"])]
        rows = partial(rankings.rows, event.ranking, gold, way="mean")
        return [
            SentenceBlock(ensemble(event)),
            RankingBlock("ensemble", lines, shown, opens, chooses=False),
            TableBlock("ensemble", f"All {len(event.ranking)} passages as a table", rows),
        ]

    def columns_of(self, event: Walked) -> tuple[Column, ...]:
        """From entities to passages; the ranking where the walk leads nowhere."""
        if not event.passages:
            return RankingView(self.scene).columns
        return pictured(walk_graph.graph(event, self.scene.gold), ENTITY)

    def origin_of_ranking(self, event: Walked) -> str:
        """The walk's, or the mean of it and of another."""
        if event.ensembled:
            return "the mean of the walk's scores and the dense ones, both stretched to 0 to 1"
        return f"the walk's own{'' if event.below else ', nothing was added to it'}"

    FOLLOWERS = base_name("hybrid")


def _choice(event: Walked, card: str) -> Choice:
    node = node_of(event, card)
    if node is not None:
        return Choice(node=tuple(about_node(event, node)))
    passage = passage_of(event, card)
    if passage is None:
        return Choice()
    return Choice(passage_id=passage.id, sums=tuple(arithmetic(event, passage)))


def entities(event: Recognised, names: EntityNames = NO_NAMES) -> Html:
    """The question with its entities marked, and a line for each."""
    question = tag(
        "p",
        around(
            event.query, [(span, "mark", "gear-entity") for span in entity_places(event)], names
        ),
        dir="auto",
    )
    common = [entity for entity in event.entities if entity.passages > 1]
    note = SPECIFICITY
    if not any(entity.node or entity.title for entity in event.entities):
        note = NO_ENTITY
    elif common and all(entity.specificity == 1 for entity in common):
        note = "Seed weight: all the same, node specificity is switched off."
    return tag(
        "div",
        question,
        *_entity_table(event),
        tag("p", note, class_="gear-note"),
        class_="gear-question",
    )


def entity_places(event: Recognised) -> list[Span | None]:
    """Where each entity stands in the question, each looked for after the one before it."""
    found: list[Span | None] = []
    at = 0
    for entity in event.entities:
        span = find(event.query, entity.text, at) or find(event.query, entity.text)
        at = span.end if span else at
        found.append(span)
    return found


def _entity_table(event: Recognised) -> list[Html]:
    if not event.entities:
        return []
    heads = tag("tr", join(tag("th", head, scope="col") for head in ENTITY_HEADS))
    return [
        tag(
            "table",
            heads,
            join(_entity_row(entity) for entity in event.entities),
            class_="gear-table",
        )
    ]


def _entity_row(entity: QueryEntity) -> Html:
    if not entity.node and not entity.title:
        near = f" (the nearest: {entity.cosine:.3f})" if entity.cosine else ""
        return tag(
            "tr",
            tag("td", entity.text, dir="auto"),
            tag(
                "td",
                f"left out: no entity is near enough{near}, no passage has it as title",
                colspan=4,
            ),
        )
    numbers = (f"{entity.cosine:.3f}", entity.passages, f"{entity.specificity:.3f}")
    linked = (
        named_entity(entity.node)
        if entity.node
        else f"those of the passage titled “{entity.title}”; none by name is near"
    )
    words = (
        tag("td", tag("mark", named_entity(entity.text), class_="gear-entity"), dir="auto"),
        tag("td", linked, dir="auto"),
    )
    return tag("tr", *words, join(tag("td", value, class_="gear-number") for value in numbers))


def how(event: Walked) -> str:
    """The walk's settings and size, in a sentence."""
    graph = f"a graph of {event.graph_nodes:,} entities and {event.graph_edges:,} edges"
    if event.spread == "seeds":
        return f"The question's entities alone, of {graph}. {SCORE}"
    if event.spread == "neighbours":
        return f"The question's entities and what is next to them, in {graph}. {SCORE}"
    return (
        f"Personalized PageRank over {graph}: {event.steps} steps, and in each it restarts at the"
        f" question's entities with probability {event.restart:g}. {SCORE}"
        f"{_not_reached(event)}"
    )


def _not_reached(event: Walked) -> str:
    """What follows the passages that the walk leads to; "" where nothing does."""
    if not event.below:
        return ""
    passages = count(event.below, "passage")
    return (
        f" The last {passages} of the ranking the walk does not reach: it is there no more often"
        " than one that starts anywhere. They follow in the order of hybrid, with score 0."
    )


def ensemble(event: Walked) -> str:
    """Why the walk's scores were not left alone."""
    return (
        f"“{event.uncertain}” was linked less surely than the threshold, so the ranking is the mean"
        " of the walk's and the dense scores, both stretched to 0 to 1."
    )


def passage_of(event: Walked, card: str) -> WalkedPassage | None:
    """The passage of a card id."""
    return next((passage for passage in event.passages if f"p{passage.id}" == card), None)


def node_of(event: Walked, card: str) -> int | None:
    """The position of the node of a card id."""
    return next((place for place in range(len(event.nodes)) if f"n{place}" == card), None)


def arithmetic(event: Walked, passage: WalkedPassage) -> list[tuple[str, str]]:
    """A passage's score: probability × number of its triples for each entity, greatest first.

    Every product, and the sum, is what the numbers that are printed come to.
    """
    terms = sorted(passage.terms, key=lambda term: -contribution(event, term))
    lines, products = [], []
    for node, number in terms:
        entity = event.nodes[node]
        products.append(round(round(entity.probability, MOST) * number, STORED))
        factors = f": {fine(entity.probability)} × {count(number, 'triple')}"
        lines.append((join([named_entity(entity.name), factors]), exact(products[-1])))
    total = rounded_sum(products, passage.score)
    return [*lines, ("= score of the walk" if event.ensembled else "= score", exact(total))]


def about_node(event: Walked, place: int) -> list[tuple[str, str]]:
    """What is known of a node, as (name, value).

    Its probability, its share of the restarts, where most came from.
    """
    node = event.nodes[place]
    sources = sorted(
        (edge for edge in event.edges if edge.target == place), key=lambda edge: -edge.flow
    )[:3]
    came = "; ".join(f"{event.nodes[edge.source].name} ({edge_words(edge)})" for edge in sources)
    return [
        ("Entity", named_entity(node.name)),
        ("Probability", exact(node.probability)),
        ("Restarts", f"{node.seed:.3f} of them" if node.seed else ""),
        ("Comes from", came),
        ("Named in", f"{_named(event)[place]} of the {len(event.passages)} best passages"),
    ]


def node_rows(event: Walked) -> list[dict[str, Any]]:
    """Every node with its probability, greatest first, and how many best passages name it."""
    named = _named(event)
    return [
        {
            "entity": node.name,
            "probability": node.probability,
            "share of the restarts": node.seed or None,
            "passages": named[place],
        }
        for place, node in sorted(enumerate(event.nodes), key=lambda one: -one[1].probability)
    ]


def _named(event: Walked) -> Counter[int]:
    """How many of the passages that the event explains name each node, by position."""
    return Counter(
        node for passage in event.passages for node in {node for node, _ in passage.terms}
    )


def passage_rows(event: Walked, gold: Collection[str]) -> list[dict[str, Any]]:
    """Every passage with its score as a sum, best first."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "score": passage.score,
            "sum": " + ".join(
                f"{event.nodes[node].probability:.6f} × {number} ({event.nodes[node].name})"
                for node, number in sorted(
                    passage.terms, key=lambda term: -contribution(event, term)
                )
            ),
        }
        for rank, passage in enumerate(event.passages, start=1)
    ]
