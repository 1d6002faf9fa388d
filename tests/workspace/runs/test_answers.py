"""Answers are written after the ranking, from what the method found; bounds never touch it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gear_app.core.errors import Cancelled
from gear_app.trace.events import Answered, Event, EvidenceFound, Ranked
from gear_app.workspace.runs.request import Options
from gear_app.workspace.workspace import Workspace
from tests.acting import LOCAL
from tests.small import QUESTION
from tests.workspaces import workspace

ANSWER = Options(answer=True)


def answered(events: Sequence[Event]) -> dict[str, Answered]:
    return {event.source: event for event in events if isinstance(event, Answered)}


def keys(event: Answered) -> list[str]:
    return [line.key for line in event.passages]


def test_an_answer_is_from_the_first_five_and_its_bounds_from_the_gold_passages_and_from_none(
    films: Workspace,
) -> None:
    found = films.ask(QUESTION, "films", "gear", options=ANSWER)
    said = answered(found.events)
    assert list(said) == ["retrieved", "gold", "nothing"]
    assert [event.answer for event in said.values()] == ["Port Mira", "Port Mira", ""]
    assert keys(said["retrieved"]) == [line.key for line in found.ranking[:5]]
    assert keys(said["gold"]) == ["harbour", "quill"] and keys(said["nothing"]) == []
    assert said["gold"].passages[1].score == next(
        line.score for line in found.ranking if line.key == "quill"
    )
    assert found.known == films.runs.get(found.run).answers == ("Port Mira",)
    assert films.runs.get(found.run).state == "done" and all(
        event.iteration == 0 for event in said.values()
    )


@pytest.mark.parametrize("method", LOCAL)
def test_neither_an_answer_nor_its_gold_reaches_a_method(films: Workspace, method: str) -> None:
    """Up to the ranking a run with other gold, and one without answers, is the same event by
    event.
    """
    plain = films.ask(QUESTION, "films", method)
    films.collections.set_gold("films", QUESTION, ["lorn", "festival"])
    found = films.ask(QUESTION, "films", method, options=ANSWER)
    ranked = next(n for n, event in enumerate(found.events) if isinstance(event, Ranked))
    assert found.events[: ranked + 2] == plain.events
    assert {type(event) for event in found.events[ranked + 1 :]} == {EvidenceFound, Answered}
    assert keys(answered(found.events)["gold"]) == ["lorn", "festival"]
    assert films.reruns.replay(found.run).difference == ""


def test_a_cancelled_run_keeps_its_ranking(films: Workspace) -> None:
    def cancel_at_the_ranking(event: Event) -> None:
        if isinstance(event, Ranked):
            films.runs.cancel(films.runs.recent()[0].id)

    with pytest.raises(Cancelled):
        films.ask(QUESTION, "films", "gear", options=ANSWER, emit=cancel_at_the_ranking)
    run = films.runs.recent()[0]
    assert run.state == "cancelled" and films.runs.answer(run.id).ranking


# Which passages gold names


def test_gold_names_passages_of_the_runs_revision_and_the_parts_of_a_cut_document(
    tmp_path: Path,
) -> None:
    long = " ".join(f"Sentence {n} of many words in a row, and of some more." for n in range(300))
    rows = [
        {"id": "d", "title": "Long", "text": long},
        {"id": "d1", "title": "Short", "text": "One passage."},
    ]
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    made = workspace(tmp_path)
    made.import_path(tmp_path / "corpus.jsonl", "notes")
    collection = made.store.collections.get("notes")
    parts = [
        f"d#{n}" for n in range(1, 200) if made.store.passages.by_key(collection.id, [f"d#{n}"])
    ]

    def named(*gold: str, revision: int = collection.revision) -> list[str]:
        return [p.key for p in made.store.passages.named(collection.id, revision, gold)]

    assert len(parts) > 10  # so that "d#10" would come before "d#2" by name
    assert named("d1", "d", "d1") == ["d1", *parts]
    assert named(parts[1], "nowhere", "D") == [parts[1]]
    assert named("d1", revision=collection.revision - 1) == []
    (document,) = made.store.documents.of(collection.id)
    made.collections.delete_document("notes", document.id)
    assert named("d") == parts  # as the run saw it
