"""Methods that order passages anew after a search: facts and names from which a walk starts, walks,
votes, communities, summaries, and second judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gear_app.core.text import count, cut
from gear_app.display import labels
from gear_app.display.decimals import exact
from gear_app.display.labels import base_name, capital, reader_note
from gear_app.display.markup import Html, join, tag
from gear_app.display.search import first_of, ranked
from gear_app.display.telling import (
    FACT,
    PASSAGE,
    Card,
    Column,
    Detail,
    K,
    Link,
    Scene,
    Telling,
    fact_card,
    teller,
    titles,
)
from gear_app.display.walk import small
from gear_app.trace.events import (
    Activated,
    Activation,
    Chosen,
    Community,
    Event,
    Gathered,
    Moved,
    OpenedNode,
    Propagated,
    RankedPassage,
    Reranked,
    TreeSearched,
    Visited,
    VisitedEntity,
    Voted,
)
from gear_app.trace.events.base import ITSELF

ROWS = 8  # cards of a column
WORDS = 160  # characters of a summary in a card


def order(scene: Scene, event: Event, telling: Telling) -> Telling:
    """The picture of what led to an order of passages, with the order and its arithmetic."""
    ranking = ranked(scene, event)
    columns = tuple(column for column in telling.columns if column.cards)
    starred = [card.id for column in reversed(columns) for card in column.drawn if card.star]
    return replace(
        telling,
        columns=columns,
        opens=next(iter(starred), telling.opens or "p1"),
        ranking=ranking.ranking,
        tables=(*telling.tables, *ranking.tables),
        messages=ranking.messages,
    )


def passages_of(scene: Scene, ranking: Sequence[RankedPassage], parents: dict[str, str]) -> Column:
    """Passages with lines from the entities that their scores have parts of, by name."""
    cards = []
    for rank, line in enumerate(ranking, 1):
        sources = tuple(parents[part.source] for part in line.parts if part.source in parents)
        cards.append(replace(scene.passage_card(rank, line), parents=sources))
    return Column("First passages", tuple(cards), PASSAGE, shown=ROWS)


def _part_links(
    ranking: Sequence[RankedPassage], ids: dict[str, str], words: str
) -> tuple[Link, ...]:
    """A line for each part of a passage's score that is of a card, as wide as it is large."""
    parts = [
        (ids[part.source], f"p{rank}", part.value)
        for rank, line in enumerate(ranking[:ROWS], 1)
        for part in line.parts
        if part.source in ids and part.value
    ]
    most = max((value for *_, value in parts), default=1.0)
    return tuple(
        Link(start, end, value / most, f"{words} {exact(value)}") for start, end, value in parts
    )


def _passage_detail(ranking: Sequence[RankedPassage], card: str) -> Detail:
    if not (card.startswith("p") and card[1:].isdigit()):
        return Detail()
    return Detail(passage=ranking[int(card[1:]) - 1].id)


@teller("choose", Chosen, "Which facts near the question help?")
def choice(scene: Scene, event: Chosen) -> Telling:
    """The facts nearest to the question; those left out are dashed."""
    selected = sum(fact.kept for fact in event.facts)
    nearest = count(len(event.facts), "nearest fact")
    choice_words = "The reader kept those that help." if event.asked else "All facts stay."
    cards = tuple(
        fact_card(f"f{n}", fact.triple, "kept" if fact.kept else "pruned", note=f"{fact.score:.2f}")
        for n, fact in enumerate(event.facts)
    )
    note = f"{choice_words} A score is the cosine, stretched to 0 to 1 over all facts."
    headline = f"A walk starts from {selected} of the {nearest}"
    return Telling(
        headline=headline if selected else "No fact helps, so the order is that of meaning",
        columns=(Column("Nearest facts", cards, FACT),) if cards else (),
        opens="f0",
        detail=lambda card: Detail("Fact", triple=event.facts[int(card[1:])].triple),
        legend=(("kept", "the walk starts from it"), ("pruned", "left out")),
        notes=(note if cards else "The collection has no facts.",),
    )


