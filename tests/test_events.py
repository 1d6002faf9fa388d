"""Every kind of event survives being stored."""

from __future__ import annotations

import inspect
import json
import pkgutil
import typing
from pathlib import Path

import pytest

from gear_app import events
from gear_app.events import (
    KINDS,
    VERBS,
    Event,
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
from tests.samples import sample

STORED = [
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


def test_stored_rows_are_read_and_written_again_to_the_byte() -> None:
    assert len(STORED) >= 135
    for line in STORED:
        assert json.dumps(to_row(from_row(json.loads(line))), ensure_ascii=False) == line


def test_a_whole_number_in_the_place_of_a_fraction_is_stored_as_it_is() -> None:
    passage = RankedPassage(1, "k", "t", 0)
    assert json.dumps(to_row(Ranked((passage,)))["ranking"][0]["score"]) == "0"


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
