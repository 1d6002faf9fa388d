"""`make eval`: what is measured, what is kept, and what is measured again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.evaluate import fingerprint, plan, results
from gear_app.evaluate.__main__ import main
from gear_app.evaluate.plan import Set
from gear_app.models.embedder import HashingEmbedder
from gear_app.workspace import Workspace
from tests.evaluate.rows import row
from tests.workspaces import filled, pack


def of(words: str) -> set[str]:
    return {
        str(file.relative_to(fingerprint.PACKAGE))
        for file in fingerprint.files(fingerprint.modules(words))
    }


def test_a_method_depends_on_the_code_it_is_made_of_and_on_no_other() -> None:
    assert {
        "retrievers/gear.py",
        "retrievers/sync_ge.py",
        "steps/expand.py",
        "reader/local.py",
    } <= of("gear")
    assert {"index/bm25.py", "config.py", "text.py", "retrievers/base.py", "steps/fuse.py"} <= of(
        "hybrid"
    )
    assert not {"retrievers/gear.py", "reader/local.py", "steps/expand.py"} & of("hybrid")
    for methods in ("hybrid", "gear"):
        assert not [
            f
            for f in of(methods)
            if f.startswith(("ui/", "views/", "cli/", "store/", "workspace/", "events/"))
        ]


def test_every_planned_method_can_be_built_and_has_a_fingerprint_of_its_own() -> None:
    planned = plan.METHODS + plan.ABLATIONS
    assert len({fingerprint.of_method(words) for words in planned}) == len(planned)


def test_settings_are_part_of_a_fingerprint() -> None:
    assert (
        fingerprint.of_method("gear")
        != fingerprint.of_method("gear width=3")
        == fingerprint.of_method("gear width=3")
    )


def test_what_a_collection_holds_is_part_of_the_key(tmp_path: Path) -> None:
    films = filled(tmp_path)
    seen = [
        fingerprint.of_content(films, "films", "curated"),
        fingerprint.of_content(films, "films", "none"),
    ]
    films.extract("films", "toy")
    assert fingerprint.of_content(films, "films", "curated") == seen[0]
    seen.append(fingerprint.of_content(films, "films", "toy"))
    films.set_gold("films", films.questions("films")[0].question, ["mira"])
    seen.append(fingerprint.of_content(films, "films", "curated"))
    films.import_text("New", "Some new words.", "films")
    seen.append(fingerprint.of_content(films, "films", "curated"))
    assert len(set(seen)) == 5


def test_rows_come_back_as_they_were_under_their_key_only(tmp_path: Path) -> None:
    rows = (row("gear", "a", 1), row("gear", "b", 0, error="no model"))
    results.store(tmp_path / "rows.json", "key", rows)
    assert results.load(tmp_path / "rows.json", "key") == rows
    assert (
        results.load(tmp_path / "rows.json", "other")
        == results.load(tmp_path / "none.json", "key")
        == ()
    )


def test_a_set_is_measured_once_and_only_what_is_new_is_measured_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        results, "Workspace", lambda path: Workspace(path, embedder=HashingEmbedder())
    )
    wanted = Set(pack(tmp_path / "small"), "curated", ("bm25", "hybrid"))
    said: list[str] = []
    first = results.measure(wanted, tmp_path, said.append)
    assert (first.passages, first.triples, first.evaluation.methods) == (8, 14, ("bm25", "hybrid"))
    assert [line for line in said if line.endswith(("bm25", "hybrid"))] == [
        "small, curated: bm25",
        "small, curated: hybrid",
    ]
    said.clear()
    wider = wanted._replace(methods=("bm25", "hybrid", "sync_ge width=3"))
    second = results.measure(wider, tmp_path, said.append)
    assert said == ["small, curated: encoding", "small, curated: sync_ge width=3"]
    assert second.evaluation.rows[:2] == first.evaluation.rows


def test_sets_that_are_not_there_are_left_out_and_methods_can_be_chosen(tmp_path: Path) -> None:
    for name in ("musique_openie", "hotpot_migres", "demo"):
        (tmp_path / name).mkdir()
    found = plan.sets(tmp_path, tmp_path / "demo")
    assert [(s.name, s.triples) for s in found] == [
        ("musique_openie", "gpt-3.5-turbo-1106"),
        ("musique_openie", "local"),
        ("hotpot_migres", "local"),
        ("demo", "curated"),
        ("demo", "local"),
    ]
    (chosen,) = plan.sets(tmp_path, tmp_path / "demo", ["hotpot_migres"], ["hybrid", "bm25"])
    assert chosen.methods == ("hybrid", "bm25")


def test_the_command_measures_what_is_named_and_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        results, "Workspace", lambda path: Workspace(path, embedder=HashingEmbedder())
    )
    monkeypatch.setattr(plan, "SHARED", (("small", "curated", ("hybrid",)),))
    monkeypatch.setenv("GEAR_SHARED_DATA", str(pack(tmp_path / "small").parent))
    monkeypatch.delenv("GEAR_EMBEDDER", raising=False)

    def called(*arguments: str) -> int:
        monkeypatch.setattr(
            "sys.argv", ["gear_app.evaluate", "--folder", str(tmp_path / "kept"), *arguments]
        )
        return main()

    assert called("--set", "small", "--methods", "gear, gear  width=3", "--limit", "1") == 0
    page = capsys.readouterr().out
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")] == [
        *["hybrid", "gear", "gear width=3"] * 2
    ]
    assert (
        called("--set", "nowhere") == 1
        and "GEAR_SHARED_DATA=FOLDER make eval" in capsys.readouterr().err
    )
    assert called("--methods", "gaer") == 2 and "Unknown method 'gaer'" in capsys.readouterr().err