@teller("activate", Activated, "Where do the question's names lead?")
def activation(scene: Scene, event: Activated) -> Telling:
    """Names by round, each with the sentence that led to it."""
    least = (
        f"A name's activation is its source's times the sentence's cosine with the question;"
        f" below δ = {event.least:g} it is not gone to."
    )
    nothing = "The question names nothing known, so the order is that of meaning."
    legend = (("kept", "active"), ("pruned", "below δ"))
    return _names(event, "Round", least if event.names else nothing, legend)


@teller("propagate", Propagated, "Which entities do messages from the question's own reach?")
def propagation(scene: Scene, event: Propagated) -> Telling:
    """Entities that a network changes, layer by layer."""
    note = (
        "A number is how far an entity's state is from its state without the question's names."
        " A line comes from the entity whose message differs most by that."
    )
    return _names(event, "Layer", note, ())


def _names(event: Activated, name: str, note: str, legend: tuple[tuple[str, str], ...]) -> Telling:
    """A column a round; the most active names first."""
    columns: list[Column] = []
    before: dict[str, str] = {}
    for tier in sorted({activation.tier for activation in event.names}):
        reached: dict[str, Activation] = {}
        for activation in event.names:
            if activation.tier == tier and (activation.name not in reached or activation.kept):
                reached[activation.name] = activation
        ordered = sorted(
            reached.values(), key=lambda activation: (-activation.value, activation.name)
        )
        cards = tuple(
            _name(f"n{tier}-{n}", activation, before) for n, activation in enumerate(ordered)
        )
        heading = "The question names" if tier == 1 else f"{name} {tier - 1}"
        columns.append(Column(heading, cards, shown=ROWS))
        before = {card.title: card.id for card in cards[:ROWS]}
    query_names = {activation.name for activation in event.names if activation.tier == 1}
    new = {activation.name for activation in event.names if activation.kept} - query_names
    verb = "leads" if len(query_names) == 1 else "lead"
    lead = f"{titles(sorted(query_names))} {verb} to {count(len(new), 'other name')}"
    return Telling(
        headline=lead if query_names else "The question names nothing that is known",
        columns=tuple(columns),
        legend=legend if columns else (),
        notes=(note,),
    )


def _name(id_: str, activation: Activation, before: dict[str, str]) -> Card:
    kind = "query" if activation.tier == 1 else "kept" if activation.kept else "pruned"
    parents = (
        (before[activation.source],) if activation.tier > 1 and activation.source in before else ()
    )
    return Card(
        id_,
        activation.name,
        activation.sentence,
        kind,
        note=f"{activation.value:.2f}",
        parents=parents,
    )


@teller("visit", Visited, "Where does a walk from there lead?")
def visit(scene: Scene, event: Visited) -> Telling:
    """A walk over entities and passages: where it starts, what passages owe most, and passages."""
    if not event.ranking:
        return order(scene, event, Telling(headline="The walk reaches no passage"))
    starts = sorted(
        (entity for entity in event.entities if entity.weight), key=lambda entity: -entity.weight
    )
    votes: dict[str, float] = {}
    for part in (part for line in event.ranking[:ROWS] for part in line.parts):
        if part.score is not None:
            votes[part.source] = votes.get(part.source, 0.0) + part.value
    drawn = {entity.name for entity in starts[:ROWS]}
    targets = [
        entity for entity in event.entities if entity.name in votes and entity.name not in drawn
    ]
    targets.sort(key=lambda entity: -votes[entity.name])
    entities = _entities("s", starts, "query"), _entities("e", targets, "kept")
    ids = {card.title: card.id for cards in entities for card in cards[:ROWS]}
    note = (
        f"Personalized PageRank over {event.graph_nodes:,} entities and passages and"
        f" {event.graph_edges:,} edges: {count(event.steps, 'step')}, and in each it goes back"
        f" to where it starts with probability {event.restart:g}. A passage scores the probability"
        " of being there: what comes in a step from each entity that it names, and from the start."
    )
    first = scene.gold_of(event.ranking[:K]) or [event.ranking[0].name]
    telling = Telling(
        headline=f"The walk leads to {titles(first)}",
        columns=(
            Column("It starts from", entities[0], shown=ROWS),
            Column("It comes to", entities[1], shown=ROWS),
            passages_of(scene, event.ranking, ids),
        ),
        links=_part_links(event.ranking, ids, "part of the score:"),
        detail=partial(_passage_detail, event.ranking),
        legend=(("query", "it starts there"), ("kept", "it comes there"), ("gold", "gold")),
        notes=(note,),
        origin="the walk's own",
    )
    return order(scene, event, telling)


