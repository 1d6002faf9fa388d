"""What must hold for any words."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gear_app.core.text import tokenise
from gear_app.core.types import Passage, Style, Thinking, Triple
from gear_app.models.reader.roles import (
    CHAIN,
    DUAL_THOUGHTS,
    READ,
    READ_GIST,
    REASON,
    REWRITE,
    THINK,
    VERIFY,
    ReaderRequest,
)
from tests.models.reader.asking import ask

WORDS = "Who was the director of Harbour Lights and or that 's where , ( ) ? 1951".split()

phrases = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=20)
triples = st.lists(st.tuples(phrases, phrases, phrases), max_size=6)


@settings(max_examples=150, deadline=None)
@given(phrases, phrases, triples)
@example(
    "director 1951", "", [("Who Harbour 1951", "director", "Who Lights 1951")]
)  # a bridge from both its sides
def test_any_words_can_be_read(
    question: str, title: str, found: list[tuple[str, str, str]]
) -> None:
    page = [Passage(1, "p", title, question)]
    stored = [Triple(i, 1, *words) for i, words in enumerate(found, start=1)]
    starts = ask(ReaderRequest(READ, question, page, stored))
    gist = ask(ReaderRequest(READ_GIST, question, page, stored))
    assert {t.triple_id for t in (*starts.triples, *gist.triples)} <= {t.id for t in stored}
    assert not {t.triple_id for t in gist.triples} & {t.triple_id for t in gist.passed_over}
    more = ask(ReaderRequest(READ_GIST, question, page, stored, gist.triples))
    memory = (*gist.triples, *more.triples)
    for role in (REASON, REWRITE):
        request = ReaderRequest(role, question, memory=memory)
        assert ask(request) == ask(request)


@settings(max_examples=60, deadline=None)
@given(phrases, triples)
def test_no_query_is_asked_twice(question: str, found: list[tuple[str, str, str]]) -> None:
    page = [Passage(1, "p", "Harbour Lights", question)]
    stored = [Triple(i, 1, *words) for i, words in enumerate(found, start=1)]
    reading = ask(ReaderRequest(READ_GIST, question, page, stored))
    over, asked = reading.passed_over, [question]
    for _ in range(len(stored) + 3):
        request = ReaderRequest(
            REWRITE, question, memory=reading.triples, passed_over=over, asked=asked
        )
        query = ask(request).query
        if not query:
            return
        assert tokenise(query) not in [tokenise(other) for other in asked]
        asked.append(query)
    raise AssertionError("it never says that nothing is left")


@settings(max_examples=40, deadline=None)
@given(phrases, phrases, triples, st.sampled_from(["ircot", "gcot", "tog", "irgs"]))
def test_any_words_can_be_thought_about(
    question: str, title: str, found: list[tuple[str, str, str]], style: Style
) -> None:
    page = [Passage(1, "p", title, question)]
    stored = [Triple(i, 1, *words) for i, words in enumerate(found, start=1)]
    thoughts: list[Thinking] = []
    for _ in range(3):
        request = ReaderRequest(
            THINK, question, page, stored, thoughts=tuple(thoughts), style=style
        )
        thought = ask(request)
        assert thought == ask(request)
        assert {fact.triple_id for fact in thought.because} <= {triple.id for triple in stored}
        assert not thought.final or thought.answer
        assert not thought.final or style != "irgs"
        thoughts.append(thought)
    facts = [fact.triple_id for thought in thoughts for fact in thought.because]
    assert len(facts) == len(set(facts))


@settings(max_examples=40, deadline=None)
@given(phrases, phrases, triples)
def test_any_words_can_be_chained_and_verified(
    question: str, title: str, found: list[tuple[str, str, str]]
) -> None:
    page = [Passage(1, "p", title, question), Passage(2, "q", question, title)]
    stored = [Triple(i, 1 + i % 2, *words) for i, words in enumerate(found, start=1)]
    stored.sort(key=lambda triple: triple.passage_id)
    thinks = ReaderRequest(DUAL_THOUGHTS, question, page, stored)
    dual = ask(thinks)
    assert dual == ask(thinks)
    assert not dual.slow or dual.slow != dual.fast
    chains = ReaderRequest(CHAIN, question, page, stored, dual.because)
    chain = ask(chains)
    assert chain == ask(chains)
    assert bool(chain.nodes) == bool(chain.because)
    assert set(chain.nodes) <= {title, question} | {word for words in found for word in words} | {
        f"{predicate} (inverse)" for _, predicate, _ in found
    }
    verified = ask(ReaderRequest(VERIFY, question, page, stored, chain=chain))
    assert len(set(verified.indices)) == len(verified.indices) == len(verified.reasons)
    homes = {
        triple.passage_id
        for triple in stored
        if triple.id in {fact.triple_id for fact in chain.because}
    }
    assert {page[i - 1].id for i in verified.indices} == homes
