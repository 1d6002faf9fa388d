"""Asking on the command line: what `query` and `show` print of a run, in JSON and in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from gear_app.cli.report import NO_ANSWER, conclusion
from gear_app.core.types import ProximalTriple
from gear_app.trace.events import Chained, Ranked, Reasoned, Remembered, Thought, from_row
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


def test_show_prints_what_query_printed(films: Run) -> None:
    asked = queried(films)
    assert result(films("show", asked["run"], "--json")) == asked
    status, out, _ = films("show", asked["run"])
    assert status == 0
    assert out.startswith("done\n")
    assert QUESTION in out
    assert f"run {asked['run']}: gear" in out


def test_a_bm25_score_of_zero_is_no_hit(films: Run) -> None:
    found = result(films("query", "Quill", "--collection", "films", "--method", "bm25", "--json"))
    assert [line["passage_id"] for line in found["ranking"]] == ["quill", "harbour"]


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


def test_answers_in_words_stand_with_their_measures_and_what_is_known(films: Run) -> None:
    _, out, _ = films("query", QUESTION, "--collection", "films", "--answer")
    assert "answer from the first 5 passages: Port Mira (EM 1 · F1 1.00)\n" in out
    assert "answer without passages: none (EM 0 · F1 0.00)\nknown answer: Port Mira\n" in out
    asked = result(films("runs", "--json"))[0]["id"]
    _, shown, _ = films("show", asked)
    assert "answer from the gold passages: Port Mira" in shown
    assert "gold, 2 passages: Port Mira" in shown
    _, plain, _ = films("query", QUESTION, "--collection", "films")
    assert "answer from" not in plain and "known answer" not in plain


def test_a_run_in_words_has_its_gist_and_a_line_for_every_event(films: Run, tmp_path: Path) -> None:
    asked = queried(films)
    kept = [row for row in asked["events"] if row["kind"] == "Remembered"]
    lines = [
        f"gist {row['iteration']}: {t['subject']} | {t['predicate']} | {t['object']}"
        for row in kept
        for t in row["added"]
    ]
    out = films("show", asked["run"])[1].splitlines()
    assert lines and [line for line in out if line.startswith("gist ")] == lines
    words = [line.split() for line in out[-len(asked["events"]) :]]
    assert [(int(w[0]), w[1]) for w in words] == [
        (row["iteration"], row["kind"]) for row in asked["events"]
    ]
    assert out[-2].endswith(f"passages, first {asked['ranking'][0]['passage_id']}")
    assert lines[0] in films("query", QUESTION, "--collection", "films")[1].splitlines()


def test_the_answer_is_that_of_the_last_verdict() -> None:
    first, last = Reasoned(False, "no", "early"), Reasoned(True, "yes", "Port Mira", iteration=2)
    kept = Remembered((ProximalTriple("Ada", "was born in", "Port Mira"),), (), 1, iteration=2)
    assert list(conclusion([first, kept, last])) == [
        "answer: Port Mira",
        "gist 2: Ada | was born in | Port Mira",
    ]
    assert list(conclusion([first, Reasoned(False, "no")])) == [NO_ANSWER]


def test_the_answer_of_an_iterative_method_is_its_last_thoughts_with_the_chain() -> None:
    early, last = (
        Thought("ircot", "Ada Quill directed it.", "…"),
        Thought("ircot", "…", "", True, "Port Mira"),
    )
    chain = Chained(("Harbour Lights", "was directed by", "Ada Quill"))
    told = list(conclusion([early, last, chain, Chained(())]))
    assert told == ["answer: Port Mira", "chain: Harbour Lights → was directed by → Ada Quill"]
    assert list(conclusion([early])) == [NO_ANSWER]
    assert list(conclusion([])) == []


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


def test_of_a_method_without_a_paper_the_switch_says_so(films: Run) -> None:
    called = films("query", QUESTION, "--collection", "films", "--method", "chain", "--as-paper")
    assert called[0] == 0 and "no paper describes it" in called[2]
