"""What the local reader answers from triples: where its chain ends, or nothing."""

from __future__ import annotations

import pytest

from gear_app.language.query import Query
from gear_app.reader.answers import answer as answer_of
from gear_app.reader.answers import is_about
from gear_app.reader.comparisons import order
from gear_app.reader.roles import AnswerRequest, ReadRequest, ReasonRequest
from gear_app.types import Passage, ProximalTriple, Triple
from tests.reader.asking import ask
from tests.small import QUESTION, SmallWorld


def test_a_chain_that_nothing_closes_gives_no_answer(small: SmallWorld) -> None:
    question = "Which subject was studied by the man who made Winter Lights?"
    assert ask(AnswerRequest(small.passages, small.triples[:10], question)) == ""


@pytest.mark.parametrize(
    "question",
    [
        # without dates nothing can be compared
        "Which film has the older director, Harbour Lights or Winter Lights?",
        "When was the director of Harbour Lights born?",  # the chain ends at a place
    ],
)
def test_what_is_not_of_the_kind_asked_for_is_no_answer(small: SmallWorld, question: str) -> None:
    assert ask(AnswerRequest(small.passages, small.triples, question)) == ""


def test_without_passages_it_knows_nothing_and_without_triples_what_a_sentence_says(
    small: SmallWorld,
) -> None:
    assert ask(AnswerRequest([], [], QUESTION)) == ""
    assert ask(AnswerRequest(small.passages, [], QUESTION)) == "Port Mira"


def test_a_long_name_is_not_cut() -> None:
    """Six words are what a prompt asks for, not what is done to an answer."""
    town = "the old port town of Mira on the river Sel"
    triples = [Triple(1, 1, "Ada Quill", "was born in", town)]
    passages = [Passage(1, "quill", "Ada Quill", f"Ada Quill was born in {town}.")]
    assert ask(AnswerRequest(passages, triples, "Where was Ada Quill born?")) == town


def test_days_are_asked_for_and_answered_by_days() -> None:
    """A bus is no day, and a weekday is one."""
    texts = ("Ada Quill was left on the number 12 bus.", "Mira Mill opens on Fridays.")
    passages = [Passage(place, f"p{place}", "", text) for place, text in enumerate(texts, 1)]
    triples = [
        Triple(1, 1, "Ada Quill", "was left on", "number 12 bus"),
        Triple(2, 2, "Mira Mill", "opens on", "Fridays"),
    ]

    def answer(question: str) -> str:
        return ask(AnswerRequest(passages, triples, question))

    assert answer("On which days was Ada Quill left?") == ""
    assert answer("On what was Ada Quill left?") == "number 12 bus"
    assert answer("On which day does Mira Mill open?") == "Fridays"


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What is the phone number of Brightway?", ("Brightway", "phone number", "020-7946-0123")),
        ("What is the price of the palm?", ("palm", "price", "9 EUR")),
        ("Which version of Helm Studio is used?", ("Helm Studio", "version", "8.3")),
        ("What is the deadline of Project Heron?", ("Project Heron", "deadline", "12 March 2024")),
        ("How many rooms does the Anchor have?", ("Anchor", "has", "four rooms")),
        ("How many people has Brook?", ("Brook", "people", "22,513")),
        ("How many euros does the palm cost?", ("palm", "cost", "EUR 9")),
        ("How many minutes does the crossing take?", ("crossing", "take", "two hours")),
        ("How many rooms does the Anchor have?", ("Anchor", "has", "seven guest rooms")),
        ("How many rooms does the Anchor have?", ("Anchor", "has", "seven rooms with a view")),
        ("How many more rooms does the Anchor have?", ("Anchor", "has", "two rooms")),
        ("How many people work at Brightway?", ("Brightway", "work", "40 engineers")),
    ],
)
def test_any_value_answers_where_the_fact_says_what_is_asked_for(
    question: str, fact: tuple[str, str, str]
) -> None:
    verdict = ask(ReasonRequest([ProximalTriple(*fact)], question))
    assert (verdict.answerable, verdict.answer) == (True, fact[2])
    passages, triples = [Passage(1, "p", fact[0], " ".join(fact))], [Triple(1, 1, *fact)]
    assert [t.object for t in ask(ReadRequest(passages, triples, question, ())).triples] == [
        fact[2]
    ]


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What is the founder of Brightway?", ("Brightway", "founder", "1987")),
        ("What is the price of the palm?", ("palm", "version", "8.3")),
        ("Who is the contact of Brightway?", ("Brightway", "contact", "020-7946-0123")),
        ("How many rooms has the Anchor?", ("Anchor", "has", "seven beds")),
        ("How many founders has the Anchor?", ("Anchor", "has", "one of the founders")),
        ("How many people has the Anchor?", ("Anchor", "has", "seven beds")),
        ("How many minutes does the crossing take?", ("crossing", "take", "5 km")),
        ("How many of the rooms has the Anchor?", ("Anchor", "has", "seven beds")),
        ("How many rooms has the Anchor?", ("Anchor", "not has", "seven rooms")),
        ("How many rooms has the Anchor?", ("Anchor", "has", "40 photos of rooms")),
        ("How many rooms has the Anchor?", ("Anchor", "has", "two more rooms")),
        ("How many more rooms has the Anchor than the Bell?", ("Anchor", "has", "seven rooms")),
        ("How many people has the Anchor?", ("Anchor", "has", "three lists")),
        ("Which play did Quill write, a drama?", ("Quill", "write", "seven plays")),
    ],
)
def test_a_value_of_something_else_is_no_answer(question: str, fact: tuple[str, str, str]) -> None:
    assert not ask(ReasonRequest([ProximalTriple(*fact)], question)).answer


