"""Stored runs on the command line: listed, made again, pinned, exported, explained."""

from __future__ import annotations

from pathlib import Path

from gear_app.trace.events import Ranked, from_row
from gear_app.workspace.workspace import Workspace
from tests.cli.printed import Run, queried, result


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


def test_an_exported_run_is_imported_from_its_page_or_its_json_and_shown(
    films: Run, tmp_path: Path
) -> None:
    run = queried(films, "--method", "gear")["run"]
    page, trace, other = tmp_path / "run.html", tmp_path / "run.json", tmp_path / "other.db"
    assert films("export", run[:5], "--html", page)[0] == 0
    status, out, err = films("export", run[:5], "--trace", trace)
    assert (status, out, err) == (0, f"1 run written in {trace}.\n", "")
    status, _, err = films("export", run, "--trace", trace)
    assert status == 2 and "is there already" in err
    status, out, _ = films("import", page, "--workspace", other)
    assert status == 0 and out.startswith("1 recorded run imported into the collection 'films'.")
    again = result(films("import", trace, "--workspace", other, "--json"))
    assert again == {"collection": "films", "runs": [run], "existing": True}
    named = tmp_path / "named.db"
    assert "'mine'" in films("import", trace, "--collection", "mine", "--workspace", named)[1]
    shown = result(films("show", run[:4], "--workspace", named, "--json"))
    assert shown["ranking"] and shown["run"] == run
    assert "films: 0 documents" in films("collections", "--workspace", other)[1]
    assert "imported runs alone" in films("collections", "--workspace", other)[1]
    for command in (("replay", run, "--check"), ("why", run, "quill")):
        status, _, err = films(*command, "--workspace", other)
        assert status != 0 and "only the passages of an imported run" in err
