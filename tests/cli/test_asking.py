"""Asking on the command line: what `query` and `show` print of a run, in JSON and in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gear_app.trace.events import Ranked, from_row
from tests.cli.printed import ROOT, Run, queried, result
from tests.small import PASSAGES, QUESTION


def test_query_prints_exactly_the_promised_fields(films: Run) -> None:
    found = queried(films, "--method", "gear", "--set", "width=3")
    assert list(found) == [
        *("run", "question", "method", "config", "ranking", "iterations", "tokens", "calls"),
        *("kept", "unusable", "cost", "ms", "loading_ms", "events"),
    ]
    asked = found["question"], found["method"], found["config"]["beam.width"]
    assert asked == (QUESTION, "gear", 3)
    kinds = [type(found[name]) for name in ("run", "ms", "iterations")]
    assert kinds == [str, float, int]
    assert found["tokens"] == {"input": 0, "output": 0}
    assert (found["calls"], found["kept"], found["unusable"], found["cost"]) == (0, 0, 0, 0.0)
    assert [list(line) for line in found["ranking"][:1]] == [
        ["passage_id", "title", "rank", "score"]
    ]
    assert [line["rank"] for line in found["ranking"]] == list(range(1, len(found["ranking"]) + 1))
    scores = [line["score"] for line in found["ranking"]]
    assert scores == sorted(scores, reverse=True)
    assert {line["passage_id"] for line in found["ranking"]} <= {key for key, *_ in PASSAGES}
    events = [from_row(row) for row in found["events"]]
    assert found["events"][0]["kind"] == "Started" and isinstance(events[-2], Ranked)
    assert [line.key for line in events[-2].ranking] == [
        line["passage_id"] for line in found["ranking"]
    ]


def test_answers_are_written_where_they_are_asked_for(films: Run) -> None:
    found = queried(films, "--answer")
    keys = [line["passage_id"] for line in found["ranking"][:5]]
    assert found["answers"] == [
        {"source": "retrieved", "answer": "Port Mira", "em": 1.0, "f1": 1.0, "passages": keys},
        {
            "source": "gold",
            "answer": "Port Mira",
            "em": 1.0,
            "f1": 1.0,
            "passages": ["harbour", "quill"],
        },
        {"source": "nothing", "answer": "", "em": 0.0, "f1": 0.0, "passages": []},
    ]
    assert found["known_answers"] == ["Port Mira"]
    unknown = result(
        films("query", "Who studied law?", "--collection", "films", "--answer", "--json")
    )
    assert [(a["source"], a["em"], a["f1"]) for a in unknown["answers"]] == [
        ("retrieved", None, None),
        ("nothing", None, None),
    ]
    assert result(films("replay", found["run"], "--check", "--json"))["identical"] is True


def test_control_characters_of_a_document_do_not_reach_the_terminal(
    run: Run, tmp_path: Path
) -> None:
    row = {"id": "p", "title": "Evil \x1b[2J\x9b31m\x07title", "text": "Some words."}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n")
    run("import", tmp_path / "corpus.jsonl", "--collection", "c")
    called = ("query", "Some words", "--collection", "c", "--method", "dense")
    out = run(*called)[1]
    assert "Evil [2J31mtitle" in out and not set(out) & {"\x1b", "\x9b", "\x07"}
    status, out, _ = run(*called, "--json")
    assert status == 0 and not set(out) & {"\x1b", "\x9b", "\x07"}
    assert json.loads(out)["ranking"][0]["title"] == row["title"]


def test_a_narrow_encoding_of_the_terminal_is_no_error(films: Run, tmp_path: Path) -> None:
    row = {"id": "p", "title": "Łódź 東京", "text": "Some words."}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n")
    films("import", tmp_path / "corpus.jsonl", "--collection", "c")
    called = [sys.executable, "-m", "gear_app", "query", "Some words", "--collection", "c"]
    called += ["--method", "dense"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(ROOT)}

    def printed(*more: str) -> str:
        done = subprocess.run(
            [*called, *more], env=environment, cwd=ROOT, capture_output=True, check=True
        )
        return done.stdout.decode("cp1252")

    assert "?ód? ??" in printed()
    assert json.loads(printed("--json"))["ranking"][0]["title"] == "Łódź 東京"


def test_a_method_is_asked_as_in_its_paper_and_what_is_set_besides_goes_before_it(
    films: Run,
) -> None:
    common = ("query", QUESTION, "--collection", "films", "--method", "gear")
    usual = result(films(*common, "--json"))["config"]
    changed = result(films(*common, "--json", "--set", "fusion_constant=7", "--as-paper"))["config"]
    assert {name: value for name, value in changed.items() if value != usual[name]} == {
        "wait_for_memory": False,
        "fusion_constant": 7,
        "beam.scoring": "exact",
    }
    assert " as-paper " not in films("runs")[1]  # 7 is not the paper's
    assert ": gear as-paper, " in films(*common, "--as-paper")[1]
    assert films("runs")[1].count(" gear as-paper ") == 1
