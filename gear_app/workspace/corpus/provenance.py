"""Which sentence of its passage a triple came from, the one its file or extractor tells or the
closest match; and storing triples with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from gear_app.core.errors import BadInput
from gear_app.core.text import count, cut, tokenise
from gear_app.core.types import ExtractedTriple, Extraction, Passage, Span, Triple
from gear_app.language.blocks import sentences
from gear_app.store import Store
from gear_app.store.extractions import Shortfall

if TYPE_CHECKING:
    from gear_app.documents.items import NewTriple

MOST_SENTENCES = 500  # of a passage; the longest ones have some hundred


def extraction(
    passage: Passage, triples: Sequence[NewTriple], names: Sequence[str], guessed: bool
) -> Extraction:
    """Extraction that a file gives of one passage. `guessed`: it names no sentences, and the
    closest ones are taken.
    """
    cut_up = _sentences(passage.text) if guessed else []
    texts = tuple(
        ExtractedTriple(
            t.subject,
            t.predicate,
            t.object,
            _closest(cut_up, t.text) if guessed else _find(passage.text, t),
        )
        for t in triples
    )
    return Extraction(tuple(names), texts)


def _find(text: str, triple: NewTriple) -> Span | None:
    start = text.find(triple.sentence) if triple.sentence else -1
    return None if start < 0 else Span(start, start + len(triple.sentence))


def source_of(passage: Passage, words: str, triple: str) -> tuple[Span | None, bool]:
    """Source of a triple that somebody wrote, and whether that is only the closest sentence.

    `words` are those of the passage that state it, "" where that is not told. Raises BadInput where
    the passage does not have them.
    """
    if not words:
        span = _closest(_sentences(passage.text), triple)
        return span, span is not None
    start = passage.text.find(words)
    if start < 0:
        raise BadInput(
            f"The passage does not have the words “{cut(words, 80)}”. Copy its source from the"
            " passage, or leave it blank."
        )
    return Span(start, start + len(words)), False


def with_sentences(passage: Passage, extraction: Extraction) -> Extraction:
    """Triples with their closest sentences, for an extractor that does not know where they
    were said.
    """
    cut_up = _sentences(passage.text) if extraction.triples else []
    triples = (replace(t, span=_closest(cut_up, t.text)) for t in extraction.triples)
    return Extraction(extraction.entities, tuple(triples))


def _sentences(text: str) -> list[tuple[Span, set[str]]]:
    """The text's first sentences, each with its words, which every triple is compared with."""
    spans = sentences(text)[:MOST_SENTENCES]
    return [(span, set(tokenise(text[span.start : span.end]))) for span in spans]


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
    found: Sequence[tuple[int, Extraction]],
    fingerprint: str,
    *,
    closest: bool = False,
    short: Mapping[int, Shortfall] = MappingProxyType({}),
    task: int | None = None,
) -> int:
    """Store the extractions of passages, by id, and mark these extracted, in one transaction.
    `closest`: spans are guesses; `short`: passages whose reply fell short; `task`: the job that
    makes the revision. Returns how many triples stay out because somebody took them out by hand.

    Nothing new gives no new revision: runs made before are not out of date.
    """
    with store.transaction():
        ids = [passage_id for passage_id, _ in found]
        stored = {(t.passage_id, *t.words) for t in store.triples.of_passages(set_id, ids)}
        refused = store.edits.refused(set_id, ids) - stored
        triples, names, left_out = list[Triple](), list[str](), 0
        for passage_id, extraction in found:
            # Each once, where it comes last, with the span that it came with first.
            last = {(passage_id, *t.words): t for t in reversed(extraction.triples)}
            left_out += len(last.keys() & refused)
            new = [t for key, t in reversed(last.items()) if key not in stored | refused]
            names += [*extraction.entities, *(side for t in new for side in (t.subject, t.object))]
            triples += [
                Triple(0, passage_id, *t.words, t.span, closest and t.span is not None) for t in new
            ]
        revision = 0
        if triples:
            revision = store.collections.raise_revision(collection_id, set_id=set_id, task=task)
        store.triples.add(collection_id, set_id, triples, revision, names)
        store.extractions.mark_extracted(set_id, ids, fingerprint, short)
    return left_out


def refused_words(refused: int) -> str:
    """How many triples stay out because somebody took them out, as a part of a sentence."""
    return f"{count(refused, 'triple')} left out, as taken out or corrected by hand"
