"""The persons named in a passage, and whom a lone surname or first name means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gear_app.extract.phrases import wording
from gear_app.extract.words import folded, is_name

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SUBJECTS = ("nsubj", "nsubjpass")


def people_of(doc: Doc) -> list[tuple[int, str]]:
    """(index of the head, name) of the persons named, in order; a lone surname as the full name
    before it.
    """
    found: list[tuple[int, str]] = []
    roots = {span.root.i for span in doc.ents if span.label_ == "PERSON"}
    for token in doc:
        if token.i in roots or (is_name(token) and token.dep_ in _SUBJECTS):
            name = wording(token)
            full = longer(folded(name), [other for _, other in reversed(found)])
            if full or token.i in roots:
                found.append((token.i, full or name))
    return found


def longer(words: tuple[str, ...], names: Sequence[str]) -> str | None:
    """The first of `names` that one word is the surname of, or else the first name."""
    full = [(folded(name), name) for name in names if " " in name] if len(words) == 1 else []
    surnamed = [name for parts, name in full if parts[-1:] == words]
    return next(iter(surnamed + [name for parts, name in full if parts[:1] == words]), None)