def _entities(prefix: str, entities: Sequence[VisitedEntity], kind: str) -> tuple[Card, ...]:
    return tuple(
        Card(f"{prefix}{n}", entity.name, kind=kind, note=small(entity.probability))
        for n, entity in enumerate(entities)
    )


@teller("vote", Voted, "Which passages do these entities vote for?")
def vote(scene: Scene, event: Voted) -> Telling:
    """The entities that a network scores best, and their votes for passages."""
    voters = tuple(
        Card(f"v{n}", voter.name, f"in {count(voter.passages, 'passage')}", "kept", lead=str(n),
             note=f"{voter.score:.2f}")
        for n, voter in enumerate(event.voters, 1)
    )  # fmt: skip
    ids = {card.title: card.id for card in voters[:ROWS]}
    note = (
        f"The network {event.model} scores {event.graph_nodes:,} entities by"
        f" {event.graph_edges:,} edges. Each of the best {len(event.voters)} gives 1 / the"
        " number of passages that name it to each of these."
    )
    first = scene.gold_of(event.reached[:K]) or [passage.name for passage in event.reached[:1]]
    telling = Telling(
        headline=f"Entities vote for {titles(first)}",
        columns=(
            Column("Best entities", voters, shown=ROWS),
            passages_of(scene, event.reached, ids),
        ),
        links=_part_links(event.reached, ids, "a vote of"),
        detail=partial(_passage_detail, event.reached),
        notes=(note,),
        origin="the votes' own",
    )
    return order(scene, event, telling)


@teller("gather", Gathered, "What lies around what is asked about?")
def gathering(scene: Scene, event: Gathered) -> Telling:
    """Communities, the entities near the question, and the passages that name one."""
    gold = scene.gold_of(event.reached[:K])
    headline = f"{count(len(event.reached), 'passage')} with an entity near the question"
    numbers = {community.number: f"c{n}" for n, community in enumerate(event.communities)}
    groups = tuple(
        Card(
            numbers[community.number],
            _community(community),
            count(community.size, "entity", "entities"),
        )
        for community in event.communities
    )
    near = tuple(
        Card(f"e{n}", entity.name, kind="kept", note=f"{entity.cosine:.2f}",
             parents=(numbers[entity.community],) if entity.community in numbers else ())
        for n, entity in enumerate(event.entities)
    )  # fmt: skip
    ids = {card.title: card.id for card in near[:ROWS]}
    note = (
        f"An entity is as near as its facts are on average. The graph has {event.total:,}"
        " communities (Louvain): entities with more facts among them than with others. They"
        " change no rank, and answering reads passages, not reports. A passage scores by the"
        " nearest entity that it names, then by how many of its facts it has."
    )
    reader = reader_note(scene.run.reader, labels.model_of(scene.run))
    telling = Telling(
        headline=f"What is near the question leads to {titles(gold)}" if gold else headline,
        columns=(
            Column("Communities", groups),
            Column("Near the question", near, shown=ROWS),
            passages_of(scene, event.reached, ids),
        ),
        detail=lambda card: _report(event, card, reader),
        legend=(("kept", "near the question"), ("gold", "gold")),
        notes=(note, *_reports(event, reader)),
        origin="the order of the entities that they name",
    )
    return order(scene, event, telling)


