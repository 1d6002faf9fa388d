"""Which sentence of its passage a triple came from, the one its file or extractor tells or the
closest match; and storing triples with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gear_app.core.text import tokenise
from gear_app.core.types import ExtractedTriple, Extraction, Passage, Span, Triple
from gear_app.language.blocks import sentences
from gear_app.store import Store
from gear_app.store.extractions import Shortfall

if TYPE_CHECKING:
    from gear_app.documents.items import NewTriple

MOST_SENTENCES = 500  # of a passage; the longest ones have some hundred
REFUSED = "left out, as taken out or corrected by hand"  # of triples


def extraction(passage: Passage, triples: Sequence[NewTriple], names: Sequence[str]) -> Extraction:
    """Extraction that a file gives of one passage."""
    words = ((*t.words, find_words(passage.text, t.sentence)) for t in triples)
    return Extraction(tuple(names), tuple(ExtractedTriple(*each) for each in words))


def find_words(text: str, words: str) -> Span | None:
    """Place of words in a text; None where it does not have them, or for none."""
    start = text.find(words) if words else -1
    return None if start < 0 else Span(start, start + len(words))


def with_sources(passage: Passage, triples: Sequence[Triple]) -> list[Triple]:
    """Triples of a passage; each of unknown source has the closest sentence, if there is one."""
    unknown = any(triple.span is None for triple in triples)
    spans = sentences(passage.text)[:MOST_SENTENCES] if unknown else []
    cut_up = [(span, set(tokenise(passage.text[slice(*span)]))) for span in spans]
    sourced = []
    for triple in triples:
        span = None if triple.span else _closest(cut_up, triple.text)
        sourced.append(replace(triple, span=span, closest=True) if span else triple)
    return sourced


def _closest(sentences: Sequence[tuple[Span, set[str]]], triple: str) -> Span | None:
    """The sentence with the most of the triple's words, the first of several; None below half of
    them.
    """
    words = set(tokenise(triple))
    shares = [
        (len(words & sentence_words), -place) for place, (_, sentence_words) in enumerate(sentences)
    ]
    best, place = max(shares, default=(0, 0))
    return sentences[-place][0] if words and best * 2 >= len(words) else None


def store_triples(
    store: Store,
    collection_id: int,
    set_id: int,
    extractions: Sequence[tuple[Passage, Extraction]],
    fingerprint: str,
    *,
    short: Mapping[int, Shortfall] = MappingProxyType({}),
    task: int | None = None,
) -> int:
    """Store the extractions of passages, and mark these extracted, in one transaction. `short`:
    passages, by id, whose reply fell short; `task`: the job that makes the revision. Returns how
    many triples stay out because somebody took them out by hand.

    Nothing new gives no new revision: runs made before are not out of date.
    """
    with store.transaction():
        ids = [passage.id for passage, _ in extractions]
        stored = {(t.passage_id, *t.words) for t in store.triples.of_passages(set_id, ids)}
        refused = store.edits.refused(set_id, ids) - stored
        triples, names, left_out = list[Triple](), list[str](), 0
        for passage, extraction in extractions:
            # Each once, where it comes last, with the span that it came with first.
            last = {(passage.id, *t.words): t for t in reversed(extraction.triples)}
            left_out += len(last.keys() & refused)
            new = [
                Triple(0, *words, t.span)
                for words, t in reversed(last.items())
                if words not in stored and words not in refused
            ]
            names += [*extraction.entities, *(side for t in new for side in (t.subject, t.object))]
            triples += with_sources(passage, new)
        revision = 0
        if triples:
            revision = store.collections.raise_revision(collection_id, set_id=set_id, task=task)
        store.triples.add(collection_id, set_id, triples, revision, names)
        store.extractions.mark_extracted(set_id, ids, fingerprint, short)
    return left_out
