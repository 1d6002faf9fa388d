"""The reasoning chain on eight passages, and which passages are said to support it."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple, ReasoningChain
from gear_app.models.reader.roles import ChainRequest, VerifyRequest
from tests.models.reader.asking import ask
from tests.small import QUESTION, SmallWorld

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira", 3, 0.6)


def test_the_chain_goes_from_the_question_to_the_answer(small: SmallWorld) -> None:
    found = ask(ChainRequest(small.passages, small.triples, QUESTION, ()))
    assert found.text == "Harbour Lights → was directed by → Ada Quill → was born in → Port Mira"
    assert [fact.triple_id for fact in found.because] == [2, 3]


def test_a_fact_followed_from_its_object_is_marked() -> None:
    fact = ProximalTriple("Bo Hale", "was born in", "Lorn", 11, 0.6)
    found = ask(
        ChainRequest([], [], "Which film did the person who was born in Lorn direct?", (fact,))
    )
    assert found.nodes == ("Lorn", "was born in (inverse)", "Bo Hale")


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
