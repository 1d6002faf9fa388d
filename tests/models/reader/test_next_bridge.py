"""Which query comes next where no bridge is sure."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple
from gear_app.models.reader import next_bridge
from gear_app.models.reader.roles import READ_GIST, REASON, REWRITE, ReaderRequest
from tests.models.reader.asking import ask
from tests.small import SmallWorld

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
SHOT = ProximalTriple("Harbour Lights", "was shot in", "Port Mira", 9, 0.2)
ASKS = "Where was the director of Harbour Lights born?"
PHRASE = "the director of Harbour Lights"


def test_a_query_that_was_asked_gives_way_to_the_next_best_bridge() -> None:
    first = ask(ReaderRequest(REWRITE, ASKS, passed_over=[DIRECTED, SHOT], asked=[ASKS]))
    assert first.query == PHRASE
    asked = [ASKS, first.query]
    second = ask(ReaderRequest(REWRITE, ASKS, passed_over=[DIRECTED, SHOT], asked=asked))
    assert second.query == "Where was Ada Quill born?"
    assert [step.because for step in second.substitutions] == [DIRECTED.text]
    asked.append(second.query)
    third = ask(ReaderRequest(REWRITE, ASKS, passed_over=[DIRECTED, SHOT], asked=asked))
    assert third.query == "Where was the director of Port Mira born?"
    asked.append(third.query)
    last = ask(ReaderRequest(REWRITE, ASKS, passed_over=[DIRECTED, SHOT], asked=asked))
    assert (last.query, last.substitutions) == ("", ())


def test_a_verdict_names_what_is_open_and_the_two_nearest_facts() -> None:
    verdict = ask(ReaderRequest(REASON, ASKS, passed_over=[DIRECTED, SHOT, DIRECTED]))
    assert (verdict.answerable, verdict.answer) == (False, "")
    assert verdict.reason == (
        f"Nothing yet about '{PHRASE}'. Nearest: 'Harbour Lights was directed by Ada Quill';"
        " 'Harbour Lights was shot in Port Mira'."
    )


def test_what_has_to_be_found_first_is_asked_when_no_bridge_is_left() -> None:
    question = "Where did the wife of the director of Harbour Lights die?"
    asked = [question, "Where did the wife of Ada Quill die?"]
    request = ReaderRequest(REWRITE, question, memory=[DIRECTED], asked=asked)
    rewriting = ask(request)
    assert rewriting.query == "the wife of Ada Quill"
    assert [step.because for step in rewriting.substitutions] == [DIRECTED.text]
    asked.append(rewriting.query)
    assert not ask(request).query


def test_a_sure_bridge_of_an_earlier_query_is_remembered_where_the_latest_has_none(
    small: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ReaderRequest(READ_GIST, ASKS, small.passages, small.triples, memory=[SHOT])
    assert [fact.text for fact in ask(request).triples] == [DIRECTED.text]
    monkeypatch.setattr(next_bridge, "EARLIER", 1.0)
    assert not ask(request).triples