DIED = [("Ada Quill", "died in", "1934"), ("Bo Hale", "died on", "3 May 1950")]
PRICES = [("Palm 3", "price", "9 EUR"), ("Oak 5", "price", "EUR 12")]
HEAVY = [("Palm 3", "weight", "9.5 kg"), ("Oak 5", "weight", "12 kg")]
WEIGHTS = [("Palm 3", "weighs", "1.2 kg"), ("Oak 5", "has", "weight of 900 g")]
WINDOWS = [("Palm 3", "has", "5 high windows"), ("Oak 5", "has", "4 high windows")]
GUESTS = [("Anchor", "has", "seven guest rooms"), ("Bell", "has", "4 guest rooms")]
WAYS = [("Red Way", "length", "5 km"), ("Blue Way", "is", "3 km long")]
ROOMS = [("Anchor", "has", "seven rooms"), ("Bell", "has", "4 rooms")]
BOUNDED = [("Anchor", "has", "no more than seven rooms"), ROOMS[1]]
COUNTED = [("Anchor", "number of rooms", "7"), ("Bell", "rooms", "4")]
COSTS = [("Anchor", "rooms cost", "90 EUR"), ("Bell", "rooms cost", "80 EUR")]
NAMES = [("Fewer", "price", "9 EUR"), ("Less", "price", "EUR 12")]
RELEASED = [("More Tales", "was released in", "1934"), ("Most Seas", "was released in", "1950")]
OF_TREES, OF_INNS = "the Palm 3 or the Oak 5?", "the Anchor or the Bell?"
OF_WAYS = "the Red Way or the Blue Way?"


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        ("Did Ada Quill die before Bo Hale?", DIED, "yes"),
        ("Did Ada Quill die before Bo Hale?", DIED[::-1], "yes"),
        ("Did Ada Quill die after Bo Hale?", DIED, "no"),
        ("Did Ada Quill die before Bo Hale?", DIED[:1], ""),
        (f"Which costs more, {OF_TREES}", PRICES, "Oak 5"),
        (f"Which is cheaper, {OF_TREES}", PRICES, "Palm 3"),
        (f"Which costs more, {OF_TREES}", [PRICES[0], ("Oak 5", "price", "12 USD")], ""),
        (f"Which costs more, {OF_TREES}", HEAVY, ""),
        (f"Which is heavier, {OF_TREES}", HEAVY, "Oak 5"),
        (f"Which is heavier, {OF_TREES}", WEIGHTS, "Palm 3"),
        (f"Which weighs more, {OF_TREES}", WEIGHTS, "Palm 3"),
        (f"Which weighs less, {OF_TREES}", WEIGHTS, "Oak 5"),
        (f"Which is higher, {OF_TREES}", WINDOWS, ""),
        (f"Which has more windows, {OF_TREES}", WINDOWS, ""),
        (f"Which has fewer rooms, {OF_INNS}", ROOMS, "Bell"),
        (f"Which has the most rooms, {OF_INNS}", ROOMS, "Anchor"),
        (f"Which has more guest rooms, {OF_INNS}", ROOMS, ""),
        (f"Which has more expensive rooms, {OF_INNS}", ROOMS, ""),
        (f"Which has more rooms, {OF_INNS}", GUESTS, ""),
        (f"Which has more guest rooms, {OF_INNS}", GUESTS, "Anchor"),
        (f"Which is more famous, {OF_INNS}", ROOMS, ""),
        (f"Which has more rooms, {OF_INNS}", COSTS, ""),
        (f"Which has more rooms, {OF_INNS}", COUNTED, "Anchor"),
        (f"Which has more rooms, {OF_INNS}", [("Anchor", "has", "seven beds"), ROOMS[1]], ""),
        (f"Which has more rooms, {OF_INNS}", BOUNDED, ""),
        ("Which costs more, the Fewer or the Less?", NAMES, "Less"),
        ("Which was released earlier, More Tales or Most Seas?", RELEASED, "More Tales"),
        (f"Which is longer, {OF_WAYS}", WAYS, "Red Way"),
        (f"Which road is the longest, {OF_WAYS}", WAYS, "Red Way"),
        (f"Which is no longer in use, {OF_WAYS}", WAYS, ""),
        (f"Which took longer to build, {OF_WAYS}", WAYS, ""),
        (f"Which has the longer name, {OF_WAYS}", WAYS, ""),
        (f"Which is not longer, {OF_WAYS}", WAYS, ""),
        *(
            (f"Which is longer, {OF_WAYS}", [WAYS[0], fact], longer)
            for fact, longer in (
                (("Blue Way", "is", "5,000 m long"), ""),  # the same
                (("Blue Way", "length", "6 km and a half"), ""),
                (("Blue Way", "is up to", "6 km long"), ""),
                (("Blue Way", "stands", "6 km from the Long Street"), ""),
                (("Blue Way", "long served", "50 years"), ""),
                (("Blue Way", "length", "5 °C/h"), ""),
                (("Blue Way", "length", "about 4,500 m"), "Red Way"),
            )
        ),
        *(
            (f"Which costs more, {OF_TREES}", [PRICES[0], fact], "")
            for fact in (
                ("Oak 5", "price rose by", "EUR 20"),
                ("Oak 5", "costs less than", "EUR 20"),
                ("Oak 5", "price", "EUR 20 monthly"),
                ("Oak 5", "price", "EUR 2 trillion"),
                ("Oak 5", "price", "EUR 20 off"),
            )
        ),
        (f"Which costs more than EUR 2, {OF_TREES}", PRICES, ""),
        *(
            ("Which was released earlier, More Tales or Most Seas?", [RELEASED[0], fact], first)
            for fact, first in (
                (("Most Seas", "was released in", "the 19th century"), ""),
                (("Most Seas", "was released on", "፩ May 1950"), "More Tales"),
            )
        ),
    ],
)
def test_two_dates_or_two_quantities_are_compared(
    question: str, facts: list[tuple[str, str, str]], answer: str
) -> None:
    memory = [ProximalTriple(*fact) for fact in facts]
    assert ask(ReasonRequest(memory, question)).answer == answer


