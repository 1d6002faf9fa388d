"""Rows to put into a store."""

from __future__ import annotations

from gear_app.core.types import Passage, Triple
from gear_app.store import Store
from gear_app.store.processes import new_name
from gear_app.store.rows import RunInfo


def passage(key: str, text: str = "", title: str = "T") -> Passage:
    return Passage(0, key, title, text or f"text of {key}")


def stated(passage_id: int, *triples: tuple[str, str, str]) -> list[Triple]:
    return [Triple(0, passage_id, *words) for words in triples]


def new_run(store: Store, owner: str = "") -> RunInfo:
    row = store.collections.find("a") or store.collections.create("a")
    return RunInfo(
        question="Why?",
        method="gear",
        config={"beam.width": 5},
        reader="local",
        k=10,
        collection=row.name,
        collection_id=row.id,
        revision=row.revision,
        gold=("k1",),
        owner=owner,
    )


def claimed(store: Store, run: RunInfo) -> RunInfo:
    """The run in the hands of a process that is alive."""
    assert store.tasks.claim(run.number, new_name())
    return store.runs.get(run.id)
