"""Ready-made triples and entities: one a line, or HippoRAG's OpenIE files (version 1 and 2) with
their passages.
"""

from __future__ import annotations

import re
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
    names = tuple(dict.fromkeys(map(words, row["entities"])))
    contents.entities.setdefault(_set_name(row, name), []).append(
        NewEntities(words(row["passage_id"]), names)
    )


def read(docs: list[Any], name: str) -> Contents:
    """The `docs` of an OpenIE file. Triples that are not three names are left out and counted."""
    contents = Contents()
    set_name = _model(name)
    bad_docs = bad_triples = long_docs = 0
    for doc in docs:
        try:
            bad_triples += _add_doc(contents, doc, set_name)
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
        contents.notes.append(too_long)
    if bad_docs:
        contents.notes.append(f"{count(bad_docs, 'passage')} not in the format left out")
    if bad_triples:
        contents.notes.append(f"{count(bad_triples, 'triple')} left out: not exactly three items")
    return contents


def _add_doc(contents: Contents, doc: Row, set_name: str) -> int:
    """Add one passage with its triples and entities; how many triples could not be used."""
    title, _, text = (
        words(doc["passage"]).partition("\n")
        if "text" not in doc
        else (words(doc["title"]), "", words(doc["text"]))
    )
    title, text = (title.strip(), text.strip()) if text.strip() else ("", title)
    if is_long(text):
        raise Refused("its triples could not be told apart by the parts of the passage")
    key = derived_key(title, text)
    triples = [_triple(key, items) for items in doc.get("extracted_triples") or ()]
    names = tuple(dict.fromkeys(map(words, doc.get("extracted_entities") or ())))
    add_passage(contents, key, title, text)
    contents.entities.setdefault(set_name, []).append(NewEntities(key, names))
    contents.triples.setdefault(set_name, []).extend(triple for triple in triples if triple)
    return triples.count(None)


def _triple(key: str, items: object) -> NewTriple | None:
    if (
        isinstance(items, list)
        and len(items) == 3
        and all(isinstance(item, str | int | float) for item in items)
    ):
        return NewTriple(key, *map(words, items))
    return None


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
