"""Questions and their gold."""

from __future__ import annotations

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
    changed = store.questions.with_ids(row.id, ["q1", "none"])["q1"]
    assert changed is not None and changed.grades == {"k3": 2}
    store.questions.save(row.id, [changed])
    assert store.questions.of(row.id)[0] == changed
