"""HTML that cannot forget to escape (a child that is not `Html` is text), and the pieces that every
card is made of: titles, lists of facts, sums, legends, passages with a marked sentence, names
that light up together (frontend/pointing.js), and terms that are explained (glossary.toml).
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gear_app.core.text import normalise_entity
from gear_app.core.types import Span
from gear_app.trace.entities import EntityNames
from gear_app.trace.events import ShownTriple
from gear_app.trace.rankings import CUTS

NO_NAMES = EntityNames({})


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


def entity(name: str, element: str = "span", *, focus: bool = False) -> Html:
    """An entity's name, which lights up with all others of the same entity; `focus`: for who has
    no pointer, it can be reached with the keyboard.
    """
    reached = {"tabindex": 0, "role": "button"} if focus else {}
    return tag(element, name, data_entity=normalise_entity(name) or None, **reached)


def pieces(text: str, names: EntityNames) -> list[dict[str, str]]:
    """A text cut in pieces, those that are names with their entity."""
    pieces: list[dict[str, str]] = []
    at = 0
    for span, name in names.places(text):
        pieces.append({"text": text[at : span.start], "entity": ""})
        pieces.append({"text": text[span.start : span.end], "entity": name})
        at = span.end
    return [piece for piece in [*pieces, {"text": text[at:], "entity": ""}] if piece["text"]]


def named(text: str, names: EntityNames, *, focus: bool = False) -> Html:
    """A text with the names of entities in it."""
    return join(
        entity(piece["text"], focus=focus) if piece["entity"] else piece["text"]
        for piece in pieces(text, names)
    )


def explained(text: str) -> Html:
    """A sentence of ours with the terms of the glossary in it explained on pointing at them."""
    parts: list[object] = []
    at = 0
    for start, end, key in places(text):
        parts += [text[at:start], term(text[start:end], key)]
        at = end
    return join([*parts, text[at:]])


def term(words: str, key: str = "", meaning: str = "") -> Html:
    """A term of the glossary, or one with a meaning given, explained by pointing at it, tapping it
    or reaching it by Tab.
    """
    meaning = meaning or TERMS[key or words]
    return tag(
        "span",  # not a button, which would not break with its line
        words,
        role="button",
        tabindex=0,
        class_="gear-term",
        data_explained="",
        aria_description=meaning,
    )


def around(
    text: str, places: Iterable[tuple[Span | None, str, str]], names: EntityNames = NO_NAMES
) -> Html:
    """The text with each (span, element, class) wrapped, and in it the names of entities.

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
                named(text[at : span.start], names),
                tag(element, named(text[span.start : span.end], names), class_=class_ or None),
            ]
            at = span.end
    return join([*parts, named(text[at:], names)])


def find(text: str, words: str, after: int = 0) -> Span | None:
    """Place of words in a text from `after` on, in capitals or not; None where they do not."""
    start = text.casefold().find(words.casefold(), after) if words else -1
    fits = start >= 0 and len(text.casefold()) == len(text)  # a few letters fold into several
    return Span(start, start + len(words)) if fits else None


def facts(pairs: Sequence[tuple[str, object]]) -> Html:
    """A definition list; pairs without a value are left out."""
    lines = [tag("dt", name) + tag("dd", value, dir="auto") for name, value in pairs if str(value)]
    return tag("dl", Html("".join(lines)), class_="gear-facts")


def triple(shown_triple: ShownTriple, gold: Collection[str]) -> Html:
    """A stored triple and the passage it belongs to."""
    star = " ★ gold" if shown_triple.passage_key in gold else ""
    return facts(
        [
            ("Subject", entity(shown_triple.subject)),
            ("Predicate", shown_triple.predicate),
            ("Object", entity(shown_triple.object)),
            ("Passage", join([entity(shown_triple.passage_name), star])),
        ]
    )


