"""How the triples of a passage in a set differ from what an extractor finds in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gear_app.text import normalise_entity
from gear_app.types import ExtractedTriple, Span, Triple

DifferenceLine = tuple[Triple | None, ExtractedTriple | None]


@dataclass(frozen=True, slots=True)
class TripleDifference:
    """Lines in the order of the text, each with the set's triple and the extractor's equal one, or
    one of the two alone.
    """

    lines: tuple[DifferenceLine, ...]

    @property
    def same(self) -> list[Triple]:
        """The set's triples that the extractor finds, too."""
        return [mine for mine, other in self.lines if mine and other]

    @property
    def only_set(self) -> list[Triple]:
        """The set's triples that the extractor does not find."""
        return [mine for mine, other in self.lines if mine and not other]

    @property
    def only_found(self) -> list[ExtractedTriple]:
        """What the extractor finds and the set does not have."""
        return [other for mine, other in self.lines if other and not mine]


def difference(in_set: Sequence[Triple], found: Iterable[ExtractedTriple]) -> TripleDifference:
    """Compare the triples of one passage: equal ones have the same words but for case, blanks and
    punctuation. Those without a place in the text come last, the set's before the extractor's.
    """
    left: dict[tuple[str, str, str], list[Triple]] = {}
    for triple in in_set:
        left.setdefault(_words(triple), []).append(triple)
    lines: list[DifferenceLine] = []
    told: set[tuple[str, str, str]] = set()
    for one in found:
        words = _words(one)
        if words in told and not left.get(words):
            continue  # the extractor says the same twice
        told.add(words)
        same = left.get(words)
        lines.append((same.pop(0) if same else None, one))
    lines += [(triple, None) for rest in left.values() for triple in rest]
    return TripleDifference(tuple(sorted(lines, key=_place)))


def _words(triple: Triple | ExtractedTriple) -> tuple[str, str, str]:
    subject, predicate, object_ = map(normalise_entity, triple.words)
    return subject, predicate, object_


def _place(line: DifferenceLine) -> tuple[bool, Span, bool]:
    mine, other = line
    span = (mine.span if mine else None) or (other.span if other else None)
    return span is None, span or Span(0, 0), mine is None
