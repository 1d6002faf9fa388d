"""Collections and their triple sets."""

from __future__ import annotations

from dataclasses import replace

from gear_app.core.types import Document, Passage, Question
from gear_app.store import Store
from tests.store.make import new_run, stated


def test_deleting_a_collection_removes_its_content_and_keeps_its_runs(store: Store) -> None:
    row = store.collections.create("a")
    with store.transaction():
        document = store.documents.add(row.id, Document("D", "text"), 1)
        store.passages.add(row.id, [Passage(0, "k", "D", "text", document, 0, 4)], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    with store.transaction():
        store.triples.add(row.id, set_.id, [*stated(1, ("A", "is", "B"))], 2)
    store.questions.save(row.id, [Question("q", "Why?", supporting_keys=("k",))])
    run = store.runs.create(replace(new_run(store), set_id=set_.id, triple_set="s"))
    store.collections.delete("a")
    for table in (
        "documents",
        "passages",
        "triples",
        "entities",
        "triple_sets",
        "questions",
        "gold",
    ):
        assert store.db.value(f"SELECT count(*) FROM {table}") == 0, table
    kept = store.runs.get(run.id)
    assert (kept.collection, kept.triple_set, kept.collection_id, kept.stale) == (
        "a",
        "s",
        None,
        True,
    )


def test_ids_are_never_used_again(store: Store) -> None:
    def made(name: str) -> list[int]:
        row = store.collections.create(name)
        set_ = store.collections.ensure_set(row.id, "s", "local")
        with store.transaction():
            document = store.documents.add(row.id, Document("T", "text", "t.txt"), 1)
            store.passages.add(row.id, [Passage(0, "k", "T", "text", document)], 1)
            (kept,) = store.passages.by_key(row.id, ["k"]).values()
            store.triples.add(row.id, set_.id, [*stated(kept.id, ("Ada", "knows", "Bo"))], 1)
        ((triple_id, _),) = store.triples.hashes(set_.id, 1)
        entities = [int(id_) for (id_,) in store.db.tuples("SELECT id FROM entities ORDER BY id")]
        return [
            row.id,
            set_.id,
            document,
            kept.id,
            triple_id,
            *entities,
            store.tasks.ensure("vectors", row.id, None).id,
        ]

    assert made("a") == [1, 1, 1, 1, 1, 1, 2, 1]
    store.collections.delete("a")
    assert made("b") == [2, 2, 2, 2, 2, 3, 4, 2]