def _community(community: Community) -> str:
    """A community goes by its entities with most facts."""
    return ", ".join(community.names[:2])


def _reports(event: Gathered, reader: str) -> tuple[Html, ...]:
    """Reports on the communities, and their author."""
    if not event.communities:
        return ()
    reports = [
        tag(
            "p", tag("b", _community(community)), f": {community.report or 'no report'}", dir="auto"
        )
        for community in event.communities
    ]
    return (join([tag("p", f"Reports on communities, {reader}", class_="gear-note"), *reports]),)


def _report(event: Gathered, card: str, reader: str) -> Detail:
    """The facts of an entity, the report of a community, or a passage."""
    if card.startswith("c"):
        community = event.communities[int(card[1:])]
        return Detail(
            _community(community), reader, tag("p", community.report or "no report", dir="auto")
        )
    if card.startswith("e"):
        name = event.entities[int(card[1:])].name
        facts = [fact for fact in event.facts if name in (fact.subject, fact.object)]
        return Detail(name, html=join(tag("p", fact.text, dir="auto") for fact in facts))
    return _passage_detail(event.reached, card)


@teller("open", TreeSearched, "Which summaries open, and where?")
def tree(scene: Scene, event: TreeSearched) -> Telling:
    """The nearest summaries and passages, and the passages that they lead to."""
    lifted = [line for line in event.ranking[:K] if _above(line)]
    gold = scene.gold_of(lifted)
    nodes = tuple(_node(scene, n, node) for n, node in enumerate(event.nodes))
    names = {node.name: f"n{n}" for n, node in enumerate(event.nodes[:ROWS]) if node.layer}
    cards = []
    for rank, line in enumerate(event.ranking, 1):
        above = _above(line)
        card = scene.passage_card(rank, line, f"by {above}" if above else "by itself")
        parents = (names[above],) if above in names else ()
        cards.append(replace(card, note=f"{line.score:.2f}", parents=parents))
    passages, *summaries = event.layers
    note = (
        f"Summaries above {count(passages, 'passage')}, layer by layer:"
        f" {', '.join(f'{size:,}' for size in summaries) or 'none'}. A passage scores its own"
        " cosine with the question, or, where that is greater, a summary’s times that of"
        " summary and passage. RAPTOR is made for questions about whole texts, not for chains"
        " of facts."
    )
    leads = f"Summaries lead to {len(lifted) or 'none'} of the first {K} passages"
    telling = Telling(
        headline=f"Summaries lead to {titles(gold)}" if gold else leads,
        columns=(
            Column("Nearest summaries and passages", nodes, shown=ROWS),
            Column("First passages", tuple(cards), PASSAGE, shown=ROWS),
        ),
        detail=lambda card: _summary(event, card),
        legend=(("kept", "a summary"), ("gold", "gold")),
        notes=(note, *_writers(event)),
        origin="the nearer of two ways to each: itself, or a summary above it",
    )
    return order(scene, event, telling)


def _node(scene: Scene, n: int, node: OpenedNode) -> Card:
    number = f"{node.cosine:.2f}"
    if not node.layer:
        star = node.passages[0].key in scene.gold
        return Card(f"n{n}", node.name, kind="gold" if star else "passage", star=star, note=number)
    below = count(len(node.passages) + node.more, "passage")
    text = f"of {below}: {cut(node.text, WORDS)}"
    return Card(f"n{n}", capital(node.name), text, "kept", note=number)


def _above(line: RankedPassage) -> str:
    """The summary that a score is by; "" where the passage's own cosine is greater."""
    best = max(line.parts, key=lambda part: part.value, default=None)
    return "" if best is None or best.source == ITSELF else best.source


