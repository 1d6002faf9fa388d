"""What is offered where a run found no answer."""

from __future__ import annotations

from typing import Literal

import pytest

from gear_app.app.explore.found import nearest_facts, other_methods
from gear_app.core.types import ProximalTriple
from gear_app.trace.events import Read, Reasoned, Thought
from gear_app.trace.evidence import unanswered
from tests import factories, rivals


@pytest.mark.parametrize(
    ("method", "others"),
    [
        ("gear", ["chain", "gear:chain"]),
        ("ircot:hipporag", ["chain", "ircot:chain"]),
        ("hipporag", ["chain"]),
        ("gear:chain", ["chain", "bdtr:chain"]),
        ("bdtr:chain", ["chain", "gear:chain"]),
        ("ircot:chain", ["chain", "bdtr:chain"]),
        ("chain", []),
    ],
)
def test_another_method_follows_links(method: str, others: list[str]) -> None:
    assert other_methods(method) == others


def test_the_nearest_facts_are_stored_ones_of_the_last_reading_that_left_any() -> None:
    def fact(id_: int | None) -> ProximalTriple:
        return ProximalTriple("Ada", "painted", f"picture {id_}", id_, 0.1)

    def reading(purpose: Literal["sync", "gist"], *ids: int | None) -> Read:
        return Read(purpose, "Who painted it?", (), tuple(map(fact, ids)))

    events = [reading("gist", 1), reading("gist", 2, None, 3, 4, 5), reading("gist")]
    assert nearest_facts([*events, reading("sync", 9)]) == [fact(2), fact(3), fact(4)]
    assert nearest_facts([reading("sync", 9)]) == nearest_facts([]) == []
    named = ProximalTriple("Harbour", "mentions", "Ada", 7, 0.1)
    assert nearest_facts([Read("gist", "Who painted it?", (), (named, fact(2)))]) == [fact(2)]


def test_only_a_run_whose_last_word_is_no_answer_has_none() -> None:
    assert not unanswered(factories.hybrid_run())  # nobody was asked
    assert not unanswered(rivals.ircot_run())
    no = Reasoned(False, "Nothing yet about it", "", iteration=1)
    yes = Reasoned(True, "It says so", "Mira", iteration=2)
    assert unanswered([no]) and not unanswered([no, yes]) and unanswered([yes, no])
    assert unanswered([e for e in rivals.ircot_run() if not isinstance(e, Thought)]) is False
