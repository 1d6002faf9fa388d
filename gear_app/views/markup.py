"""HTML that cannot forget to escape (a child that is not `Html` is text), and marks in texts."""

from __future__ import annotations

import html
from collections.abc import Iterable

from gear_app.types import Span


class Html(str):
    """Markup made here. Plain strings are text and get escaped."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Html:
    """`<name attributes>children</name>`.

    `class_` is written `class`, `data_x` is written `data-x`, None is left out. Children and
    attribute values are escaped unless they are `Html`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[object], between: str = "") -> Html:
    """Children in a row, escaped unless `Html`; `between` is text."""
    return Html(html.escape(between).join(escaped(child) for child in children))


def escaped(value: object) -> Html:
    """The value as text, unless it is `Html` already."""
    return value if isinstance(value, Html) else Html(html.escape(str(value), quote=True))


def around(text: str, places: Iterable[tuple[Span | None, str, str]]) -> Html:
    """The text with each (span, element, class) wrapped.

    Spans that do not fit mark nothing; of overlapping ones the first to begin is taken.
    """
    parts: list[object] = []
    at = 0
    fitting = [
        place for place in places if place[0] and 0 <= place[0].start < place[0].end <= len(text)
    ]
    for span, element, class_ in sorted(fitting, key=lambda place: place[0] or (0, 0)):
        if span and span.start >= at:
            parts += [
                text[at : span.start],
                tag(element, text[span.start : span.end], class_=class_ or None),
            ]
            at = span.end
    return join([*parts, text[at:]])


def find(text: str, words: str, after: int = 0) -> Span | None:
    """Where words stand in a text from `after` on, in capitals or not; None where they do not."""
    start = text.casefold().find(words.casefold(), after) if words else -1
    fits = start >= 0 and len(text.casefold()) == len(text)  # a few letters fold into several
    return Span(start, start + len(words)) if fits else None