@pytest.mark.parametrize(
    ("question", "stated", "answers"),
    [
        ("How many people live in Brook?", "22,513 inhabitants", True),
        ("How many persons live in Brook?", "300 engineers", True),
        ("How many people live in Brook?", "300 beds", False),
        ("How many beds live in Brook?", "22,513 inhabitants", False),
        ("How many inhabitants live in Brook?", "22,513 people", True),
        ("How many inhabitants live in Brook?", "300 engineers", False),
        ("How many men live in Brook?", "300 women", False),
        ("How many men live in Brook?", "300 men", True),
        ("How many guest rooms live in Brook?", "seven rooms", True),
    ],
)
def test_what_is_counted_is_what_is_asked_for(question: str, stated: str, answers: bool) -> None:
    fact = ProximalTriple("Brook", "live in", stated)
    assert answer_of(Query(question, ()), fact, stated) == (stated if answers else "")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Did Ada Quill die after Bo Hale?", 1),
        ("Did Ada Quill die before Bo Hale?", -1),
        ("Did After Hours open on Fridays?", 0),  # words of a name ask for no order
        ("Which was released earlier, Last Seas or First Tales?", -1),
    ],
)
def test_the_order_is_asked_for_outside_of_names(question: str, expected: int) -> None:
    assert order(Query(question, ())) == expected


