"""Which words of its passage state a triple: those that a file or an extractor names, else the
closest sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gear_app.core.text import tokenise
from gear_app.core.types import Passage, Span, Triple
from gear_app.language.blocks import sentences

MOST_SENTENCES = 500  # of a passage; the longest ones have some hundred


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
