"""Collections, jobs and reports as rows and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from gear_app.core.text import count
from gear_app.display import extraction
from gear_app.display.labels import (
    LLM,
    as_sentence,
    base_name,
    duration,
    method_name,
    readable_time,
)
from gear_app.methods import METHODS, bases, uses_triples
from gear_app.workspace.collections.first_method import LINKS, first_method

if TYPE_CHECKING:
    from gear_app.documents.items import FileReport
    from gear_app.store.passages import DocumentRow
    from gear_app.store.rows import CollectionInfo, JobInfo, TripleSetInfo


JOBS = {"import": "The import", "extraction": "Extraction", "vectors": "Encoding"}
SIGNS = {"accepted": "✓ accepted", "skipped": "– skipped", "failed": "✗ failed"}


def progress(job: JobInfo) -> tuple[float, str]:
    """Progress of a job, from 0 to 1, and a line for it: count, rate, time left, failures."""
    share = min(1.0, (job.done + job.failed) / job.total) if job.total else 0.0
    unit = "text" if job.kind == "vectors" else "passage"
    if job.kind == "import" and not job.total:
        return 0.0, ""  # it is being read: how much it holds is not known
    words = [f"{job.done:,} of {count(job.total, unit)}"] if job.total else []
    if job.rate >= 0.05 and job.state == "running":
        words.append(f"{job.rate:.0f} a second" if job.rate >= 10 else f"{job.rate:.1f} a second")
    left = job.seconds_left or 0.0
    if left >= 1 and job.state == "running":  # an estimate below that is mostly wrong
        words.append(f"{duration(left * 1000)} left")
    if job.failed:
        words.append(f"{job.failed:,} failed")
    return share, " · ".join(words)


def job_sentence(job: JobInfo, in_use: str = "") -> str:
    """Meaning of a job's state and what to do next; `in_use` is the triple set that runs use."""
    task = JOBS.get(job.kind, job.kind.capitalize())
    if job.kind == "vectors":
        content = (
            f"the triples “{job.triple_set}”" if job.triple_set else "passages and their sentences"
        )
        task = f"Encoding of {content}"
    message = f" {as_sentence(job.message)}" if job.message else ""
    match job.state:
        case "queued":
            return f"{task} waits for its turn; it starts by itself.{message}"
        case "running":
            leave = (
                "ask questions meanwhile, but keep a page of this browser open: it holds the key"
            )
            if not job.key_from.startswith("session"):
                leave = "leave this page or ask questions meanwhile"
            return f"{task} is running. You can {leave}.{message}"
        case "failed":
            return f"{task} failed.{message} What was done is kept; press Extract triples to go on."
        case "cancelled":
            return f"{task} was cancelled. What was done is kept; press Extract triples to go on."
        case "paused":
            return f"{task} is paused.{message} Press Extract triples to go on."
        case _:
            way = "see them on the tab Triples, where they can be tried again."
            if not job.model:
                way = "press Extract triples to try them again."
            failed = f" {count(job.failed, 'passage')} failed; {way}" if job.failed else ""
            details = failed or message
            return f"{task} is finished.{details}{_other_set(job, in_use)}"


def _other_set(job: JobInfo, in_use: str) -> str:
    """Where what was extracted went, if runs use another set."""
    if job.kind != "extraction" or not in_use or job.triple_set in ("", None, in_use):
        return ""
    return (
        f" They are in the set “{job.triple_set}”, and runs use “{in_use}”: choose which one on the"
        " tab Triples."
    )


def unfinished_import(job: JobInfo, passages: int) -> str:
    """An import that failed or was cancelled: why, what of it is there, and what to do."""
    outcome = "was cancelled" if job.state == "cancelled" else "failed"
    reason = f" {as_sentence(job.message)}" if job.message and job.state != "cancelled" else ""
    if not passages:
        return f"The import {outcome}.{reason} Nothing of it is stored."
    return (
        f"The import {outcome}.{reason} {count(passages, 'passage')} of it"
        f" {'is' if passages == 1 else 'are'} stored. Import the same again to complete it, or undo"
        " it to take out what is stored."
    )


