"""The command line: what it prints, to where, and with which exit status."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gear_app import models, retrievers
from gear_app.cli import main
from gear_app.cli.runs import conclusion
from gear_app.events import Chained, Ranked, Reasoned, Remembered, Thought, from_row
from gear_app.extract.local import LocalExtractor
from gear_app.types import ProximalTriple
from gear_app.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import ToyExtractor, pack

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command on a workspace of this test: its exit status, standard output and standard
    error.
    """
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    monkeypatch.setenv("GEAR_WORKSPACE", str(tmp_path / "w.db"))
    monkeypatch.setattr(models, "EXTRACTORS", {"local": ToyExtractor})

    def called(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        output = capsys.readouterr()
        return status, output.out, output.err

    return called


@pytest.fixture
def films(run: Run, tmp_path: Path) -> Run:
    """The same with the small collection in it."""
    assert run("import", pack(tmp_path / "pack"), "--collection", "films")[0] == 0
    return run


def result(called: tuple[int, str, str], status: int = 0) -> Any:
    """What `--json` printed; standard error must be empty."""
    assert called[0] == status, called
    assert called[2] == ""
    return json.loads(called[1])


def test_query_prints_exactly_the_promised_fields(films: Run) -> None:
    found = result(
        films(
            "query",
            QUESTION,
            "--collection",
            "films",
            "--method",
            "gear",
            "--set",
            "width=3",
            "--json",
        )
    )
    assert list(found) == [
        "run",
        "question",
        "method",
        "config",
        "ranking",
        "iterations",
        "tokens",
        "calls",
        "kept",
        "unusable",
        "cost",
        "ms",
        "loading_ms",
        "events",
    ]
    assert (found["question"], found["method"], found["config"]["beam.width"]) == (
        QUESTION,
        "gear",
        3,
    )
    assert (
        isinstance(found["run"], str)
        and isinstance(found["ms"], float)
        and isinstance(found["iterations"], int)
    )
    assert found["tokens"] == {"input": 0, "output": 0}
    assert (found["calls"], found["kept"], found["unusable"], found["cost"]) == (0, 0, 0, 0.0)
    assert [list(line) for line in found["ranking"][:1]] == [
        ["passage_id", "title", "rank", "score"]
    ]
    assert [line["rank"] for line in found["ranking"]] == list(range(1, len(found["ranking"]) + 1))
    scores = [line["score"] for line in found["ranking"]]
    assert scores == sorted(scores, reverse=True)
    assert {line["passage_id"] for line in found["ranking"]} <= {
        "harbour",
        "quill",
        "mira",
        "vane",
        "winter",
        "hale",
        "lorn",
        "festival",
    }
    events = [from_row(row) for row in found["events"]]
    assert found["events"][0]["kind"] == "Started" and isinstance(events[-1], Ranked)
    assert [line.key for line in events[-1].ranking] == [
        line["passage_id"] for line in found["ranking"]
    ]


def test_show_prints_what_query_printed(films: Run) -> None:
    asked = result(films("query", QUESTION, "--collection", "films", "--json"))
    assert result(films("show", asked["run"], "--json")) == asked
    status, out, _ = films("show", asked["run"])
    assert (
        status == 0
        and out.startswith("done\n")
        and QUESTION in out
        and f"run {asked['run']}: gear" in out
    )


def test_a_bm25_score_of_zero_is_no_hit(films: Run) -> None:
    found = result(films("query", "Quill", "--collection", "films", "--method", "bm25", "--json"))
    assert [line["passage_id"] for line in found["ranking"]] == ["quill", "harbour"]


def test_eval_prints_exactly_the_promised_fields(films: Run) -> None:
    called = films(
        "eval",
        "--collection",
        "films",
        "--methods",
        "bm25,gear",
        "--k",
        "1,5",
        "--triples",
        "curated",
        "--json",
    )
    found = result(called)
    assert found["collection"] == "films"
    assert list(found) == [
        "collection",
        "methods",
        "questions",
        "evaluation",
        "facts",
        "command",
        "compared",
        "ceiling",
        "breakdown",
        "settings",
        "before_after",
        "run_files",
    ]
    assert [list(method) for method in found["methods"]] == [
        [
            "method",
            "n",
            "recall",
            "all_recall",
            "ndcg",
            "mrr",
            "tokens",
            "calls",
            "kept",
            "unusable",
            "cost",
            "iterations",
            "ms_p50",
            "ms_p95",
            "failed",
            "not_measured",
        ]
    ] * 2
    assert [(m["method"], m["n"], m["failed"]) for m in found["methods"]] == [
        ("bm25", 1, 0),
        ("gear", 1, 0),
    ]
    fields = ["id", "method", "recall", "ranks", "run"]
    assert [list(row) for row in found["questions"]] == [fields] * 2
    assert set(found["methods"][0]["recall"]) == set(found["questions"][0]["recall"]) == {"1", "5"}
    shown = result(films("show", found["questions"][0]["run"], "--json"))
    top = [line["passage_id"] for line in shown["ranking"]]
    assert found["questions"][0]["recall"]["1"] == len({"harbour", "quill"} & set(top[:1])) / 2


def test_eval_in_words_prints_corpus_size_and_ceiling(films: Run) -> None:
    status, out, err = films("eval", "--collection", "films", "--methods", "bm25", "--k", "1,5")
    assert status == 0 and err == ""
    assert "films: 1 question with gold, 8 passages" in out
    assert "R@1 cannot exceed 50.0 here: some questions have more than 1 gold passages." in out


def test_answers_are_written_where_they_are_asked_for(films: Run) -> None:
    found = result(films("query", QUESTION, "--collection", "films", "--answer", "--json"))
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
    assert (
        "answer from the gold passages: Port Mira" in shown
        and "gold, 2 passages: Port Mira" in shown
    )
    _, plain, _ = films("query", QUESTION, "--collection", "films")
    assert "answer from" not in plain and "known answer" not in plain


def test_eval_measures_answers_and_their_bounds(films: Run) -> None:
    asked = ("eval", "--collection", "films", "--methods", "hybrid,gear", "--k", "5", "--answer")
    found = result(films(*asked, "--json"))
    assert [list(method)[-3:] for method in found["methods"]] == [["em", "f1", "n_answers"]] * 2
    assert [(m["method"], m["em"], m["n_answers"]) for m in found["methods"]] == [
        ("hybrid", 0.0, 1),
        ("gear", 1.0, 1),
    ]
    assert found["bounds"] == {
        "gold": {"em": 1.0, "f1": 1.0, "n": 1},
        "nothing": {"em": 0.0, "f1": 0.0, "n": 1},
    }
    assert [list(row)[-2:] for row in found["questions"]] == [["em", "f1"]] * 2
    _, out, _ = films(*asked)
    assert "EM and F1 of the questions with known answers (1). Bounds:" in out
    assert "from the gold passages: EM 100.0, F1 100.0\n    without passages: EM 0.0, F1 0.0" in out


def test_questions_prints_exactly_the_promised_fields(films: Run) -> None:
    assert result(films("questions", "--collection", "films", "--json")) == [
        {
            "id": "q1",
            "question": QUESTION,
            "type": "bridge",
            "hops": 2,
            "answers": ["Port Mira"],
            "supporting_ids": ["harbour", "quill"],
        }
    ]


def test_suggested_questions_come_with_answer_gold_and_triples(films: Run) -> None:
    first, *_ = result(films("questions", "--collection", "films", "--suggested", "--json"))
    assert first == {
        "question": QUESTION,
        "answers": ["Port Mira"],
        "supporting_ids": ["harbour", "quill"],
        "triples": [
            ["Harbour Lights", "was directed by", "Ada Quill"],
            ["Ada Quill", "was born in", "Port Mira"],
        ],
    }
    assert QUESTION in films("questions", "--collection", "films", "--suggested")[1]


def test_collections_say_what_is_there_and_what_to_do_where_nothing_is(
    run: Run, tmp_path: Path
) -> None:
    Workspace(tmp_path / "w.db").store.close()
    assert "No collections yet. Run: gear-app demo" in run("collections")[1]
    run("import", pack(tmp_path / "pack"), "--collection", "films")
    out = run("collections")[1]
    assert (
        "films: 0 documents, 8 passages, 1 question\n" in out
        and "curated: 14 triples, active" in out
    )
    (info,) = result(run("collections", "--json"))
    assert (info["name"], info["passages"], info["triple_sets"][0]["triples"]) == ("films", 8, 14)


def test_import_tells_about_every_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words about one thing.")
    reports = result(run("import", tmp_path / "a.txt", "--collection", "c", "--json"))
    assert [(r["name"], r["status"], r["documents"], r["passages"]) for r in reports] == [
        ("a.txt", "accepted", 1, 1)
    ]
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 garbage")
    status, out, _ = run("import", tmp_path / "bad.pdf", "--collection", "c")
    assert status == 1 and out.startswith("bad.pdf: failed: ") and "Traceback" not in out
    status, out, _ = run("import", tmp_path / "a.txt", "--collection", "c")
    assert status == 0 and out.startswith("a.txt: skipped: ")


def test_extract_makes_a_set_of_the_extractors_name(films: Run) -> None:
    status, out, _ = films("extract", "--collection", "films")
    assert (
        status == 0 and "films, set local: 8 triples from 8 passages; 2 passages gave none." in out
    )
    job = result(films("extract", "--collection", "films", "--triples", "mine", "--json"))
    assert (job["state"], job["triple_set"], job["done"]) == ("done", "mine", 8)
    names = [s["name"] for s in result(films("collections", "--json"))[0]["triple_sets"]]
    assert names == ["curated", "local", "mine"]


def test_runs_are_listed(films: Run) -> None:
    ids = [
        result(films("query", QUESTION, "--collection", "films", "--method", m, "--json"))["run"]
        for m in ("bm25", "gear")
    ]
    assert [r["id"] for r in result(films("runs", "--json"))] == ids[::-1]
    assert [r["id"] for r in result(films("runs", "--limit", "1", "--json"))] == ids[1:]
    assert ids[0] in films("runs", "--collection", "films")[1]


def test_replay_check_fails_where_the_ranking_differs(films: Run, tmp_path: Path) -> None:
    asked = result(films("query", QUESTION, "--collection", "films", "--json"))
    status, out, _ = films("replay", asked["run"], "--check")
    assert status == 0 and "is identical" in out
    made = Workspace(tmp_path / "w.db")
    number = made.runs.get(asked["run"]).number
    made.store.db.execute("DELETE FROM events WHERE run = ? AND kind = 'Ranked'", [number])
    event = from_row(asked["events"][-1])
    assert isinstance(event, Ranked)
    swapped = Ranked((event.ranking[1], event.ranking[0], *event.ranking[2:]), iteration=0)
    made.store.events.add(number, 1000, 0.0, swapped)
    status, out, _ = films("replay", asked["run"], "--check")
    assert status == 1 and f"Rank 1 is {event.ranking[0].key}" in out
    assert films("replay", asked["run"])[0] == 0
    assert result(films("replay", asked["run"], "--check", "--json"), 1)["identical"] is False


def test_methods_lists_every_method_with_its_settings(run: Run) -> None:
    found = result(run("methods", "--json"))
    assert [m["method"] for m in found] == list(retrievers.METHODS)
    by_name = {m["method"]: m for m in found}
    assert by_name["gear"]["settings"]["max_iterations"] == 4
    assert by_name["bm25"]["bases"] == [] and by_name["gear"]["bases"] == [
        "bm25",
        "dense",
        "hybrid",
        "chain",
    ]
    assert {"hybrid", "sync_ge"} <= set(by_name["ircot"]["bases"]) and "gear" not in by_name[
        "ircot"
    ]["bases"]
    assert by_name["dtr"]["settings"]["calibrate"] is False
    out = run("methods")[1]
    assert all(f"{name}: {method.summary}\n" in out for name, method in retrievers.METHODS.items())
    assert "    over bm25, dense, hybrid, chain\n" in out and "bdtr: " in out


def test_settings_of_the_method_below_are_set_by_name(films: Run) -> None:
    asked = ("query", QUESTION, "--collection", "films", "--method", "ircot:sync_ge", "--json")
    found = result(films(*asked, "--set", "width=5", "--set", "pool_k=3"))
    assert (found["config"]["base.beam.width"], found["config"]["pool_k"]) == (5, 3)
    status, _, err = films(*asked, "--set", "base.width=5")
    assert status == 2 and "Unknown setting 'base.width'" in err and "base.beam.width" in err


def test_doctor_reports_and_fails_where_something_is_missing(
    films: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = {f["what"]: f for f in result(films("doctor", "--json"))}
    assert findings["workspace"]["ok"] and "films (8 passages)" in findings["workspace"]["found"]
    assert findings["unfinished"]["ok"] and findings["unfinished"]["note"]
    assert (
        "note     unfinished: vectors of films. It goes on while gear-app serve runs"
        in films("doctor")[1]
    )
    assert films("worker", "--once")[0] == 0
    assert "ok       unfinished: nothing\n" in films("doctor")[1]
    monkeypatch.setattr("gear_app.doctor.PACKAGES", ("no-such-package",))
    status, out, _ = films("doctor")
    assert (
        status == 1 and "PROBLEM  no-such-package: missing. Run: pip install no-such-package" in out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query"], "QUESTION"),
        (["nonsense"], "invalid choice"),
        (["query", "Who?", "--collection", "nope"], "Unknown collection 'nope'. Available: films"),
        (
            ["query", "Who?", "--collection", "films", "--method", "gaer"],
            "Unknown method 'gaer'. Did you mean 'gear'? Available: bm25",
        ),
        (
            ["query", "Who?", "--collection", "films", "--method", "gear:gear"],
            "must be single-step",
        ),
        (["query", "Who?", "--collection", "films", "--set", "width"], "--set takes NAME=VALUE"),
        (
            ["query", "Who?", "--collection", "films", "--set", "width=wide"],
            "beam.width takes a whole number",
        ),
        (
            ["query", "Who?", "--collection", "films", "--reader", "oracle"],
            "Unknown reader 'oracle'",
        ),
        (["eval", "--collection", "films", "--methods", "gaer"], "Unknown method 'gaer'"),
        (["eval", "--collection", "films", "--k", "five"], "--k takes cut-offs"),
        (
            ["extract", "--collection", "films", "--extractor", "oracle"],
            "Unknown extractor 'oracle'",
        ),
        (["show", "nope"], "Unknown run 'nope'"),
        (["import", "nowhere.txt", "--collection", "films"], "nowhere.txt"),
    ],
)
def test_a_wrong_call_exits_2_with_the_reason_on_standard_error(
    films: Run, arguments: list[str], message: str
) -> None:
    status, out, err = films(*arguments)
    assert (status, out) == (2, "")
    assert message in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["--method", "geer"], "gear"),
        (["--method", "HIPORAG"], "hipporag"),
        (["--method", "gear:hybird"], "hybrid"),
        (["--set", "widht=5"], "width"),
        (["--set", "base.dept=5"], "base.depth"),
        (["--set", "scoring=screend"], "screened"),
        (["--collection", "flims"], "films"),
        (["--triples", "curate"], "curated"),
        (["--reader", "locl"], "local"),
    ],
)
def test_a_typo_is_answered_with_the_name_that_was_meant(
    films: Run, arguments: list[str], meant: str
) -> None:
    status, _, err = films("query", "Who?", "--collection", "films", *arguments)
    assert status == 2 and f"Did you mean {meant!r}?" in err