def sum_of(lines: Sequence[tuple[str, str]]) -> Html:
    """Terms and what they come to: the line that begins with "= " and ends the sum stands out.

    A name is ours, or `Html`.
    """
    last = len(lines) - 1
    terms = [
        tag("dt", name if isinstance(name, Html) else explained(name), class_=kind, dir="auto")
        + tag("dd", value, class_=kind)
        for place, (name, value) in enumerate(lines)
        for kind in ["gear-total" if place == last and name.startswith("= ") else None]
    ]
    return tag("dl", Html("".join(terms)), class_="gear-sum") if terms else Html("")


def title(words: str, aside: str = "") -> Html:
    """A card's title with a quiet remark beside it; the remark alone where there is no title.

    A title whose terms are explained is `Html`.
    """
    heading = tag("h2", words) if words else ""
    return tag("div", heading, tag("span", explained(aside)), class_="gear-title")


def card(*parts: object) -> Html:
    """A part of a page that stands alone, in its frame."""
    return tag("section", *parts, class_="box-card")


def query(words: str, label: str = "Query") -> Html:
    """The query of an iteration, in its colour; `words` may have names in it."""
    return tag("div", tag("i", label), tag("span", words, dir="auto"), class_="gear-query")


def legend(entries: Sequence[tuple[str, str]]) -> Html:
    """Colours and what they mean: (palette name, words).

    "pruned" is drawn dashed, "star" as a star, "" not.
    """
    return tag("div", join(_swatch(name, words) for name, words in entries), class_="gear-legend")


def _swatch(name: str, words: str) -> Html:
    marks = {
        "": "",
        "star": tag("span", "★ ", style="color:var(--gear-gold)"),
        "pruned": tag("i", class_="gear-dashed"),
    }
    colour = tag("i", style=f"background:var(--gear-{name})")
    return tag("span", marks.get(name, colour), explained(words))


def sentence(shown_triple: ShownTriple) -> str:
    """Source of the triple in words, when the passage itself cannot mark it."""
    if not shown_triple.sentence:
        return "This triple was imported without its source sentence."
    return "closest match, the triple came without its sentence" if shown_triple.closest else ""


def passage(text: str, span: Span | None, names: EntityNames = NO_NAMES) -> Html:
    """The text with `span` marked; a span that does not fit the text marks nothing."""
    return tag("p", around(text, [(span, "mark", "")], names), class_="gear-passage", dir="auto")


def in_document(text: str, start: int, end: int, margin: int = 600) -> Html:
    """A document's text around a passage, the passage marked; cuts are shown by an ellipsis."""
    if not 0 <= start < end <= len(text):
        return tag("p", text[: 2 * margin], class_="gear-passage", dir="auto")
    before, after = text[max(0, start - margin) : start], text[end : end + margin]
    lead = "… " if start > margin else ""
    tail = " …" if end + margin < len(text) else ""
    return tag(
        "p",
        lead + before,
        tag("mark", text[start:end]),
        after + tail,
        class_="gear-passage",
        dir="auto",
    )


_RECALL = (
    "The share of the gold passages that are among the first {} of a ranking, 1.00 for all of them."
)
TERMS: Mapping[str, str] = {
    **tomllib.loads(Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8")),
    **{f"recall@{k}": _RECALL.format(k) for k in CUTS},
}
_ALSO: Mapping[str, str] = {  # how else a term is written, and which it is
    "beam so far": "beam score",
    "gold passage": "gold",
    "gold passages": "gold",
    "proximal triples": "proximal triple",
    "partial triples": "partial triple",
    "beam search": "beam",
    **{f"R@{k}": f"recall@{k}" for k in CUTS},
    "triples": "triple",
    "promotion": "promoted",
    "Holm’s correction": "p, Holm",
    "iterations": "iteration",
    "relative clauses": "relative clause",
    "Personalized PageRank": "walk",
}
_KEYS = {words.casefold(): key for words, key in {**{key: key for key in TERMS}, **_ALSO}.items()}
_TERM = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(re.escape(words) for words in sorted(_KEYS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and key of the terms in a sentence of ours, from left to right, each once."""
    terms: set[str] = set()
    for match_ in _TERM.finditer(text):
        key = _KEYS[match_[0].casefold()]
        if key not in terms:
            terms.add(key)
            yield match_.start(), match_.end(), key
