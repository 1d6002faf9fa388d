"""What the store hands out, as values, and the two small conventions all its tables share: time and text hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

RunState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]


class CollectionRow(NamedTuple):
    """A collection; `passages_revision` is the last revision that changed its passages."""

    id: int
    name: str
    revision: int
    passages_revision: int
    active_set_id: int | None
    max_iterations: int | None
    created: str


class SetRow(NamedTuple):
    """A triple set; `maker` is "import" or an extractor's name; `revision` the last one that changed it."""

    id: int
    collection_id: int
    name: str
    maker: str
    revision: int
    created: str


@dataclass(frozen=True, slots=True)
class TripleSetInfo:
    """A triple set as the screen shows it. `ready` says in words what is there and what is still being made."""

    name: str
    triples: int
    passages_done: int
    passages_without: int
    passages_failed: int
    active: bool
    maker: str
    ready: str


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection as the screen shows it."""

    name: str
    documents: int
    passages: int
    questions: int
    triple_sets: list[TripleSetInfo]
    revision: int
    max_iterations: int | None
    created: str = ""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run without its events. `stale`: passages or triples changed since. `queue_position` counts from 1."""

    id: str
    question: str
    method: str
    config: Mapping[str, Any]
    reader: str
    k: int
    collection: str
    revision: int
    triple_set: str | None
    gold: tuple[str, ...]
    state: RunState
    created: str
    started_ms: float | None
    ms: float | None
    message: str
    versions: Mapping[str, str]
    corpus_hash: str
    owner: str
    iterations: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    gold_marked: str | None = None
    stale: bool = False
    queue_position: int | None = None
    number: int = 0
    collection_id: int | None = None
    set_id: int | None = None


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A background job. `rate` is items a second of work; `seconds_left` is None while unknown."""

    id: int
    kind: str
    collection: str
    triple_set: str | None
    extractor: str
    state: JobState
    done: int
    total: int
    failed: int
    rate: float
    seconds_left: float | None
    message: str
    created: str
    collection_id: int = 0
    set_id: int | None = None


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a run is made of before it begins."""

    question: str
    method: str
    config: Mapping[str, Any]
    reader: str
    k: int
    collection: CollectionRow
    triple_set: SetRow | None
    gold: tuple[str, ...] = ()
    owner: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


def text_hash(text: str) -> bytes:
    """The identity of a text: 16 bytes of blake2b of its UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def now() -> str:
    """The time in UTC to the second, as text that sorts."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
