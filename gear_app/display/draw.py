"""HTML of tellings: columns of cards for screens, and whole steps for pages that stand alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gear_app.core.types import Passage
from gear_app.display import calls, labels, markup, scores
from gear_app.display.markup import Html, explained, join, named, tag
from gear_app.display.step import tables, telling
from gear_app.display.telling import EMPTY, Card, Column, Detail, Message, Scene, Telling
from gear_app.trace.entities import EntityNames
from gear_app.trace.timeline import model_calls

Passages = Mapping[int, Passage]
ROWS = 200  # rows of a table on a page that stands alone


def columns(description: Telling, names: EntityNames) -> Html:
    """The columns of a telling. A card names the cards that led to it: a screen draws lines."""
    titles = {card.id: card.title for column in description.columns for card in column.cards}
    drawn = [_column(column, titles, names) for column in description.columns]
    return tag("div", *drawn, class_="gear-columns")


def _column(column: Column, titles: Mapping[str, str], names: EntityNames) -> Html:
    more = column.more + len(column.cards) - len(column.drawn)
    rest = f"+{more} more" if more else ""
    return tag(
        "section",
        tag("h3", column.name) if column.name else "",
        tag("p", named(column.lead, names)) if column.lead else "",
        *(_card(card, titles, names) for card in column.drawn),
        tag("p", rest, class_="more") if rest else "",
        class_="roomy" if column.roomy else None,
    )


def _card(card: Card, titles: Mapping[str, str], names: EntityNames) -> Html:
    star = tag("span", "★", class_="star", role="img", aria_label="gold passage")
    name = named(card.title, names)
    head = [
        tag("i", card.lead) if card.lead else "",
        star if card.star else "",
        tag("b", tag("mark", name) if card.marked else name),
        tag("span", card.note, class_="note") if card.note else "",
    ]
    words = join(
        tag(mark, named(text, names)) if mark else named(text, names) for text, mark in card.pieces
    )
    origins = ", ".join(titles[parent] for parent in card.parents if parent in titles)
    return tag(
        "div",
        tag("div", *head, class_="head"),
        tag("p", words) if words else "",
        tag("p", named(card.text, names)) if card.text else "",
        tag("small", named(card.source, names)) if card.source else "",
        tag("small", f"← {origins}", class_="from") if origins else "",
        class_=f"card {card.kind}",
        data_card=card.id,
        dir="auto",
    )


def links(description: Telling) -> list[dict[str, Any]]:
    """The lines of a telling as data for a screen."""
    return [
        {
            "from": link.start,
            "to": link.end,
            "strength": round(link.strength, 3),
            "words": link.words,
            "kind": " ".join(
                filter(None, (link.kind, "dashed" * link.dashed, "quiet" * link.quiet))
            ),
        }
        for link in description.lines
    ]


def detail(detail: Detail) -> Html:
    """Markup for a selected card, but for its passage."""
    title = markup.title(detail.title, detail.aside) if detail.title else ""
    return join([title, detail.html, markup.sum_of(detail.sum)])


def sentence(detail: Detail, names: EntityNames) -> Html:
    """The sentence that a selected triple comes from, with its passage."""
    if detail.triple is None:
        return EMPTY
    note = markup.sentence(detail.triple)
    passage = tag("b", named(detail.triple.passage_name, names))
    quoted = tag("mark", named(detail.triple.sentence, names))
    missing = tag("span", f" ({note})", class_="gear-why") if note else ""
    return tag("p", passage, ": ", quoted, missing, class_="gear-passage", dir="auto")


def message(message: Message) -> Html:
    """A sentence about a state."""
    return tag("div", message.sentence, class_=f"gear-say gear-say-{message.tone}", dir="auto")


def notes(description: Telling) -> list[Html]:
    """The legend and the notes below a picture."""
    quiet = [
        note
        if isinstance(note, Html)
        else tag("p", explained(note), class_="gear-note", dir="auto")
        for note in description.notes
    ]
    return [markup.legend(description.legend), *quiet] if description.legend else quiet


# Pages that stand alone


def step(scene: Scene, passages: Passages) -> Html:
    """A step on a page that stands alone: picture, arithmetic, ranking, tables and model calls."""
    return join(_parts(scene, passages))


def _parts(scene: Scene, passages: Passages) -> Iterator[Html]:
    description, names = telling(scene), scene.trace.names
    for label, query in scene.queries:
        yield markup.query(named(query, names), label)
    yield from map(message, description.messages)
    yield description.extra
    if description.picture:
        yield columns(description, names)
        yield details(description, names)
    yield from notes(description)
    if description.ranking:
        yield ranking(scene, description, passages)
    for table_ in tables(description):
        if not table_.name.startswith("ranking-"):
            yield folded(table_.label, table(table_.rows()))
    run_calls = model_calls(scene.step.events)
    if run_calls:
        yield folded(calls.heading(run_calls), join(map(calls.card, run_calls)))


def details(description: Telling, names: EntityNames) -> Html:
    """The contents of the cards in the picture, where these are more than a passage."""
    cards = [card for column in description.columns for card in column.drawn]
    opened = [
        folded(selected.title or card.title, content)
        for card in cards
        for selected in [description.detail(card.id)]
        for content in [join([detail(replace(selected, title="")), sentence(selected, names)])]
        if content
    ]
    return folded("What each card opens into", join(opened)) if opened else EMPTY


def ranking(scene: Scene, description: Telling, passages: Passages) -> Html:
    """A ranking whose passages open into their arithmetic and text."""
    if description.ranking is None:
        return EMPTY
    lines = scores.lines(description.ranking, scene.trace, scene.gold)
    items = []
    for line, passage in zip(lines["lines"], description.ranking.passages, strict=False):
        star = "★ " if line["gold"] else ""
        badge = f" · {line['badge']}" if line["badge"] else ""
        name = tag("b", star, named(passage.name, scene.trace.names))
        score = tag("span", line["score"], class_="gear-number")
        head = tag("summary", tag("i", line["rank"]), " ", name, badge, " ", score, dir="auto")
        text = passages.get(passage.id)
        words = [tag("p", part["words"]) for part in line["parts"]]
        total = [tag("p", line["total"], class_="gear-total")] if words else []
        body = [*words, *total, markup.passage(text.text, None, scene.trace.names) if text else ""]
        items.append(tag("details", head, *body, class_="gear-ranked"))
    rows = scores.rows(description.ranking, scene.trace, scene.gold)
    rest = rows[len(items) : ROWS]
    more = [folded(f"Ranks {len(items) + 1} to {len(items) + len(rest)}", table(rest))]
    return join([*items, *(more if rest else [])])


def folded(label: str, inside: Html) -> Html:
    """Something that opens under its label."""
    return tag("details", tag("summary", label), inside, class_="gear-fold")


def table(rows: Sequence[Mapping[str, Any]]) -> Html:
    """Rows as an HTML table."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [tag("tr", *(tag("td", _cell(row.get(name)), dir="auto") for name in heads))
            for row in rows]  # fmt: skip
    return tag("div", tag("table", head, *body, class_="gear-rows"), class_="gear-scroll")


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return round(value, labels.MOST)
    return "" if value is None else value
