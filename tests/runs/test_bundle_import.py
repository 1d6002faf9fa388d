"""Runs from a file in another workspace: they replay identically there, and no file can do harm."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import importlib
import json
import pkgutil
import sqlite3
import typing
import zlib
from pathlib import Path

import pytest

from gear_app import events, types
from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import BadInput, GearError
from gear_app.events import Called, Event, EvidenceFound, Started
from gear_app.events.ids import IDS
from gear_app.reader.edits import ReadingEdit
from gear_app.runs.bundle import ELEMENT, packed
from gear_app.runs.bundle_import import carries_bundle
from gear_app.runs.request import Options
from gear_app.store import bundle
from gear_app.views.share import pages
from gear_app.workspace import Workspace
from tests.acting import LOCAL
from tests.small import QUESTION
from tests.workspaces import workspace


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    """A workspace that has something of its own, so that every id is another one there."""
    folder = tmp_path / "other"
    folder.mkdir()
    made = workspace(folder)
    made.imports.text("Boats", "Boats lie in the harbour. Tom Vane built boats.", "boats")
    made.extract("boats", "toy")
    made.ask("Who built boats?", "boats", "naive_ge")
    return made


def exported(films: Workspace, folder: Path, *run_ids: str) -> Path:
    page = folder / "page.html"
    page.write_text(pages.page(films, list(run_ids)).html, encoding="utf-8")
    return page


def what_happened(there: Workspace, run_id: str) -> list[Event]:
    return [
        one
        for one in there.runs.events(run_id)
        if not isinstance(one, Called | Started | EvidenceFound)
    ]


@pytest.mark.parametrize("method", [*LOCAL, "ircot:hipporag"])
def test_a_page_replays_with_the_identical_ranking_and_events_where_it_is_imported(
    films: Workspace, other: Workspace, tmp_path: Path, method: str
) -> None:
    answer = films.ask(QUESTION, "films", method)
    found = other.runs.import_bundle(exported(films, tmp_path, answer.run))
    assert (found.collection, found.runs, found.there) == ("films", (answer.run,), False)
    assert (found.replayed, found.remarks) == (True, ())
    again: list[Event] = []
    there = other.runs.replay(answer.run, again.append)
    assert there.difference == ""
    ranks = [(one.key, one.score) for one in there.ranking]
    assert ranks == [(one.key, one.score) for one in answer.ranking]
    then = what_happened(other, answer.run)
    assert again == then, "every id in the events is the one it has here"
    assert [one.id for one in there.ranking] != [one.id for one in answer.ranking]


def test_a_run_that_extracted_on_its_way_replays_where_it_is_imported(
    tmp_path: Path, other: Workspace
) -> None:
    from tests.workspaces import bare

    films = bare(tmp_path)
    answer = films.ask(QUESTION, "films", "sync_ge", options=Options(lazy="toy"))
    found = other.runs.import_bundle(exported(films, tmp_path, answer.run))
    assert found.remarks == ()
    assert other.runs.replay(answer.run).difference == ""


def test_a_run_whose_reading_was_edited_replays_with_its_edits_where_it_is_imported(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    fact = ("Ada Quill", "was born in", "Port Mira")
    options = Options(edits=(ReadingEdit("gist", fact),), proximal=3)
    answer = films.ask(QUESTION, "films", "gear", options=options)
    assert other.runs.import_bundle(exported(films, tmp_path, answer.run)).remarks == ()
    assert Options.of(other.runs.get(answer.run).options) == options


def test_runs_of_a_comparison_come_into_one_collection(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    ids = [films.ask(QUESTION, "films", method).run for method in ("hybrid", "gear", "hipporag")]
    found = other.runs.import_bundle(exported(films, tmp_path, *ids))
    assert (found.runs, found.remarks) == (tuple(ids), ())
    assert {other.runs.get(id_).collection for id_ in ids} == {"films"}
    assert [one.name for one in other.collections.all()] == ["boats", "films"]


def test_nothing_else_of_the_workspace_changes_and_what_is_there_is_not_imported_twice(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    before = other.runs.recent("boats")[0]
    answer = films.ask(QUESTION, "films", "gear", owner="somebody")
    page = exported(films, tmp_path, answer.run)
    other.runs.import_bundle(page)
    assert other.runs.import_bundle(page).there
    assert other.runs.replay(before.id).difference == ""
    assert other.runs.get(answer.run).owner == ""
    assert [one.name for one in other.collections.all()] == ["boats", "films"]


def test_a_name_that_is_taken_gets_a_number_and_a_wanted_one_is_used(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    other.collections.create("films")
    first = exported(films, tmp_path, films.ask(QUESTION, "films", "gear").run)
    assert other.runs.import_bundle(first).collection == "films (2)"
    second = exported(films, tmp_path, films.ask(QUESTION, "films", "bm25").run)
    assert other.runs.import_bundle(second, "mine").collection == "mine"


def test_a_bundle_file_is_imported_like_the_page(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    assert carries_bundle(path)
    assert other.runs.import_bundle(path).remarks == ()


def test_vectors_of_a_model_that_is_here_are_made_here_and_those_of_another_taken(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "dense")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    with sqlite3.connect(path) as db:  # somebody says that every text is where the first one is
        db.execute("UPDATE embeddings SET vector = (SELECT vector FROM embeddings LIMIT 1)")
    assert other.runs.import_bundle(path).remarks == ()
    kept = other.store.db.value("SELECT count(DISTINCT vector) FROM embeddings")
    assert kept > 5


class Elsewhere(HashingEmbedder):
    """Another model than the one that made the run."""

    def __init__(self) -> None:
        super().__init__()
        self.name = self.fingerprint = "elsewhere"


def test_a_run_of_a_model_that_is_not_here_replays_with_the_vectors_it_brings(
    films: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    other = Workspace(tmp_path / "elsewhere.db", embedder=Elsewhere())
    assert other.runs.import_bundle(path).remarks == ()


def contents(there: Workspace) -> list[str]:
    """All that a workspace holds, as SQL."""
    with sqlite3.connect(there.path) as db:
        found = list(db.iterdump())
    db.close()
    return found


def test_a_hostile_bundle_in_a_page_is_refused_and_changes_nothing(
    films: Workspace, other: Workspace, tmp_path: Path
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    with sqlite3.connect(path) as db:
        db.execute("UPDATE passages SET text = 'Lies.' WHERE id = 1")
    db.close()
    page = tmp_path / "page.html"
    text = base64.b64encode(packed(path)).decode()
    page.write_text(f'<!doctype html><script type="{ELEMENT}" id="bundle">{text}</script>')
    before = contents(other)
    with pytest.raises(GearError, match="not what was stored"):
        other.runs.import_bundle(page)
    assert contents(other) == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "carries no run"),
        (b"<p>A page about boats.</p>", "carries no run"),
        (b"no base64 at all", "is damaged"),
        (base64.b64encode(b"not packed"), "is damaged"),
        (base64.b64encode(gzip.compress(b"something else")), "is damaged"),
        (base64.b64encode(gzip.compress(b"SQLite format 3\0" + b"x" * 900)), "no workspace file"),
        (base64.b64encode(gzip.compress(b"x" * 9000)[:40]), "is damaged"),
    ],
    # Not the packed bytes, which hold the time.
    ids=["empty", "no run", "no base64", "not packed", "no SQLite", "no database", "cut off"],
)
def test_a_page_with_something_else_inside_is_refused(
    other: Workspace, tmp_path: Path, content: bytes, words: str
) -> None:
    page = tmp_path / "page.html"
    opening = f'<script type="{ELEMENT}" id="bundle">'.encode()
    carries = words != "carries no run"
    page.write_bytes(opening + content + b"</script>" if carries else content)
    assert carries_bundle(page) is carries
    with pytest.raises(BadInput, match=words):
        other.runs.import_bundle(page)


def test_a_bundle_that_unpacks_to_too_much_is_refused(
    other: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.runs.bundle_import.MOST_BYTES", 5000)
    page = tmp_path / "page.html"
    text = base64.b64encode(gzip.compress(b"SQLite format 3\0" * 1000)).decode()
    page.write_text(f'<script type="{ELEMENT}" id="bundle">{text}</script>')
    with pytest.raises(BadInput, match="which is not taken"):
        other.runs.import_bundle(page)


def test_events_that_unpack_to_too_much_are_refused_even_if_none_does_alone(
    films: Workspace, other: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    path = films.runs.export_bundle(answer.run, tmp_path / "run.db").path
    with sqlite3.connect(path) as db:
        sizes = [len(zlib.decompress(one)) for (one,) in db.execute("SELECT payload FROM events")]
    db.close()
    before = contents(other)
    for most in (sizes[0] - 1, sum(sizes)):
        monkeypatch.setattr("gear_app.runs.bundle_import.MOST_OF_EVENTS", most)
        with pytest.raises(BadInput, match="larger than any"):
            other.runs.import_bundle(path)
        assert contents(other) == before
    monkeypatch.setattr("gear_app.runs.bundle_import.MOST_OF_EVENTS", sum(sizes) + 1)
    assert other.runs.import_bundle(path).remarks == ()


def test_every_whole_number_in_an_event_is_known_as_an_id_or_as_none() -> None:
    """A kind of event with a new id would be imported with the ids of another workspace."""
    counts = {
        "iteration", "rank", "position", "starts", "size", "passages", "input_tokens",
        "output_tokens", "attempts", "before", "after", "revision", "dropped", "parent", "round",
        "rounds", "limit", "triples", "shortlisted", "source", "target", "facts", "terms", "steps",
        "graph_nodes", "graph_edges", "tier", "below", "shown", "ignored", "considered", "holders",
        "layer", "layers", "more", "total", "community", "number",
    }  # fmt: skip
    found = set()
    names = (one.name for one in pkgutil.iter_modules(events.__path__, "gear_app.events."))
    for module in (types, *map(importlib.import_module, names)):
        for name, kind in vars(module).items():
            if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__:
                hints = typing.get_type_hints(kind)
                found |= {(name, field) for field, hint in hints.items() if holds_int(hint)}
    told = {"Passage", "Document", "Triple", "Extraction", "Question", "Ranking", "Verification"}
    told.add("PassageOfRun")  # what kinds of passages have in common: no event holds one
    wholes = {(name, field) for name, field in found if field not in counts and name not in told}
    assert wholes == {(name, field) for name, fields in IDS.items() for field in fields}


def holds_int(hint: object) -> bool:
    """Whether a value of the type may be, or hold, a bare whole number."""
    if typing.get_origin(hint) is None:
        return hint is int
    return any(map(holds_int, typing.get_args(hint)))


def test_json_of_a_bundle_is_read_by_python_alone(films: Workspace, tmp_path: Path) -> None:
    answer = films.ask(QUESTION, "films", "hybrid")
    page = exported(films, tmp_path, answer.run)
    text = page.read_text(encoding="utf-8")
    data = text.split('id="data">')[1].split("</script>")[0]
    assert json.loads(gzip.decompress(base64.b64decode(data)))["runs"][0]["id"] == answer.run


def test_every_table_of_a_bundle_is_taken_over_or_left_on_purpose_with_all_its_ids(
    films: Workspace,
) -> None:
    """A table or a reference that is added to the schema has to be decided on here too."""
    kept_in_python = {"runs", "events"}
    left = {"labels", "categories", "models", "embeddings"}
    assert set(bundle.IDS) == set(bundle.COPIED) - kept_in_python - left
    for table, ids in bundle.IDS.items():
        columns = {
            str(row["name"])
            for row in films.store.db.rows(f"SELECT name FROM pragma_table_info('{table}')")
        }
        named = {name for name in columns if name == "id" or name.endswith("_id")} - {"model_id"}
        references = {
            str(row["from"])
            for row in films.store.db.rows(f"PRAGMA foreign_key_list({table})")
            if row["table"] not in ("models", "runs")
        }
        assert named | references == set(ids), table
