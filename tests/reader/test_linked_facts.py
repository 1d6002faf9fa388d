"""Where no triple is surely a bridge: links between passages, and guesses that are asked."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.reader.linked_facts import MAY_BE, guesses, linked_facts
from gear_app.reader.next_bridge import PassageTriples
from gear_app.reader.roles import ReasonRequest, RewriteRequest
from gear_app.types import Passage, ProximalTriple, Span, Triple
from tests.reader.asking import ask

QUESTION = "Who signed off the change that stopped scanners at Ghent?"
POST = Passage(
    1, "post", "Mail from the depot", "We slept. The scanners at Ghent stopped after CHG-77."
)

CHANGE = Passage(2, "change", "Change calendar", "CHG-77 was signed off by Calvet.")
MENU = Passage(3, "menu", "Menu", "Fish on Friday. CHG-78 comes later.")
PASSAGES = [POST, CHANGE, MENU]
EMBEDDER = HashingEmbedder()


def test_a_link_gives_a_fact_from_either_passage_in_its_sentences_words() -> None:
    one, other = linked_facts(PassageTriples(PASSAGES, []), QUESTION, EMBEDDER)
    stated = {
        "Mail from the depot The scanners at Ghent stopped after CHG-77. CHG77",
        "Change calendar CHG-77 was signed off by Calvet. CHG77",
    }
    assert {one.triple.text, other.triple.text} == stated
    assert one.triple.triple_id is None and "“CHG77” links this" in one.triple.why
    total = sum(term.value * term.weight for term in one.sum.terms)
    assert [term.name for term in one.sum.terms] == ["parts", "link", "start", "cover"]
    assert one.triple.score == pytest.approx(1 / (1 + math.exp(one.sum.even - total)), abs=1e-4)


def test_a_link_that_tells_nothing_of_the_question_is_not_taken() -> None:
    unlike = "Which painter taught the sister of Maria Holt?"
    assert linked_facts(PassageTriples(PASSAGES, []), unlike, EMBEDDER) == ()


def test_the_letters_of_an_id_and_the_title_of_a_document_link_nothing() -> None:
    given = PassageTriples([POST, MENU], [])  # both have "chg" and no id in common
    assert linked_facts(given, QUESTION, EMBEDDER) == ()
    parts = [
        Passage(1, "a", "Kestrel", "The scanners at Ghent stopped.", 7),
        Passage(2, "b", "Kestrel", "The change was signed off.", 7),
    ]
    assert linked_facts(PassageTriples(parts, []), QUESTION, EMBEDDER) == ()


def test_a_guess_puts_a_name_in_the_place_of_the_part_that_its_sentence_tells() -> None:
    span = Span(POST.text.index("The"), len(POST.text))
    fact = Triple(5, 1, "scanners", "stopped after", "CHG-77", span)
    dated = Triple(6, 1, "scanners", "stopped in", "1987", span)  # nothing to search for
    (guess,) = guesses(PassageTriples([POST], [fact, dated]), QUESTION, EMBEDDER)
    assert guess.triple.predicate == MAY_BE and guess.triple.object == "CHG-77"
    assert guess.triple.subject in QUESTION and "scanners at Ghent" in guess.triple.subject
    assert guess.triple.triple_id == 5


def test_what_is_guessed_is_asked_once_and_only_while_nothing_is_remembered() -> None:
    part = "change that stopped scanners at Ghent"
    guess = ProximalTriple(part, MAY_BE, "CHG-77", 5, 0.2)
    asked = [QUESTION, "scanners at Ghent"]
    rewriting = ask(RewriteRequest((), QUESTION, "", passed_over=[guess], asked=asked))
    assert rewriting.query == "Who signed off the CHG-77?"
    assert [(one.removed, one.inserted) for one in rewriting.substitutions] == [(part, "CHG-77")]
    asked.append(rewriting.query)
    again = ask(RewriteRequest((), QUESTION, "", passed_over=[guess], asked=asked))
    assert again.query == ""
    fact = ProximalTriple("Menu", "Fish on Friday.", "Friday", None, 0.9)
    assert ask(RewriteRequest((fact,), QUESTION, "", passed_over=[guess])).query == ""


def test_what_joins_two_facts_is_no_answer() -> None:
    asks = "Who directed Harbour Lights?"
    fact = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
    assert ask(ReasonRequest([fact], asks)).answer == "Ada Quill"
    joined = replace(fact, why="“Ada Quill” links this to “Casting notes”.")
    told = ask(ReasonRequest([joined], asks))
    assert (told.answerable, told.answer) == (False, "")


def test_a_verdict_on_a_link_sends_to_its_two_facts() -> None:
    facts = linked_facts(PassageTriples(PASSAGES, []), QUESTION, EMBEDDER)
    told = ask(ReasonRequest([one.triple for one in facts], QUESTION))
    assert told.reason.startswith("'CHG77' links two facts")
