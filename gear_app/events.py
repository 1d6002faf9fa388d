"""Everything that happens in a run, as frozen values. The list of events is the run; a screen draws nothing else.

A sink is any callable: `events.append` records. `to_row` and `from_row` are each other's inverse for every kind.
Events carry the words they show, so that nobody looks anything up or computes a score again. Time is the
recorder's business, not an event's.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.types import ProximalTriple, Span, Substitution

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ShownTriple:
    """A stored triple with the words to draw it: its passage by id, key and title, and its source sentence."""

    id: int
    subject: str
    predicate: str
    object: str
    passage_id: int
    passage_key: str
    passage_title: str
    sentence: str = ""
    span: Span | None = None
    closest: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One term of a fused score: 1 / (constant + rank) of the list `source`; `score` is that list's own score."""

    source: str
    rank: int
    value: float
    score: float | None = None


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One line of a ranking of passages. `parts` add up to `score` where it was fused."""

    id: int
    key: str
    title: str
    score: float
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A proximal triple and the stored triple it was linked to; None where nothing was near (GEAR Eq. 2).

    `identity` says that it was a stored triple already. `parts` are the terms of the fused score otherwise.
    """

    proximal: ProximalTriple
    triple: ShownTriple | None
    identity: bool = False
    score: float | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One extension of a beam and its arithmetic, in Algorithm 1's order.

    total = previous + cosine; score = total * weight, weight = e^(-min(position, gamma) / gamma), position from 0
    among its beam's extensions. `parent` is the position of the extended beam in the previous step's `kept`, None
    in step 1. `encoded` False: the cosine is the screen's estimate (mean of stored vectors) and the candidate was
    dropped for it. `carried` True: a beam that had no neighbours and went on unchanged.
    """

    parent: int | None
    path: tuple[int, ...]
    triple: ShownTriple
    previous: float
    cosine: float
    total: float
    position: int
    weight: float
    score: float
    kept: bool
    encoded: bool = True
    carried: bool = False


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of the beam search: the beams that go on, in order; the best pruned; the rest as (id, score)."""

    kept: tuple[Candidate, ...]
    pruned: tuple[Candidate, ...]
    others: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What all events have: the iteration (the paper's n, from 1; 0 before the first or after the last)."""

    iteration: int = dataclasses.field(default=1, kw_only=True)


@dataclass(frozen=True, slots=True)
class Started(Event):
    """A run began: the question, the method's name and settings, the reader's name."""

    question: str
    method: str
    settings: tuple[tuple[str, str], ...] = ()
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved(Event):
    """Base retrieval C'q(n) = h(q(n), C, k): the passages found for `query` by `base`."""

    query: str
    base: str
    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Read(Event):
    """A reader gave proximal triples: for the search ("sync", Eq. 1) or for the gist memory ("gist", Eq. 4)."""

    purpose: Literal["sync", "gist"]
    query: str
    triples: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...] = ()


@dataclass(frozen=True, slots=True)
class Linked(Event):
    """Proximal triples were linked to stored ones (tripleLink, Eq. 2)."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Expanded(Event):
    """The diverse triple beam search (Alg. 1), step by step, and its flattened list of passages."""

    query: str
    starts: int
    steps: tuple[BeamStep, ...]
    passages: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Fused(Event):
    """Lists were fused by RRF: Cq(n) of one iteration ("iteration", Eq. 3) or "final", Eq. 9 as of now."""

    purpose: Literal["iteration", "final"]
    lists: tuple[str, ...]
    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Remembered(Event):
    """The gist memory grew (Eq. 5): what was added, what was an exact repeat, and how large it is now."""

    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Reasoned(Event):
    """The verdict on the gist memory (Eq. 6)."""

    answerable: bool
    reason: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Rewrote(Event):
    """The next query (Eq. 7), and what a local reader substituted for what."""

    query: str
    substitutions: tuple[Substitution, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked(Event):
    """The final ranking, at least 200 deep where the method yields that many."""

    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Stopped(Event):
    """Why the run ended: one of the words below, and a sentence for the screen."""

    why: Literal["answerable", "iteration limit", "query repeated", "nothing to rewrite", "budget", "reply unusable"]
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """A step gave up: which, why, and the raw reply where there was one."""

    step: str
    message: str
    reply: str = ""


Emit = Callable[[Event], None]

KINDS: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Started, Retrieved, Read, Linked, Expanded, Fused, Remembered, Reasoned, Rewrote, Ranked, Stopped, Failed,
    )
}  # fmt: skip


def ignore(event: Event) -> None:
    """The sink that keeps nothing."""


def during(emit: Emit, iteration: int) -> Emit:
    """A sink that stamps the iteration on every event before it passes it on."""
    return lambda event: emit(dataclasses.replace(event, iteration=iteration))


def to_row(event: Event) -> dict[str, Any]:
    """The event as a JSON-ready dict: its kind, then its fields."""
    return {"kind": type(event).__name__, **_plain(event)}


def from_row(row: Mapping[str, Any]) -> Event:
    """The event a row was made from. Unknown fields are ignored; absent ones take their default."""
    fields = {name: value for name, value in row.items() if name != "kind"}
    event = _built(KINDS[row["kind"]], fields)
    assert isinstance(event, Event)
    return event


def _plain(value: Any) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


_HINTS: dict[type, dict[str, Any]] = {}


def _built(kind: Any, value: Any) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(kind):
        if kind not in _HINTS:
            _HINTS[typing.cast("type", kind)] = typing.get_type_hints(kind)
        hints = _HINTS[typing.cast("type", kind)]
        return typing.cast("Any", kind)(
            **{name: _built(hints[name], item) for name, item in value.items() if name in hints}
        )
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return (
            None if value is None else _built(next(a for a in typing.get_args(kind) if a is not types.NoneType), value)
        )
    if kind is Span:
        return Span(*value)
    if typing.get_origin(kind) is tuple:
        arguments = typing.get_args(kind)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_built(arguments[0], item) for item in value)
        return tuple(_built(argument, item) for argument, item in zip(arguments, value, strict=True))
    return value
