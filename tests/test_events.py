"""Every kind of event survives being stored."""

from __future__ import annotations

import json
import typing

import pytest

from gear_app.events import KINDS, Event, Failed, Retrieved, during, from_row, to_row
from tests.samples import sample


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_round_trip_of_every_kind(kind: type[Event], absent: bool) -> None:
    event = sample(kind, absent=absent)
    assert from_row(json.loads(json.dumps(to_row(event)))) == event


def test_a_field_of_a_later_version_is_ignored() -> None:
    row = to_row(Failed("read", "no reply")) | {"colour": "blue"}
    assert from_row(row) == Failed("read", "no reply")


def test_iteration_is_stamped_on_the_way() -> None:
    seen: list[Event] = []
    during(seen.append, 3)(Retrieved("q", "bm25", ()))
    assert [event.iteration for event in seen] == [3]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_says_what_happened(kind: type[Event]) -> None:
    assert kind.__doc__
    assert typing.get_type_hints(kind)["iteration"] is int
