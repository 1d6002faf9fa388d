"""Runs as JSON: they come in again as recorded runs that are shown as before, and no file does harm."""

from __future__ import annotations

import base64
import gzip
import json
import re
import resource
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_app.core.config import ENCODER
from gear_app.core.errors import BadInput, GearError, NotReady
from gear_app.display import share_pages
from gear_app.display.share_pages import run_page as page
from gear_app.display.share_pages import stored
from gear_app.models import embedders
from gear_app.models.embedders.local import LocalModel
from gear_app.trace.events import Event
from gear_app.trace.events.values import ids_of, renumbered
from gear_app.workspace import models
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.runs.share import ELEMENT, carries_runs, to_json
from gear_app.workspace.workspace import Workspace
from tests.acting import LOCAL
from tests.small import QUESTION
from tests.workspaces import filled, workspace

Json = dict[str, Any]


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    """A workspace that has something of its own, so that every id is another one there."""
    folder = tmp_path / "other"
    folder.mkdir()
    made = workspace(folder)
    made.imports.do(Pasted("Boats", "Boats lie in the harbour. Tom Vane built boats."), "boats")
    made.jobs.extract("boats", "toy")
    made.ask("Who built boats?", "boats", "naive_ge")
    return made


def exported(films: Workspace, folder: Path, *run_ids: str) -> Path:
    file = folder / "page.html"
    file.write_text(share_pages.page(films, list(run_ids)).html, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Runs as JSON, by method."""
    films = filled(tmp_path_factory.mktemp("films"))
    methods = ("gear", "hipporag", "rerank", "bm25")
    return {one: to_json(films.store, [films.ask(QUESTION, "films", one).run]) for one in methods}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace for files that are refused, or deleted again."""
    made = workspace(tmp_path_factory.mktemp("target"))
    made.store.collections.create("own")
    return made


def written(folder: Path, value: Json) -> Path:
    path = folder / "run.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def by_order(happened: list[Event]) -> list[Event]:
    """Events with the places of their ids among all ids in place of these."""
    ids = sorted({id_ for event in happened for id_ in ids_of(event)})
    places = {id_: place for place, id_ in enumerate(ids)}
    return [renumbered(event, places) for event in happened]


def shown(made: Workspace, run_id: str) -> list[str]:
    """What the page of a run says step by step."""
    drawn = page(stored(made, run_id))
    return re.findall(r"<summary>(\d+ · .*?)</summary>", drawn)


def contents(made: Workspace) -> list[str]:
    """All that a workspace holds, as SQL."""
    with sqlite3.connect(made.path) as db:
        found = list(db.iterdump())
    db.close()
    return found


@pytest.mark.parametrize("method", [*LOCAL, "ircot:hipporag"])
def test_a_page_comes_in_again_with_the_same_steps_rankings_and_texts(
    films: Workspace, other: Workspace, tmp_path: Path, method: str
) -> None:
    run = films.ask(QUESTION, "films", method).run
    imported = share_pages.import_runs(other, exported(films, tmp_path, run))
    assert imported == ("films", (run,), False)
    before, after = films.runs.events(run), other.runs.events(run)
    assert by_order(after) == by_order(before) and after != before
    assert shown(other, run) == shown(films, run)
    named = (other.store.passages.with_ids(sorted(set().union(*map(ids_of, after))))).values()
    texts = {passage.key: (passage.title, passage.text) for passage in named}
    assert len(texts) > 5
    for key, text in texts.items():
        here = films.collections["films"].passage_by_key(key)
        assert (films.collections.label(here), here.text) == text
    then, now = films.runs.get(run), other.runs.get(run)
    same = ("question", "method", "config", "gold", "answers", "state", "ms", "versions", "spent")
    assert [getattr(now, name) for name in same] == [getattr(then, name) for name in same]
    assert now.recorded and not then.recorded and not now.stale
    asked = other.store.questions.find(other.store.collections.get("films").id, QUESTION)
    assert asked == films.store.questions.find(films.store.collections.get("films").id, QUESTION)


ASK = RunRequest(QUESTION, "films", "bm25")
REFUSED: dict[str, Callable[[Workspace, str], object]] = {
    "again": lambda made, run: made.runs.again(run),
    "ask": lambda made, run: made.runs.enqueue(ASK),
    "rank": lambda made, run: made.runner.rank(ASK),
    "replay": lambda made, run: made.reruns.replay(run),
    "what if": lambda made, run: made.reruns.rerun(run, RunChange({"k": 3})),
    "why": lambda made, run: made.reruns.explain(run, "quill"),
    "trials": lambda made, run: made.reruns.changes(run, 5),
    "import": lambda made, run: made.imports.do(Pasted("Title", "Some words."), "films"),
    "extract": lambda made, run: made.jobs.extract("films", "toy"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_compute_over_a_part_of_the_collection_is_refused(
    films: Workspace, other: Workspace, tmp_path: Path, what: str
) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    share_pages.import_runs(other, exported(films, tmp_path, run))
    with pytest.raises(NotReady, match="only the passages of an imported run"):
        REFUSED[what](other, run)


def test_no_model_and_no_path_that_a_file_names_is_loaded(
    texts: dict[str, str], other: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = json.loads(texts["rerank"])
    (run,) = value["runs"]
    named = {ENCODER: f"sentence-transformers:{tmp_path}", "cross_encoder": str(tmp_path)}
    run["config"] |= named
    run["versions"]["embedder"] = f"{tmp_path} 0123"

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a model is loaded")

    for module in (embedders, models):
        monkeypatch.setattr(module, "make_embedder", refuse)
    monkeypatch.setattr(LocalModel, "folder", property(refuse))
    share_pages.import_runs(other, written(tmp_path, value))
    kept = other.runs.get(run["id"])
    assert kept.recorded and str(tmp_path) not in json.dumps(dict(kept.config))
    assert shown(other, kept.id)
    for what in REFUSED.values():
        with pytest.raises(NotReady):
            what(other, kept.id)


def changed(where: str, to: object) -> Callable[[Json], object]:
    """A change of one value of a file, by its way through the JSON."""

    def change(value: Json) -> None:
        at: Any = value
        *way, last = [int(part) if part.isdigit() else part for part in where.split("/")]
        for part in way:
            at = at[part]
        at[last] = to

    return change


EVENT = "runs/0/events/1/1"
HOSTILE: dict[str, tuple[Callable[[Json], object], str]] = {
    "another version": (changed("gear_app_runs", 2), "gear_app_runs"),
    "a path for an id": (changed("runs/0/id", "../../x"), "id: "),
    "a ranking without end": (changed("runs/0/k", 10**9), "less than or equal to 10000"),
    "a setting that is a list": (changed("runs/0/config/beam.width", [1]), "config.beam.width"),
    "a question of a book": (changed("runs/0/question", "word " * 1000), "at most 2,000"),
    "a name with controls": (changed("runs/0/collection", "\x1b[2J"), "collection: "),
    "a key with NUL": (changed("passages/0/key", "a\x00b"), "key: "),
    "two passages with one id": (changed("passages/0/id", 2), "several passages have one id"),
    "half a character": (changed("passages/0/text", "\ud800"), "hex escape"),
    "an event of no kind": (changed(f"{EVENT}/kind", "Os"), "kind 'Os' is not known"),
    "half a character in an event": (changed(f"{EVENT}/query", "\ud800"), "hex escape"),
    "events without end": (
        lambda value: value["runs"][0]["events"].extend(value["runs"][0]["events"][:1] * 6000),
        "at most 5000 items",
    ),
    "an edge to a node that is missing": (
        lambda value: next(
            row for _, row in value["runs"][0]["events"] if row["kind"] == "Walked"
        ).update(nodes=[]),
        "cannot be shown",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_in_a_sentence_and_changes_nothing(
    texts: dict[str, str], target: Workspace, tmp_path: Path, what: str
) -> None:
    value = json.loads(texts["hipporag" if "node" in what else "gear"])
    change, words = HOSTILE[what]
    change(value)
    path, before = written(tmp_path, value), contents(target)
    with pytest.raises(GearError, match=words) as refused:
        share_pages.import_runs(target, path)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 600
    assert contents(target) == before


def packed(value: bytes) -> bytes:
    text = base64.b64encode(gzip.compress(value))
    return f'<!doctype html><script type="{ELEMENT}" id="runs">'.encode() + text + b"</script>"


TEXTS: dict[str, tuple[bytes, str]] = {
    "another page": (b"<p>About boats.</p>", "carries no run"),
    "cut off": (packed(b'{"gear_app_runs":1}' * 99)[:-30] + b"</script>", "cannot be read"),
    "a bomb": (packed(b" " * 40_000_000), "more than 30 MB"),
    "deep": (b'{"gear_app_runs":' + b"[" * 1_000_000, "recursion"),
    "a million digits": (b'{"gear_app_runs":' + b"9" * 1_000_000 + b"}", "out of range"),
    "too large": (b'{"gear_app_runs":"' + b"x" * 31_000_000 + b'"}', "more than 30 MB"),
}


@pytest.mark.parametrize("what", TEXTS)
def test_a_file_with_something_else_inside_is_refused_soon(
    target: Workspace, tmp_path: Path, what: str
) -> None:
    content, words = TEXTS[what]
    path, before = tmp_path / "page.html", contents(target)
    path.write_bytes(content)
    assert carries_runs(path) is (words != "carries no run")
    began, used = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadInput, match=words):
        share_pages.import_runs(target, path)
    assert time.process_time() - began < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 400_000  # kilobytes
    assert contents(target) == before


def test_markup_in_every_text_stays_text(
    texts: dict[str, str], other: Workspace, tmp_path: Path
) -> None:
    markup = "</script><script>alert(7)</script><img src=x onerror=alert(7)>"
    names = ("text", "title", "query", "subject", "predicate", "object", "sentence", "named")

    def marked(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: marked(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [marked(one, name) for one in value]
        return f"{markup}{value}" if name in names and isinstance(value, str) else value

    (run,) = share_pages.import_runs(
        other, written(tmp_path, marked(json.loads(texts["gear"])))
    ).runs
    drawn = page(stored(other, run))
    assert "&lt;script&gt;alert(7)" in drawn
    assert "<script" not in drawn and "<img" not in drawn


ODD = ("\x1b\x00<b>", "x" * 50_000, -5, 0, 10**9, 1e300, float("nan"), None, [], {}, "\ud800")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_any_odd_value_is_refused_or_shown(
    texts: dict[str, str], target: Workspace, tmp_path: Path, data: st.DataObject
) -> None:
    at: Any = (value := json.loads(texts["gear"]))
    while True:
        place = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[place], dict | list) or not at[place] or data.draw(st.booleans()):
            break
        at = at[place]
    at[place] = data.draw(st.sampled_from(ODD))
    try:
        imported = share_pages.import_runs(target, written(tmp_path, value))
    except GearError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 600
        return
    share_pages.page(target, imported.runs)
    target.store.collections.delete(imported.collection)