def test_a_mistyped_extractor_is_answered_so_too_and_a_strange_name_with_the_list_alone(
    films: Run,
) -> None:
    err = films("extract", "--collection", "films", "--extractor", "llm:tow")[2]
    assert "Unknown extractor 'llm:tow'. Did you mean 'llm:two'? Available: local, llm" in err
    err = films("query", "Who?", "--collection", "films", "--method", "quantum")[2]
    assert "Did you mean" not in err and "Available: bm25" in err


def test_a_failure_exits_1_with_the_reason_on_standard_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words about one thing.")
    run("import", tmp_path / "a.txt", "--collection", "c")
    status, out, err = run("query", "Who?", "--collection", "c", "--method", "gear")
    assert (status, out) == (1, "")
    assert (
        err == "gear-app: gear needs triples and 'c' has none yet. Run: gear-app extract"
        " --collection c\n"
    )
    (tmp_path / "x.db").write_bytes(b"not a database" * 100)
    status, _, err = run("collections", "--workspace", tmp_path / "x.db")
    assert status == 1 and "is not a workspace" in err


def test_the_module_runs_as_the_command_from_any_folder(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GEAR_EMBEDDER": "hashing"}
    pack(tmp_path / "pack")
    command = [
        sys.executable,
        "-m",
        "gear_app",
        "import",
        "pack",
        "--collection",
        "c",
        "--workspace",
        "w.db",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "corpus.jsonl: accepted" in done.stdout and (tmp_path / "w.db").exists()
    piped = subprocess.run(
        f"{sys.executable} -m gear_app questions --collection c --workspace w.db | head -c 1",
        shell=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in piped.stderr


def test_serve_answers_from_any_folder_and_ends_when_told(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "GEAR_EMBEDDER": "hashing",
        "GEAR_WORKER": "off",
    }
    command = [
        sys.executable,
        "-m",
        "gear_app",
        "serve",
        "--port",
        str(port),
        "--no-browser",
        "--workspace",
        "w.db",
    ]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-3, stderr=-3) as server:
        try:
            assert _healthy(f"http://127.0.0.1:{port}/_stcore/health") == b"ok"
            with socket.socket() as elsewhere:  # loopback only
                assert elsewhere.connect_ex(
                    (socket.gethostbyname(socket.gethostname()), port)
                ) != 0 or (socket.gethostbyname(socket.gethostname()).startswith("127."))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=20)
    assert (tmp_path / "w.db").exists()


def _healthy(url: str) -> bytes:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bytes(answer.read())
        except OSError:
            time.sleep(0.2)
    return b""


@pytest.mark.models
def test_the_demo_is_made_once_and_shows_a_finished_run(run: Run, tmp_path: Path) -> None:
    # The real extractor, the hashing embedder: what is checked is that everything is there.
    models.EXTRACTORS = {"local": LocalExtractor}
    first = result_of_demo(run("demo", "--json"))
    assert first["collection"]["passages"] > 100 and first["collection"]["questions"] >= 40
    sets = {s["name"]: s for s in first["collection"]["triple_sets"]}
    assert sets["curated"]["active"] and sets["curated"]["triples"] > 500
    assert (
        sets["local"]["triples"] > 500
        and sets["local"]["passages_done"] == first["collection"]["passages"]
    )
    again = result_of_demo(run("demo", "--json"))
    assert again["run"] == first["run"]
    assert again["collection"]["triple_sets"][0]["triples"] == sets["curated"]["triples"]
    listed = result(run("runs", "--collection", "demo", "--json"))
    assert [(r["method"], r["state"], r["triple_set"]) for r in listed] == [
        *((method, "done", "curated") for method in ("gear", "ircot", "griever", "hipporag")),
        ("chain", "done", None),
        ("hybrid", "done", None),
    ]
    assert [r["id"] for r in listed if r["pinned"]] == [first["run"]]
    assert result(run("replay", first["run"], "--check", "--json"))["identical"] is True
    garden = next(c for c in result(run("collections", "--json")) if c["name"] == "garden")
    assert (garden["documents"], garden["questions"]) == (60, 12)
    assert [s["name"] for s in garden["triple_sets"]] == ["local"]
    of_garden = result(run("runs", "--collection", "garden", "--limit", "100", "--json"))
    assert [(r["method"], r["state"]) for r in of_garden if r["pinned"]] == [("chain", "done")]
    evaluated = result(run("eval", "--list", "--json"))
    assert [(e["collection"], e["questions"], e["state"]) for e in evaluated] == [
        ("garden", 11, "done")
    ]
    assert result(run("runs", "--json"))[0]["id"] == first["run"]
    other = listed[-1]["id"]
    run("pin", other)
    run("demo")  # what somebody pinned instead stays
    listed = result(run("runs", "--collection", "demo", "--json"))
    assert [r["id"] for r in listed if r["pinned"]] == [other]


def test_a_run_is_pinned_and_unpinned(films: Run) -> None:
    ids = [
        result(films("query", QUESTION, "--collection", "films", "--method", method, "--json"))[
            "run"
        ]
        for method in ("bm25", "hybrid")
    ]
    found = result(films("pin", ids[0][:6], "--json"))
    assert found == {"run": ids[0], "collection": "films", "pinned": True}
    assert films("pin", ids[0])[1] == f"films opens with: {QUESTION} (run {ids[0]})\n"
    assert films("unpin", ids[0])[1] == f"films opens with run {ids[1]}.\n"
    films("pin", ids[0])
    assert result(films("unpin", ids[1], "--json"))["pinned"] is False
    assert [r["pinned"] for r in result(films("runs", "--json"))] == [False, True]


def result_of_demo(called: tuple[int, str, str]) -> Any:
    assert called[0] == 0
    return json.loads(called[1])


def test_a_run_in_words_has_its_gist_and_a_line_for_every_event(films: Run, tmp_path: Path) -> None:
    asked = result(films("query", QUESTION, "--collection", "films", "--json"))
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
    assert out[-1].endswith(f"passages, first {asked['ranking'][0]['passage_id']}")
    assert lines[0] in films("query", QUESTION, "--collection", "films")[1].splitlines()


def test_the_answer_is_that_of_the_last_verdict() -> None:
    first, last = Reasoned(False, "no", "early"), Reasoned(True, "yes", "Port Mira", iteration=2)
    kept = Remembered((ProximalTriple("Ada", "was born in", "Port Mira"),), (), 1, iteration=2)
    assert list(conclusion([first, kept, last])) == [
        "answer: Port Mira",
        "gist 2: Ada | was born in | Port Mira",
    ]
    assert list(conclusion([first, Reasoned(False, "no")])) == []


def test_the_answer_of_an_iterative_method_is_its_last_thoughts_with_the_chain() -> None:
    early, last = (
        Thought("ircot", "Ada Quill directed it.", "…"),
        Thought("ircot", "…", "", True, "Port Mira"),
    )
    chain = Chained(("Harbour Lights", "was directed by", "Ada Quill"))
    told = list(conclusion([early, last, chain, Chained(())]))
    assert told == ["answer: Port Mira", "chain: Harbour Lights → was directed by → Ada Quill"]
    assert list(conclusion([early])) == []


def test_an_exported_run_is_replayed_from_its_file_by_the_beginning_of_its_id(
    films: Run, tmp_path: Path
) -> None:
    run = result(films("query", QUESTION, "--collection", "films", "--method", "gear", "--json"))[
        "run"
    ]
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
    run = result(films("query", QUESTION, "--collection", "films", "--method", "bm25", "--json"))[
        "run"
    ]
    Workspace(tmp_path / "w.db").collections.delete("films")
    status, out, err = films("export", run, "--bundle", tmp_path / "run.db")
    assert status == 0 and f"Run {run} is in" in out and "identical" not in out
    assert "The collection 'films' of run" in err and "was deleted" in err


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
    called = [
        sys.executable,
        "-m",
        "gear_app",
        "query",
        "Some words",
        "--collection",
        "c",
        "--method",
        "dense",
    ]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(ROOT)}

    def printed(*more: str) -> str:
        done = subprocess.run(
            [*called, *more], env=environment, cwd=ROOT, capture_output=True, check=True
        )
        return done.stdout.decode("cp1252")

    assert (
        "?ód? ??" in printed()
        and json.loads(printed("--json"))["ranking"][0]["title"] == "Łódź 東京"
    )


