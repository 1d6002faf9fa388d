"""Ready-made triples and entities: one a line, or HippoRAG's OpenIE files (version 1 and 2) with
their passages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from gear_app.errors import BadInput, Refused
from gear_app.ingest.batch import NewEntities, NewTriple, derived_key
from gear_app.ingest.contents import Contents, add_passage
from gear_app.ingest.rows import LONGEST, WRONG_SHAPE, Row, first, is_long, words
from gear_app.text import count

IMPORTED = "imported"  # the set of triples whose file names none
_NAMED = re.compile(r"(?:triples|entities)\.(.+?)\.jsonl?(?:\.gz)?$", re.IGNORECASE)
_HIPPORAG = re.compile(r"results_ner_(.+?)(?:_\d+)?$")


def add_triple(contents: Contents, row: Row, name: str) -> None:
    """A line {passage_id, subject, predicate, object, source?, sentence?}."""
    triple = NewTriple(
        words(row["passage_id"]),
        words(row["subject"]),
        words(row["predicate"]),
        words(row["object"]),
        first(row, ("sentence",)),
    )
    contents.triples.setdefault(_set_name(row, name), []).append(triple)


def add_entities(contents: Contents, row: Row, name: str) -> None:
    """A line {passage_id, entities: [name, …], source?}."""
    names = tuple(contents.words_in("entity", row["entities"]))
    contents.entities.setdefault(_set_name(row, name), []).append(
        NewEntities(words(row["passage_id"]), names)
    )


def read(docs: list[Any], name: str) -> Contents:
    """The `docs` of an OpenIE file. Triples that are not three names, and entities that are none,
    are left out and counted.
    """
    contents = Contents(read_as="an OpenIE file")
    set_name = _model(name)
    bad_docs = long_docs = 0
    for doc in docs:
        try:
            _add_doc(contents, doc, set_name)
        except WRONG_SHAPE:
            bad_docs += 1
        except Refused:
            long_docs += 1
    too_long = (
        f"{count(long_docs, 'passage')} of more than {LONGEST:,} words left out, with all triples"
    )
    if not contents.passages:
        why = f": {too_long}" if long_docs else ""
        raise BadInput(f"it looks like an OpenIE file, but none of its passages can be used{why}")
    if long_docs:
        contents.notes.say(too_long)
    contents.notes.count("passage", "not in the format left out", bad_docs)
    return contents


def _add_doc(contents: Contents, doc: Row, set_name: str) -> None:
    """Add one passage with its triples and entities."""
    title, _, text = (
        words(doc["passage"]).partition("\n")
        if "text" not in doc
        else (words(doc["title"]), "", words(doc["text"]))
    )
    title, text = (title.strip(), text.strip()) if text.strip() else ("", title)
    if is_long(text):
        raise Refused("its triples could not be told apart by the parts of the passage")
    key = derived_key(title, text)
    add_passage(contents, key, title, text)
    names = tuple(contents.words_in("entity", _listed(doc.get("extracted_entities"))))
    contents.entities.setdefault(set_name, []).append(NewEntities(key, names))
    triples = contents.triples.setdefault(set_name, [])
    for items in _listed(doc.get("extracted_triples")):
        if (
            isinstance(items, list)
            and len(items) == 3
            and all(isinstance(item, str | int | float) for item in items)
        ):
            triples.append(NewTriple(key, *map(words, items)))
        else:
            contents.leave_out("triple", items)


def _listed(value: object) -> list[object]:
    """What a model was to list; it may have put the list into an object, under a name."""
    inside = list(value.values()) if isinstance(value, Mapping) else [value]
    if len(inside) == 1 and isinstance(inside[0], list):
        return inside[0]
    return [] if value is None else [value]


def _set_name(row: Row, name: str) -> str:
    """The set a line belongs to: `triples.NAME.jsonl`, else its `source` without remarks in
    brackets.
    """
    named = _NAMED.match(PurePath(name).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or IMPORTED


def _model(name: str) -> str:
    """HippoRAG's files are named after the model: `openie_results_ner_MODEL.json`."""
    stem = PurePath(name).name.removesuffix(".gz").rpartition(".")[0]
    model = _HIPPORAG.search(stem)
    return model[1] if model else stem or IMPORTED
