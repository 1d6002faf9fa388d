"""Rows to put into a store."""

from __future__ import annotations

from gear_app.store import Store
from gear_app.store.rows import NewRun
from gear_app.types import ExtractedTriple, Extraction, Passage


def passage(key: str, text: str = "", title: str = "T") -> Passage:
    return Passage(0, key, title, text or f"text of {key}")


def extraction(*triples: tuple[str, str, str]) -> Extraction:
    return Extraction((), tuple(ExtractedTriple(*words) for words in triples))


def new_run(store: Store, owner: str = "") -> NewRun:
    row = store.collections.find("a") or store.collections.create("a")
    return NewRun("Why?", "gear", {"beam.width": 5}, "local", 10, row, None, ("k1",), owner)
