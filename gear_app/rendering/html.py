"""Sections as HTML, the same for a page and for a report that needs no other file.

Colours are the palette's variables, and shape always says the same: the baseline is a diamond with
a dotted line, a hollow dot cannot be told from it, a thin line is a ceiling. What can be chosen has
`data-pick`.
"""

from __future__ import annotations

from pathlib import Path

from gear_app.rendering import values
from gear_app.rendering.chart import STYLE as CHART_STYLE
from gear_app.rendering.chart import chart
from gear_app.views.markup import Html, explained, join, tag, term

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8") + CHART_STYLE
LABEL = 44  # of a dot: how wide it is at most, in per cent of its cell


def section(one: values.Section) -> Html:
    """A card with its heading."""
    return tag("section", head(one), *map(draw, one.parts))


def head(one: values.Section) -> Html:
    """The head of a card: what was found, and a quiet remark with its terms explained."""
    return tag("h2", one.heading, tag("span", explained(one.aside)), dir="auto")


def draw(part: values.Drawn) -> Html:
    """A part of a section."""
    match part:
        case values.Table():
            return table(part)
        case values.Chart():
            return chart(part)
        case values.Whole():
            return parts(part)
        case values.Note():
            notes = [tag("p", words, class_="note", dir="auto") for words in part.paragraphs]
            return tag("div", *notes)


def words(text: values.Words) -> Html:
    """Words, their terms explained."""
    match text:
        case values.GlossaryTerm():
            return term(text.words, text.key, text.meaning)
        case str():
            return join([text])
        case _:
            return join(map(words, text))


def table(one: values.Table) -> Html:
    """A table, which scrolls sideways where there is no room for it."""
    columns = len(one.heads)
    body = [_row(row, columns) for row in one.rows]
    foot = tag("tfoot", tag("tr", tag("th", ""), *map(_cell, one.foot))) if one.foot else ""
    whole = tag(
        "table",
        tag("thead", tag("tr", *map(_head, one.heads))),
        tag("tbody", *body),
        foot,
        class_=one.kind,
    )
    scrolling = tag("div", whole, class_="scroll")
    return tag("details", tag("summary", "As a table"), scrolling) if one.folded else scrolling


def _head(cell: values.Cell) -> Html:
    if not cell.words:
        return tag("th", "")
    inside = _inside(cell)
    return tag(
        "th",
        tag("b", inside) if cell.kind else inside,
        _small(cell),
        scope="col",
        dir="auto",
        class_=cell.kind or None,
        style=None if cell.width is None else f"width:{cell.width:.1f}%",
    )


def _row(row: values.TableRow, columns: int) -> Html:
    taken = 1 + sum(cell.span for cell in row.cells)
    return tag(
        "tr",
        tag("th", words(row.name), scope="row", dir="auto"),
        *map(_cell, row.cells),
        *[tag("td", "")] * (columns - taken),
        class_=row.kind or None,
    )


def _cell(cell: values.Cell) -> Html:
    if cell.ticks:
        return tag("td", tag("div", *_ticks(cell.ticks), class_="track"))
    if cell.range:
        return _dot(cell, cell.range)
    bar = tag("i", style=f"width:{100 * cell.bar:.1f}%") if cell.bar is not None else ""
    mark = cell.mark
    return tag(
        "td",
        tag("span", bar, class_="bar") if bar else "",
        _inside(cell),
        tag("sup", mark.sign, class_=mark.tone or None, title=mark.meaning or None) if mark else "",
        _small(cell),
        class_=cell.kind or None,
        style=None if cell.shade is None else f"--share:{100 * cell.shade:.0f}%",
        colspan=cell.span if cell.span > 1 else None,
    )


def _inside(cell: values.Cell) -> Html:
    """The words of a cell; where they choose something, they can be pressed."""
    inside = words(cell.words)
    return _picked(cell, inside) if cell.pick else inside


def _picked(cell: values.Cell, *inside: object, kind: str = "") -> Html:
    return tag(
        "button",
        *inside,
        type="button",
        class_=kind or None,
        data_pick=cell.pick,
        title=cell.title or None,
        aria_label=None if inside else cell.title,
    )


def _small(cell: values.Cell) -> Html:
    if not cell.small:
        return Html("")
    quiet = [one.title for one in cell.small if one.title and not one.pick]
    return tag("small", *map(_inside, cell.small), title=quiet[0] if quiet else None)


# Dots


def _at(value: float, axis: values.Axis) -> str:
    return f"{100 * axis.share(value):.2f}%"


def _ticks(axis: values.Axis) -> list[Html]:
    low, high = (round(10 * end) for end in axis)
    tenths = range(low, high + 1, 1 if high - low <= 5 else 2)
    return [tag("span", f"{n / 10:.1f}", style=f"left:{_at(n / 10, axis)}") for n in tenths]


def _dot(cell: values.Cell, of: values.Range) -> Html:
    """A dot with its interval on the axis of its column, and the number beside it."""
    axis = of.axis
    tenths = range(round(axis.low * 10), round(axis.high * 10) + 1)
    marks = [tag("i", class_="line", style=f"left:{_at(n / 10, axis)}") for n in tenths]
    for kind, value in (("usual", of.baseline), ("top", of.ceiling)):
        if value is not None:
            marks.append(tag("i", class_=kind, style=f"left:{_at(value, axis)}"))
    if of.values is None:
        marks.append(tag("span", words(cell.words), class_="value"))
        return tag("td", tag("div", *marks, class_="track"))
    mean, low, high = of.values
    width = 100 * (axis.share(high) - axis.share(low))
    marks.append(tag("i", class_="range", style=f"left:{_at(low, axis)};width:{width:.2f}%"))
    marks.append(_picked(cell, kind=of.shape))
    before = _crossed(of, low, high)
    marks.append(
        tag(
            "span",
            words(cell.words),
            class_="value before" if before else "value",
            style=f"left:{_at(min(low, mean) if before else max(high, mean), axis)}",
        )
    )
    return tag("td", tag("div", *marks, class_="track", style=f"--x:{_at(mean, axis)}"))


def _crossed(of: values.Range, low: float, high: float) -> bool:
    """Whether the ceiling's line would strike through a label right of the interval, and there is
    room for the label on the left.
    """
    if of.ceiling is None:
        return False
    start, end, top = (100 * of.axis.share(value) for value in (low, high, of.ceiling))
    return end < top < end + LABEL and start >= LABEL


def parts(one: values.Whole) -> Html:
    """The parts of a whole side by side, and below them each in words."""
    total = sum(part.number for part in one.parts)
    bars = [
        tag(
            "i",
            class_=part.kind,
            style=f"flex-grow:{part.number}",
            title=f"{part.words}: {part.number}",
        )
        for part in one.parts
        if part.number
    ]
    rows = [
        tag(
            "li",
            tag("i", class_=part.kind),
            part.words,
            " ",
            _picked(values.Cell(pick=part.pick), f"{part.number:,}")
            if part.pick
            else tag("b", f"{part.number:,}"),
            f" ({100 * part.number / total:.0f} %)" if total else "",
        )
        for part in one.parts
    ]
    rows += [tag("li", one.note, class_="note")] if one.note else []
    return tag("div", tag("div", *bars, class_="parts"), tag("ul", *rows), class_="overlap")
