"""HippoRAG's walk: the entities of the question, where probability went, and scores as sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from gear_app.core.text import count
from gear_app.display.decimals import MOST, STORED, exact, fine
from gear_app.display.markup import entity, facts, join
from gear_app.display.scores import rounded_sum
from gear_app.display.search import ranked
from gear_app.display.telling import (
    PASSAGE,
    Card,
    Column,
    Detail,
    K,
    Link,
    Message,
    Scene,
    ScoredRanking,
    Table,
    Telling,
    teller,
    titles,
)
from gear_app.trace.events import QueryEntity, Recognised, Walked, WalkedEdge, WalkedPassage
from gear_app.trace.paths import contribution, distances, path_from_seed

PASSAGES = 8
NODES = 9  # of a column
NAMES = ("Question’s entities", "One step away", "Further")
FURTHEST = len(NAMES) - 1
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
Numbered = tuple[int, WalkedPassage]


@teller("recognise", Recognised, "Which entities does the question name?")
def recognition(scene: Scene, event: Recognised) -> Telling:
    """The names in the question next to the entities of the graph that they are linked to."""
    resolved = sum(bool(entity.node or entity.title) for entity in event.entities)
    headline = f"The question names {count(resolved, 'entity', 'entities')} of the graph"
    common = [entity for entity in event.entities if entity.passages > 1]
    note = SPECIFICITY if resolved else NO_ENTITY
    if common and all(entity.specificity == 1 for entity in common):
        note = "Seed weight: all the same, node specificity is switched off."
    question = Card("q", "The question", event.query, "query", given=True)
    names = tuple(_named(n, entity) for n, entity in enumerate(event.entities))
    nodes = tuple(
        _node_of(n, entity)
        for n, entity in enumerate(event.entities)
        if entity.node or entity.title
    )
    columns = (
        Column("", (question,), roomy=True),
        Column("the question names", names),
        Column("in the graph", nodes),
    )
    return Telling(
        headline=headline if resolved else "Nothing that the question names is in the graph",
        columns=tuple(column for column in columns if column.cards),
        notes=(note,),
    )


def _named(n: int, entity: QueryEntity) -> Card:
    near = f" (the nearest: {entity.cosine:.3f})" if entity.cosine else ""
    left = f"left out: no entity is near enough{near}, no passage has it as title"
    absent = not (entity.node or entity.title)
    return Card(f"q{n}", entity.text, left if absent else "", "pruned" if absent else "query")


def _node_of(n: int, entity: QueryEntity) -> Card:
    passages = count(entity.passages, "passage")
    words = f"cosine {entity.cosine:.3f} · in {passages} · seed weight {entity.specificity:.3f}"
    if not entity.node:
        words = f"those of the passage with this title; none by name is near · {words}"
    return Card(f"e{n}", entity.node or entity.title, words, "kept", parents=(f"q{n}",))


@teller("walk", Walked, "Where does a walk from these entities lead?")
def walk(scene: Scene, event: Walked) -> Telling:
    """The walk from entities to passages, and the ranking where it alone did not decide."""
    source = "the walk's own" + ("" if event.below else ", nothing was added to it")
    mean = "the mean of the walk's scores and the dense ones, both stretched to 0 to 1"
    origin = mean if event.ensembled else source
    if not event.reached:
        message = Message("The walk reached no passage.")
        return Telling(headline="The walk reaches no passage", messages=(message,))
    first = scene.gold_of(event.reached[:K]) or [event.reached[0].name]
    headline = f"The walk leads to {titles(first)}"
    if not event.passages:
        ranking = ranked(scene, event)
        return Telling(
            headline=headline, columns=ranking.columns, ranking=ranking.ranking, picture=False,
            messages=(Message("The walk reached no passage."),), origin=origin,
        )  # fmt: skip
    picture = Picture(event, scene.gold)
    gold = [card for card in picture.cards if card.star] or picture.cards
    nodes = count(len(event.nodes), "entity", "entities")
    passages = count(len(event.passages), "passage")
    uncertain = (
        f"“{event.uncertain}” was linked less surely than the threshold, so the ranking is the mean"
        " of the walk's and the dense scores, both stretched to 0 to 1."
    )
    return Telling(
        headline=headline,
        columns=picture.columns,
        links=tuple(picture.links),
        opens=gold[0].id if gold else "",
        detail=partial(_detail, event),
        legend=(
            ("query", "entity of the question, where the walk restarts"),
            ("kept", "entity it visits"),
            *([("gold", "gold passage")] if picture.cards and gold[0].star else []),
            ("", "line width = probability that crosses it, or part of the passage's score"),
        ),
        notes=(how(event), *([uncertain] if event.ensembled else [])),
        ranking=ScoredRanking(event.ranking, "mean", "ensemble", chooses=False)
        if event.ensembled
        else None,
        tables=(
            Table("nodes", f"All {nodes} as a table", partial(node_rows, event)),
            Table("walked", f"All {passages} as a table", partial(rows, event, scene.gold)),
        ),
        origin=origin,
    )


class Picture:
    """Entities by their distance from the question's, and the first passages: of a column's
    entities those that give these passages most, and those on the way to each passage's strongest.
    """

    def __init__(self, event: Walked, gold: Collection[str]) -> None:
        self.event, self.gold = event, gold
        ranks = {passage.id: rank for rank, passage in enumerate(event.ranking, start=1)}
        ordered = sorted(event.passages, key=lambda passage: ranks.get(passage.id, len(ranks) + 1))
        self.passages: list[Numbered] = [
            (rank, passage)
            for rank, passage in enumerate(ordered, start=1)
            if rank <= PASSAGES or passage.key in gold
        ]
        away = distances(event)
        self.distance = {n: min(FURTHEST, away.get(n, FURTHEST)) for n in range(len(event.nodes))}
        gives, pull = self._given()
        paths = [
            path_from_seed(event, self._strongest(passage))
            for _, passage in self.passages
            if passage.terms
        ]
        nodes = [node for path in paths for node in path]
        for number in range(FURTHEST + 1):
            near = [n for n in self.distance if self.distance[n] == number]
            near = [n for n in near if number == 0 or gives[n]]
            nodes += sorted(near, key=lambda n: -gives[n])[:NODES]
        self.nodes = sorted(dict.fromkeys(nodes), key=lambda node: (pull[node], node))
        self.ways = {step for path in paths for step in pairwise(path)}
        self.cards = [self._passage(rank, passage) for rank, passage in self.passages]

    def _given(self) -> tuple[Mapping[int, float], Mapping[int, float]]:
        """Contribution of each node to the passages, and their mean rank weighted by it: in that
        order few lines cross.
        """
        gives: Counter[int] = Counter()
        ranks: Counter[int] = Counter()
        for rank, passage in self.passages:
            for term in passage.terms:
                worth = contribution(self.event, term)
                gives[term[0]] += worth  # type: ignore[assignment]
                ranks[term[0]] += rank * worth  # type: ignore[assignment]
        lowest = len(self.passages) + 1.0
        return gives, {n: ranks[n] / gives[n] if gives[n] else lowest for n in self.distance}

    def _strongest(self, passage: WalkedPassage) -> int:
        return max(passage.terms, key=partial(contribution, self.event))[0]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Entities by distance, then passages."""
        columns = []
        for number, name in enumerate(NAMES):
            nodes = [n for n in self.nodes if self.distance[n] == number]
            more = sum(distance == number for distance in self.distance.values()) - len(nodes)
            if nodes:
                columns.append(Column(name, tuple(map(self._node, nodes)), more=more))
        more = len(self.event.passages) - len(self.cards)
        return (*columns, Column("Passages", tuple(self.cards), PASSAGE, more))

    @property
    def links(self) -> Iterator[Link]:
        """Edges that lead on or are on a path to a passage, and parts of passages' scores."""
        event, distance = self.event, self.distance
        drawn = [
            edge
            for edge in event.edges
            if {edge.source, edge.target} <= set(self.nodes)
            and (
                distance[edge.source] < distance[edge.target]
                or (edge.source, edge.target) in self.ways
            )
        ]
        most = max((edge.flow for edge in drawn), default=0.0) or 1.0
        for edge in drawn:
            names = f"{event.nodes[edge.source].name} → {event.nodes[edge.target].name}"
            words, strength = f"{names}: {edge_words(edge)}", edge.flow / most
            yield Link(f"n{edge.source}", f"n{edge.target}", strength, words, dashed=not edge.facts)
        terms = [(passage, term) for _, passage in self.passages for term in passage.terms]
        most = max((contribution(event, term) for _, term in terms), default=0.0) or 1.0
        for passage, term in terms:
            node, worth = event.nodes[term[0]], contribution(event, term)
            words = f"{node.name}: {exact(node.probability)} × {count(term[1], 'triple')}"
            kind = "gold" if passage.key in self.gold else "kept"
            if term[0] in self.nodes:
                yield Link(f"n{term[0]}", f"p{passage.id}", worth / most, words, kind)

    def _node(self, place: int) -> Card:
        node = self.event.nodes[place]
        parents = tuple(
            f"n{edge.source}"
            for edge in self.event.edges
            if edge.target == place and (edge.source, place) in self.ways
        )
        kind = "query" if node.seed else "kept"
        return Card(
            f"n{place}", node.name, kind=kind, note=small(node.probability), parents=parents
        )

    def _passage(self, rank: int, passage: WalkedPassage) -> Card:
        star = passage.key in self.gold
        nodes = [node for node, _ in passage.terms if node in self.nodes]
        return Card(
            f"p{passage.id}",
            passage.name,
            kind="gold" if star else "passage",
            star=star,
            lead=str(rank),
            note=small(passage.score),
            parents=tuple(f"n{node}" for node in nodes),
            weight=float(star),
        )


