"""`make eval`: what is measured, what is kept, and what is measured again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from gear_app.evaluation.variants import variant
from gear_app.methods import METHODS, as_paper
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.evaluations import ORACLE
from gear_app.workspace.workspace import Workspace
from tests.bench.results import __main__ as program
from tests.bench.results import benchmark, measured_sets
from tests.bench.results.benchmark import QuestionSet
from tests.workspaces import pack

EMBEDDER = HashingEmbedder.name


def test_every_planned_method_can_be_built_and_has_an_identity_of_its_own() -> None:
    planned = {words for _, _, methods in benchmark.PLANNED for words in methods}
    assert len({str(measured_sets.of_method(words, EMBEDDER)) for words in planned}) == len(planned)


def test_every_method_with_a_paper_is_measured_as_in_it_and_so_are_gears_own_ablations() -> None:
    asked = {"dtr", "bgec"}  # ablations of another method
    for name in set(METHODS) - asked:
        rows = [words for words in benchmark.METHODS if variant(words).method.split(":")[0] == name]
        assert any(variant(words).as_paper for words in rows) == bool(as_paper(name)), name
    among = {name: methods for name, _, methods in benchmark.PLANNED}["musique_migres"]
    cells = {variant(words).config for words in benchmark.TABLE_9.variants}
    assert {(one.beam.length, one.max_iterations) for one in cells} == {
        (length, n) for length in (2, 3, 4) for n in (1, 2, 3, 4)
    }
    assert all(words in among for family in benchmark.FAMILIES for words in family.variants)


@pytest.mark.parametrize(
    ("raised", "changed"),
    [
        (
            "bm25",
            {
                *("bm25", "hybrid", "gear:bm25", "gear", "ircot:sync_ge:bm25", "griever", "gcot"),
                *("bdtr:hipporag", "dtr:hipporag"),  # a name is looked for among titles
            },
        ),
        ("sync_ge", {"gear:bm25", "gear", "ircot:sync_ge:bm25"}),
        ("gear", {"gear:bm25", "gear"}),
        ("hipporag", {"bdtr:hipporag", "dtr:hipporag"}),
        ("bdtr", {"bdtr:hipporag", "dtr:hipporag"}),
    ],
)
def test_a_raised_version_changes_what_is_made_of_the_method_and_nothing_else(
    raised: str, changed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("bm25", "hybrid", "gear:bm25", "gear", "ircot:sync_ge:bm25", "griever")
    names += ("dense", "bdtr:hipporag", "dtr:hipporag", "gcot")
    before = {name: measured_sets.of_method(name, EMBEDDER) for name in names}
    monkeypatch.setattr(METHODS[raised], "version", METHODS[raised].version + 1)
    after = {name: measured_sets.of_method(name, EMBEDDER) for name in names}
    assert {name for name in names if before[name] != after[name]} == changed


def test_a_set_is_measured_once_and_only_what_is_new_is_measured_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        measured_sets, "Workspace", lambda path: Workspace(path, embedder=HashingEmbedder())
    )
    wanted = QuestionSet(pack(tmp_path / "small"), "curated", ("bm25", "hybrid"))
    said: list[str] = []
    first = measured_sets.measure_set(wanted, tmp_path, said.append)
    assert (first.triple_set, first.evaluation.methods) == ("curated", ("bm25", "hybrid"))
    wider = wanted._replace(methods=("bm25", "hybrid", "sync_ge width=3"))
    second = measured_sets.measure_set(wider, tmp_path, said.append)
    assert said[-2:] == ["small, curated: encoding", f"small, curated: {', '.join(wider.methods)}"]
    before, after = (set(one.evaluation.runs["run"]) for one in (first, second))
    assert before < after and len(second.evaluation.runs_of("sync_ge width=3"))


def test_the_command_measures_what_is_named_and_updates_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        measured_sets, "Workspace", lambda path: Workspace(path, embedder=HashingEmbedder())
    )
    monkeypatch.setattr(benchmark, "PLANNED", (("small", "curated", ("hybrid",)),))
    monkeypatch.setenv("GEAR_SHARED_DATA", str(pack(tmp_path / "small").parent))
    monkeypatch.delenv("GEAR_EMBEDDER", raising=False)

    def called(*arguments: str) -> int:
        folder = str(tmp_path / "kept")
        monkeypatch.setattr("sys.argv", ["results", "--folder", folder, *arguments])
        return program.main()

    def rows(folder: str) -> list[str]:
        frame = pd.read_csv(tmp_path / folder / "methods.csv")
        return [method for method in frame["method"] if method != ORACLE]

    chosen = ("--set", "small", "--methods", "gear, gear  width=3")
    assert called(*chosen, "--limit", "1") == 0
    assert rows("kept") == ["hybrid", "gear", "gear width=3"], "not in docs/results"
    assert called(*chosen, "--out", str(tmp_path / "tables")) == 0
    assert called("--set", "small", "--out", str(tmp_path / "tables")) == 0
    assert rows("tables") == ["gear", "gear width=3", "hybrid"]
    assert called("--set", "nowhere") == 1
    assert "GEAR_SHARED_DATA=FOLDER make eval" in capsys.readouterr().err
    assert called("--methods", "gaer") == 2 and "Unknown method 'gaer'" in capsys.readouterr().err
