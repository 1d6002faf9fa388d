"""Collections, jobs, reports and clusters as rows and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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
from gear_app.index.opensearch.cluster import API_KEY, PASSWORD, URL, USER
from gear_app.methods import METHODS, bases, uses_triples
from gear_app.workspace.collections.service import LINKS, first_method

if TYPE_CHECKING:
    from gear_app.documents.items import FileReport
    from gear_app.index.opensearch.catalogue import StoredIndex
    from gear_app.index.opensearch.cluster import ClusterAddress
    from gear_app.store.passages import DocumentRow
    from gear_app.store.rows import CollectionInfo, JobInfo, TripleSetInfo


JOBS = {"import": "The import", "extraction": "Extraction", "vectors": "Encoding"}
SIGNS = {"accepted": "✓ accepted", "skipped": "– skipped", "failed": "✗ failed"}


def progress(job: JobInfo) -> tuple[float, str]:
    """Progress of a job, from 0 to 1, and a line for it: count, rate, time left, failures."""
    if not job.total:
        return 0.0, ""  # it is being read: how much it holds is not known
    unit, running = "text" if job.kind == "vectors" else "passage", job.state == "running"
    left = job.seconds_left or 0.0
    words = [
        f"{job.done:,} of {count(job.total, unit)}",
        f"{job.rate:,.1f} a second" if running and job.rate >= 0.05 else "",
        f"{duration(left * 1000)} left" if running and left >= 1 else "",
        f"{job.failed:,} failed" if job.failed else "",
    ]
    return min(1.0, (job.done + job.failed) / job.total), " · ".join(filter(None, words))


def job_sentence(job: JobInfo) -> str:
    """Meaning of a job's state and what to do next."""
    task, message = JOBS.get(job.kind, job.kind.capitalize()), as_sentence(job.message)
    if job.kind == "vectors":
        task += f" of the triples “{job.triple_set}”" if job.triple_set else " of passages"
    again = "Import the same again to complete it, or undo it."
    again = again if job.kind == "import" else "Press Extract triples to go on."
    if job.state == "queued":
        return f"{task} waits for its turn; it starts by itself."
    if job.state == "running":
        key = ", but keep a page of this browser open: it holds the key"
        leave = key if job.key_from.startswith("session") else ""
        return f"{task} is running. You can ask questions meanwhile{leave}. {message}".strip()
    if job.state == "done":
        failed = f"{count(job.failed, 'passage')} failed. {again}" if job.failed else ""
        return " ".join(filter(None, [f"{task} is finished.", failed, message]))
    verb = "has" if job.state == "failed" else "is"
    words = f"{task} {verb} {job.state}.", message, "What was done is kept.", again
    return " ".join(filter(None, words))


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
    used = info.active
    parts = [
        count(info.documents, "document"),
        count(info.passages, "passage"),
        count(info.questions, "question"),
        f"{count(used.triples, 'triple')} in use: {used.name}" if used else "no triples in use",
    ]
    return " · ".join(parts)


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
    """Method that finds more in such a collection, for somebody who chooses a method whose part is
    in the triples; "" where the method may be the best (docs/results/README.md).
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

    Nothing where it has triples, or the method needs none.
    """
    if any(triple_set.triples for triple_set in collection.triple_sets):
        return ""
    none, extract = f"“{collection.name}” has no triples yet", "Collections extracts them."
    if method == LINKS:
        return f"{none}. {method_name(method)} needs none. {extract}"
    if method and uses_triples(method, reader=reader != LLM):
        return f"{none}, and {method_name(method)} needs some. {extract}"
    without = ", ".join(base_name(name) for name, method in METHODS.items() if not method.triples)
    return f"{none}, so only methods without them ({without}) can be run. {extract}"


HEALTH = {
    "green": "✓ green",
    "yellow": "! yellow: a copy is missing, no data are",
    "red": "✗ red: data are missing",
}
Place = Literal["here", "newer", "not here", "earlier", "half"]
PLACES: Mapping[Place, str] = {
    "here": "open here",
    "newer": "pushed anew since it was opened here",
    "not here": "not open here",
    "earlier": "earlier: another has taken its place",
    "half": "loaded only in part: push it again to finish it, it is not searched",
}


class ClusterRow(NamedTuple):
    """An index of the cluster: what can be done with it follows from its `place`. `name` is what
    its collection is called in this workspace, "" where it does not appear there.
    """

    stored: StoredIndex
    place: Place
    name: str

    @property
    def place_words(self) -> str:
        """Whether it is open here, and under which name, where that is another."""
        if self.name not in ("", self.stored.facts.collection):
            return f"open here as “{self.name}”"
        return PLACES[self.place]


def rows(indices: Sequence[StoredIndex], opened: Mapping[str, str]) -> list[ClusterRow]:
    """The indices of a cluster, those that can be opened first, by collection.

    `opened` are the names here of the indices that are open in this workspace.
    """
    aliases = {index.facts.alias for index in indices if index.name in opened}
    listed = [
        ClusterRow(
            index, _place(index, opened, index.facts.alias in aliases), opened.get(index.name, "")
        )
        for index in indices
    ]
    return sorted(listed, key=lambda row: (not row.stored.open, row.stored.facts.collection))


def _place(index: StoredIndex, opened: Mapping[str, str], is_known: bool) -> Place:
    """`known`: an index of this collection and triple set is open here."""
    if not index.complete:
        return "half"
    if index.name in opened:
        return "here"
    if not index.open:
        return "earlier"
    return "newer" if is_known else "not here"


def login_sentence(to: ClusterAddress, named: str) -> str:
    """Which login is sent to a cluster; `named` is the address in the environment."""
    if to.api_key or to.login:
        login = f"logged in to as “{to.login[0]}”" if to.login else "shown the API key"
        return f"It is {login}, as the server's environment says."
    alone = f" That of the environment is for {named} alone." if named else ""
    return f"No login is sent: {USER} and {PASSWORD}, or {API_KEY}, go to {URL} only.{alone}"