def _summary(event: TreeSearched, card: str) -> Detail:
    """The words of a summary and the passages below it; or a passage."""
    if not card.startswith("n"):
        return _passage_detail(event.ranking, card)
    node = event.nodes[int(card[1:])]
    if not node.layer:
        return Detail(passage=node.passages[0].id)
    below = [passage.name for passage in node.passages] + (
        [f"{node.more} more"] if node.more else []
    )
    opens = tag("p", f"It opens into {', '.join(below)}.", class_="gear-note", dir="auto")
    by = f"by {node.by}" if node.by else "sentences of its passages"
    return Detail(capital(node.name), by, join([tag("p", node.text, dir="auto"), opens]))


def _writers(event: TreeSearched) -> tuple[str, ...]:
    """Sentence on the authors of the summaries."""
    by = {node.by for node in event.nodes if node.layer}
    writers = " and ".join(sorted(filter(None, by)))
    copied = "sentences of the texts, those nearest to the middle of all"
    if not by:
        return ()
    if not writers:
        return (f"The summaries are {copied}.",)
    return (f"The summaries are written by {writers}{f', some are {copied}' * ('' in by)}.",)


@teller("rerank", Reranked, "Who rises and who sinks, judged again?")
def reranking(scene: Scene, event: Reranked) -> Telling:
    """The first passages before and after they were judged again."""
    gold = [move for move in event.moves if move.key in scene.gold]
    moved = []
    for verb, several in (
        ("rise", [move for move in gold if move.after < move.before]),
        ("sink", [move for move in gold if move.after > move.before]),
    ):
        if several:
            names = titles([move.name for move in several])
            moved.append(f"{names} {verb}{'s' * (len(several) == 1)}")
    before = sorted(event.moves, key=lambda move: move.before)
    judge = (
        f"The cross-encoder {event.by} reads the question and a passage as one text."
        if event.by
        else "Late interaction adds up, over the words of the question, the cosine of the"
        " nearest word of the passage."
    )
    ids = {line.key: line.id for line in event.ranking}
    keys = {str(move.before): move.key for move in event.moves}
    telling = Telling(
        headline=capital(" and ".join(moved)) if moved else first_of(event.ranking),
        columns=(
            _moves(scene, f"By {base_name(event.of)}", before, "b"),
            _moves(scene, "Judged again", event.moves, "a"),
        ),
        opens=f"a{event.moves[0].before}" if event.moves else "",
        detail=lambda card: Detail(passage=ids.get(keys.get(card[1:], ""))),
        legend=(("gold", "gold"), ("kept", "lifted"), ("pruned", "sunk")),
        notes=(f"{judge} A passage that is only a bridge shares few words with the question.",),
        origin="the judgement's own",
    )
    return order(scene, event, telling)


def _moves(scene: Scene, name: str, moves: Sequence[Moved], side: str) -> Column:
    """The first of an order, and gold passages wherever they are."""
    drawn = [move for n, move in enumerate(moves) if n < ROWS or move.key in scene.gold]
    cards = tuple(_moved(scene, move, after=side == "a") for move in drawn)
    return Column(name, cards, PASSAGE, len(moves) - len(drawn))


def _moved(scene: Scene, move: Moved, *, after: bool) -> Card:
    star, by = move.key in scene.gold, move.before - move.after
    card = Card(f"b{move.before}", move.name, lead=str(move.before), star=star)
    if not after:
        return replace(card, kind="gold" if star else "passage")
    lifted = "kept" if by > 0 else "pruned" if by < 0 else "passage"
    moved = f"up {by}" if by > 0 else f"down {-by}" if by < 0 else "as before"
    return replace(
        card,
        id=f"a{move.before}",
        text=f"without: {', '.join(move.lacks)}" if move.lacks else "has every word",
        kind="gold" if star else lifted,
        lead=str(move.after),
        note=moved,
        parents=(f"b{move.before}",),
    )
