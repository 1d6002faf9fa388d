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
_NAMED = re.compile(r"(?:triples|entities)\.(.+?)\.\w+$", re.IGNORECASE)
_HIPPORAG = re.compile(r"results_ner_(.+?)(?:_\d+)?$")
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
    if not isinstance(parts, list) or len(parts) != 3 or not all(map(_is_word, parts)):
        batch.notes.count("triple", "left out: not of three words")
        return
    subject, predicate, object_ = map(words, parts)
    if _is_name(subject) and _is_name(object_):
        triples.append(NewTriple(key, subject, predicate, object_, sentence))
    else:
        batch.notes.count("triple", "left out: a name without letters, or a very long one")


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
    key, set_name = derived_key(title, text), _model(batch.name)
    add_passage(batch, key, title, text)
    entities = map(words, filter(_is_word, row.get("extracted_entities") or ()))
    names = tuple(dict.fromkeys(filter(_is_name, entities)))
    batch.entities.setdefault(set_name, {})[key] = names
    for parts in row["extracted_triples"]:
        _append(batch, set_name, key, parts)


def _set_name(batch: Batch, row: Row) -> str:
    """Set of a row: `triples.NAME.jsonl`, else its `source` without remarks in brackets."""
    named = _NAMED.match(PurePath(batch.name.removesuffix(".gz")).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or IMPORTED


def _model(name: str) -> str:
    """HippoRAG's files are named after the model: `openie_results_ner_MODEL.json`."""
    stem = PurePath(name).name.removesuffix(".gz").rpartition(".")[0]
    model = _HIPPORAG.search(stem)
    return model[1] if model else stem or IMPORTED
