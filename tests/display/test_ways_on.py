"""What is offered where a run found no answer."""

from __future__ import annotations

import pytest

from gear_app.app.explore.evidence import other_methods
from gear_app.trace.events import Reasoned, Thought
from gear_app.trace.evidence import unanswered
from tests import factories, rivals


@pytest.mark.parametrize(
    ("method", "others"),
    [
        ("gear", ["chain", "gear:chain"]),
        ("ircot:hipporag", ["chain", "ircot:chain"]),
        ("hipporag", ["chain"]),
        ("gear:chain", ["chain"]),
        ("chain", []),
    ],
)
def test_another_method_follows_links(method: str, others: list[str]) -> None:
    assert other_methods(method) == others


def test_only_a_run_whose_last_word_is_no_answer_has_none() -> None:
    assert not unanswered(factories.hybrid_run())  # nobody was asked
    assert not unanswered(rivals.ircot_run())
    no = Reasoned(False, "Nothing yet about it", "", iteration=1)
    yes = Reasoned(True, "It says so", "Mira", iteration=2)
    assert unanswered([no]) and not unanswered([no, yes]) and unanswered([yes, no])
    assert unanswered([e for e in rivals.ircot_run() if not isinstance(e, Thought)]) is False
