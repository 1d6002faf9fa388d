"""Triples as somebody writes them, and what is wrong with those that cannot be used."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.corpus.provenance import source_of
from gear_app.errors import BadInput
from gear_app.text import count, normalise_entity
from gear_app.types import Passage, Triple

MOST_WORDS = 1_000  # characters of a subject, a predicate or an object


class TripleDraft(NamedTuple):
    """A triple as somebody wrote it. `source` are words of its passage that state it, or ""."""

    subject: str
    predicate: str
    object: str
    source: str = ""


def written(passage: Passage, draft: TripleDraft) -> Triple:
    """The triple that somebody wrote for a passage. Raises BadInput."""
    subject = field("subject", draft.subject, named=True)
    predicate = field("predicate", draft.predicate)
    object_ = field("object", draft.object, named=True)
    words = f"{subject} {predicate} {object_}"
    span, closest = source_of(passage, draft.source.strip(), words)
    return Triple(0, passage.id, subject, predicate, object_, span, closest)


def field(what: str, text: str, *, named: bool = False) -> str:
    """One field, on one line. `named`: it names an entity, so it has a letter or a digit."""
    words = " ".join(text.split())
    if not words:
        raise BadInput(f"The {what} is blank. Write one.")
    if named and not normalise_entity(words):
        raise BadInput(f"The {what} “{words}” has no letter and no digit. Write a name.")
    if len(words) > MOST_WORDS:
        raise BadInput(
            f"The {what} has {count(len(words), 'character')}; {MOST_WORDS:,} are the most."
        )
    return words