EVAL = ("eval", "--collection", "films", "--methods", "bm25,gear", "--k", "1,5")


def test_eval_goes_on_lists_and_adds_methods(films: Run) -> None:
    first = result(films(*EVAL, "--json"))
    id_ = first["evaluation"]
    assert result(films("eval", "--resume", id_, "--json")) == first
    (listed,) = result(films("eval", "--list", "--json"))
    assert (listed["evaluation"], listed["state"], listed["methods"]) == (
        id_,
        "done",
        ["bm25", "gear"],
    )
    wider = result(films("eval", "--resume", id_, "--methods", "dense", "--json"))
    assert [one["method"] for one in wider["methods"]] == ["bm25", "gear", "dense"]
    assert wider["questions"][:2] == first["questions"]
    assert "bm25, gear, dense" in films("eval", "--list")[1]


def test_eval_compares_with_a_baseline_and_says_how_sure_it_is(films: Run) -> None:
    found = result(films(*EVAL, "--baseline", "gear", "--json"))
    assert found["compared"]["baseline"] == "gear"
    assert found["compared"]["methods"]["gear"]["recall@1"]["p_holm"] is None
    assert found["compared"]["methods"]["bm25"]["recall@1"]["p_holm"] == 1.0
    _, out, _ = films(*EVAL, "--baseline", "gear")
    assert "R@1 over baseline" in out and "p (Holm)" in out and "cannot be told from gear" in out
    assert films(*EVAL, "--baseline", "dense")[0] == 2


