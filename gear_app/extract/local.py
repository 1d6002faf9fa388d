"""The local extractor: passages to entities and triples with a parser and closed rules, no language
model.

English only. The steps, a module each: prepare the text and parse it, find out what it is about and
resolve who is meant, read relations off verbs, nouns and brackets, keep those that can link
passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.embedders.load_time import loading
from gear_app.extract.asides import bracketed
from gear_app.extract.clauses import Found, clauses
from gear_app.extract.keep import Kept
from gear_app.extract.nouns import nouns
from gear_app.extract.parse import load, parsed
from gear_app.extract.phrases import cleaned
from gear_app.extract.prepare import Prepared, prepare
from gear_app.extract.resolve import Resolver
from gear_app.extract.title import Title, title_of
from gear_app.types import Extraction, Passage, Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

VERSION = 1  # of the rules; raise it with every change that changes triples
BATCH = 32
_LINKABLE = frozenset("PERSON ORG GPE LOC FAC WORK_OF_ART EVENT PRODUCT NORP LANGUAGE LAW".split())


class LocalExtractor:
    """Extracts triples from English text (seams.Extractor). The parser is loaded when it is first
    needed.
    """

    name = "local"

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._nlp: Language | None = None

    @property
    def fingerprint(self) -> str:
        """The version of the rules and of the parser's model. ModelFailed where the model is
        missing.
        """
        meta = self._language().meta
        return f"local-{VERSION}/{meta['lang']}_{meta['name']}-{meta['version']}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order, lazily; parsed in batches of 32. Empty text gives an
        empty one.

        A triple's span is the sentence it came from, in the passage's text; it is None where the
        title alone says it.
        """
        nlp = self._language()
        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            titles = [title_of(passage.title, passage.text) for passage in batch]
            ready = [
                prepare(passage.text, title.forms)
                for passage, title in zip(batch, titles, strict=True)
            ]
            docs = parsed(nlp, ready, titles)
            for passage, title, prepared, doc in zip(batch, titles, ready, docs, strict=True):
                yield extraction(passage, title, prepared, doc)

    def _language(self) -> Language:
        if self._nlp is None:
            with loading():
                self._nlp = load()
        return self._nlp


def extraction(passage: Passage, title: Title, prepared: Prepared, doc: Doc) -> Extraction:
    """The entities and triples of one parsed passage, in the order of its sentences."""
    resolver = Resolver(doc, title, prepared.asides)
    found = [*bracketed(prepared.asides, resolver), *clauses(doc, resolver), *nouns(doc, resolver)]
    found += [Found(resolver.title.name, "also known as", alias, 0) for alias in resolver.aliases]
    sentence = {token.i: number for number, part in enumerate(doc.sents) for token in part}
    spans = _sentences(passage.text, prepared, doc)
    kept = Kept()
    for item in sorted(found, key=lambda relation: sentence[relation.at]):
        kept.add(item, spans[sentence[item.at]])
    for item in _title_places(title, kept):
        kept.add(item, None)
    return Extraction(
        kept.entities(cleaned(doc, e.start, e.end) for e in doc.ents if e.label_ in _LINKABLE),
        tuple(kept.triples),
    )


def _title_places(title: Title, kept: Kept) -> Iterator[Found]:
    """What a title like "Stanley, North Dakota" says, unless the text did."""
    stated = {triple.object for triple in kept.triples if triple.subject == title.name}
    yield from (
        Found(title.name, "located in", place, 0)
        for place in title.places[:1]
        if place not in stated
    )
    yield from (
        Found(a, "located in", b, 0) for a, b in zip(title.places, title.places[1:], strict=False)
    )


def _sentences(text: str, prepared: Prepared, doc: Doc) -> list[Span]:
    """Each parsed sentence as offsets into the original text, from its first character to the next
    sentence's.
    """
    starts = [prepared.origin(sentence.start_char) for sentence in doc.sents]
    ends = [*starts[1:], prepared.origin(len(prepared.text))]
    return [_stripped(text, start, end) for start, end in zip(starts, ends, strict=False)]


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
