"""The reasoning chain on eight passages, and which passages are said to support it."""

from __future__ import annotations

from gear_app.core.types import Passage, ProximalTriple, ReasoningChain, Triple, Verification
from gear_app.models.reader.roles import ChainRequest, VerifyRequest
from tests.models.reader.asking import ask
from tests.small import QUESTION, SmallWorld

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira", 3, 0.6)
LAW = ProximalTriple("Ada Quill", "studied", "law", 4, 0.2)


def test_the_chain_goes_from_the_question_to_the_answer(small: SmallWorld) -> None:
    found = ask(ChainRequest(small.passages, small.triples, QUESTION, ()))
    assert found.text == "Harbour Lights → was directed by → Ada Quill → was born in → Port Mira"
    assert [fact.triple_id for fact in found.because] == [2, 3]


def test_the_facts_of_the_thoughts_come_first_and_need_not_be_read_again() -> None:
    assert ask(ChainRequest([], [], QUESTION, (DIRECTED,))) == ReasoningChain(
        ("Harbour Lights", "was directed by", "Ada Quill"), (DIRECTED,)
    )


def test_a_fact_that_led_elsewhere_is_not_on_the_chain() -> None:
    found = ask(ChainRequest([], [], QUESTION, (DIRECTED, LAW, BORN)))
    assert found == ReasoningChain(
        ("Harbour Lights", "was directed by", "Ada Quill", "was born in", "Port Mira"),
        (DIRECTED, BORN),
    )


def test_a_fact_followed_from_its_object_is_marked() -> None:
    fact = ProximalTriple("Bo Hale", "was born in", "Lorn", 11, 0.6)
    found = ask(
        ChainRequest([], [], "Which film did the person who was born in Lorn direct?", (fact,))
    )
    assert found.nodes == ("Lorn", "was born in (inverse)", "Bo Hale")


def test_the_last_part_of_a_place_is_followed_the_way_it_was_told() -> None:
    question = "When did the state where Quill Mounds is located join the union?"
    fact = ProximalTriple("Hale County, Mira", "is the location of", "Quill Mounds", 11, 0.6)
    found = ask(ChainRequest([], [], question, (fact,)))
    assert found.nodes == ("Quill Mounds", "is the location of (inverse)", "Mira")


def test_a_comparison_has_one_stretch_after_the_other() -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    other = ProximalTriple("Winter Lights", "was directed by", "Bo Hale", 10, 0.6)
    assert ask(ChainRequest([], [], question, (DIRECTED, other))).nodes == (
        "Harbour Lights",
        "was directed by",
        "Ada Quill",
        "Winter Lights",
        "was directed by",
        "Bo Hale",
    )


def test_no_bridge_no_chain() -> None:
    for facts in ((), (LAW,)):
        assert ask(ChainRequest([], [], QUESTION, facts)) == ReasoningChain()


def test_passages_that_hold_a_fact_are_verified_in_the_order_of_the_chain(
    small: SmallWorld,
) -> None:
    chain = ReasoningChain(("…",), (DIRECTED, BORN))
    last_first = small.passages[::-1]
    found = ask(VerifyRequest(last_first, small.triples, QUESTION, chain))
    assert [last_first[i - 1].key for i in found.indices] == ["harbour", "quill"]
    assert found.reasons == (
        "states: Harbour Lights was directed by Ada Quill",
        "states: Ada Quill was born in Port Mira",
    )


def test_a_passage_with_two_facts_comes_before_one_with_an_earlier() -> None:
    passages = [Passage(1, "a", "a", ""), Passage(2, "b", "b", "")]
    triples = [
        Triple(2, 1, "Harbour Lights", "was directed by", "Ada Quill"),
        Triple(3, 2, "Ada Quill", "was born in", "Port Mira"),
        Triple(4, 2, "Ada Quill", "studied", "law"),
    ]
    found = ask(
        VerifyRequest(passages, triples, QUESTION, ReasoningChain(("…",), (DIRECTED, BORN, LAW)))
    )
    assert found.indices == (2, 1)
    assert found.reasons[0] == "states: Ada Quill was born in Port Mira; Ada Quill studied law"


def test_the_same_words_elsewhere_support_only_a_fact_without_a_place() -> None:
    passages = [Passage(1, "a", "Harbour Lights", ""), Passage(2, "b", "Ada Quill", "")]
    triples = [
        Triple(8, 1, "Harbour Lights", "was directed by", "Ada Quill"),
        Triple(2, 2, "harbour lights", "was directed by", "ada quill"),
    ]
    written = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
    selected, unplaced = ReasoningChain(("…",), (DIRECTED,)), ReasoningChain(("…",), (written,))
    assert ask(VerifyRequest(passages, triples, QUESTION, selected)).indices == (2,)
    assert ask(VerifyRequest(passages, triples, QUESTION, unplaced)).indices == (1, 2)


def test_being_about_a_name_on_the_chain_is_not_enough(small: SmallWorld) -> None:
    about = [small.passage("quill"), small.passage("mira")]
    assert (
        ask(VerifyRequest(about, [], QUESTION, ReasoningChain(("…",), (DIRECTED, BORN))))
        == Verification()
    )


def test_nothing_to_verify_gives_nothing(small: SmallWorld) -> None:
    assert (
        ask(VerifyRequest([], [], QUESTION, ReasoningChain(("…",), (DIRECTED,)))) == Verification()
    )
    assert (
        ask(VerifyRequest(small.passages, small.triples, QUESTION, ReasoningChain()))
        == Verification()
    )
