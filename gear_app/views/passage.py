"""A passage's text with the words that matter marked, as safe HTML."""

from __future__ import annotations

from gear_app.types import Span
from gear_app.views.markup import Html, join, tag


def marked(text: str, span: Span | None) -> Html:
    """The text with `span` marked; a span that does not fit the text marks nothing."""
    if span is None or not 0 <= span.start < span.end <= len(text):
        return tag("p", text, class_="gear-passage", dir="auto")
    parts = text[: span.start], tag("mark", text[span.start : span.end]), text[span.end :]
    return tag("p", join(parts), class_="gear-passage", dir="auto")


def in_document(text: str, start: int, end: int, around: int = 600) -> Html:
    """A document's text around a passage, the passage marked; cuts are shown by an ellipsis."""
    if not 0 <= start < end <= len(text):
        return tag("p", text[: 2 * around], class_="gear-passage", dir="auto")
    before, after = text[max(0, start - around) : start], text[end : end + around]
    lead = "… " if start > around else ""
    tail = " …" if end + around < len(text) else ""
    return tag(
        "p",
        lead + before,
        tag("mark", text[start:end]),
        after + tail,
        class_="gear-passage",
        dir="auto",
    )


def find(text: str, sentence: str) -> Span | None:
    """Where a sentence stands in a text, if it does word for word."""
    start = text.find(sentence) if sentence else -1
    return Span(start, start + len(sentence)) if start >= 0 else None
