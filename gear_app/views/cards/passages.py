"""Cards of steps about passages: rankings, the walk, thoughts and their pool, BDTR's calibration,
links, and the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gear_app.analysis import timeline
from gear_app.analysis.answer_source import source_of
from gear_app.analysis.rankings import gist_texts, without_followers
from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.events import (
    Answered,
    Chained,
    Followed,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Recognised,
    Retrieved,
    Thought,
    Verified,
    Walked,
)
from gear_app.text import count
from gear_app.views import (
    answers,
    calibration,
    chain,
    chain_round,
    chain_score,
    gear,
    labels,
    markup,
    rankings,
    thoughts,
    walk,
    walk_graph,
)
from gear_app.views.cards.blocks import (
    Block,
    Choice,
    MarkupBlock,
    PictureBlock,
    RankingBlock,
    SentenceBlock,
    StepLink,
    TableBlock,
)
from gear_app.views.cards.scene import Scene
from gear_app.views.markup import tag

BEST_LINK = "Every linked passage shows its best link, the selected one its others too."


def ranking(scene: Scene) -> list[Block]:
    """The ranking of the step, with a table of all of it; above the final one the answer that the
    reader found, and where.
    """
    event = next((event for event in scene.step.events if ranking_of(event)), None)
    if event is None:  # a step that failed has found nothing out, not even that there is nothing
        none = SentenceBlock("No passage was found. Try other words, or another base.")
        return [] if scene.step.failed else [none]
    found, way = ranking_of(event), rankings.way_of(event)
    drawn: list[Block] = []
    if isinstance(event, Ranked):
        found, way = rankings.ranking_with_parts(event, scene.events)
        drawn += _answer_source(scene)
    gist = gist_texts(scene.events)
    links = chain_round.links_of(found, scene.events) if way == "terms" else {}
    lines = rankings.lines(
        found,
        scene.gold,
        gist,
        way=way,
        names=scene.names,
        links=links,
        lists=rankings.part_lists(scene.events),
    )
    opens = next((passage.id for passage in found if passage.key in scene.gold), found[0].id)
    label = f"All {len(found)} passages as a table" if lines["more"] else "As a table"
    rows = partial(rankings.rows, found, scene.gold, gist, way)
    told_elsewhere = way in ("terms", "greatest")  # there a score of 0 opens into its reason
    behind = "" if told_elsewhere or not isinstance(event, Ranked) else _without_score(found)
    searched = scene.events if isinstance(event, Ranked) else scene.step.events
    if any(isinstance(one, Retrieved) and one.lucene for one in searched):
        drawn.append(SentenceBlock(rankings.WEIGHED_AS_IN_LUCENE))
    note = rankings.constant_note(found, way) if isinstance(event, Ranked) else ""
    return [
        *drawn,
        RankingBlock("ranking", lines, found[: len(lines["lines"])], opens),
        *([MarkupBlock(tag("p", note, class_="gear-note"))] if note else []),
        *([SentenceBlock(behind)] if behind else []),
        TableBlock(f"ranking-{scene.step.verb}", label, rows),
    ]


def _without_score(found: Sequence[RankedPassage]) -> str:
    """What the passages at the end of a ranking are that has scores before them; "" for none."""
    rest = sum(not passage.score for passage in found)
    if not rest or rest == len(found):
        return ""
    return (
        f"{count(rest, 'passage')} at the end without a score: nothing that counts found them;"
        " they fill the ranking."
    )


def _answer_source(scene: Scene) -> list[Block]:
    """The reader's answer, the sentence that it came from, and its step."""
    source = source_of(scene.events)
    if source is None:
        return []
    drawn: list[Block] = [MarkupBlock(gear.answer_source(source, scene.names))]
    if source.step is not None:
        drawn.append(StepLink("source", "Show where it was read", source.step))
    return drawn


def _recognise(scene: Scene) -> list[Block]:
    return [MarkupBlock(walk.entities(event, scene.names)) for event in scene.of(Recognised)]


def _walk(scene: Scene) -> list[Block]:
    event = next(iter(scene.of(Walked)), None)
    if event is None:
        return []
    if not event.passages:
        return [SentenceBlock("The walk reached no passage.")]
    graph = walk_graph.graph(event, scene.gold)
    opens = walk_graph.best_card(event, scene.gold)
    entities = count(len(event.nodes), "entity", "entities")
    passages = count(len(event.passages), "passage")
    walked = partial(walk.passage_rows, event, scene.gold)
    drawn: list[Block] = [
        PictureBlock("walk", "flow", graph, opens, partial(_walked, event)),
        MarkupBlock(markup.legend(walk_graph.legend(graph))),
        MarkupBlock(tag("p", walk.how(event), class_="gear-note")),
        TableBlock("nodes", f"All {entities} as a table", partial(walk.node_rows, event)),
        TableBlock("walked", f"All {passages} as a table", walked),
    ]
    return drawn + (_ensemble(scene, event) if event.ensembled else [])


def _walked(event: Walked, card: str) -> Choice:
    node = walk.node_of(event, card)
    if node is not None:
        return Choice(node=tuple(walk.about_node(event, node)))
    passage = walk.passage_of(event, card)
    if passage is None:
        return Choice()
    return Choice(passage_id=passage.id, sums=tuple(walk.arithmetic(event, passage)))