def reports(reports: Iterable[FileReport]) -> list[dict[str, Any]]:
    """A line for every file: what became of it and why."""
    return [
        {
            "file": report.name,
            "result": SIGNS.get(report.status, report.status),
            "read as": report.read_as,
            "why": report.message,
            "documents": report.documents,
            "passages": report.passages,
        }
        for report in reports
    ]


def report_sentence(reports: Sequence[FileReport]) -> str:
    """The counts of a report in one sentence."""
    counts = {status: sum(report.status == status for report in reports) for status in SIGNS}
    words = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    nothing = " Nothing was added." if reports and not counts["accepted"] else ""
    return f"{count(len(reports), 'file')}: {words or 'nothing to do'}.{nothing}"


def report_tone(reports: Sequence[FileReport]) -> Literal["good", "busy", "bad"]:
    """Bad when a file failed, a warning when nothing was accepted, else good."""
    if any(report.status == "failed" for report in reports):
        return "bad"
    return "good" if any(report.status == "accepted" for report in reports) else "busy"


def documents(rows: Iterable[DocumentRow]) -> list[dict[str, Any]]:
    """A line for every document."""
    return [
        {
            "document": document.title,
            "source": document.source,
            "passages": document.passages,
            "characters": document.characters,
            "added": readable_time(document.created),
        }
        for document in rows
    ]


def collection_facts(info: CollectionInfo) -> str:
    """Contents of a collection and the triples that its runs use, in one line."""
    used = "no triples in use"
    if active := info.active:
        used = f"in use: {active.name}, {count(active.triples, 'triple')}"
    return " · ".join(
        [
            count(info.documents, "document"),
            count(info.passages, "passage"),
            count(info.questions, "question"),
            count(len(info.triple_sets), "triple set"),
            used,
        ]
    )


def triple_sets(sets: Iterable[TripleSetInfo]) -> list[dict[str, Any]]:
    """A line for every triple set."""
    return [
        {
            "triple set": triple_set.name,
            "in use": "● in use" if triple_set.active else "",
            "made by": extraction.maker_names(triple_set),
            "triples": triple_set.triples,
            "passages done": triple_set.passages_done,
            "passages without triples": triple_set.passages_without,
            "passages failed": triple_set.passages_failed,
            "ready": triple_set.ready,
        }
        for triple_set in sets
    ]


def better_method(collection: CollectionInfo, method: str) -> str:
    """What finds more in such a collection, for somebody who chooses a method whose part is in the
    triples; "" where the method may be the best (docs/results/README.md).
    """
    name, *base = method.split(":")
    spec = METHODS.get(name)
    along = spec is not None and spec.triples and spec.links and not spec.graph_first
    if not along or LINKS in base or first_method(collection) != LINKS:
        return ""
    over = f" or {method_name(f'{name}:{LINKS}')}" if LINKS in bases(name) else ""
    return (
        f"The triples of “{collection.name}” are the local extractor’s, which finds few facts in"
        f" everyday text: with them {method_name(method)} found in our tests hardly more than its"
        f" base. {method_name(LINKS)}{over} found more."
    )


def needs_triples(collection: CollectionInfo, method: str = "", reader: str = "local") -> str:
    """Options with a collection without triples, for this method or for any.

    Nothing where it has triples.
    """
    if any(triple_set.triples for triple_set in collection.triple_sets):
        return ""
    if method == LINKS:
        return (
            f"“{collection.name}” has no triples yet. {method_name(method)} needs none: it follows"
            " what passages name. The other methods can be run once triples are there; Collections"
            " extracts them and shows how far they are."
        )
    if method and uses_triples(method, reader=reader != LLM):
        return (
            f"“{collection.name}” has no triples yet, and {method_name(method)} needs some. Go to"
            " Collections and press Extract triples."
        )
    without = ", ".join(base_name(name) for name, method in METHODS.items() if not method.triples)
    return (
        f"“{collection.name}” has no triples yet, so only methods without them ({without}) can be"
        " run: for the others, go to Collections and press Extract triples."
    )
