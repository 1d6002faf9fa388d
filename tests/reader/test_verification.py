"""The reasoning chain on eight passages, and which passages are said to support it."""

from __future__ import annotations

from gear_app.events import ignore
from gear_app.reader.local import LocalReader
from gear_app.reader.roles import ChainRequest, VerifyRequest
from gear_app.types import Passage, ProximalTriple, ReasoningChain, Triple, Verification
from tests.small import QUESTION, SmallWorld

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira", 3, 0.6)
LAW = ProximalTriple("Ada Quill", "studied", "law", 4, 0.2)


def test_the_chain_goes_from_the_question_to_the_answer(
    small: SmallWorld, reader: LocalReader
) -> None:
    found = reader.ask(ChainRequest(small.passages, small.triples, QUESTION, ()), ignore)
    assert found.text == "Harbour Lights → was directed by → Ada Quill → was born in → Port Mira"
    assert [fact.triple_id for fact in found.because] == [2, 3]


def test_the_facts_of_the_thoughts_come_first_and_need_not_be_read_again(
    reader: LocalReader,
) -> None:
    assert reader.ask(ChainRequest([], [], QUESTION, (DIRECTED,)), ignore) == ReasoningChain(
        ("Harbour Lights", "was directed by", "Ada Quill"), (DIRECTED,)
    )


def test_a_fact_that_led_elsewhere_is_not_on_the_chain(reader: LocalReader) -> None:
    found = reader.ask(ChainRequest([], [], QUESTION, (DIRECTED, LAW, BORN)), ignore)
    assert found == ReasoningChain(
        ("Harbour Lights", "was directed by", "Ada Quill", "was born in", "Port Mira"),
        (DIRECTED, BORN),
    )


def test_a_fact_followed_from_its_object_is_marked(reader: LocalReader) -> None:
    fact = ProximalTriple("Bo Hale", "was born in", "Lorn", 11, 0.6)
    found = reader.ask(
        ChainRequest([], [], "Which film did the person who was born in Lorn direct?", (fact,)),
        ignore,
    )
    assert found.nodes == ("Lorn", "was born in (inverse)", "Bo Hale")


def test_the_last_part_of_a_place_is_followed_the_way_it_was_told(reader: LocalReader) -> None:
    question = "When did the state where Quill Mounds is located join the union?"
    fact = ProximalTriple("Hale County, Mira", "is the location of", "Quill Mounds", 11, 0.6)
    found = reader.ask(ChainRequest([], [], question, (fact,)), ignore)
    assert found.nodes == ("Quill Mounds", "is the location of (inverse)", "Mira")


def test_a_comparison_has_one_stretch_after_the_other(reader: LocalReader) -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    other = ProximalTriple("Winter Lights", "was directed by", "Bo Hale", 10, 0.6)
    assert reader.ask(ChainRequest([], [], question, (DIRECTED, other)), ignore).nodes == (
        "Harbour Lights",
        "was directed by",
        "Ada Quill",
        "Winter Lights",
        "was directed by",
        "Bo Hale",
    )


def test_no_bridge_no_chain(reader: LocalReader) -> None:
    assert reader.ask(ChainRequest([], [], QUESTION, ()), ignore) == ReasoningChain()
    assert reader.ask(ChainRequest([], [], QUESTION, (LAW,)), ignore) == ReasoningChain()


def test_passages_that_hold_a_fact_are_verified_in_the_order_of_the_chain(
    small: SmallWorld, reader: LocalReader
) -> None:
    chain = ReasoningChain(("…",), (DIRECTED, BORN))
    last_first = small.passages[::-1]
    found = reader.ask(VerifyRequest(last_first, small.triples, QUESTION, chain), ignore)
    assert [last_first[i - 1].key for i in found.indices] == ["harbour", "quill"]
    assert found.reasons == (
        "states: Harbour Lights was directed by Ada Quill",
        "states: Ada Quill was born in Port Mira",
    )


def test_a_passage_with_two_facts_comes_before_one_with_an_earlier(reader: LocalReader) -> None:
    passages = [Passage(1, "a", "a", ""), Passage(2, "b", "b", "")]
    triples = [
        Triple(2, 1, "Harbour Lights", "was directed by", "Ada Quill"),
        Triple(3, 2, "Ada Quill", "was born in", "Port Mira"),
        Triple(4, 2, "Ada Quill", "studied", "law"),
    ]
    found = reader.ask(
        VerifyRequest(passages, triples, QUESTION, ReasoningChain(("…",), (DIRECTED, BORN, LAW))),
        ignore,
    )
    assert found.indices == (2, 1)
    assert found.reasons[0] == "states: Ada Quill was born in Port Mira; Ada Quill studied law"


def test_the_same_words_elsewhere_support_only_a_fact_without_a_place(reader: LocalReader) -> None:
    passages = [Passage(1, "a", "Harbour Lights", ""), Passage(2, "b", "Ada Quill", "")]
    triples = [
        Triple(8, 1, "Harbour Lights", "was directed by", "Ada Quill"),
        Triple(2, 2, "harbour lights", "was directed by", "ada quill"),
    ]
    written = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
    selected, unplaced = ReasoningChain(("…",), (DIRECTED,)), ReasoningChain(("…",), (written,))
    assert reader.ask(VerifyRequest(passages, triples, QUESTION, selected), ignore).indices == (2,)
    assert reader.ask(VerifyRequest(passages, triples, QUESTION, unplaced), ignore).indices == (
        1,
        2,
    )


def test_being_about_a_name_on_the_chain_is_not_enough(
    small: SmallWorld, reader: LocalReader
) -> None:
    about = [small.passage("quill"), small.passage("mira")]
    assert (
        reader.ask(
            VerifyRequest(about, [], QUESTION, ReasoningChain(("…",), (DIRECTED, BORN))), ignore
        )
        == Verification()
    )


def test_nothing_to_verify_gives_nothing(small: SmallWorld, reader: LocalReader) -> None:
    assert (
        reader.ask(VerifyRequest([], [], QUESTION, ReasoningChain(("…",), (DIRECTED,))), ignore)
        == Verification()
    )
    assert (
        reader.ask(VerifyRequest(small.passages, small.triples, QUESTION, ReasoningChain()), ignore)
        == Verification()
    )
