"""A run in a file of its own: it replays there without a model, and nothing else of the workspace
is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from gear_app.collections.importer import BatchImport
from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import BadInput, NotReady, StoreFailed
from gear_app.events import Extracted
from gear_app.index.entities import Names
from gear_app.ingest import Batch, NewTriple
from gear_app.runs.request import Options, RunRequest
from gear_app.seams import Vectors
from gear_app.store import Store, bundle
from gear_app.store.processes import Lock
from gear_app.store.rows import text_hash
from gear_app.workspace import Workspace
from tests.acting import LOCAL
from tests.small import PASSAGES, QUESTION, TRIPLES
from tests.workspaces import bare, corpus_of, workspace

SECRET = "Zanzibar Protocol"


class NoModel(HashingEmbedder):
    """Has the hashing embedder's name and no vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        assert not texts, f"a model was asked for {texts}"
        return np.zeros((0, 64), np.float32)


def elsewhere(path: Path) -> Workspace:
    """A bundle on a machine that has neither model nor arrays."""
    return Workspace(path, embedder=NoModel())


def add(films: Workspace, *triples: tuple[str, str, str, str], to: str = "curated") -> None:
    row = films.store.collections.get("films")
    BatchImport(
        films.store, row, [Batch(triple_sets={to: tuple(NewTriple(*triple) for triple in triples)})]
    ).run()


def number(path: Path, table: str) -> int:
    store = Store(path)
    found = int(store.db.value(f"SELECT count(*) FROM {table}"))
    store.close()
    return found


