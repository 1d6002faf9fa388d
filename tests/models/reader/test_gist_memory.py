"""Following the gist memory from the question's names."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple, Substitution
from gear_app.language.noun_phrases import AskedRelation
from gear_app.models.reader.gist_memory import follow

QUESTION = "Where was the director of Harbour Lights born?"
DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira")


def always(asks: AskedRelation, predicate: str, new: str) -> bool:
    return True


def test_the_whole_phrase_gives_way_where_the_triple_answers_it() -> None:
    last = follow([DIRECTED], QUESTION, always).last
    assert last.query == "Where was Ada Quill born?"
    assert last.substitutions == (
        Substitution(
            "the director of Harbour Lights",
            "Ada Quill",
            "Harbour Lights was directed by Ada Quill",
        ),
    )
    assert last.answer == ""


def test_the_chain_ends_in_the_answer() -> None:
    chain = follow([DIRECTED, BORN], QUESTION, always)
    assert chain.last.answer == "Port Mira"
    assert [step.inserted for step in chain.last.substitutions] == ["Ada Quill", "Port Mira"]
    assert chain.names == {"harbour lights", "ada quill", "port mira"}


def test_both_sides_of_a_comparison_are_replaced_in_one_query() -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    other = ProximalTriple("Winter Lights", "was directed by", "Bo Hale")
    last = follow([DIRECTED, other], question, always).last
    assert last.query == "Which film has the older director, Ada Quill or Bo Hale?"
    assert last.answer == ""  # two names are no answer to a question about age
