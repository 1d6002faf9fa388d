"""Judgements of a workspace's runs, on the small collection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.annotate.history import Judged
from gear_app.annotate.record import EMPTY, Label
from gear_app.cli import main
from gear_app.errors import BadInput
from gear_app.runs.annotations import OWNER, case_of
from gear_app.workspace import Workspace
from tests.small import QUESTION
from tests.waiting import finish
from tests.workspaces import filled

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


def test_what_can_be_judged_follows_gold_that_is_marked_twice_within_a_second(
    world: Workspace,
) -> None:
    run = ask(world)
    for keys in (["quill"], ["quill", "vane"], ["quill"]):
        world.runs.mark_gold(run, keys)
        (item,) = world.annotations.items("films")
        assert item.gold == len(keys)


def test_a_case_names_only_the_settings_that_were_changed(world: Workspace) -> None:
    plain, changed = (world.runs.get(ask(world, **more)) for more in ({}, {"depth": "50"}))
    assert case_of(plain).settings == ()
    assert case_of(changed).settings == (("depth", "50"),)
    assert case_of(replace(plain, model='{"model": "m"}')).run == plain.id


def test_what_is_said_is_appended_and_can_be_undone(world: Workspace) -> None:
    run = ask(world)
    service, case = world.annotations, case_of(world.runs.get(run)).id
    first = service.commit(run, "ann", replace(FAIL, complete=False))
    second = service.commit(run, "ann", FAIL)
    assert first and second and second.supersedes == first.id and second.run == run
    assert second.corpus and second.code
    assert service.commit(run, "ann", FAIL) is None  # said again
    assert service.heads("films")[Judged(case, "ann")].label == FAIL
    for expected in (first.label, EMPTY):
        assert service.undo(run, "ann") is not None
        assert service.heads("films")[Judged(case, "ann")].label == expected
    assert service.undo(run, "ann") is None
    assert len(service.records("films")) == len(service.history("films", case, "ann")) == 4
    with pytest.raises(BadInput, match="type your name"):
        service.commit(run, " ", FAIL)


def test_another_process_sees_what_was_said(world: Workspace, tmp_path: Path) -> None:
    run = ask(world)
    other = Workspace(world.path)
    assert other.annotations.records("films") == []
    world.annotations.commit(run, "ann", FAIL)
    assert [record.label for record in other.annotations.records("films")] == [FAIL]


def test_a_decision_does_not_take_the_place_of_ones_own_label(world: Workspace) -> None:
    run = ask(world)
    service = world.annotations
    service.commit(run, "ann", FAIL)
    service.commit(run, "ann", replace(FAIL, category="reader"), adjudicates=True)
    heads = service.heads("films")
    assert {key.adjudicates: one.label.category for key, one in heads.items()} == {
        False: "reasoner",
        True: "reader",
    }
    service.undo(run, "ann")
    assert {
        key.adjudicates for key, one in service.heads("films").items() if one.label == EMPTY
    } == {False}


def test_a_file_comes_in_once_and_before_its_runs(
    world: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    service = world.annotations
    own = service.add_category("Ranked too low", "Others stand above it.", "ann")
    service.commit(ask(world), "ann", replace(FAIL, category=own.key))
    lines = list(service.json_lines("films"))
    assert service.import_lines("films", lines) == 0

    other = filled(tmp_path_factory.mktemp("other"))
    assert other.annotations.import_lines("films", lines) == 1
    assert other.annotations.import_lines("films", lines) == 0
    assert other.annotations.categories() == [own]
    assert [case.question for case in other.annotations.missing("films")] == [QUESTION]
    run = ask(other)
    (item,) = other.annotations.items("films")
    assert (item.run, other.annotations.missing("films")) == (run, [])
    assert Judged(item.case, "ann") in other.annotations.heads("films")
    assert list(other.annotations.json_lines("films"))[2] == lines[2]


def test_the_runs_that_judgements_lack_are_told_apart_by_what_became_of_them(
    world: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for method in ("hybrid", "bm25", "dense"):
        world.annotations.commit(ask(world, method), "ann", FAIL)
    elsewhere = filled(tmp_path_factory.mktemp("other"))
    service = elsewhere.annotations
    service.import_lines("films", list(world.annotations.json_lines("films")))
    hybrid, bm25, _ = (elsewhere.runs.enqueue(one) for one in service.requests("films"))
    elsewhere.runs.cancel(bm25)
    found = service.missing_runs("films")
    assert {run.method for run in found.going} == {"hybrid", "dense"}
    assert {run.owner for run in found.going} == {OWNER}
    assert ([run.id for run in found.stopped], found.failed) == ([bm25], ())
    assert [case.method for case in found.cases] == ["bm25"]
    assert [request.method for request in service.requests("films")] == ["bm25"]
    elsewhere.store.db.execute("UPDATE runs SET state = 'failed' WHERE id = ?", [bm25])
    found = service.missing_runs("films")
    assert ([run.id for run in found.failed], found.stopped) == ([bm25], ())
    turns = elsewhere.scheduler()
    finish(turns)
    again = ask(elsewhere, "bm25")
    assert service.missing_runs("films") == ((), (), (), (), ())
    assert {item.run for item in service.items("films")} >= {hybrid, again}


def test_a_file_for_somebody_has_no_label_that_is_hidden_from_her(world: Workspace) -> None:
    service, run = world.annotations, ask(world)
    service.set_share("films", 1.0)
    service.commit(run, "ben", replace(FAIL, note="a secret"))
    service.commit(run, "ben", replace(FAIL, note="another secret"))

    def handed(viewer: str) -> str:
        return "".join(service.json_lines("films", viewer)) + service.csv("films", viewer)

    assert "secret" in handed("ben") and service.hidden("films", "ben") == 0
    assert "secret" not in handed("ann") + handed("")
    assert service.hidden("films", "ann") == service.hidden("films", "") == 1
    service.commit(run, "ann", replace(FAIL, verdict="defer"))
    assert "secret" not in handed("ann"), "deferring is no label"
    service.commit(run, "ann", FAIL)
    assert "a secret" in handed("ann") and "another secret" in handed("ann")
    assert "".join(service.json_lines("films")).count('"kind": "annotation"') == 4


def test_labels_that_came_before_their_runs_are_hidden_too(
    world: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world.annotations.commit(ask(world), "ben", FAIL)
    other = filled(tmp_path_factory.mktemp("other"))
    other.annotations.set_share("films", 1.0)
    other.annotations.import_lines("films", list(world.annotations.json_lines("films")))
    assert other.annotations.seen("films", "ann") == {}


def test_the_share_that_two_judge_is_lowered_only_where_that_uncovers_nothing(
    world: Workspace,
) -> None:
    service, run = world.annotations, ask(world)
    service.set_share("films", 1.0)
    service.set_share("films", 0.0)  # nothing is said yet
    service.set_share("films", 1.0)
    service.commit(run, "ben", FAIL)
    with pytest.raises(BadInput, match="1 run that two are to judge would no longer be hidden"):
        service.set_share("films", 0.0)
    assert service.share("films") == 1.0 and service.seen("films", "ann") == {}
    with pytest.raises(BadInput, match="from 0 to 100"):
        service.set_share("films", float("nan"))
    assert main(_here(world, "--double", "0")) == 0
    assert service.share("films") == 0.0


def _here(world: Workspace, *more: str) -> list[str]:
    return ["annotations", "--collection", "films", "--workspace", str(world.path), *more]


def test_a_bad_file_changes_nothing(world: Workspace) -> None:
    service = world.annotations
    service.commit(ask(world), "ann", FAIL)
    lines = [*service.json_lines("films"), "nonsense"]
    world.store.db.execute("DELETE FROM judgements")
    with pytest.raises(BadInput, match="Line 3"):
        Workspace(world.path).annotations.import_lines("films", lines)
    assert Workspace(world.path).annotations.records("films") == []


def test_why_not_suggests_a_cause_for_every_missed_gold_passage(
    world: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ask(world)
    world.runs.mark_gold(run, ["nowhere"])
    (item,) = world.annotations.items("films")
    assert (item.found, item.gold, item.missed) == (0, 1, True)
    assert world.annotations.causes(run) == ("not in the collection",)
    world.runs.mark_gold(run, ["nowhere", "elsewhere"])  # what was looked up was of other gold
    assert world.annotations.causes(run) == ("not in the collection",) * 2


def test_judgements_go_with_their_run_into_a_bundle(world: Workspace, tmp_path: Path) -> None:
    one, other = ask(world), ask(world, "gear")
    own = world.annotations.add_category("Ranked too low", "Others stand above it.", "ann")
    world.annotations.add_category("Never used", "By nobody.", "ann")
    world.annotations.commit(one, "ann", replace(FAIL, category=own.key))
    world.annotations.commit(other, "ann", FAIL)
    world.runs.export_bundle(one, tmp_path / "bundle.db")
    bundle = Workspace(tmp_path / "bundle.db").annotations
    assert [record.run for record in bundle.records("films")] == [one]
    assert bundle.categories() == [own]


def test_the_command_line_exports_and_imports(
    world: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.annotations.commit(ask(world), "ann", FAIL)
    here = ["--collection", "films", "--workspace", str(world.path)]
    file, sheet = tmp_path / "a.jsonl", tmp_path / "a.csv"
    assert main(["annotations", *here, "--export", str(file)]) == 0
    assert main(["annotations", *here, "--export", str(sheet), "--csv"]) == 0
    assert sheet.read_text(encoding="utf-8").splitlines()[1].startswith(f"{QUESTION},hybrid")
    world.store.db.execute("DELETE FROM judgements")
    assert main(["annotations", *here, "--import", str(file)]) == 0
    assert "1 record of" in capsys.readouterr().out
    assert main(["annotations", *here, "--import", str(file)]) == 0
    assert (
        "films: 1 run judged by ann; 0 to adjudicate; 1 record in all." in capsys.readouterr().out
    )
    assert main(["annotations", *here, "--csv"]) == 2
    assert main(["annotations", *here, "--import", str(sheet)]) == 2
    assert "Line 1 cannot be imported" in capsys.readouterr().err
