"""Which query comes next where no bridge is sure."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple
from gear_app.models.reader.roles import REASON, REWRITE, ReaderRequest
from tests.models.reader.asking import ask

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
