"""Which sentence of its passage a triple came from, the one its file or extractor tells or the
closest match; and storing triples with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gear_app import ingest
from gear_app.ingest import NewTriple
from gear_app.store import Store
from gear_app.store.extractions import Shortfall
from gear_app.store.triples import Found
from gear_app.text import tokenise
from gear_app.types import ExtractedTriple, Extraction, Passage, Span

MOST_SENTENCES = 500  # of a passage; the longest ones have some hundred


def extraction(
    passage: Passage, triples: Sequence[NewTriple], names: Sequence[str], guessed: bool
) -> Extraction:
    """What a file says about one passage. `guessed`: it names no sentences, so the closest ones are
    taken.
    """
    sentences = _sentences(passage.text) if guessed else []
    found = tuple(
        ExtractedTriple(
            t.subject,
            t.predicate,
            t.object,
            _closest(sentences, _words(t)) if guessed else _find(passage.text, t),
        )
        for t in triples
    )
    return Extraction(tuple(names), found)


def _find(text: str, triple: NewTriple) -> Span | None:
    start = text.find(triple.sentence) if triple.sentence else -1
    return None if start < 0 else Span(start, start + len(triple.sentence))


def with_sentences(passage: Passage, extraction: Extraction) -> Extraction:
    """The same triples with their closest sentences, for an extractor that does not know where they
    were said.
    """
    sentences = _sentences(passage.text) if extraction.triples else []
    found = (replace(t, span=_closest(sentences, _words(t))) for t in extraction.triples)
    return Extraction(extraction.entities, tuple(found))


def _sentences(text: str) -> list[tuple[Span, set[str]]]:
    """The text's first sentences, each with its words, which every triple is compared with."""
    spans = ingest.sentences(text)[:MOST_SENTENCES]
    return [(span, set(tokenise(text[span.start : span.end]))) for span in spans]


def _words(triple: NewTriple | ExtractedTriple) -> str:
    return f"{triple.subject} {triple.predicate} {triple.object}"


def _closest(sentences: Sequence[tuple[Span, set[str]]], triple: str) -> Span | None:
    """The sentence with the most of the triple's words, the first of several; None below half of
    them.
    """
    words = set(tokenise(triple))
    shares = [(len(words & said), -place) for place, (_, said) in enumerate(sentences)]
    best, place = max(shares, default=(0, 0))
    return sentences[-place][0] if words and best * 2 >= len(words) else None


def store_triples(
    store: Store,
    collection_id: int,
    set_id: int,
    found: Sequence[Found],
    fingerprint: str,
    *,
    closest: bool = False,
    short: Mapping[int, Shortfall] | None = None,
) -> None:
    """Store what was found in passages and mark them extracted, in one transaction; `short`: whose
    reply fell short.

    Nothing new gives no new revision: runs made before are not out of date.
    """
    with store.transaction():
        fresh = store.triples.unknown(set_id, found)
        revision = 0
        if any(extraction.triples for _, extraction in fresh):
            revision = store.collections.raise_revision(collection_id, set_id=set_id)
        store.triples.add(collection_id, set_id, fresh, revision, closest=closest)
        numbers = store.triples.numbers(set_id, [passage_id for passage_id, _ in found])
        store.extractions.mark_extracted(set_id, numbers, fingerprint, short)
