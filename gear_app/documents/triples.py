"""Triples and entities that others extracted: rows of any names, or HippoRAG's OpenIE files
(version 1 and 2) with their passages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from gear_app.core.text import normalise_entity
from gear_app.documents.decode import storable
from gear_app.documents.items import Batch, NewEntities, NewPassage, NewTriple, derived_key
from gear_app.documents.passages import LONGEST, is_long
from gear_app.documents.questions import leave_out, words_in
from gear_app.documents.rows import Row, first, unpacked, words

IMPORTED = "imported"  # the set of triples whose file names none
LONGEST_NAME = 1_000
_NAMED = re.compile(r"(?:triples|entities)\.(.+?)\.\w+$", re.IGNORECASE)
_HIPPORAG = re.compile(r"results_ner_(.+?)(?:_\d+)?$")
SUBJECT = ("subject", "head", "subj")
PREDICATE = ("predicate", "relation", "relationship", "rel")
OBJECT = ("object", "tail", "obj")
PASSAGES = ("passage_id", "passage", "chunk_id", "source_id", "text_unit_ids", "doc_id")


def is_triple(row: Row) -> bool:
    """Whether a row is a triple."""
    return all(any(name in row for name in names) for names in (SUBJECT, PREDICATE, OBJECT))


def add_triple(batch: Batch, row: Row) -> None:
    """Add a triple, to each passage that the row names. Raises KeyError where it names none."""
    subject, predicate, object_ = (
        words(next(row[name] for name in names if name in row))
        for names in (SUBJECT, PREDICATE, OBJECT)
    )
    named = next((row[name] for name in PASSAGES if row.get(name)), None)
    if named is None:
        raise KeyError("passage_id")
    keys = unpacked(named)
    triples = batch.triples.setdefault(_set_name(batch, row), [])
    for key in keys if isinstance(keys, list) else [keys]:
        triple = NewTriple(words(key), subject, predicate, object_, first(row, ("sentence",)))
        triples += [triple] if _is_usable(batch, triple) else []


def _is_usable(batch: Batch, triple: NewTriple) -> bool:
    if max(len(triple.subject), len(triple.object)) > LONGEST_NAME:
        batch.notes.count("triple", f"dropped: a name of more than {LONGEST_NAME:,} characters")
    elif not (normalise_entity(triple.subject) and normalise_entity(triple.object)):
        batch.notes.count("triple", "dropped: a name without letters or digits")
    else:
        return True
    return False


def is_entities(row: Row) -> bool:
    """Whether a row has the entities of a passage."""
    return "passage_id" in row and "entities" in row


def add_entities(batch: Batch, row: Row) -> None:
    """Add the names in a passage: {passage_id, entities, source?}."""
    names = words_in(batch, "entity", row["entities"])
    _append_entities(batch, _set_name(batch, row), words(row["passage_id"]), names)


def _append_entities(batch: Batch, set_name: str, key: str, names: tuple[str, ...]) -> None:
    usable = (name for name in names if len(name) <= LONGEST_NAME and normalise_entity(name))
    batch.entities.setdefault(set_name, []).append(NewEntities(key, tuple(usable)))


def is_openie(row: Row) -> bool:
    """Whether a row is a passage of an OpenIE file."""
    return "extracted_triples" in row


def add_openie(batch: Batch, row: Row) -> None:
    """Add a passage of an OpenIE file with its triples and entities. Raises ValueError for one that
    is too long, whose triples belong to no part of it.
    """
    title, text = _passage(row)
    if is_long(text):
        batch.notes.add_sentence(
            f"passages of more than {LONGEST:,} words are left out, with all triples"
        )
        return
    key, set_name = derived_key(title, text), _model(batch.name)
    batch.passages.append(NewPassage(key, storable(title), storable(text)))
    names = words_in(batch, "entity", _listed(row.get("extracted_entities")))
    _append_entities(batch, set_name, key, names)
    triples = batch.triples.setdefault(set_name, [])
    for items in _listed(row.get("extracted_triples")):
        usable = isinstance(items, list) and len(items) == 3
        if usable and all(isinstance(item, str | int | float) for item in items):
            triple = NewTriple(key, *map(words, items))
            triples += [triple] if _is_usable(batch, triple) else []
        else:
            leave_out(batch, "triple", items)


def _passage(row: Row) -> tuple[str, str]:
    """Title and text of an OpenIE passage; version 2 has the title in the first line."""
    if "text" in row:
        title, text = words(row["title"]), words(row["text"])
    else:
        title, _, text = words(row["passage"]).partition("\n")
    return (title.strip(), text.strip()) if text.strip() else ("", title)


def _listed(value: object) -> list[Any]:
    """A model's list; it may have put it into an object, under a name."""
    inner = list(value.values()) if isinstance(value, Mapping) else [value]
    if len(inner) == 1 and isinstance(inner[0], list):
        return inner[0]
    return [] if value is None else [value]


def _set_name(batch: Batch, row: Row) -> str:
    """Set of a row: `triples.NAME.jsonl`, else its `source` without remarks in brackets."""
    named = _NAMED.match(PurePath(batch.name.removesuffix(".gz")).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or IMPORTED


def _model(name: str) -> str:
    """HippoRAG's files are named after the model: `openie_results_ner_MODEL.json`."""
    stem = PurePath(name).name.removesuffix(".gz").rpartition(".")[0]
    model = _HIPPORAG.search(stem)
    return model[1] if model else stem or IMPORTED