def test_every_table_of_a_workspace_is_copied_or_left_on_purpose(films: Workspace) -> None:
    tables = {
        name
        for (name,) in films.store.db.tuples("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert {*bundle.COPIED, *bundle.LEFT} == tables - {"sqlite_sequence"}
    assert not bundle.LEFT & bundle.COPIED.keys()


WORDS = ("colbert", "rerank")  # whose vectors are not kept


@pytest.mark.parametrize("method", WORDS)
def test_a_run_that_compared_words_replays_with_its_model_alone(
    films: Workspace, tmp_path: Path, method: str
) -> None:
    answer = films.ask(QUESTION, "films", method)
    found = films.runs.export_bundle(answer.run, tmp_path / "run.db")
    there = Workspace(found.path, embedder=HashingEmbedder())
    assert there.runs.replay(answer.run).difference == "" == found.remark
    assert elsewhere(found.path).runs.answer(answer.run) == films.runs.answer(answer.run)


@pytest.mark.parametrize("method", [*(one for one in LOCAL if one not in WORDS), "ircot:hipporag"])
def test_a_bundle_replays_where_there_is_no_model(
    films: Workspace, tmp_path: Path, method: str
) -> None:
    if method == "hipporag":
        films.jobs.encode(
            "films", "curated"
        )  # the graph's names were compared by the job, not by the run
    answer = films.ask(QUESTION, "films", method)
    films.imports.text(
        "Ada Quill again", "Ada Quill was born in Lorn. The director of Harbour Lights.", "films"
    )
    add(films, ("lorn", "Ada Quill", "was born in", "Lorn"))
    found = films.runs.export_bundle(answer.run, tmp_path / "run.db")
    assert (found.run, found.remark, found.bytes) == (
        answer.run,
        "",
        (tmp_path / "run.db").stat().st_size,
    )
    there = elsewhere(found.path)
    assert there.runs.replay(answer.run).ranking == answer.ranking
    assert there.runs.answer(answer.run) == films.runs.answer(answer.run)


def test_a_bundle_that_is_opened_by_itself_replays_with_no_dearer_settings_than_a_screen_takes(
    films: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    there = elsewhere(films.runs.export_bundle(answer.run, tmp_path / "run.db").path)
    there.store.db.execute(
        "UPDATE runs SET config = json_set(config, '$.\"beam.width\"', 1000,"
        " '$.\"beam.neighbours\"', 10000)"
    )
    with pytest.raises(BadInput, match="10,000,000 triples would be looked at"):
        there.runs.replay(answer.run)


def test_nothing_else_of_the_workspace_is_in_a_bundle(films: Workspace, tmp_path: Path) -> None:
    answer = films.ask(QUESTION, "films", "gear", owner="session 1")
    films.ask(f"What is the {SECRET}?", "films", "hybrid")
    films.collections.add_question("films", f"Who signed the {SECRET}?")
    films.imports.text(SECRET, f"The {SECRET} was signed at sea.", "films")
    films.imports.text(SECRET, f"The {SECRET} is lost.", "other")
    add(films, ("lorn", SECRET, "lies in", "Lorn"))
    add(films, ("lorn", SECRET, "lies in", "Lorn"), to="second")
    films.store.db.execute(
        "INSERT INTO model_replies VALUES (x'01', 's', 'm', 'read', 'h', ?, 1, 1, 0, 0, 1, 'now')",
        [SECRET],
    )
    films.store.db.execute("UPDATE runs SET key_from = ?", [f"session {SECRET}"])
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    assert sorted(
        file.name for file in tmp_path.iterdir() if file.name.startswith(("run", ".gear"))
    ) == ["run.db"]
    assert SECRET.encode() in films.path.read_bytes() + Path(f"{films.path}-wal").read_bytes()
    assert SECRET.lower().encode() not in path.read_bytes().lower()
    assert path.read_bytes()[18:20] == b"\x01\x01", "it needs no file beside it"
    counted = {
        table: number(path, table)
        for table in ("runs", "jobs", "model_replies", "processes", "questions")
    }
    assert counted == {"runs": 1, "jobs": 0, "model_replies": 0, "processes": 0, "questions": 1}
    assert (number(path, "passages"), number(path, "triples")) == (len(PASSAGES), len(TRIPLES))
    run = elsewhere(path).runs.get(answer.run)
    assert (run.owner, run.key_from, run.gold) == ("", "", ("harbour", "quill"))


def test_a_bundle_shows_the_collection_as_it_was_then(films: Workspace, tmp_path: Path) -> None:
    films.imports.text("Old", "An old text about lights.", "films")
    answer = films.ask(QUESTION, "films", "gear")
    films.collections.delete_document("films", films.collections.documents("films")[-1].id)
    films.imports.text("New", "A new text about lights.", "films")
    films.collections.add_question("films", "What is new?")
    assert films.runs.get(answer.run).stale
    there = elsewhere(films.runs.export_bundle(answer.run, tmp_path / "run.db").path)
    assert not there.runs.get(answer.run).stale
    (info,) = there.collections.all()
    assert (info.name, info.passages, info.questions) == ("films", len(PASSAGES) + 1, 1)
    assert [document.title for document in there.collections.documents("films")] == ["Old"]
    (set_,) = info.triple_sets
    assert (set_.name, set_.triples, set_.active) == ("curated", len(TRIPLES), True)
    assert there.collections.question("films", QUESTION) == films.collections.question(
        "films", QUESTION
    )
    assert (
        there.collections.passage_by_key("films", "quill").text
        == films.collections.passage_by_key("films", "quill").text
    )


def test_a_run_that_uses_no_triples_takes_none_along(films: Workspace, tmp_path: Path) -> None:
    answer = films.ask(QUESTION, "films", "bm25")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    assert [
        number(path, table) for table in ("passages", "triples", "entities", "triple_sets")
    ] == [8, 0, 0, 0]
    assert number(path, "embeddings") == len(PASSAGES)


def test_names_are_not_compared_again(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(films, ("harbour", "Ada Quill", "crossed", "old stone bridge of Mira"))
    add(films, ("vane", "stone bridge of Mira", "fell", "1952"))
    answer = films.ask(QUESTION, "films", "hipporag")
    monkeypatch.delattr(Names, "pairs")
    there = elsewhere(films.runs.export_bundle(answer.run, tmp_path / "run.db").path)
    assert there.runs.replay(answer.run).difference == ""
    assert number(there.path, "synonyms") == number(films.path, "synonyms") == 1


def test_passages_that_were_extracted_later_wait_for_extraction_in_the_bundle(
    tmp_path: Path,
) -> None:
    made = workspace(tmp_path)
    made.import_path(corpus_of(tmp_path, 40), "people")
    job = made.jobs.get(made.jobs.enqueue_extraction("people", "toy"))
    work = made.jobs.begin(job)
    while made.store.extractions.counts(job.set_id or 0).searchable < 16:
        work.slice()
    answer = made.ask("Where was Person3 born?", "people", "naive_ge")
    made.extract("people", "toy")
    there = elsewhere(made.runs.export_bundle(answer.run, tmp_path / "run.db").path)
    (set_,) = there.collections.get("people").triple_sets
    assert (set_.triples, set_.passages_done) == (16, 16)
    assert there.collections.entities("people", "toy")[0].passages <= 16
    assert there.runs.replay(answer.run).difference == ""


@pytest.mark.parametrize("method", ["naive_ge:bm25", "ircot:naive_ge:bm25", "griever"])
def test_triples_that_were_made_while_the_question_was_asked_are_taken_along(
    tmp_path: Path, method: str
) -> None:
    films = bare(tmp_path)
    answer = films.ask(QUESTION, "films", method, k=2, options=Options(lazy="toy"))
    steps = [event for event in answer.events if isinstance(event, Extracted)]
    made = {triple.id for event in steps for triple in event.triples}
    films.extract("films", "toy")
    films.ask("Who built bridges?", "films", "naive_ge")
    there = elsewhere(films.runs.export_bundle(answer.run, tmp_path / "run.db").path)
    assert {triple.id for triple in there.collections.triples("films", "toy")} == made
    assert len(films.collections.triples("films", "toy")) > len(made) > 0
    assert there.runs.replay(answer.run).difference == ""


def test_a_run_of_a_deleted_collection_takes_its_events_along(
    films: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    films.collections.delete("films")
    found = films.runs.export_bundle(answer.run, tmp_path / "run.db")
    assert (
        found.remark
        == f"The collection 'films' of run {answer.run} was deleted; its events are kept."
    )
    there = elsewhere(found.path)
    assert there.collections.all() == [] and there.runs.answer(answer.run) == answer
    with pytest.raises(NotReady, match="was deleted"):
        there.runs.replay(answer.run)


def test_a_run_without_a_ranking_is_exported_with_a_remark(
    films: Workspace, tmp_path: Path
) -> None:
    run = films.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    with pytest.raises(
        NotReady, match=rf"Run {run} is not finished: it is queued\. Export it when it has ended\."
    ):
        films.runs.export_bundle(run, tmp_path / "run.db")
    films.runs.cancel(run)
    found = films.runs.export_bundle(run, tmp_path / "run.db")
    assert found.remark == f"Run {run} has no ranking to compare with: it is cancelled."
    assert elsewhere(found.path).runs.get(run).state == "cancelled"


def test_a_run_of_another_model_is_exported_with_the_vectors_it_left(
    films: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    other = Workspace(films.path, embedder=HashingEmbedder(16))
    found = other.runs.export_bundle(answer.run, tmp_path / "run.db")
    assert (
        found.remark == ""
        and elsewhere(found.path).runs.replay(answer.run).ranking == answer.ranking
    )
    there = Workspace(
        found.path, embedder=HashingEmbedder(16)
    )  # where the model that is chosen is another
    assert there.runs.replay(answer.run).ranking == answer.ranking
    assert number(found.path, "models") == 1


def test_vectors_that_are_lost_are_not_made_up(films: Workspace, tmp_path: Path) -> None:
    answer = films.ask(QUESTION, "films", "dense")
    films.store.db.execute("DELETE FROM embeddings WHERE text_hash = ?", [text_hash(QUESTION)])
    other = Workspace(films.path, embedder=HashingEmbedder(16))
    assert (
        other.runs.export_bundle(answer.run, tmp_path / "run.db").remark
        == f"The embedding model hashing-64 is needed, since it gave no vector of '{QUESTION}' that"
        " was kept. Name that model in GEAR_EMBEDDER."
    )
    assert films.runs.export_bundle(answer.run, tmp_path / "run.db", force=True).remark == ""


def test_a_path_that_is_taken_is_refused_unless_it_is_to_be_overwritten(
    films: Workspace, tmp_path: Path
) -> None:
    first, second = (films.ask(QUESTION, "films", method).run for method in ("bm25", "dense"))
    path = tmp_path / "run.db"
    films.runs.export_bundle(first, path)
    with pytest.raises(BadInput, match=r"run\.db is there already.*--force"):
        films.runs.export_bundle(second, path)
    assert elsewhere(path).runs.get(first).method == "bm25"
    films.runs.export_bundle(second, path, force=True)
    assert [run.id for run in elsewhere(path).runs.recent()] == [second]


def test_neither_the_workspace_nor_a_file_in_use_is_overwritten(
    films: Workspace, tmp_path: Path
) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    with pytest.raises(BadInput, match="is the workspace itself"):
        films.runs.export_bundle(run, films.path, force=True)
    path = films.runs.export_bundle(run, tmp_path / "run.db").path
    used = elsewhere(path)
    used.collections.create("mine")
    with pytest.raises(BadInput, match="is open in another program"):
        films.runs.export_bundle(run, path, force=True)
    assert [info.name for info in used.collections.all()] == ["films", "mine"]
    used.close()
    worker = Lock(path)
    assert worker.acquire()
    with pytest.raises(BadInput, match="is open in another program"):
        films.runs.export_bundle(run, path, force=True)
    worker.release()
    films.runs.export_bundle(run, path, force=True)
    assert [info.name for info in elsewhere(path).collections.all()] == ["films"]
    for wrong in (tmp_path, tmp_path / "nowhere" / "run.db"):
        with pytest.raises(BadInput, match="cannot be a file"):
            films.runs.export_bundle(run, wrong, force=True)


def test_what_was_there_stays_where_a_bundle_cannot_be_finished(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    path = films.runs.export_bundle(run, tmp_path / "run.db").path
    before = path.read_bytes()
    monkeypatch.setitem(bundle.COPIED, "gold", "no_such_column = 1")  # type: ignore[arg-type]
    with pytest.raises(StoreFailed):
        films.runs.export_bundle(run, path, force=True)
    assert path.read_bytes() == before and not list(tmp_path.glob(".gear*"))


@pytest.mark.parametrize(
    ("start", "whole"), [("abcd", "abcd000001"), ("abc", ""), ("beef", ""), ("beef2", "beef200000")]
)
def test_four_characters_name_a_run_where_no_other_begins_so(
    films: Workspace, start: str, whole: str
) -> None:
    for id_ in ("abcd000001", "beef100000", "beef200000"):
        run = films.runs.enqueue(RunRequest(QUESTION, "films", "bm25"))
        films.store.db.execute("UPDATE runs SET id = ? WHERE id = ?", [id_, run])
    if whole:
        assert films.runs.find_id(start) == whole
        return
    with pytest.raises(BadInput) as raised:
        films.runs.find_id(start)
    told = {
        "abc": "Unknown run 'abc'",
        "beef": "2 runs begin with 'beef': beef200000, beef100000. Give more of the id.",
    }
    assert told[start] in str(raised.value)
