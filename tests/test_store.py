"""The store: the file, transactions, revisions, vectors, the fair queue, and what it says when something is wrong."""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from gear_app.errors import BadInput, NotReady, StoreFailed, Unknown
from gear_app.events import KINDS, Event, Started
from gear_app.store import Store
from gear_app.store.fair import fair
from gear_app.store.migrations import MIGRATIONS
from gear_app.store.rows import NewRun, text_hash
from gear_app.store.runs import Outcome
from gear_app.types import Document, ExtractedTriple, Extraction, Hop, Passage, Question, Span
from tests import factories


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "w.db")


def passage(key: str, text: str = "", title: str = "T") -> Passage:
    return Passage(0, key, title, text or f"text of {key}")


def extraction(*triples: tuple[str, str, str]) -> Extraction:
    return Extraction((), tuple(ExtractedTriple(*words) for words in triples))


# The file


def test_file_is_in_wal_mode_with_foreign_keys_and_a_long_wait(store: Store) -> None:
    pragmas = {name: store.db.value(f"PRAGMA {name}") for name in ("journal_mode", "foreign_keys", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 1}
    assert store.db.value("PRAGMA busy_timeout") == 10_000
    assert store.db.value("PRAGMA user_version") == len(MIGRATIONS)


def test_tables_a_reader_of_the_file_would_expect(store: Store) -> None:
    tables = {name for (name,) in store.db.tuples("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables >= {
        "collections", "documents", "passages", "entities", "passage_entities", "triples", "embeddings",
        "questions", "gold", "runs", "events", "annotations", "jobs",
    }  # fmt: skip


def test_opening_again_migrates_nothing_and_keeps_content(tmp_path: Path) -> None:
    Store(tmp_path / "w.db").collections.create("a")
    assert [row.name for row in Store(tmp_path / "w.db").collections.all()] == ["a"]


def test_a_file_of_a_newer_version_is_refused_by_name(tmp_path: Path, store: Store) -> None:
    store.db.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreFailed, match=r"w\.db was made by a newer version .*schema 999.*Upgrade gear-app"):
        Store(tmp_path / "w.db")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(StoreFailed, match=r"x\.db is not a workspace: it is no SQLite file"):
        Store(tmp_path / "x.db")


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreFailed, match="belongs to another program"):
        Store(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match="Does its folder exist"):
        Store(tmp_path / "nowhere" / "w.db")


def test_a_locked_file_is_told(tmp_path: Path, store: Store) -> None:
    other = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store.db.execute("PRAGMA busy_timeout = 50")
    with pytest.raises(StoreFailed, match="is locked by another program"):
        store.collections.create("a")
    other.execute("ROLLBACK")
    other.close()
    store.collections.create("a")
    assert [row.name for row in store.collections.all()] == ["a"]


def test_a_full_disk_is_told_and_what_was_done_before_is_kept(store: Store) -> None:
    row = store.collections.create("a")
    store.db.value(f"PRAGMA max_page_count = {store.db.value('PRAGMA page_count')}")
    with pytest.raises(StoreFailed, match="the disk is full"), store.transaction():
        revision = store.collections.raise_revision(row.id, passages=True)
        store.passages.add(row.id, [passage(f"k{n}", f"{n} long " * 500) for n in range(50)], revision)
    assert store.collections.get("a").revision == 0
    assert store.passages.counts(row.id).passages == 0


def test_a_transaction_is_all_or_nothing_and_nests(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.collections.create("a")
        with store.transaction():
            store.collections.create("b")
        raise RuntimeError
    assert store.collections.all() == []


def test_sixteen_threads_write_and_read_without_errors(tmp_path: Path) -> None:
    Store(tmp_path / "w.db")
    errors: list[Exception] = []

    def work(name: str) -> None:
        try:
            own = Store(tmp_path / "w.db")
            row = own.collections.create(name)
            for n in range(10):
                with own.transaction():
                    own.passages.add(row.id, [passage(f"k{n}")], own.collections.raise_revision(row.id, passages=True))
                own.passages.at(row.id, n)
        except StoreFailed as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"c{n}",)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    store = Store(tmp_path / "w.db")
    assert [store.passages.counts(row.id).passages for row in store.collections.all()] == [10] * 16