def edge_words(edge: WalkedEdge) -> str:
    """Triples and synonyms of an edge, and the probability that crosses it."""
    parts = [count(edge.facts, "triple")] * bool(edge.facts)
    parts += [f"synonyms, cosine {edge.cosine:.2f}"] * bool(edge.cosine)
    return f"{' and '.join(parts)}, {exact(edge.flow)} crosses in a step"


def small(value: float) -> str:
    """A probability for the screen: three decimals, below 0.01 two digits that count."""
    if value >= 0.01 or not value:
        return f"{value:.3f}"
    return f"{value:.2g}" if value >= 0.0001 else "<0.0001"


def how(event: Walked) -> str:
    """The walk's settings and size, in a sentence."""
    graph = f"a graph of {event.graph_nodes:,} entities and {event.graph_edges:,} edges"
    if event.spread == "seeds":
        return f"The question's entities alone, of {graph}. {SCORE}"
    if event.spread == "neighbours":
        return f"The question's entities and what is next to them, in {graph}. {SCORE}"
    walk_words = (
        f"Personalized PageRank over {graph}: {event.steps} steps, and in each it restarts at the"
        f" question's entities with probability {event.restart:g}. {SCORE}"
    )
    if not event.below:
        return walk_words
    return (
        f"{walk_words} The last {count(event.below, 'passage')} of the ranking score no higher"
        " than from a random start. They follow in the order of hybrid, with score 0."
    )


