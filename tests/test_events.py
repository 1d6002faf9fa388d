"""Every kind of event survives being stored, and a walk finds every id in it."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import types
import typing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_app.trace import events
from gear_app.trace.events import KINDS, VERBS, Event, Fused, from_row, to_row
from gear_app.trace.events.values import ids_of, renumbered
from tests.samples import sample

STORED = [
    line
    for file in sorted((Path(__file__).parent / "golden").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
    if line.startswith('{"kind": ')  # other things are golden, too
]
COUNTS = {  # whole numbers that are no ids
    "iteration", "rank", "position", "starts", "size", "passages", "input_tokens", "output_tokens",
    "attempts", "before", "after", "revision", "dropped", "parent", "round", "rounds", "limit",
    "triples", "shortlisted", "source", "target", "facts", "terms", "steps",
    "tier", "below", "shown", "considered", "holders", "layer", "layers",
    "more", "total", "community", "number",
}  # fmt: skip
KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
FEW = settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))


def drawn(kind: typing.Any) -> st.SearchStrategy[typing.Any]:
    """Values of a type, with at most two items in a tuple."""
    kinds = typing.get_args(kind)
    if typing.get_origin(kind) is tuple and kinds[-1] is ...:
        return st.lists(drawn(kinds[0]), max_size=2).map(tuple)
    if typing.get_origin(kind) is tuple:
        return st.tuples(*map(drawn, kinds))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return st.one_of(*map(drawn, kinds))
    if hasattr(kind, "_fields") or dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        names = (
            hints if hasattr(kind, "_fields") else (one.name for one in dataclasses.fields(kind))
        )
        return st.builds(kind, **{name: drawn(hints[name]) for name in names})
    return NUMBERS[kind] if kind in NUMBERS else st.from_type(kind)


NUMBERS = {int: st.integers(-(10**9), 10**9), float: st.floats(-1e9, 1e9)}


@KIND
@FEW
@given(data=st.data())
def test_an_event_is_stored_and_read_back(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(drawn(kind))
    assert from_row(json.loads(json.dumps(to_row(event)))) == event


@KIND
@FEW
@given(data=st.data())
def test_ids_are_replaced_and_back(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(drawn(kind))
    ids = ids_of(event)
    there = {id_: place for place, id_ in enumerate(sorted(ids), start=10**10)}
    moved = renumbered(event, there)
    assert ids_of(moved) == set(there.values())
    assert renumbered(moved, {new: old for old, new in there.items()}) == event
    assert ids or moved is event


@KIND
def test_every_whole_number_in_an_event_is_an_id_by_its_type_or_a_count(kind: type[Event]) -> None:
    """A kind with another id would be imported with the ids of another workspace."""
    bare = set()
    for part in _parts(kind):
        hints = typing.get_type_hints(part, include_extras=True)
        bare |= {field.name for field in dataclasses.fields(part) if _has_int(hints[field.name])}
    assert bare <= COUNTS


def _parts(kind: type) -> set[typing.Any]:
    """A class and those of the values of its fields."""
    parts, hints = {kind}, list(typing.get_type_hints(kind).values())
    while hints:
        hint = hints.pop()
        hints += typing.get_args(hint)
        if dataclasses.is_dataclass(hint) and hint not in parts:
            parts.add(hint)
            hints += typing.get_type_hints(hint).values()
    return parts


def _has_int(hint: object) -> bool:
    if typing.get_origin(hint) in (None, typing.Annotated):
        return hint is int
    return any(map(_has_int, typing.get_args(hint)))


def test_stored_rows_are_read_and_written_again_to_the_byte() -> None:
    assert len(STORED) >= 135
    for line in STORED:
        assert json.dumps(to_row(from_row(json.loads(line))), ensure_ascii=False) == line


def test_every_kind_and_every_step_is_known() -> None:
    for module in pkgutil.iter_modules(events.__path__, "gear_app.trace.events."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, type) and issubclass(value, Event) and value is not Event:
                assert KINDS[name] is value and value.__doc__
    samples = [sample(kind, absent=False) for kind in KINDS.values()]
    assert all(event.summary and bool(event.explanation) == bool(event.verb) for event in samples)
    assert {event.verb for event in samples} - {""} | {"read"} == set(VERBS)


def test_a_fusion_by_other_arithmetic_is_not_told_as_reciprocal_rank() -> None:
    event = Fused("final", ("a", "b"), (), "rrf")
    assert "reciprocal rank" in event.explanation
    other = dataclasses.replace(event, fusion="sum")
    assert other.explanation == "Several lists of passages become one."
    assert "by sum" in other.summary and "reciprocal" not in other.summary