def test_a_backup_is_a_workspace_of_its_own(tmp_path: Path, store: Store) -> None:
    store.collections.create("a")
    store.db.backup(tmp_path / "copy.db")
    assert [row.name for row in Store(tmp_path / "copy.db").collections.all()] == ["a"]


# Collections


def test_names_are_unique_and_unknown_ones_list_what_there_is(store: Store) -> None:
    store.collections.create("films")
    with pytest.raises(BadInput, match="There is a collection 'films' already"):
        store.collections.create(" films ")
    with pytest.raises(BadInput, match="needs a name"):
        store.collections.create("  ")
    with pytest.raises(Unknown, match=r"Unknown collection 'film'\. Available: films"):
        store.collections.get("film")


def test_the_first_triple_set_becomes_the_active_one(store: Store) -> None:
    row = store.collections.create("a")
    first = store.collections.ensure_set(row.id, "gpt", "import")
    store.collections.ensure_set(row.id, "local", "local")
    assert store.collections.ensure_set(row.id, "gpt", "import") == first
    assert store.collections.get("a").active_set_id == first.id


def test_deleting_a_collection_removes_its_content_and_keeps_its_runs(store: Store) -> None:
    row = store.collections.create("a")
    with store.transaction():
        document = store.documents.add(row.id, Document("D", "text"), 1)
        store.passages.add(row.id, [Passage(0, "k", "D", "text", document, 0, 4)], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    with store.transaction():
        store.triples.add(row.id, set_.id, [(1, extraction(("A", "is", "B")))], 2)
    store.questions.save(row.id, [Question("q", "Why?", supporting_keys=("k",))])
    run = store.runs.create(NewRun("Why?", "gear", {}, "local", 15, row, set_))
    store.collections.delete("a")
    for table in (
        "documents",
        "passages",
        "triples",
        "entities",
        "passage_entities",
        "triple_sets",
        "questions",
        "gold",
    ):
        assert store.db.value(f"SELECT count(*) FROM {table}") == 0, table
    kept = store.runs.get(run.id)
    assert (kept.collection, kept.triple_set, kept.collection_id, kept.stale) == ("a", "s", None, True)


# Revisions


def test_a_revision_sees_its_own_rows_whatever_came_later(store: Store) -> None:
    row = store.collections.create("a")
    with store.transaction():
        first = store.collections.raise_revision(row.id, passages=True)
        document = store.documents.add(row.id, Document("D", "one two"), first)
        store.passages.add(row.id, [Passage(0, "one", "D", "one", document, 0, 3), passage("two")], first)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    with store.transaction():
        second = store.collections.raise_revision(row.id, set_id=set_.id)
        store.triples.add(
            row.id, set_.id, [(1, extraction(("A", "is", "B"))), (2, extraction(("B", "is", "C")))], second
        )
    with store.transaction():
        third = store.collections.raise_revision(row.id, passages=True)
        store.documents.retire(document, third)
    assert (first, second, third) == (1, 2, 3)
    assert [[p.key for p in store.passages.at(row.id, r)] for r in (0, 1, 2, 3)] == [
        [], ["one", "two"], ["one", "two"], ["two"],
    ]  # fmt: skip
    assert [[t.subject for t in store.triples.at(set_.id, r)] for r in (1, 2, 3)] == [[], ["A", "B"], ["B"]]
    assert len(store.passages.hashes(row.id, 2)) == 2 and len(store.triples.hashes(set_.id, 3)) == 1


def test_a_key_and_a_content_are_free_again_when_their_passage_is_retired(store: Store) -> None:
    row = store.collections.create("a")
    document = store.documents.add(row.id, Document("D", "text"), 1)
    store.passages.add(row.id, [Passage(0, "k", "D", "text", document, 0, 4)], 1)
    with pytest.raises(StoreFailed, match="another process at the same moment"):
        store.passages.add(row.id, [passage("k", "other")], 1)
    store.documents.retire(document, 2)
    store.passages.add(row.id, [passage("k", "other")], 3)
    assert store.passages.by_key(row.id, ["k"])["k"].text == "other"


def test_a_run_is_stale_only_when_what_it_uses_has_changed(store: Store) -> None:
    row = store.collections.create("a")
    mine = store.collections.ensure_set(row.id, "mine", "import")
    other = store.collections.ensure_set(row.id, "other", "import")
    run = store.runs.create(NewRun("Why?", "gear", {}, "local", 15, store.collections.get("a"), mine))
    with store.transaction():
        store.collections.raise_revision(row.id, set_id=other.id)
    assert not store.runs.get(run.id).stale
    with store.transaction():
        store.collections.raise_revision(row.id, set_id=mine.id)
    assert store.runs.get(run.id).stale
    later = store.runs.create(NewRun("Why?", "gear", {}, "local", 15, store.collections.get("a"), mine))
    assert not store.runs.get(later.id).stale
    with store.transaction():
        store.collections.raise_revision(row.id, passages=True)
    assert store.runs.get(later.id).stale


# Triples and entities


def test_a_triple_is_stored_once_in_its_passage_and_again_in_another(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one"), passage("two")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    same = extraction(("A", "is", "B"), ("A", "is", "B"))
    store.triples.add(row.id, set_.id, store.triples.unknown(set_.id, [(1, same), (2, same)]), 2)
    more = [(1, extraction(("A", "was", "B"), ("A", "is", "B")))]
    store.triples.add(row.id, set_.id, store.triples.unknown(set_.id, more), 3)
    assert store.triples.unknown(set_.id, more) == [(1, extraction())]
    assert [(t.passage_id, t.predicate) for t in store.triples.at(set_.id, 9)] == [(1, "is"), (2, "is"), (1, "was")]
    assert store.triples.numbers(set_.id, [1, 2, 3]) == {1: 2, 2: 1, 3: 0}


def test_entities_are_equal_when_normalised_alike_and_nothing_is_no_entity(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one"), passage("two")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    found = Extraction(("Ada  Quill", "—"), (ExtractedTriple("ADA QUILL!", "met", "-", Span(0, 4)),))
    store.triples.add(row.id, set_.id, [(1, found), (2, extraction(("Ada Quill", "met", "Bo")))], 2)
    assert store.entities.search(set_.id, "", 10) == [("Ada  Quill", 2), ("Bo", 1)]
    assert store.entities.search(set_.id, "quill", 10) == [("Ada  Quill", 2)]
    assert store.entities.find(row.id, "ada quill") == 1 and store.entities.find(row.id, "-") is None
    assert store.triples.ends(set_.id, [1]) == {(1, 2)}  # the triple whose object is no entity has no end there


def test_the_span_of_a_triple_and_whether_it_is_a_guess_come_back(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    guess = Extraction((), (ExtractedTriple("A", "is", "B", Span(2, 7)), ExtractedTriple("A", "was", "B")))
    store.triples.add(row.id, set_.id, [(1, guess)], 2, closest=True)
    assert [(t.span, t.closest) for t in store.triples.at(set_.id, 2)] == [(Span(2, 7), True), (None, False)]


def test_searching_triples_and_passages_takes_words_literally(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one", "100% sure"), passage("two", "1000 things")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    store.triples.add(row.id, set_.id, [(1, extraction(("A_B", "is", "C"))), (2, extraction(("AxB", "is", "C")))], 2)
    assert [p.key for p in store.passages.search(row.id, "100%", 10, 0)] == ["one"]
    assert [t.subject for t in store.triples.search(set_.id, "a_b", 10, 0)] == ["A_B"]
    assert [p.key for p in store.passages.search(row.id, "", 1, 1)] == ["two"]


# Vectors


def test_vectors_come_back_exactly_by_model_and_text(store: Store) -> None:
    vectors = np.random.default_rng(1).normal(size=(1200, 8)).astype(np.float32)
    texts = [f"text {n}" for n in range(1200)]
    store.embeddings.put_many("m1", dict(zip(texts, vectors, strict=True)))
    found = store.embeddings.get_many("m1", [*texts, "unknown"])
    assert list(found) != [] and set(found) == set(texts)
    assert np.array_equal(np.stack([found[text] for text in texts]), vectors)
    assert store.embeddings.get_many("m2", texts[:3]) == {}
    assert store.embeddings.missing("m1", ["new", "text 3", "new", "newer"]) == ["new", "newer"]


def test_the_first_vector_of_a_text_stays(store: Store) -> None:
    store.embeddings.put_many("m", {"a": np.array([1, 0], np.float32)})
    store.embeddings.put_many("m", {"a": np.array([0, 1], np.float32), "b": np.array([0, 1], np.float32)})
    assert store.embeddings.get_many("m", ["a"])["a"].tolist() == [1, 0]
    assert store.embeddings.get_many("m", ["b"])["b"].tolist() == [0, 1]


def test_a_text_with_a_lone_surrogate_has_a_hash() -> None:
    assert len(text_hash("\ud800")) == 16


# Questions


def test_questions_round_trip_and_are_found_by_their_words(store: Store) -> None:
    row = store.collections.create("a")
    question = Question("q1", "Who, then?", ("A", "Å"), ("k2", "k1"), "bridge", 2, (Hop("Who?", "A", "k2"),))
    store.questions.save(row.id, [question, Question("q2", "Why?")])
    assert store.questions.of(row.id) == [question, Question("q2", "Why?")]
    assert store.questions.find(row.id, "who THEN") == question
    assert store.questions.find(row.id, "who else") is None
    store.questions.set_gold(row.id, "q1", ["k3", "k3"])
    changed = store.questions.with_key(row.id, "q1")
    assert changed is not None and changed.supporting_keys == ("k3",)


# Runs and events


def new_run(store: Store, owner: str = "") -> NewRun:
    row = store.collections.find("a") or store.collections.create("a")
    return NewRun("Why?", "gear", {"beam.width": 5}, "local", 10, row, None, ("k1",), owner)


def test_every_kind_of_event_round_trips_through_the_store(store: Store) -> None:
    run = store.runs.create(new_run(store))
    happened: list[Event] = factories.gear_run()
    for position, event in enumerate(happened, start=1):
        store.events.add(run.number, position, position * 1.5, event)
    assert {type(event).__name__ for event in happened} >= set(KINDS) - {"Failed"}
    stored = store.events.of(run.number)
    assert [event.event for event in stored] == happened
    assert [event.position for event in stored] == list(range(1, len(happened) + 1))
    assert [event.at_ms for event in stored][:2] == [1.5, 3.0]
    assert [event.event for event in store.events.of(run.number, after=3)] == happened[3:]
    assert store.events.size(run.number) < 100_000


def test_a_run_goes_from_queued_to_done_and_no_further(store: Store) -> None:
    run = store.runs.create(new_run(store))
    assert (run.state, run.queue_position, run.gold, run.config) == ("queued", 1, ("k1",), {"beam.width": 5})
    assert store.runs.claim(run.id, "p1") and not store.runs.claim(run.id, "p2")
    assert store.runs.get(run.id).state == "running"
    store.runs.finish(run.id, Outcome("done", "", 12.5, 3))
    store.runs.finish(run.id, Outcome("failed", "too late"))
    done = store.runs.get(run.id)
    assert (done.state, done.message, done.ms, done.iterations, done.queue_position) == ("done", "", 12.5, 3, None)


def test_cancelling_stops_a_queued_run_at_once_and_asks_a_running_one(store: Store) -> None:
    first, second = (store.runs.create(new_run(store)) for _ in range(2))
    store.runs.claim(second.id, "p")
    store.runs.cancel(first.id)
    assert not store.runs.to_be_cancelled(second.id)
    store.runs.cancel(second.id)
    assert store.runs.get(first.id).state == "cancelled"
    assert store.runs.get(second.id).state == "running" and store.runs.to_be_cancelled(second.id)
    assert store.runs.claim_next("p") is None


def test_only_runs_without_a_sign_of_life_are_interrupted(store: Store) -> None:
    runs = [store.runs.create(new_run(store)) for _ in range(3)]
    for run, process in zip(runs, ("worker:1", "here:2", "worker:3"), strict=True):
        store.runs.claim(run.id, process)
    assert store.runs.interrupt(time.time() - 60) == 0
    assert store.runs.interrupt(time.time() + 1, "worker:") == 2
    assert [store.runs.get(run.id).state for run in runs] == ["interrupted", "running", "interrupted"]


def test_the_queue_takes_turns_among_owners() -> None:
    queued = [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)]
    assert fair(queued, {}) == [1, 4, 5, 2, 6, 3]
    assert fair(queued, {"a": 30.0, "b": 20.0, "c": 10.0}) == [5, 4, 1, 6, 2, 3]
    assert fair([], {}) == []


def test_an_owner_who_has_just_had_a_turn_waits_for_the_others(store: Store) -> None:
    greedy = [store.runs.create(new_run(store, "greedy")) for _ in range(3)]
    modest = store.runs.create(new_run(store, "modest"))
    taken = [store.runs.claim_next("p") for _ in range(4)]
    assert taken == [greedy[0].id, modest.id, greedy[1].id, greedy[2].id]


def test_gold_marked_later_is_an_annotation_with_its_time(store: Store) -> None:
    run = store.runs.create(new_run(store))
    store.runs.mark_gold(run.id, ["k2", "k3", "k2"])
    store.events.annotate(run.number, "gold", ["k2", "k3"], "me")
    marked = store.runs.get(run.id)
    assert marked.gold == ("k2", "k3") and marked.gold_marked is not None
    assert [(author, value) for _, author, value in store.events.annotations(run.number, "gold")] == [
        ("me", ["k2", "k3"])
    ]


# Jobs


def test_one_unfinished_job_a_set(store: Store) -> None:
    row = store.collections.create("a")
    set_ = store.collections.ensure_set(row.id, "s", "local")
    job = store.jobs.ensure("extraction", row.id, set_.id, extractor="local", total=10)
    assert store.jobs.ensure("extraction", row.id, set_.id).id == job.id
    assert store.jobs.ensure("vectors", row.id, set_.id).id != job.id
    store.jobs.finish(job.id, "done", "ready")
    assert store.jobs.ensure("extraction", row.id, set_.id).id not in (job.id, job.id + 1)


def test_a_job_is_worked_on_by_one_process_until_that_is_dead(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None)
    assert store.jobs.claim(job.id, "p1") and store.jobs.claim(job.id, "p1")
    assert not store.jobs.claim(job.id, "p2")
    assert store.jobs.claim_next("p2") is None
    store.db.execute("UPDATE jobs SET heartbeat = ?", [time.time() - 60])
    taken = store.jobs.claim_next("p2")
    assert taken is not None and taken.id == job.id
    assert not store.jobs.claim(job.id, "p1")


def test_jobs_take_turns_and_extraction_goes_before_vectors(store: Store) -> None:
    rows = [store.collections.create(name) for name in ("a", "b")]
    vectors = store.jobs.ensure("vectors", rows[0].id, None)
    jobs = [store.jobs.ensure("extraction", row.id, store.collections.ensure_set(row.id, "s", "x").id) for row in rows]
    turns = [store.jobs.claim_next("p") for _ in range(4)]
    assert [job.id for job in turns if job] == [jobs[0].id, jobs[1].id, jobs[0].id, jobs[1].id]
    for job in jobs:
        store.jobs.finish(job.id, "done", "")
    last = store.jobs.claim_next("p")
    assert last is not None and last.id == vectors.id


def test_rate_and_time_left_count_the_work_of_this_process_only(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None, total=100)
    store.jobs.claim(job.id, "p1")
    store.jobs.progress(job.id, done=40, total=100, failed=0, worked_s=4.0)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (10.0, 6.0)
    store.jobs.release("p1")
    store.jobs.claim(job.id, "p2")
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (0.0, None)
    store.jobs.progress(job.id, done=60, total=100, failed=10, worked_s=1.0)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (20.0, 1.5)
    store.jobs.progress(job.id, done=80, total=100, failed=10, worked_s=0.0, found=20)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (20.0, 0.5)


def test_ids_are_never_used_again(store: Store) -> None:
    def made(name: str) -> list[int]:
        row = store.collections.create(name)
        set_ = store.collections.ensure_set(row.id, "s", "local")
        with store.transaction():
            document = store.documents.add(row.id, Document("T", "text", "t.txt"), 1)
            store.passages.add(row.id, [Passage(0, "k", "T", "text", document)], 1)
            (kept,) = store.passages.by_key(row.id, ["k"]).values()
            store.triples.add(row.id, set_.id, [(kept.id, extraction(("Ada", "knows", "Bo")))], 1)
        (triple,) = store.triples.at(set_.id, 1)
        entities = [int(id_) for (id_,) in store.db.tuples("SELECT id FROM entities ORDER BY id")]
        return [row.id, set_.id, document, kept.id, triple.id, *entities, store.jobs.ensure("vectors", row.id, None).id]

    assert made("a") == [1, 1, 1, 1, 1, 1, 2, 1]
    store.collections.delete("a")
    assert made("b") == [2, 2, 2, 2, 2, 3, 4, 2]


def test_a_revision_of_a_deleted_collection_is_refused(store: Store) -> None:
    row = store.collections.create("a")
    store.collections.delete("a")
    with store.transaction(), pytest.raises(NotReady, match=r"The collection was deleted meanwhile\."):
        store.collections.raise_revision(row.id, passages=True)


def test_who_takes_the_next_run_has_ended_the_one_before(store: Store) -> None:
    runs = [store.runs.create(new_run(store)) for _ in range(3)]
    store.runs.claim(runs[0].id, "worker:1")
    store.runs.claim(runs[1].id, "worker:2")
    assert store.runs.claim_next("worker:1") == runs[2].id
    assert [store.runs.get(run.id).state for run in runs] == ["interrupted", "running", "running"]


def test_a_job_that_is_being_cancelled_is_not_joined(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None)
    store.jobs.claim(job.id, "p")
    store.jobs.cancel(job.id)
    assert store.jobs.ensure("vectors", row.id, None).id != job.id


def test_a_number_too_large_for_the_file_is_the_callers_mistake(store: Store) -> None:
    with pytest.raises(BadInput, match="A number is too large"):
        store.runs.recent(limit=10**30)


def test_a_damaged_event_is_told(store: Store) -> None:
    run = store.runs.create(new_run(store))
    for damaged in (b"no zlib", zlib.compress(b"no JSON"), zlib.compress(b'{"kind": "Nothing"}'), zlib.compress(b"[]")):
        store.events.add(run.number, 1, 0.0, Started("Who?", "bm25"))
        store.db.execute("UPDATE events SET payload = ?", [damaged])
        with pytest.raises(StoreFailed, match="An event of the run cannot be read"):
            store.events.of(run.number)
        store.db.execute("DELETE FROM events")
