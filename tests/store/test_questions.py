"""Questions and their gold."""

from __future__ import annotations

from dataclasses import replace

from gear_app.core.types import Hop, Question
from gear_app.store import Store


def test_questions_round_trip_and_are_found_by_their_words(store: Store) -> None:
    row = store.collections.create("a")
    question = Question(
        "q1", "Who, then?", ("A", "Å"), ("k2", "k1"), "bridge", 2, (Hop("Who?", "A", "k2"),)
    )
    store.questions.save(row.id, [question, Question("q2", "Why?")])
    assert store.questions.of(row.id) == [question, Question("q2", "Why?")]
    assert store.questions.find(row.id, "who THEN") == question
    assert store.questions.find(row.id, "who else") is None
    store.questions.set_gold(row.id, "q1", {"k3": 2})
    changed = store.questions.with_key(row.id, "q1")
    assert changed is not None and changed.grades == {"k3": 2}
    store.questions.save(row.id, [changed])
    assert store.questions.of(row.id)[0] == changed


def test_what_a_cluster_has_is_taken_and_what_was_edited_here_stays(store: Store) -> None:
    row = store.collections.create("a")
    first, second, third = (Question(id_, f"{id_}?", (), ("k",)) for id_ in ("q1", "q2", "q3"))
    assert store.questions.taken(row.id) == ""
    store.questions.take(row.id, "one", [first, second, third])
    assert store.questions.of(row.id) == [first, second, third]
    store.questions.set_gold(row.id, "q1", {"mine": 1})
    store.questions.delete(row.id, "q2")
    own = Question("own", "Mine?", ("yes",))
    store.questions.save(row.id, [own])
    changed = [replace(one, answers=("new",)) for one in (first, second, third, own)]
    for _ in range(2):
        store.questions.take(row.id, "two", [*changed, Question("q4", "New?")])
        assert store.questions.taken(row.id) == "two"
        assert store.questions.of(row.id) == [
            replace(first, supporting_keys=("mine",)),
            changed[2],
            own,
            Question("q4", "New?"),
        ]
    store.questions.take(row.id, "three", [third])
    assert [one.id for one in store.questions.of(row.id)] == ["q1", "q3", "own", "q4"]


def test_questions_that_were_saved_before_anything_was_noted_are_not_overwritten(
    store: Store,
) -> None:
    row = store.collections.create("a")
    came, edited = Question("q1", "One?", (), ("k",)), Question("q2", "Two?", (), ("mine",))
    store.questions.save(row.id, [came, edited])
    store.questions.take(row.id, "one", [came, replace(edited, supporting_keys=("k",))])
    assert store.questions.of(row.id) == [came, edited]
    store.questions.take(row.id, "two", [replace(came, answers=("A",)), edited])
    assert store.questions.of(row.id) == [replace(came, answers=("A",)), edited]
