"""Which query comes next where no bridge is sure."""

from __future__ import annotations

from gear_app.core.types import Passage, ProximalTriple, Reading, Span, Triple
from gear_app.models.reader.next_bridge import ENOUGH, LEAST
from gear_app.models.reader.roles import ReadRequest, ReasonRequest, RewriteRequest
from tests.models.reader.asking import ask

QUESTION = "Who mended the pumps of Lorn after the flood of May?"
TOLD = "After the flood of May the pumps were mended by night by Bo Hale."
OTHER = "The mayor of Lorn thanked Sel Bridge."
DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
SHOT = ProximalTriple("Harbour Lights", "was shot in", "Port Mira", 9, 0.2)
ASKS = "Where was the director of Harbour Lights born?"
PHRASE = "the director of Harbour Lights"


def read(*facts: tuple[str, str, str, str], first: str = "") -> Reading:
    """Facts (title, predicate, object, sentence) on Lorn, one passage each, in rank order; what is
    read of them, but for what a sentence alone says.
    """
    passages = [Passage(n, f"p{n}", fact[0], fact[3]) for n, fact in enumerate(facts, start=1)]
    triples = [
        Triple(n, n, "Lorn", predicate, object_, Span(0, len(sentence)))
        for n, (_, predicate, object_, sentence) in enumerate(facts, start=1)
    ]
    reading = ask(ReadRequest(passages, triples, first or QUESTION, ()))
    stored = tuple(fact for fact in reading.triples if fact.triple_id is not None)
    return Reading(stored, reading.passed_over)


# The bridge that covers most


def test_the_unsure_bridge_is_taken_whose_sentence_tells_most_of_the_question() -> None:
    """Told of mended, pumps, Lorn, flood, May: all but Lorn, which is the known name."""
    reading = read(("Lorn", "in", "Sel Bridge", OTHER), ("Lorn", "with", "Bo Hale", TOLD))
    (taken,) = reading.triples
    assert (taken.text, taken.triple_id) == ("Lorn with Bo Hale", 2)
    assert taken.score is not None and LEAST <= taken.score < ENOUGH
    assert [fact.text for fact in reading.passed_over] == ["Lorn in Sel Bridge"]


# Never the same query twice


def test_a_query_that_was_asked_gives_way_to_the_next_best_bridge() -> None:
    first = ask(RewriteRequest((), ASKS, "", passed_over=[DIRECTED, SHOT], asked=[ASKS]))
    assert first.query == PHRASE
    asked = [ASKS, first.query]
    second = ask(RewriteRequest((), ASKS, "", passed_over=[DIRECTED, SHOT], asked=asked))
    assert second.query == "Where was Ada Quill born?"
    assert [step.because for step in second.substitutions] == [DIRECTED.text]
    asked.append(second.query)
    third = ask(RewriteRequest((), ASKS, "", passed_over=[DIRECTED, SHOT], asked=asked))
    assert third.query == "Where was the director of Port Mira born?"
    asked.append(third.query)
    last = ask(RewriteRequest((), ASKS, "", passed_over=[DIRECTED, SHOT], asked=asked))
    assert (last.query, last.substitutions) == ("", ())


def test_a_verdict_names_what_is_open_and_the_two_nearest_facts() -> None:
    verdict = ask(ReasonRequest((), ASKS, passed_over=[DIRECTED, SHOT, DIRECTED]))
    assert (verdict.answerable, verdict.answer) == (False, "")
    assert verdict.reason == (
        f"Nothing yet about '{PHRASE}'. Nearest: 'Harbour Lights was directed by Ada Quill';"
        " 'Harbour Lights was shot in Port Mira'."
    )
