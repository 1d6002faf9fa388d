"""Questions of one's own and their gold passages."""

from __future__ import annotations

import pytest

from gear_app.errors import Unknown
from gear_app.workspace import RunRequest, Workspace
from tests.small import QUESTION


def test_a_question_of_ones_own_is_kept_once_and_its_gold_is_known_to_later_runs(
    films: Workspace,
) -> None:
    own = films.collections.add_question("films", "Who built  the bridge of Port Mira?")
    assert films.collections.add_question("films", "who built the bridge of port mira") == own
    films.collections.set_gold("films", "Who built the bridge of Port Mira?", ["mira"])
    run = films.runs.get(
        films.runs.enqueue(RunRequest("Who built the bridge of Port Mira", "films", "gear"))
    )
    assert run.gold == ("mira",)
    with pytest.raises(Unknown, match="nowhere"):
        films.collections.set_gold("films", "Who?", ["nowhere"])


def test_gold_marked_after_a_run_becomes_its_snapshot_with_a_time(films: Workspace) -> None:
    answer = films.ask("Who studied law?", "films", "bm25")
    assert films.runs.get(answer.run).gold == () and films.runs.get(answer.run).gold_marked is None
    films.runs.mark_gold(answer.run, ["quill"], "me")
    assert (
        films.runs.get(answer.run).gold == ("quill",)
        and films.runs.get(answer.run).gold_marked is not None
    )


def test_later_gold_does_not_change_the_snapshot_of_an_earlier_run(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "bm25")
    films.collections.set_gold("films", QUESTION, ["mira"])
    assert films.runs.get(answer.run).gold == ("harbour", "quill")