CREW = (
    ("Oskar Lind", "is captain of", "Petrel"),
    ("Oskar Lind", "is afraid of", "thunderstorms"),
    ("Oskar Lind", "repaired", "lantern of the Heron"),
    ("Petrel", "was built by", "Tom Vane"),
    ("Ms Vane", "sails on", "Gull"),
    ("Heron", "was built in", "1911"),
    ("Petrel", "was built in", "1925"),
)
CAPTAIN, REPAIRER = CREW[0], CREW[2]


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        (CAPTAIN, "What is the captain of the Petrel afraid of?"),
        (CAPTAIN, "What is the captain afraid of who is captain of the Petrel?"),
        (CAPTAIN, "Of what is the captain of the Petrel afraid?"),
        (CAPTAIN, "Tell me what the captain of the Petrel is afraid of."),
        (CAPTAIN, "The captain of the Petrel is afraid of what?"),
        (CAPTAIN, "Which weather is the captain of the Petrel unable to bear?"),
        (CAPTAIN, "What should the captain of the Petrel fear?"),
        (CAPTAIN, "Which fear has the captain of the Petrel?"),
        (CAPTAIN, "Why is the captain of the Petrel late?"),
        (CAPTAIN, "Is the captain of the Petrel late?"),
        (CAPTAIN, "What is the captain of the Petrel?"),
        (REPAIRER, "What is the man who repaired the lantern of the Heron afraid of?"),
        (REPAIRER, "What is the man afraid of who repaired the lantern of the Heron?"),
        (CREW[3], "What colour is the boat that was built by Tom Vane?"),
        (CREW[4], "What is Ada Vane good at who sails on the Gull?"),
        (CREW[4], "Which of the Vanes sails on the Gull with Ada Vane?"),
    ],
)
def test_what_a_question_is_about_is_no_answer_to_it(
    fact: tuple[str, str, str], question: str
) -> None:
    """Who the captain is was not asked: the fact leads on to what is."""
    verdict = ask(ReasonRequest([ProximalTriple(*fact)], question))
    assert (verdict.answerable, verdict.answer) == (False, "")


@pytest.mark.parametrize(
    ("facts", "question", "expected"),
    [
        (CREW[:2], "What is the captain of the Petrel afraid of?", "thunderstorms"),
        (
            (REPAIRER, CREW[1]),
            "What is the man afraid of who repaired the lantern of the Heron?",
            "thunderstorms",
        ),
        (CREW[:1], "Who is the captain of the Petrel?", "Oskar Lind"),
        (CREW[3:4], "Which boat was built by Tom Vane?", "Petrel"),
        (CREW[5:], "Which was built earlier, Heron or Petrel?", "Heron"),
        (CREW[5:], "Was Heron built before Petrel?", "yes"),
    ],
)
def test_a_name_that_is_asked_for_is_answered_also_where_the_question_has_it(
    facts: tuple[tuple[str, str, str], ...], question: str, expected: str
) -> None:
    memory = [ProximalTriple(*fact) for fact in facts]
    assert ask(ReasonRequest(memory, question)).answer == expected


@pytest.mark.parametrize(
    ("form", "same"),
    [
        ("Brandt", True),
        ("Ms Brandt", True),
        ("N. Brandt", True),
        ("the Brandts", True),
        ("Brandt's", True),
        ("waitress Nadia Brandt", True),
        ("Nadia Ann Brandt", True),
        ("Ida Brandt", False),
        ("Blue Heron", False),
        ("walnuts", False),
    ],
)
def test_another_form_of_a_name_of_the_question_is_known_as_that(form: str, same: bool) -> None:
    query = Query("What does Nadia Brandt avoid at the Lindqvist wedding?", ["Lindqvist wedding"])
    known = next(one for one in query.anchors if one.first > 4)
    assert is_about(query, form, known) == same
    asked = Query("Which Brandt serves at the Lindqvist wedding?", ["Lindqvist wedding"])
    assert not is_about(asked, form, asked.anchors[-1])
