"""Stored runs on the command line: listed, made again, pinned, exported, explained."""

from __future__ import annotations

from pathlib import Path

from gear_app.trace.events import Ranked, from_row
from gear_app.workspace.workspace import Workspace
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
    assert films("unpin", ids[0])[1] == f"Run {ids[0]} is not pinned.\n"
    films("pin", ids[0])
    assert result(films("unpin", ids[1], "--json"))["pinned"] is False
    assert [r["pinned"] for r in result(films("runs", "--json"))] == [False, True]


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
