"""Methods, the doctor, and calls that are wrong or fail: the reason, where it goes, the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.printed import Run, result


def test_doctor_reports_and_fails_where_something_is_missing(
    films: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = {f["subject"]: f for f in result(films("doctor", "--json"))}
    assert findings["workspace"]["ok"] and "films (8 passages)" in findings["workspace"]["state"]
    monkeypatch.setattr("gear_app.workspace.doctor.PACKAGES", ("no-such-package",))
    status, out, _ = films("doctor")
    assert status == 1
    assert "PROBLEM  no-such-package: missing. Run: pip install no-such-package" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query"], "QUESTION"),
        (["query", "Who?", "--collection", "nope"], "Unknown collection 'nope'. Available: films"),
        (
            ["query", "Who?", "--collection", "films", "--method", "gaer"],
            "Unknown method 'gaer'. Did you mean 'gear'? Available: bm25",
        ),
        (["query", "Who?", "--collection", "films", "--set", "width"], "--set takes NAME=VALUE"),
        (
            ["query", "Who?", "--collection", "films", "--set", "width=wide"],
            "beam.width takes a whole number",
        ),
        (
            ["eval", "--collection", "films", "--k", "five"],
            "Cut-offs are numbers such as 5,10,15, not 'five'",
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
        (["--set", "widht=5"], "width"),
        (["--set", "scoring=screend"], "screened"),
        (["--collection", "flims"], "films"),
    ],
)
def test_a_typo_is_answered_with_the_name_that_was_meant(
    films: Run, arguments: list[str], meant: str
) -> None:
    status, _, err = films("query", "Who?", "--collection", "films", *arguments)
    assert status == 2 and f"Did you mean {meant!r}?" in err


def test_a_failure_exits_1_with_the_reason_on_standard_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words about one thing.")
    run("import", tmp_path / "a.txt", "--collection", "c")
    status, out, err = run("query", "Who?", "--collection", "c", "--method", "gear")
    assert (status, out) == (1, "")
    assert err.endswith(
        "gear-app: gear needs triples and 'c' has none yet. Run: gear-app extract --collection c\n"
    )
    (tmp_path / "x.db").write_bytes(b"not a database" * 100)
    status, _, err = run("collections", "--workspace", tmp_path / "x.db")
    assert status == 1 and "is not a workspace" in err
