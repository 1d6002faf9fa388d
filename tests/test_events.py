"""Every kind of event survives being stored."""

from __future__ import annotations

import inspect
import json
import pkgutil
import typing
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app import events
from gear_app.events import (
    KINDS,
    VERBS,
    Event,
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    Failed,
    Ranked,
    RankedPassage,
    Retrieved,
    Stopped,
    Verb,
    during,
    from_row,
    to_row,
)
from gear_app.types import Span
from tests.samples import sample

STORED = [  # written before rows were made by a library
    line
    for file in sorted((Path(__file__).parent / "golden").glob("*.jsonl"))
    for line in file.read_text(encoding="utf-8").splitlines()
    if line.startswith('{"kind": ')  # other things are golden, too
]


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_round_trip_of_every_kind(kind: type[Event], absent: bool) -> None:
    event = sample(kind, absent=absent)
    assert from_row(json.loads(json.dumps(to_row(event)))) == event


def test_rows_stored_before_are_read_and_written_again_to_the_byte() -> None:
    assert len(STORED) >= 135
    for line in STORED:
        assert json.dumps(to_row(from_row(json.loads(line))), ensure_ascii=False) == line


def test_a_whole_number_in_the_place_of_a_fraction_is_stored_as_it_is() -> None:
    passage = RankedPassage(1, "k", "t", 0)
    assert json.dumps(to_row(Ranked((passage,)))["ranking"][0]["score"]) == "0"


def test_what_joins_two_passages_is_read_where_it_was_stored_as_the_only_link() -> None:
    near = Span(0, 1)
    pair = EvidencePassage(7, "a", "A", 1, "Orla", near), EvidencePassage(5, "b", "B", 3, "x", near)
    now = EvidenceFound(pair, (EvidenceLink((7, 5), "Orla", 2, 0.5),), 9, iteration=0)
    before = to_row(EvidenceFound(pair, (), 9, iteration=0))
    del before["links"]
    assert from_row(before | {"mention": "Orla", "holders": 2, "share": 0.5}) == now
    assert from_row(before | {"mention": "", "holders": 0, "share": 0.0}) == replace(now, links=())


def test_a_field_of_a_later_version_is_ignored() -> None:
    row = to_row(Failed("read", "no reply")) | {"colour": "blue"}
    assert from_row(row) == Failed("read", "no reply")


def test_a_field_that_came_later_takes_its_default() -> None:
    row = to_row(Failed("read", "no reply", "{", dropped=2))
    del row["dropped"], row["replied"]
    assert from_row(row) == Failed("read", "no reply", "{", dropped=0, replied=True)


@pytest.mark.parametrize(
    "event",
    [
        Stopped("bored"),
        Failed("read", None),
        Ranked([RankedPassage(1, "k", "t", 0.5)]),
    ],
    ids=["no such choice", "no text", "a list"],
)
def test_what_could_not_be_read_again_is_not_written(event: Event) -> None:
    with pytest.raises(ValueError):
        to_row(event)


def test_iteration_is_stamped_on_the_way() -> None:
    seen: list[Event] = []
    during(seen.append, 3)(Retrieved("q", "bm25", ()))
    assert [event.iteration for event in seen] == [3]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_says_what_happened(kind: type[Event]) -> None:
    assert kind.__doc__
    assert typing.get_type_hints(kind)["iteration"] is int
    assert sample(kind, absent=False).summary


def test_no_kind_and_no_step_is_left_out() -> None:
    """Whatever module of the folder it stands in, and whether or not it is in `__all__`."""
    folder = Path(events.__file__).parent
    modules = [
        __import__(f"gear_app.events.{found.name}", fromlist=["*"])
        for found in pkgutil.iter_modules([str(folder)])
    ]
    values = [value for module in modules for value in vars(module).values()]
    kinds = {
        value
        for value in values
        if inspect.isclass(value) and issubclass(value, Event) and value is not Event
    }
    assert kinds == set(KINDS.values())
    verbs = [value for value in values if isinstance(value, Verb)]
    assert sorted(verb.name for verb in verbs) == sorted(VERBS)
    assert {kind.VERB.name for kind in KINDS.values() if kind.VERB} == set(VERBS)
