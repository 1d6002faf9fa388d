"""Judgements of a workspace's runs, on the small collection."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.annotation.exchange import Imported
from gear_app.annotation.record import Key, Label
from gear_app.core.errors import BadInput
from gear_app.workspace.runs.annotations import case_of
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import corpus_of, filled

FAIL = Label("It stops too early.", "reasoner", "fail", "high", "reason 1", complete=True)


@pytest.fixture
def world(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


def ask(world: Workspace, method: str = "hybrid", **settings: str) -> str:
    return world.ask(QUESTION, "films", method, settings=settings).run


def test_what_can_be_judged_is_the_newest_run_of_each_case(world: Workspace) -> None:
    ask(world)
    newest, other = ask(world), ask(world, depth="50")
    items = world.annotations.items("films")
    assert {item.run for item in items} == {newest, other}
    assert {(item.question, item.type, item.gold) for item in items} == {(QUESTION, "bridge", 2)}
    gear = ask(world, "gear")
    assert gear in {item.run for item in world.annotations.items("films")}


def test_the_last_label_of_a_person_counts_and_a_decision_is_kept_next_to_it(
    world: Workspace,
) -> None:
    run = ask(world)
    service, case = world.annotations, case_of(world.runs.get(run)).id
    service.commit(run, "ann", replace(FAIL, complete=False))
    saved = service.commit(run, " ann\u200b ", FAIL)
    assert saved and saved.run == run and saved.corpus and saved.code
    assert service.commit(run, "ann", FAIL) is None, "the same again"
    service.commit(run, "ann", replace(FAIL, category="reader"), adjudicates=True)
    assert {key: one.label.category for key, one in service.labels("films").items()} == {
        Key(case, "ann"): "reasoner",
        Key(case, "ann", True): "reader",
    }
    assert service.labels("films")[Key(case, "ann")].label == FAIL
    with pytest.raises(BadInput, match="needs a name"):
        service.commit(run, " ", FAIL)


def test_a_file_comes_in_once_and_before_its_runs(
    world: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    service = world.annotations
    own = service.add_category("Ranked too low", "Others stand above it.", "ann")
    service.commit(ask(world), "ann", replace(FAIL, category=own.key))
    lines = list(service.json_lines("films"))
    assert service.import_lines("films", lines) == Imported(0)

    world.imports.do(corpus_of(tmp_path_factory.mktemp("people"), 1), "people")
    with pytest.raises(BadInput, match="None of its 1 question is in 'people'"):
        service.import_lines("people", lines)
    other = filled(tmp_path_factory.mktemp("other"))
    assert other.annotations.import_lines("films", lines) == Imported(1)
    assert other.annotations.import_lines("films", lines) == Imported(0)
    assert other.store.labels.categories() == [own]
    assert [request.question for request in other.annotations.requests("films")] == [QUESTION]
    run = ask(other)
    (item,) = other.annotations.items("films")
    assert (item.run, other.annotations.requests("films")) == (run, [])
    assert Key(item.case, "ann") in other.annotations.labels("films")
    assert list(other.annotations.json_lines("films"))[1] == lines[1]


def test_a_file_for_somebody_has_no_label_that_is_hidden_from_her(world: Workspace) -> None:
    service, run = world.annotations, ask(world)
    service.commit(run, "ben", replace(FAIL, note="a secret"))

    def handed(viewer: str) -> str:
        return "".join(service.json_lines("films", viewer)) + service.csv("films", viewer)

    def hidden(viewer: str) -> int:
        return len(service.labels("films").keys() - service.seen("films", viewer).keys())

    assert "secret" in handed("ben") and not hidden("ben")
    assert "secret" not in handed("ann") + handed("")
    assert hidden("ann") == hidden("") == 1
    service.commit(run, "ann", replace(FAIL, verdict="defer"))
    assert "secret" not in handed("ann"), "deferring is no label"
    service.commit(run, "ann", FAIL)
    assert handed("ann").count("a secret") == 2 and not hidden("ann")
    assert "".join(service.json_lines("films")).count('"kind": "annotation"') == 2


def test_a_label_of_a_file_replaces_an_earlier_one_alone(world: Workspace) -> None:
    service = world.annotations
    service.commit(ask(world), "ann", FAIL)
    row = json.loads(list(service.json_lines("films"))[-1])
    for year, number in ((2001, 0), (2101, 1)):
        line = json.dumps(row | {"at": f"{year}-01-01T00:00:00Z"})
        assert service.import_lines("films", [line]).labels == number
