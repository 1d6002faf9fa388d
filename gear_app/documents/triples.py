"""Triples and entities that others extracted: rows of any names, or HippoRAG's OpenIE files
(version 1 and 2) with their passages.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from gear_app.core.text import normalise_entity
from gear_app.documents.items import Batch, NewTriple, derived_key
from gear_app.documents.passages import LONGEST, add_passage, is_long
from gear_app.documents.rows import Row, first, unpacked, words

IMPORTED = "imported"  # the set of triples whose file names none
LONGEST_NAME = 1_000
# `triples.NAME.jsonl`, and HippoRAG's files by their model: `openie_results_ner_MODEL.json`.
_NAMED = re.compile(
    r"(?:^(?:triples|entities)\.|results_ner_)(.+?)(?:_\d+)?\.\w+(?:\.gz)?$", re.IGNORECASE
)
SUBJECT = ("subject", "head", "subj")
PREDICATE = ("predicate", "relation", "relationship", "rel")
OBJECT = ("object", "tail", "obj")
_PASSAGES = ("passage_id", "passage", "chunk_id", "source_id", "text_unit_ids", "doc_id")


def add_triple(batch: Batch, row: Row) -> None:
    """Add a triple, to each passage that the row names. Raises KeyError where it names none."""
    parts = [
        next(row[name] for name in names if name in row) for names in (SUBJECT, PREDICATE, OBJECT)
    ]
    keys = unpacked(next((row[name] for name in _PASSAGES if row.get(name)), None))
    if keys is None:
        raise KeyError("passage_id")
    for key in keys if isinstance(keys, list) else [keys]:
        _append(batch, _set_name(batch, row), words(key), parts, first(row, ("sentence",)))


def _append(batch: Batch, set_name: str, key: str, parts: Any, sentence: str = "") -> None:  # noqa: ANN401
    triples = batch.triples.setdefault(set_name, [])
    named = isinstance(parts, list) and len(parts) == 3 and all(map(_is_word, parts))
    if named and _is_name(words(parts[0])) and _is_name(words(parts[2])):
        subject, predicate, object_ = map(words, parts)
        triples.append(NewTriple(key, subject, predicate, object_, sentence))
    else:
        batch.notes.count("triple", "left out: not of three words")


def _is_word(part: object) -> bool:
    return isinstance(part, str | int | float)


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and bool(normalise_entity(name))


def add_openie(batch: Batch, row: Row) -> None:
    """Add a passage of an OpenIE file with its triples and entities. Version 2 has the title in the
    first line. Raises ValueError for a passage that is too long, whose triples belong to no part.
    """
    title, text = first(row, ("title",)), first(row, ("text",))
    if not text:
        title, _, text = words(row["passage"]).partition("\n")
        title, text = (title.strip(), text.strip()) if text.strip() else ("", title)
    if is_long(text):
        raise ValueError(f"more than {LONGEST:,} words")
    key, set_name = derived_key(title, text), _set_name(batch, row)
    add_passage(batch, key, title, text)
    entities = map(words, filter(_is_word, row.get("extracted_entities") or ()))
    names = tuple(dict.fromkeys(filter(_is_name, entities)))
    batch.entities.setdefault(set_name, {})[key] = names
    for parts in row["extracted_triples"]:
        _append(batch, set_name, key, parts)


def _set_name(batch: Batch, row: Row) -> str:
    """Set of a row, by the file's name, else by its `source` without remarks in brackets."""
    named = _NAMED.search(PurePath(batch.name).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or IMPORTED
