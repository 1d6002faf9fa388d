"""The captions of a run as HTML, every card a link to its step (frontend/evaluation.js)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from gear_app.views.markup import Html, join, tag
from gear_app.views.start.story import Caption, CaptionItem, Recall, Story, StoryPiece

MARKS = 4  # underlines that tell the names of facts apart
SIGNS = {"yes": "● ", "no": "○ ", "": ""}
STAR = tag("span", "★ ", class_="star", role="img", aria_label="gold passage: ")
WIDTH, HEIGHT = 340, 92  # of the chart
LEFT, RIGHT, TOP, BOTTOM = 20, 122, 12, 20  # its margins
NEAR = 14  # labels of two lines that are closer than this are moved apart


def captions(story: Story, run: str, collection: str) -> Html:
    """The question and the captions, next to each other where there is room."""
    note = f"A run of the collection {collection}: every card opens it at that step"
    head = tag("header", tag("p", note), tag("h2", story.question))
    sections = (_caption(one, place, run) for place, one in enumerate(story.captions, start=1))
    number = f"captions of{len(story.captions)}"
    return tag("div", head, tag("div", *sections, class_=number), class_="start")


def _caption(caption: Caption, number: int, run: str) -> Html:
    return tag(
        "section",
        tag("h3", tag("span", number, class_="number"), caption.title),
        tag("p", _words(caption.words), class_="lead"),
        tag("ul", *(tag("li", _item(one, run), class_=one.kind) for one in caption.items)),
        _chart(caption.recall) if caption.recall else "",
        class_="caption",
    )


def _words(pieces: Sequence[StoryPiece]) -> Html:
    """Words; a name lights up wherever it is pointed at, and one that facts share is underlined."""
    return join(
        tag(
            "span",
            one.text,
            class_=None if one.mark is None else f"name m{one.mark % MARKS}",
            data_entity=one.entity,
        )
        if one.entity
        else one.text
        for one in pieces
    )


def _item(item: CaptionItem, run: str) -> Html:
    if item.kind == "cut":
        return tag("span", item.note)
    if item.kind == "link":
        return tag("span", _words(item.words))
    step = {} if item.step is None else {"step": item.step}
    first = STAR if item.star else ""
    ranked = item.kind in ("passage", "missed")
    head = ["" if ranked else first, _words(item.head), "–" if item.kind == "missed" else ""]
    below = [
        tag("span", SIGNS[item.tone], item.note, class_=f"note {item.tone}") if item.note else "",
        " · " if item.note and item.more else "",
        tag("span", item.more, class_="more") if item.more else "",
    ]
    return tag(
        "a",
        tag("span", *head, class_="head"),
        tag("span", first if ranked else "", _words(item.words), class_="words", dir="auto"),
        tag("span", *below, class_="below") if any(below) else "",
        class_="card",
        href=f"./explore?{urlencode({'run': run, **step})}",
        title="Open this step in Explore",
        data_run=run,
        data_step=item.step,
    )


def _chart(recall: Recall) -> Html:
    """Gold passages after every iteration, over the line of the first search."""
    last = len(recall.found) - 1
    across = (WIDTH - LEFT - RIGHT - 16) / max(1, last)
    points = [(LEFT + 8 + at * across, _y(found, recall)) for at, found in enumerate(recall.found)]
    first, end = _y(recall.first, recall), points[-1][1]
    near = abs(end - first) < NEAR
    then = ", then ".join(map(str, recall.found))
    drawn = [part for level in (0, recall.gold) for part in _level(level, _y(level, recall))]
    drawn.append(_line(first, "first"))
    if last:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(tag("polyline", points=line, class_="line"))
    for at, (x, y) in enumerate(points):
        drawn.append(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4, class_="dot"))
        if last:
            drawn.append(_text(x, HEIGHT - 4, "axis", f"{at + 1}" if at else "iteration 1"))
    beside = WIDTH - RIGHT + 8
    ends = f"{recall.name}: {recall.found[-1]} of {recall.gold}"
    drawn.append(_text(beside, end + (-4 if near else 4), "strong", ends))
    one_search = f"one search: {recall.first} of {recall.gold}"
    drawn.append(_text(beside, first + (12 if near else 4), None, one_search))
    label = (
        f"Gold passages among the first five: {recall.name} {then} of {recall.gold};"
        f" one search {recall.first} of {recall.gold}."
    )
    return tag(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=label,
        class_="chart",
    )


def _y(found: int, recall: Recall) -> float:
    return HEIGHT - BOTTOM - found / recall.gold * (HEIGHT - TOP - BOTTOM)


def _level(level: int, y: float) -> tuple[Html, Html]:
    return _line(y, "rule"), _text(LEFT - 6, y + 4, "axis end", str(level))


def _line(y: float, class_: str) -> Html:
    return tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}", class_=class_)


def _text(x: float, y: float, class_: str | None, words: str) -> Html:
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", class_=class_)
