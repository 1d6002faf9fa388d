"""What the store hands out, as values, and the small conventions all its tables share: time, text
hashes, the rows of a revision, and which runs saw others than there are now.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from gear_app.trace.metrics import Gold

if TYPE_CHECKING:
    from gear_app.store.database import Database

State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted", "paused"]
T = TypeVar("T")

PASSAGE = 'id, key, title, text, document_id, "start", "end"'  # as the fields of types.Passage
# Of rows {0}: those of a revision. The plus keeps SQLite from an index by revision: nearly all rows
# fit, and are wanted in the order of their ids.
LIVE = "+{0}.added <= :revision AND ({0}.retired IS NULL OR {0}.retired > :revision)"
# Of runs r, collections c and triple sets s: passages or triples were changed since the run.
STALE = "(c.id IS NULL OR r.revision < max(c.passages_revision, coalesce(s.revision, 0)))"
RUN = (  # runs r, with all that RunInfo has
    f'SELECT r.*, {STALE} AS "stale [BOOLEAN]", c.pinned_run IS r.number AS "pinned [BOOLEAN]",'
    ' coalesce(c.recorded, 0) AS "recorded [BOOLEAN]"{others} FROM tasks r LEFT JOIN'
    " collections c ON c.id = r.collection_id LEFT JOIN triple_sets s ON s.id = r.set_id"
)


@dataclass(frozen=True, kw_only=True)
class CollectionRow:
    """A collection; `passages_revision` is the last revision that changed its passages. One that is
    in a `cluster` has its passages in the index `index_name` there. One that is `recorded` has only
    the passages of imported runs.
    """

    id: int
    name: str
    revision: int
    passages_revision: int
    active_set_id: int | None
    max_iterations: int | None
    cluster: str = ""
    index_name: str = ""
    passages_there: int = 0
    recorded: bool = False


@dataclass(frozen=True, kw_only=True)
class SetRow:
    """A triple set; `maker` is "import" or an extractor's name; `revision` the last one that
    changed it. One that is in a cluster has its triples, and the passages, in the index
    `index_name` there.
    """

    id: int
    collection_id: int
    name: str
    maker: str
    revision: int
    index_name: str = ""
    triples_there: int = 0


@dataclass(frozen=True, kw_only=True)
class TripleSetInfo(SetRow):
    """A triple set as the screen shows it. `ready` says in words what is there and what is still
    being made.

    `parts_dropped` of a language model's replies about `passages_short` passages could not be used.
    `models` are the models that were asked, as JSON (llm.server.Spec), the newest last.
    """

    triples: int
    passages_done: int
    passages_without: int
    passages_failed: int
    active: bool
    ready: str
    passages_short: int = 0
    parts_dropped: int = 0
    models: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CollectionInfo(CollectionRow):
    """A collection as the screen shows it."""

    documents: int
    passages: int
    questions: int
    triple_sets: list[TripleSetInfo]
    unfinished_imports: list[JobInfo] = field(default_factory=list)

    @property
    def active(self) -> TripleSetInfo | None:
        """The triple set that runs use; None where none is in use."""
        return next((triple_set for triple_set in self.triple_sets if triple_set.active), None)


@dataclass(frozen=True, slots=True)
class Spent:
    """Spending on language models: replies (those `kept` from before included, which cost nothing),
    those that could not be used whole, tokens of all of them, and dollars (None: some price is not
    known). `taken` are the tokens of those that were not kept: what a budget counts.
    """

    calls: int = 0
    kept: int = 0
    unusable: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    taken: int = 0

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The common fields of runs and jobs. `model` is the language model's `Spec` as JSON, "" where
    none is asked; `budget` the tokens it may take. `process` took it at `started`, in seconds since
    1970.
    """

    kind: str
    collection: str
    number: int = 0
    collection_id: int | None = None
    set_id: int | None = None
    triple_set: str | None = None
    owner: str = ""
    process: str = ""
    state: State = "queued"
    message: str = ""
    created: str = ""
    started: float | None = None
    finished: str | None = None
    model: str = ""
    key_from: str = ""
    budget: int | None = None
    spent: Spent = Spent()

    @property
    def going(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("queued", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo(Task):
    """A run without its events. `stale`: passages or triples changed since. `queue_position` counts
    from 1; a queued run without one waits for a place (store.tasks).

    `options` are those of `runs.request.Options`, `answers` the answers known when it was created.
    `ms` is without `loading_ms`, which models, arrays and vectors took that were not in memory yet.
    `pinned`: its collection opens with it. `recorded`: it was imported from a file and cannot be
    repeated.
    """

    kind: str = "run"
    id: str = ""
    question: str
    method: str
    config: Mapping[str, Any]
    reader: str
    k: int
    options: Mapping[str, Any] = field(default_factory=dict)
    revision: int = 0
    gold: tuple[str, ...] = ()
    gold_marked: str | None = None
    answers: tuple[str, ...] = ()
    draft_of: int | None = None  # the number of the run that it is a rerun of, with a change
    versions: Mapping[str, str] = field(default_factory=dict)
    corpus_hash: str = ""
    iterations: int = 0
    ms: float | None = None
    loading_ms: float | None = None
    stale: bool = False
    queue_position: int | None = None
    pinned: bool = False
    recorded: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether it can be repeated: its collection is here, and complete."""
        return self.collection_id is not None and not self.recorded

    @property
    def request(self) -> dict[str, Any]:
        """The JSON that is stored of its request."""
        return {
            name: getattr(self, name) for name in ("method", "config", "reader", "k", "options")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JobInfo(Task):
    """A background job. `rate` is items a second of work. `request` is what its kind needs."""

    id: int = 0
    request: Mapping[str, Any] = field(default_factory=dict)
    extractor: str = ""
    done: int = 0
    total: int = 0
    failed: int = 0
    rate: float = 0.0
    report: str = "[]"  # the result of each file of an import, as JSON
    undone: bool = False

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take; None while unknown, or where it has ended."""
        left = self.total - self.done - self.failed
        return left / self.rate if self.going and self.rate > 0 else None


class Progress(NamedTuple):
    """Progress of a job."""

    done: int
    total: int
    message: str
    failed: int = 0


def from_row(type_: Callable[..., T], row: Mapping[str, Any], **others: object) -> T:
    """A dataclass from a row: a field has its column's value, or that of `others`."""
    values = {**row, **others}
    names = (item.name for item in fields(type_))  # type: ignore[arg-type]
    return type_(**{name: values[name] for name in names if name in values})


def from_task(type_: Callable[..., T], row: Mapping[str, Any], **others: object) -> T:
    """A run or a job from its row of tasks; what the request has is a field of its own."""
    return from_row(
        type_,
        {**row["request"], **row},
        id=row["id"] or row["number"],
        spent=from_row(Spent, row),
        gold=Gold(row["gold"]),
        answers=tuple(row["answers"]),
        **others,
    )


def text_hash(text: str) -> bytes:
    """The identity of a text: 16 bytes of blake2b of its UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def asked_at(created: str) -> float:
    """When something that was stored then was asked for, at the latest, in seconds since 1970."""
    return min(datetime.fromisoformat(created).timestamp() + 1, time.time())


def now() -> str:
    """The time in UTC to the second, as text that sorts."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def cancel(db: Database, condition: str, *values: object) -> None:
    """Cancel the tasks for which a condition holds: those that wait at once, those that run at
    their next event or slice.
    """
    db.execute(
        "UPDATE tasks SET cancel = 1, state = iif(state = 'queued', 'cancelled', state), finished ="
        " iif(state = 'queued', ?, finished), message = CASE WHEN state <> 'queued' THEN message"
        " WHEN id IS NULL THEN 'Cancelled. What was done is kept.' ELSE 'Cancelled before it"
        f" began.' END WHERE state IN ('queued', 'running') AND {condition}",
        [now(), *values],
    )
