"""Answers are written after the ranking, from what the method found; bounds never touch it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gear_app.core.errors import Cancelled
from gear_app.trace.events import Answered, Event, EvidenceFound, Ranked
from gear_app.workspace.runs.request import Options
from gear_app.workspace.workspace import Workspace
from tests.acting import LOCAL
from tests.small import QUESTION

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
    assert found.answers == films.runs.get(found.run).answers == ("Port Mira",)
    assert films.runs.get(found.run).state == "done" and all(
        event.iteration == 0 for event in said.values()
    )


@pytest.mark.parametrize("method", LOCAL)
def test_neither_an_answer_nor_its_gold_reaches_a_method(films: Workspace, method: str) -> None:
    """Up to the ranking a run with other gold, and one without answers, is the same event by
    event.
    """
    plain = films.ask(QUESTION, "films", method)
    films.collections["films"].set_gold(QUESTION, ["lorn", "festival"])
    found = films.ask(QUESTION, "films", method, options=ANSWER)
    ranked = next(n for n, event in enumerate(found.events) if isinstance(event, Ranked))
    assert found.events[: ranked + 2] == plain.events
    assert {type(event) for event in found.events[ranked + 1 :]} == {EvidenceFound, Answered}
    assert keys(answered(found.events)["gold"]) == ["lorn", "festival"]
    assert films.reruns.replay(found.run) == ""


def test_a_cancelled_run_keeps_its_ranking(films: Workspace) -> None:
    def cancel_at_the_ranking(event: Event) -> None:
        if isinstance(event, Ranked):
            films.runs.cancel(films.runs.recent()[0].id)

    with pytest.raises(Cancelled):
        films.ask(QUESTION, "films", "gear", options=ANSWER, emit=cancel_at_the_ranking)
    run = films.runs.recent()[0]
    assert run.state == "cancelled" and films.runs.answer(run.id).ranking
