"""Places in a text as markup: spans that do not fit or overlap an earlier one mark nothing."""

from __future__ import annotations

from collections.abc import Iterable

from gear_app.types import Span
from gear_app.views.markup import Html, join, tag


def around(text: str, places: Iterable[tuple[Span | None, str, str]]) -> Html:
    """The text with each (span, element, class) wrapped; of overlapping ones the first to begin is
    kept.
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
    """Where words stand in a text from `after` on, however they are written; None where they do
    not.
    """
    start = text.casefold().find(words.casefold(), after) if words else -1
    fits = start >= 0 and len(text.casefold()) == len(text)  # a few letters fold into several
    return Span(start, start + len(words)) if fits else None
