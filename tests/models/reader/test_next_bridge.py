"""Where no bridge is sure: the one whose triple and sentence tell most of the query. And no query
twice.
"""

from __future__ import annotations

import pytest

from gear_app.core.types import (
    Passage,
    ProximalTriple,
    Reading,
    Span,
    Thinking,
    Triple,
)
from gear_app.language.query import Query
from gear_app.methods import build
from gear_app.methods.gear import GearConfig
from gear_app.models.reader.gist_memory import innermost_phrase
from gear_app.models.reader.next_bridge import COVERS, ENOUGH, LEAST
from gear_app.models.reader.roles import (
    ReadRequest,
    ReasonRequest,
    RewriteRequest,
    ThinkRequest,
)
from gear_app.trace.events import Event, Rewrote, Stopped
from tests.models.reader.asking import READER, ask
from tests.small import SmallWorld

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


# A name about which nothing is asked yet


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        ("Who invaded Lorn?", True),
        ("When did the country of the singer of Nixe invade Lorn?", False),
    ],
)
def test_no_bridge_leads_from_a_name_while_something_has_to_be_found_first(
    question: str, taken: bool
) -> None:
    passages = [Passage(1, "p1", "Nixe", "Nixe is a song."), Passage(2, "p2", "Lorn", "A fort.")]
    triples = [Triple(2, 2, "Orrin Empire", "invaded", "Lorn")]
    reading = ask(ReadRequest(passages, triples, question, ()))
    assert [fact.triple_id for fact in reading.triples] == [2] * taken
    assert [fact.triple_id for fact in reading.passed_over] == [2] * (not taken)


# The bridge that covers most


def test_the_unsure_bridge_is_taken_whose_sentence_tells_most_of_the_question() -> None:
    """Told of mended, pumps, Lorn, flood, May: all but Lorn, which is the known name."""
    reading = read(("Lorn", "in", "Sel Bridge", OTHER), ("Lorn", "with", "Bo Hale", TOLD))
    (taken,) = reading.triples
    assert (taken.text, taken.triple_id) == ("Lorn with Bo Hale", 2)
    assert taken.score is not None and LEAST <= taken.score < ENOUGH
    assert [fact.text for fact in reading.passed_over] == ["Lorn in Sel Bridge"]


@pytest.mark.parametrize(
    ("sentence", "taken"),
    [
        ("Bo Hale mended the pumps in the flood.", True),  # three of five words
        ("Bo Hale saw the pumps.", False),  # one of five
        ("Lorn, in Lorn, with Bo Hale of Lorn.", False),  # the known name tells nothing
    ],
)
def test_it_has_to_tell_two_fifths_of_the_words_besides_the_name(
    sentence: str, taken: bool
) -> None:
    assert COVERS == 0.4
    reading = read(("Lorn", "with", "Bo Hale", sentence))
    assert [fact.text for fact in reading.triples] == ["Lorn with Bo Hale"] * taken


# What is asked for where nothing was found


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("The lamp is off. Who do I phone?", ""),
        ("He wants the lamp in early May. Who can open the place where it is?", ""),
        ("Which lamp kept blinding Ada Quill at sea?", ""),
        (
            "Who mended the lamp that kept blinding Ada Quill at sea?",
            "the lamp that kept blinding Ada Quill at sea",
        ),
        ("Who was the drummer of The Who?", "the drummer of The Who"),
        ("When did the country containing Lorn join?", "the country containing Lorn"),
        ("Who leads the city planning office Lorn?", ""),
    ],
)
def test_pronouns_are_no_names_and_verbs_no_nouns(question: str, phrase: str) -> None:
    assert innermost_phrase(Query(question, ())) == phrase


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


def test_gear_goes_on_with_a_fact_passed_over_and_says_when_nothing_is_left(
    small: SmallWorld,
) -> None:
    """Nothing is sure here: no fact says who painted Harbour Lights."""
    events: list[Event] = []
    question = "Who painted the poster of Harbour Lights?"
    config = GearConfig(max_iterations=9)
    build("gear", small.index, READER, small.embedder, config).retrieve(question, 5, events.append)
    queries = [event.query for event in events if isinstance(event, Rewrote) and event.query]
    assert len(queries) == len(set(queries)) > 0
    assert [event.why for event in events if isinstance(event, Stopped)] == ["nothing to rewrite"]


def test_a_verdict_names_what_is_open_and_the_two_nearest_facts() -> None:
    verdict = ask(ReasonRequest((), ASKS, passed_over=[DIRECTED, SHOT, DIRECTED]))
    assert (verdict.answerable, verdict.answer) == (False, "")
    assert verdict.reason == (
        f"Nothing yet about '{PHRASE}'. Nearest: 'Harbour Lights was directed by Ada Quill';"
        " 'Harbour Lights was shot in Port Mira'."
    )


def test_a_thought_that_would_be_the_same_is_one_of_the_next_best_bridge() -> None:
    page = [Passage(1, "h", "Harbour Lights", "Harbour Lights was directed by Ada Quill.")]
    facts = [("was directed by", "Ada Quill"), ("was produced by", "Bo Hale")]
    triples = [Triple(n, 1, "Harbour Lights", *fact) for n, fact in enumerate(facts, start=1)]
    before = ask(ThinkRequest(page, triples, ASKS, (), "gcot"))
    assert before.text == "Where was Ada Quill born?"
    forgotten = (Thinking(before.text),)  # the same words, without the fact
    second = ask(ThinkRequest(page, triples, ASKS, forgotten, "gcot"))
    assert second.text == "Where was Bo Hale born?"
    assert [fact.text for fact in second.because] == ["Harbour Lights was produced by Bo Hale"]
