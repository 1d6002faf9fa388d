"""Cards of steps about triples: what was read and linked, beams, the memory and its verdict, the
next query, and GRIEVER's clauses and matches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.analysis import timeline
from gear_app.events import (
    Expanded,
    Extracted,
    Failed,
    Linked,
    Matched,
    PassagesLinked,
    Read,
    Reasoned,
    Remembered,
    Rewrote,
    Split,
)
from gear_app.text import count
from gear_app.views import beam, calls, extraction, gear, griever, labels, markup, reading
from gear_app.views.cards.blocks import (
    Block,
    Choice,
    FoldBlock,
    MarkupBlock,
    PictureBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.views.cards.scene import Scene
from gear_app.views.markup import tag

LINKED = (
    "Each new fact is searched for, among passages and among triples. The passages found and those"
    " of the triples found become one list by reciprocal rank; it counts in the final ranking."
)
NO_MATCH = "No matched triple could be put into the query."


def note(words: str) -> MarkupBlock:
    """A quiet remark, with its terms explained."""
    return MarkupBlock(tag("p", markup.explained(words), class_="gear-note"))


def failure(event: Failed, step: str) -> list[MarkupBlock | SentenceBlock]:
    """Why a step gave up, with the raw reply, or which parts of a reply could not be used."""
    if event.dropped:
        where = "The whole reply is under “Model calls of this step”."
        return [SentenceBlock(f"{calls.why(event)} {where}")]
    if event.reply:
        return [SentenceBlock(calls.why(event), "bad"), MarkupBlock(calls.raw(event.reply))]
    return [SentenceBlock(f"{labels.gave_up(step)}: {event.message}", "bad")]


def _failures(events: Sequence[Failed]) -> list[MarkupBlock | SentenceBlock]:
    return [block for event in events for block in failure(event, event.step)]


def _extract(scene: Scene) -> list[Block]:
    """What was extracted from each passage; replies that could not be used are folded away, for
    there may be one for every passage.
    """
    failures = scene.of(Failed)
    drawn: list[Block] = [*_failures([one for one in failures if not one.reply])]
    for event in scene.of(Extracted):
        words = extraction.event_summary(event, labels.model_of(scene.run))
        all_of = count(len(event.triples), "triple")
        label = f"All {all_of} as a table" if event.triples else "As a table"
        rows = partial(extraction.passages_read_rows, event, scene.gold)
        drawn += [
            MarkupBlock(tag("p", words, class_="gear-note")),
            MarkupBlock(extraction.passages_read(event, scene.gold)),
            TableBlock(f"extracted-{scene.key}", label, rows),
        ]
    replies = [one for one in failures if one.reply]
    if replies:
        label = extraction.unusable_replies(replies)
        drawn.append(FoldBlock("extract-failed", label, partial(_failures, replies)))
    return drawn


def _read(scene: Scene) -> list[Block]:
    return [block for event in scene.of(Read) for block in _reading(scene, event)]


def _reading(scene: Scene, event: Read) -> list[Block]:
    """What was taken and left of each passage; all of it as a table, too."""
    texts = scene.texts([one.id for one in event.passages])
    drawn: list[Block] = [
        note(reading.summary(event)),
        MarkupBlock(reading.cards(event, texts, scene.gold, scene.names)),
    ]
    rows = gear.reading_rows(event)
    return (
        [*drawn, TableBlock(f"read-{event.purpose}", "As a table", lambda: rows)] if rows else drawn
    )


def _link(scene: Scene) -> list[Block]:
    return [MarkupBlock(gear.links(event, scene.gold)) for event in scene.of(Linked)]


def _expand(scene: Scene) -> list[Block]:
    event = next(iter(scene.of(Expanded)), None)
    if event is None:
        return []
    if not event.steps:
        return [SentenceBlock("There was no triple to begin with, so the base ranking stands.")]
    graph = beam.graph(event, scene.gold, base=scene.base)
    opens = beam.card_of(event, scene.opens) or beam.best_card(event, scene.gold)
    rows = partial(beam.rows, event, scene.gold, beam.gamma_of(scene.settings))

    def choose(card: str) -> Choice:
        return Choice(candidate=beam.candidate(event, card))

    def more(column: int) -> list[dict[str, Any]]:
        return [row for row in rows() if row["triple"] == column + 1]

    drawn: list[Block] = [
        PictureBlock("beams", "beam", graph, opens, choose, more),
        MarkupBlock(markup.legend(beam.legend(graph, event.starts))),
    ]
    if len(event.steps) < beam.length_of(scene.settings):
        drawn.append(SentenceBlock("No beam could be extended further."))
    return [*drawn, TableBlock("beams", "All candidates as a table", rows)]


def _remember(scene: Scene) -> list[Block]:
    drawn: list[Block] = []
    for event in scene.step.events:
        if isinstance(event, Read):
            drawn += _reading(scene, event)
        if isinstance(event, Remembered):
            drawn.append(SentenceBlock(reading.remembered(event)))
    linked = scene.of(PassagesLinked)
    if linked:
        label = "The passages that each new fact is linked to, as a table"
        rows = partial(gear.linked_rows, linked, scene.gold)
        drawn += [note(LINKED), TableBlock("linked", label, rows)]
    return drawn


def _reason(scene: Scene) -> list[Block]:
    return [
        SentenceBlock(gear.verdict_sentence(event), "good" if event.answerable else "busy")
        for event in scene.of(Reasoned)
    ]


def _rewrite(scene: Scene) -> list[Block]:
    matched = any(isinstance(one, Matched) for one in scene.events)
    nothing = NO_MATCH if matched else gear.NOTHING_NEW
    drawn: list[Block] = []
    for told in scene.of(Rewrote):
        event = replace(told, substitutions=timeline.new_substitutions(scene.events, told))
        html = gear.next_query(event, scene.query, nothing, scene.names)
        drawn.append(MarkupBlock(html))
    return drawn


def _split(scene: Scene) -> list[Block]:
    return [MarkupBlock(griever.clauses(event)) for event in scene.of(Split)]


def _match(scene: Scene) -> list[Block]:
    rewrote = (one for one in scene.events if isinstance(one, Rewrote))
    put_in = next((one for one in rewrote if one.iteration == scene.step.iteration), None)
    drawn: list[Block] = []
    for event in scene.of(Matched):
        drawn.append(note(griever.counts(event)))
        drawn.append(MarkupBlock(griever.best_matches(event, put_in, scene.gold)))
        if event.joins:
            heading = tag("div", "The next search is among passages that name", class_="gear-part")
            drawn += [MarkupBlock(heading), MarkupBlock(griever.joins(event.joins))]
        if event.matches:
            label = f"All {count(len(event.matches), 'match', 'matches')} as a table"
            rows = partial(griever.rows, event, scene.gold)
            drawn.append(TableBlock("matches", label, rows))
    return drawn


CARDS: Mapping[str, Callable[[Scene], list[Block]]] = {
    "extract": _extract,
    "read": _read,
    "link": _link,
    "expand": _expand,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "split": _split,
    "match": _match,
}
