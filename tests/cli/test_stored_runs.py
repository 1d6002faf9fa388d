"""Stored runs on the command line: listed, made again, pinned, exported, explained."""

from __future__ import annotations

from pathlib import Path

from gear_app.events import Ranked, from_row
from gear_app.workspace import Workspace
from tests.cli.printed import Run, queried, result
from tests.small import QUESTION


def test_runs_are_listed(films: Run) -> None:
    ids = [queried(films, "--method", m)["run"] for m in ("bm25", "gear")]
    assert [r["id"] for r in result(films("runs", "--json"))] == ids[::-1]
    assert [r["id"] for r in result(films("runs", "--limit", "1", "--json"))] == ids[1:]
    assert ids[0] in films("runs", "--collection", "films")[1]


def test_replay_check_fails_where_the_ranking_differs(films: Run, tmp_path: Path) -> None:
    asked = queried(films)
    status, out, _ = films("replay", asked["run"], "--check")
    assert status == 0 and "is identical" in out
    made = Workspace(tmp_path / "w.db")
    number = made.runs.get(asked["run"]).number
    made.store.db.execute("DELETE FROM events WHERE run = ? AND kind = 'Ranked'", [number])
    event = from_row(asked["events"][-2])
    assert isinstance(event, Ranked)
    swapped = Ranked((event.ranking[1], event.ranking[0], *event.ranking[2:]), iteration=0)
    made.store.events.add(number, 1000, 0.0, swapped)
    status, out, _ = films("replay", asked["run"], "--check")
    assert status == 1 and f"Rank 1 is {event.ranking[0].key}" in out
    assert films("replay", asked["run"])[0] == 0
    assert result(films("replay", asked["run"], "--check", "--json"), 1)["identical"] is False


def test_a_run_is_pinned_and_unpinned(films: Run) -> None:
    ids = [queried(films, "--method", method)["run"] for method in ("bm25", "hybrid")]
    found = result(films("pin", ids[0][:6], "--json"))
    assert found == {"run": ids[0], "collection": "films", "pinned": True}
    assert films("pin", ids[0])[1] == f"films opens with: {QUESTION} (run {ids[0]})\n"
    assert films("unpin", ids[0])[1] == f"films opens with run {ids[1]}.\n"
    films("pin", ids[0])
    assert result(films("unpin", ids[1], "--json"))["pinned"] is False
    assert [r["pinned"] for r in result(films("runs", "--json"))] == [False, True]


def test_an_exported_run_is_replayed_from_its_file_by_the_beginning_of_its_id(
    films: Run, tmp_path: Path
) -> None:
    run = queried(films, "--method", "gear")["run"]
    file = tmp_path / "run.db"
    status, out, err = films("export", run[:5], "--bundle", file)
    assert (status, err) == (0, "")
    assert f"Run {run} is in {file} (" in out
    assert out.endswith(
        f"identical result there: gear-app replay {run} --check --workspace {file}\n"
    )
    assert (
        result(films("replay", run[:4], "--check", "--workspace", file, "--json"))["identical"]
        is True
    )
    assert result(films("show", run[:4], "--workspace", file, "--json"))["run"] == run
    status, _, err = films("export", run, "--bundle", file)
    assert status == 2 and "is there already" in err
    exported = result(films("export", run, "--bundle", file, "--force", "--json"))
    assert exported == {"path": str(file), "run": run, "bytes": file.stat().st_size, "remark": ""}


def test_a_run_that_cannot_be_replayed_is_exported_and_the_reason_told(
    films: Run, tmp_path: Path
) -> None:
    run = queried(films, "--method", "bm25")["run"]
    Workspace(tmp_path / "w.db").collections.delete("films")
    status, out, err = films("export", run, "--bundle", tmp_path / "run.db")
    assert status == 0 and f"Run {run} is in" in out and "identical" not in out
    assert "The collection 'films' of run" in err and "was deleted" in err


def test_why_says_which_step_lost_a_passage_and_what_would_have_helped(films: Run) -> None:
    made = queried(films, "--method", "bm25")
    rank = [line["passage_id"] for line in made["ranking"]].index("quill") + 1
    found = result(films("why", made["run"], "Ada Quill", "--k", rank - 1, "--json"))
    assert (found["passage_id"], found["cause"], found["rank"]) == ("quill", "below_cut", rank)
    assert result(films("why", made["run"], "quill", "--k", rank, "--json"))["cause"] == "found"
    status, told, _ = films("why", made["run"], "quill", "--k", rank - 1)
    assert status == 0
    assert told.startswith("Why not: Ada Quill\n")
    assert films("why", made["run"], "nowhere")[0] != 0
