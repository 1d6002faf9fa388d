from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from gear_app.ingest import FileReport
from gear_app.store.rows import CollectionInfo
from gear_app.views import collections


def job(**changes: Any) -> Any:
    fields = {
        "kind": "extraction",
        "state": "running",
        "done": 40,
        "total": 160,
        "failed": 0,
        "rate": 32.4,
    }
    return SimpleNamespace(
        **{**fields, "seconds_left": 4.0, "message": "", "model": "", "key_from": "", **changes}
    )


def test_a_page_of_triples_says_of_how_many_it_is() -> None:
    page = collections.page_of_triples
    assert page(1, 200, 1234, more=False) == "Triples 1 to 200 of 1,234"
    assert page(1, 200, 10_000, more=True) == "Triples 1 to 200 of more than 10,000"
    assert page(10_001, 10_200, 10_000, more=True) == "Triples 10,001 to 10,200 of more than 10,200"


def test_triples_that_went_into_another_set_than_runs_use_are_told_of() -> None:
    done = job(state="done", message="912 triples.", triple_set="local")
    assert "in the set “local”, and runs use “curated”" in collections.job_sentence(done, "curated")
    assert "runs use" not in collections.job_sentence(done, "local")


def test_progress_tells_count_rate_time_left_and_failures() -> None:
    assert collections.progress(job(failed=2)) == (
        0.2625,
        "40 of 160 passages · 32 a second · 4.0 s left · 2 failed",
    )
    assert (
        collections.progress(job(kind="vectors", rate=0.0, seconds_left=None))[1]
        == "40 of 160 texts"
    )


@pytest.mark.parametrize("left", [0.0, 0.4])
def test_less_than_a_second_left_is_not_told_of_what_still_runs(left: float) -> None:
    told = collections.progress(job(seconds_left=left))[1]
    assert told == "40 of 160 passages · 32 a second"


def test_progress_of_an_empty_or_overfull_job_stays_between_0_and_1() -> None:
    assert collections.progress(job(done=0, total=0, rate=0.0, seconds_left=None)) == (0.0, "")
    assert collections.progress(job(done=9, total=3))[0] == 1.0


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_job_that_stopped_says_how_to_go_on(state: str) -> None:
    assert "press Extract triples to go on" in collections.job_sentence(job(state=state))


def test_a_finished_job_with_failures_offers_to_retry_them() -> None:
    assert "3 passages failed; press Extract triples" in collections.job_sentence(
        job(state="done", failed=3)
    )
    assert (
        collections.job_sentence(job(state="done", message="912 triples."))
        == "Extraction is finished. 912 triples."
    )


def test_reports_tell_each_file_apart_by_sign_and_word() -> None:
    found = [
        FileReport("a.txt", "accepted", "3 passages", 1, 3),
        FileReport("b.exe", "skipped", "not a document", 0, 0),
        FileReport("c.pdf", "failed", "encrypted", 0, 0),
    ]
    assert [row["result"] for row in collections.reports(found)] == [
        "✓ accepted",
        "– skipped",
        "✗ failed",
    ]
    assert collections.report_sentence(found) == "3 files: 1 accepted, 1 skipped, 1 failed."
    assert collections.report_sentence([]) == "0 files: nothing to do."


def test_a_report_that_added_nothing_is_not_good_news() -> None:
    skipped, accepted = FileReport("b", "skipped", "", 0, 0), FileReport("a", "accepted", "", 1, 3)
    assert collections.report_sentence([skipped]) == "1 file: 1 skipped. Nothing was added."
    assert collections.report_tone([skipped]) == "busy"
    assert collections.report_tone([skipped, accepted]) == "good"
    assert collections.report_tone([accepted, FileReport("c", "failed", "", 0, 0)]) == "bad"


def test_a_collections_facts_name_the_triples_in_use() -> None:
    used: Any = SimpleNamespace(name="mine", active=True, triples=911)
    unused: Any = SimpleNamespace(name="local", active=False, triples=3)
    info = CollectionInfo("a", 1, 2, 0, [unused, used], revision=4, max_iterations=None)
    assert (
        collections.collection_facts(info)
        == "1 document · 2 passages · 0 questions · 2 triple sets · in use: mine, 911 triples ·"
        " revision 4"
    )
    assert "no triples in use" in collections.collection_facts(replace(info, triple_sets=[unused]))


def test_a_job_with_a_key_of_the_browser_says_that_a_page_must_stay_open() -> None:
    assert "keep a page of this browser open" in collections.job_sentence(
        job(key_from="session 1 here")
    )
    assert "You can leave this page" in collections.job_sentence(job(key_from="environment"))


def test_what_a_model_failed_at_is_tried_again_where_it_is_listed() -> None:
    found = collections.job_sentence(job(state="done", failed=2, model="{}"))
    assert "2 passages failed; see them under Triple sets" in found and "press Extract" not in found