def _detail(event: Walked, card: str) -> Detail:
    """An entity with its probability, or a passage with its score as a sum."""
    number = int(card[1:])
    if card.startswith("n"):
        return Detail("Selected entity", html=facts(about_node(event, number)))
    passage = next(passage for passage in event.passages if passage.id == number)
    return Detail("Its score", sum=tuple(arithmetic(event, passage)), passage=number)


def arithmetic(event: Walked, passage: WalkedPassage) -> list[tuple[str, str]]:
    """A passage's score: probability × number of its triples for each entity, greatest first."""
    lines: list[tuple[str, str]] = []
    products = []
    for node, number in sorted(passage.terms, key=lambda term: -contribution(event, term)):
        name, probability = event.nodes[node].name, event.nodes[node].probability
        products.append(round(round(probability, MOST) * number, STORED))
        factors = f": {fine(probability)} × {count(number, 'triple')}"
        lines.append((join([entity(name), factors]), exact(products[-1])))
    total = rounded_sum(products, passage.score)
    return [*lines, ("= score of the walk" if event.ensembled else "= score", exact(total))]


def about_node(event: Walked, place: int) -> list[tuple[str, str]]:
    """A node's probability, its share of the restarts, and where most came from."""
    node = event.nodes[place]
    edges = sorted(
        (edge for edge in event.edges if edge.target == place), key=lambda edge: -edge.flow
    )
    inflow = "; ".join(
        f"{event.nodes[edge.source].name} ({edge_words(edge)})" for edge in edges[:3]
    )
    return [
        ("Entity", entity(node.name)),
        ("Probability", exact(node.probability)),
        ("Restarts", f"{node.seed:.3f} of them" if node.seed else ""),
        ("Comes from", inflow),
        ("Named in", f"{_named_in(event)[place]} of the {len(event.passages)} best passages"),
    ]


def node_rows(event: Walked) -> list[dict[str, Any]]:
    """Every node with its probability, greatest first, and how many best passages name it."""
    passages = _named_in(event)
    return [
        {
            "entity": node.name,
            "probability": node.probability,
            "share of the restarts": node.seed or None,
            "passages": passages[place],
        }
        for place, node in sorted(enumerate(event.nodes), key=lambda entry: -entry[1].probability)
    ]


def _named_in(event: Walked) -> Counter[int]:
    """How many of the explained passages name each node, by position."""
    return Counter(n for passage in event.passages for n in {node for node, _ in passage.terms})


def rows(event: Walked, gold: Sequence[str]) -> list[dict[str, Any]]:
    """Every passage with its score as a sum, best first."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "score": passage.score,
            "sum": " + ".join(
                f"{event.nodes[node].probability:.6f} × {number} ({event.nodes[node].name})"
                for node, number in sorted(passage.terms, key=lambda t: -contribution(event, t))
            ),
        }
        for rank, passage in enumerate(event.passages, start=1)
    ]