def test_eval_is_a_gate(films: Run) -> None:
    assert films(*EVAL, "--fail-below", "recall@5=0.1", "--fail-below", "mrr=0.1")[0] == 0
    status, _, err = films(*EVAL, "--fail-below", "recall@1=0.6")
    assert status == 1 and "gear: recall@1 is 0.5000, below 0.6" in err
    for wrong in ("recall@7=1", "em=1", "recall", "recall@5=x"):
        assert films(*EVAL, "--fail-below", wrong)[0] == 2


def test_eval_writes_files_and_overwrites_none(films: Run, tmp_path: Path) -> None:
    trec, table, page = tmp_path / "trec", tmp_path / "t.csv", tmp_path / "r.html"
    asked = (*EVAL, "--trec", str(trec), "--csv", str(table), "--html", str(page))
    assert films(*asked)[0] == 0
    written = sorted(file.name for file in trec.iterdir())
    assert written == ["bm25.txt", "facts.json", "gear.txt", "qrels.txt"]
    heads, *rows = table.read_text("utf-8").splitlines()
    assert heads.startswith("question,type,hops,method,recall@1,recall@5,all@1") and len(rows) == 2
    html = page.read_text("utf-8")
    assert "gear-app eval --collection films" in html and "http" not in html.replace(
        "http://www.w3.org/2000/svg", ""
    )
    assert films(*asked)[0] == 2 and films(*asked, "--force")[0] == 0


