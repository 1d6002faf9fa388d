"""What people say now, undoing, and putting histories together."""

from __future__ import annotations

from dataclasses import replace

from gear_app.annotate.history import Judged, changes, current, merged, undone
from gear_app.annotate.record import EMPTY, NOTHING, Label, Record
from tests.annotate.make import case, record

WHO = case()


def chain(*labels: Label) -> list[Record]:
    """Records of one person of one case, each superseding the one before."""
    found: list[Record] = []
    for second, label in enumerate(labels):
        before = found[-1].id if found else ""
        at = f"2026-01-01T00:00:{second:02}Z"
        found.append(Record(WHO, "ann", at, label, supersedes=before))
    return found


def undo(history: list[Record]) -> list[Record]:
    back = undone(history)
    assert back is not None
    label, supersedes, restores = back
    return [
        *history,
        Record(WHO, "ann", "2026-01-02T00:00:00Z", label, False, supersedes, restores),
    ]


def now(history: list[Record]) -> Label:
    (head,) = current(history).values()
    return head.label


def test_the_newest_record_of_everybody_counts() -> None:
    one, two = chain(Label(note="a"), Label(note="b"))
    other = record("Who?", "ben", "graph")
    heads = current([two, other, one])
    assert heads[Judged(WHO.id, "ann")] == two
    assert heads[Judged(WHO.id, "ben")] == other


def test_of_two_that_went_on_from_the_same_record_the_later_counts() -> None:
    (one,) = chain(Label(note="a"))
    here = Record(WHO, "ann", "2026-01-03T00:00:00Z", Label(note="here"), supersedes=one.id)
    there = Record(WHO, "ann", "2026-01-02T00:00:00Z", Label(note="there"), supersedes=one.id)
    assert now([one, here, there]) == now([one, there, here]) == Label(note="here")


def test_undo_goes_back_one_record_at_a_time_to_the_empty_form_and_no_further() -> None:
    labels = [Label(note="a"), Label(note="b"), Label(note="c")]
    history = chain(*labels)
    for expected in (labels[1], labels[0], EMPTY):
        history = undo(history)
        assert now(history) == expected
    assert history[-1].restores == NOTHING
    assert undone(history) is None and undone([]) is None
    assert len(history) == 6  # nothing was taken away


def test_what_is_said_after_an_undo_is_undone_to_what_was_shown_before() -> None:
    history = undo(chain(Label(note="a"), Label(note="b")))
    last = Record(WHO, "ann", "2026-01-03T00:00:00Z", Label(note="c"), supersedes=history[-1].id)
    history = undo([*history, last])
    assert now(history) == Label(note="a")
    assert now(undo(history)) == EMPTY


def test_merging_twice_adds_nothing_and_keeps_one_of_equals() -> None:
    there = chain(Label(note="a"))
    new = [record("Who?", "ben"), record("Who?", "ben"), there[0]]
    assert merged(there, new) == new[:1]
    assert merged([*there, *new[:1]], new) == []
    assert merged(there, [replace(new[0], at="2026-01-09T00:00:00Z"), new[0]])[1] == new[0]


def test_the_history_tells_which_field_changed_and_that_something_was_undone() -> None:
    history = undo(chain(Label(note="a"), Label(note="a", verdict="fail")))
    assert [told[1:] for told in changes(history)] == [
        ("note", "a"),
        ("verdict", "fail"),
        ("undo", ""),
    ]