def _ensemble(scene: Scene, event: Walked) -> list[Block]:
    """Both normalised scores of every passage, as the walk alone did not decide."""
    lines = rankings.lines(event.ranking, scene.gold, way="mean", names=scene.names)
    opens = event.ranking[0].id if event.ranking else None
    shown = event.ranking[: len(lines["lines"])]
    rows = partial(rankings.rows, event.ranking, scene.gold, way="mean")
    return [
        SentenceBlock(walk.ensemble(event)),
        RankingBlock("ensemble", lines, shown, opens, chooses=False),
        TableBlock("ensemble", f"All {len(event.ranking)} passages as a table", rows),
    ]


def _think(scene: Scene) -> list[Block]:
    events = scene.of(Thought)
    return [MarkupBlock(thoughts.cards(events, scene.names))] if events else []


def _pool(scene: Scene) -> list[Block]:
    event = next(iter(scene.of(Pooled)), None)
    if event is None:
        return []
    found, badges = without_followers(event), thoughts.pool_badges(event, scene.events)
    lines = rankings.lines(
        found,
        scene.gold,
        badges=badges,
        way="greatest",
        names=scene.names,
        lists=rankings.part_lists(scene.events),
    )
    first = found[0].id if found else None
    opens = next((passage.id for passage in found if passage.key in scene.gold), first)
    label = f"All {len(event.ranking)} passages as a table"
    rows = partial(rankings.rows, event.ranking, scene.gold, way="greatest")
    return [
        MarkupBlock(thoughts.pool_queries(event, scene.events)),
        RankingBlock("pool", lines, found[: len(lines["lines"])], opens),
        TableBlock("pool", label, rows),
    ]


def _chain(scene: Scene) -> list[Block]:
    return [MarkupBlock(calibration.chain(event)) for event in scene.of(Chained)]


def _verify(scene: Scene) -> list[Block]:
    return [
        MarkupBlock(calibration.verified_passages(event, scene.gold))
        for event in scene.of(Verified)
    ]


def _promote(scene: Scene) -> list[Block]:
    event = next(iter(scene.of(Promoted)), None)
    if event is None:
        return []

    def choose(card: str) -> Choice:
        return Choice(passage_id=calibration.passage_of(event, card))

    data, opens = calibration.slope(event, scene.gold), calibration.best_card(event, scene.gold)
    rows = partial(calibration.rows, event, scene.gold)
    return [
        PictureBlock("promoted", "flow", data, opens, choose),
        MarkupBlock(markup.legend(calibration.legend(event, scene.gold))),
        MarkupBlock(tag("p", calibration.cut_sentence(event), class_="gear-note")),
        MarkupBlock(markup.sum_of(calibration.arithmetic(event))),
        TableBlock("moved", "Every passage that moved, as a table", rows),
    ]


def _answer(scene: Scene) -> list[Block]:
    if not scene.of(Answered):
        return []
    events, known = scene.events, scene.run.answers
    begun = timeline.started(events)
    by = labels.reader_note(begun.reader, labels.model_of(scene.run)) if begun else ""
    return [
        MarkupBlock(answers.cards(events, known, scene.gold)),
        *([MarkupBlock(tag("p", f"Answered {by}.", class_="gear-note"))] if by else []),
        TableBlock("answers", "As a table", partial(answers.rows, events, known, scene.gold)),
    ]


# Links


def round_of(scene: Scene) -> chain_round.Round | None:
    """The round of links that the step made; None for another step."""
    event = next(iter(scene.of(Followed)), None)
    return chain_round.round_of(event, scene.events, scene.gold) if event else None


def _follow(scene: Scene) -> list[Block]:
    """The links that were found; the ranking that came of them is `terms`."""
    shown = round_of(scene)
    if shown is None:
        return []
    if not shown.event.starts:
        return [SentenceBlock("No passage was found to start from. Try other words.")]
    if not shown.links:
        none = "No mention joins these passages to others, or too many passages hold it"
        return [SentenceBlock(f"{none}: no link raises a passage.")]

    def choose(card: str) -> Choice:
        id_ = chain.passage_of(shown, card)
        why = chain_score.explained(shown, id_, scene.names) if id_ else ""
        return Choice(passage_id=id_, why=why)

    label = f"All {count(len(shown.links), 'link')} as a table"
    return [
        PictureBlock("links", "flow", chain.graph(shown), chain.best_card(shown), choose),
        MarkupBlock(markup.legend(chain.legend(shown))),
        MarkupBlock(tag("p", BEST_LINK, class_="gear-note")),
        TableBlock(f"links-{scene.key}", label, partial(chain.rows, shown)),
    ]


def terms(scene: Scene, k: int, opens: int | None) -> list[Block]:
    """The ranking after a round of links with a column for every term, and all of it as a table;
    nothing for another step. The first k are told from the others.
    """
    shown = round_of(scene)
    if shown is None or not shown.event.ranking:
        return []
    lines, ranked = chain.ranking(shown, k, scene.names), shown.event.ranking
    label = f"All {len(ranked)} passages as a table"
    return [
        RankingBlock("terms", lines, ranked[: len(lines["lines"])], opens),
        TableBlock(f"terms-{scene.key}", label, partial(chain.ranking_rows, shown)),
    ]


CARDS: Mapping[str, Callable[[Scene], list[Block]]] = {
    "retrieve": ranking,
    "fuse": ranking,
    "rank": ranking,
    "recognise": _recognise,
    "walk": _walk,
    "think": _think,
    "pool": _pool,
    "chain": _chain,
    "verify": _verify,
    "promote": _promote,
    "answer": _answer,
    "follow": _follow,
}