def test_eval_measures_a_run_file_beside_the_methods(films: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.run"
    mine.write_text("q1 Q0 quill 1 2.5 colbert\nq1 Q0 vane 2 2.0 colbert\n")
    found = result(films(*EVAL, "--run-file", str(mine), "--json"))
    (theirs,) = [one for one in found["methods"] if one["method"] == "file:colbert"]
    assert theirs["recall"] == {"1": 0.5, "5": 0.5} and theirs["ms_p50"] is None
    assert found["run_files"] == [
        {"method": "file:colbert", "file": "mine.run", "depth": 2, "missing": []}
    ]
    _, out, _ = films("eval", "--resume", found["evaluation"], "--baseline", "file:colbert")
    assert "colbert is read from" in out and "They end at rank 2" in out
    mine.write_text("q1 Q0 quill")
    status, _, err = films(*EVAL, "--run-file", str(mine))
    assert status == 2 and "Line 1 is not of a TREC run" in err
    resumed = ("eval", "--resume", found["evaluation"], "--drop-run-file", "colbert", "--json")
    assert result(films(*resumed))["run_files"] == []


def test_eval_sweeps_over_settings(films: Run) -> None:
    asked = ("eval", "--collection", "films", "--methods", "hybrid,sync_ge", "--k", "5")
    _, out, _ = films(*asked, "--sweep", "width=1,5", "--sweep", "length=1,2")
    assert "sync_ge width=5 length=2" in out and "Mean R@5 by width: 1: " in out
    assert films(*asked, "--sweep", "width")[0] == 2


def test_why_says_which_step_lost_a_passage_and_what_would_have_helped(films: Run) -> None:
    made = result(films("query", QUESTION, "--collection", "films", "--method", "bm25", "--json"))
    rank = [line["passage_id"] for line in made["ranking"]].index("quill") + 1
    found = result(films("why", made["run"], "Ada Quill", "--k", rank - 1, "--json"))
    assert (found["passage_id"], found["cause"], found["rank"]) == ("quill", "below_cut", rank)
    assert result(films("why", made["run"], "quill", "--k", rank, "--json"))["cause"] == "found"
    status, told, _ = films("why", made["run"], "quill", "--k", rank - 1)
    assert status == 0
    assert told.startswith("Why not: Ada Quill\n")
    assert films("why", made["run"], "nowhere")[0] != 0


def test_passages_of_one_document_are_told_apart_in_a_ranking(films: Run, tmp_path: Path) -> None:
    lamps = " ".join(f"Lamp number {n} of Bluefin was lit by Priya in year {n}." for n in range(40))
    (tmp_path / "lamps.txt").write_text(lamps)
    assert films("import", tmp_path / "lamps.txt", "--collection", "films")[0] == 0
    ask = ["query", "Which lamp did Priya light?", "--collection", "films", "--method", "bm25"]
    titles = [line["title"] for line in result(films(*ask, "--json"))["ranking"]]
    assert len(titles) > 2
    assert len(set(titles)) == len(titles)
    assert all(re.fullmatch(rf".+ · \d of {len(titles)}", title) for title in titles)
    assert titles[0] in films(*ask)[1]
