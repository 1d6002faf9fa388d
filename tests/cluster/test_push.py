"""A collection is pushed, opened in another workspace, asked and dropped."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.index.opensearch.cluster import URL
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.processes import Lock
from gear_app.workspace.runs.request import Options, RunRequest
from gear_app.workspace.workspace import Workspace
from tests.cluster.worlds import EMBEDDER, ONCE, silent
from tests.small import QUESTION
from tests.torture import PUSH, torture
from tests.workspaces import filled


@pytest.fixture
def made(tmp_path: Path, url: str) -> Iterator[Workspace]:
    """The small collection as `films`, which no test before has left in the cluster."""
    workspace = filled(tmp_path)
    yield workspace
    catalogue.drop(workspace.remote().cluster(url), films(workspace, url))


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace(tmp_path / "other.db", embedder=HashingEmbedder())


def push(workspace: Workspace, url: str) -> catalogue.Load:
    return workspace.corpora.push("films", None, url, ONCE, silent)


def films(workspace: Workspace, url: str) -> list[StoredIndex]:
    return [one for one in workspace.remote().status(url) if one.facts.collection == "films"]


# Pushed and opened


def test_a_pushed_collection_is_asked_in_another_workspace(
    made: Workspace, other: Workspace, url: str
) -> None:
    here = made.ask(QUESTION, "films", "gear")
    push(made, url)
    assert "films" in other.remote().adopt(url)
    info = other.collections.get("films")
    assert (info.passages, info.questions, info.cluster) == (8, 1, url)
    assert [(one.name, one.triples, one.active) for one in info.triple_sets] == [
        ("curated", 14, True)
    ]
    there = other.ask(QUESTION, "films", "gear")
    assert {one.key for one in there.ranking} == {one.key for one in here.ranking}
    run = other.runs.get(there.run)
    assert run.gold == ("harbour", "quill")
    assert run.versions["index"].startswith("OpenSearch ") and url in run.versions["index"]
    assert int(run.versions["round trips"].split(" in ")[0]) >= 5
    assert run.corpus_hash == made.runs.get(here.run).corpus_hash
    assert other.reruns.replay(there.run) == ""


def test_what_needs_the_whole_collection_is_refused(
    made: Workspace, other: Workspace, url: str
) -> None:
    push(made, url)
    other.remote().adopt(url)
    for method, options in {
        "hipporag": Options(),
        "ircot:hipporag": Options(),
        "hybrid": Options(answer=True),
    }.items():
        with pytest.raises(BadInput, match="'films' is in a cluster"):
            other.runs.enqueue(RunRequest(QUESTION, "films", method, options=options))
    assert other.runs.recent() == []
    for change in (
        lambda: other.imports.do(Path(made.path).parent / "pack", "films"),
        lambda: other.jobs.extract("films"),
        lambda: push(other, url),
    ):
        with pytest.raises(BadInput, match="where it is not changed"):
            change()
    for read in (
        lambda: list(other.collections["films"].every_passage()),
        lambda: other.collections["films"].triples("curated"),
    ):
        with pytest.raises(NotReady, match="needs all of 'films'"):
            read()
    run = other.ask(QUESTION, "films", "gear").run
    with pytest.raises(NotReady, match="is in a cluster"):
        other.reruns.explain(run, "vane")


# Loading


def test_a_load_that_was_stopped_is_not_opened_and_goes_on(
    made: Workspace, other: Workspace, url: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(catalogue, "AT_ONCE", 9)

    class Stopped(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if done >= 18:
            raise Stopped

    with pytest.raises(Stopped):
        made.corpora.push("films", None, url, ONCE, stop)
    (half,) = films(made, url)
    assert not half.complete and not half.open
    assert "films" not in other.remote().adopt(url)
    with pytest.raises(NotReady, match="only in part"):
        catalogue.open_index(made.remote().cluster(url), half.name, EMBEDDER)
    command = ["query", QUESTION, "--collection", "films", "--workspace", str(other.path)]
    assert main([*command, "--index", url]) == 1
    assert "'films' was loaded only in part, so it is not searched." in capsys.readouterr().err
    done = push(made, url)
    assert done.existing == 18 and done.sent > 0 and done.index == half.name
    (whole,) = films(made, url)
    assert whole.open and whole.documents == done.existing + done.sent
    assert push(made, url).sent == 0
    assert other.remote().adopt(url, "films") == ["films"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_a_load_that_is_killed_succeeds_when_it_is_repeated(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(URL, url)
    torture(PUSH, 3, tmp_path)


def test_a_changed_collection_takes_the_place_of_the_one_before(
    made: Workspace, other: Workspace, url: str
) -> None:
    first = push(made, url).index
    other.remote().adopt(url)
    before = other.ask(QUESTION, "films", "bm25").run
    file = Path(made.path).parent / "more.jsonl"
    row = {"id": "new", "title": "Zanzibar", "text": "Zanzibar is an island."}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    made.imports.do(file, "films")
    second = push(made, url).index
    states = {one.name: (one.complete, one.open) for one in films(made, url)}
    assert states == {first: (True, False), second: (True, True)}
    assert other.reruns.replay(before) == "", "a run goes on with the one that it saw"
    other.remote().adopt(url)
    assert other.runs.get(before).stale
    assert other.ask("Zanzibar", "films", "bm25").ranking[0].key == "new"
    assert [one.name for one in made.remote().drop(url, "films", closed=True)] == [first]
    made.remote().drop(url, "films")
    with pytest.raises(Unknown, match="films"):
        other.remote().adopt(url, "films")


# The command line


def test_the_commands_push_ask_and_drop(
    made: Workspace, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv(URL, url)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    there = ["--workspace", str(made.path)]
    assert main(["index", "push", "--collection", "films", *there]) == 0
    assert "films is open as gear-films.curated-" in capsys.readouterr().out
    assert main(["index", "status", *there]) == 0
    assert "films" in capsys.readouterr().out
    assert main(["collections", "--index", url, *there, "--json"]) == 0
    assert "films (cluster)" in [one["name"] for one in json.loads(capsys.readouterr().out)]
    alone = ["--workspace", str(tmp_path / "alone.db")]
    assert main(["collections", *alone]) == 1 and not (tmp_path / "alone.db").exists()
    assert main(["collections", "--index", url, *alone]) == 0
    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr(Lock, "is_held", lambda lock: True)  # by a server with another login
        assert main(["query", QUESTION, "--collection", "films", "--index", url, *alone]) == 0
    assert "harbour" in capsys.readouterr().out.lower()
    measure = ["eval", "--index", url, *alone, "--json"]
    assert main([*measure, "--collection", "films", "--methods", "bm25"]) == 0
    capsys.readouterr()
    (evaluation,) = Workspace(tmp_path / "alone.db").store.evaluations.all()
    monkeypatch.setenv(URL, "")
    assert main([*measure, "--resume", evaluation.id]) == 0
    assert os.environ[URL] == url, "so that the login of the environment is sent there"
    capsys.readouterr()
    assert main(["index", "drop", "--collection", "films", *there]) == 0
    assert capsys.readouterr().out == "1 index deleted\n"
    assert main(["query", "q", "--collection", "films", "--index", url, *there]) == 2
    assert "Unknown collection of the cluster 'films'" in capsys.readouterr().err
