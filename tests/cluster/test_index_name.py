"""The name of an index says all that is in it: two collections have the same name where all their
documents are the same, and only there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from gear_app.cluster.contents import CollectionContents
from gear_app.cluster.facts import CollectionOrigin
from gear_app.opensearch import schema
from gear_app.opensearch.load import StorageOptions
from gear_app.opensearch.schema import IndexFacts
from gear_app.types import Passage, Question, Span, Triple
from tests.cluster.worlds import EMBEDDER, embedded

PASSAGES = [
    Passage(1, "a", "Ada", "Ada built the Bell. It rang.", 1, 0, 28),
    Passage(2, "b", "Bell", "The Bell hangs in Lorn.", 1, 29, 52),
]
TRIPLES = [
    Triple(1, 1, "Ada", "built", "Bell", Span(0, 19), False),
    Triple(2, 2, "Bell", "hangs in", "Lorn", Span(0, 23), False),
]
QUESTIONS = [Question("q", "Who built the Bell?", ("Ada",), ("a",))]
ORIGIN = CollectionOrigin("bells", 1, "curated", "texts", EMBEDDER.fingerprint, "import", 4)


def facts(
    passages: Sequence[Passage] = PASSAGES,
    triples: Sequence[Triple] = TRIPLES,
    questions: Sequence[Question] = QUESTIONS,
    origin: CollectionOrigin = ORIGIN,
    shards: int = 1,
) -> IndexFacts:
    index = embedded(passages, triples)
    return CollectionContents.of(index, origin, questions, StorageOptions(shards)).facts


@cache
def plain() -> IndexFacts:
    return facts()


first, second, question = PASSAGES[0], TRIPLES[1], QUESTIONS[0]
OTHERS = {
    "key": facts([replace(first, key="x"), PASSAGES[1]]),
    "title": facts([replace(first, title="Ada Ada", text="built the Bell."), PASSAGES[1]]),
    "document": facts([replace(first, document_id=None), PASSAGES[1]]),
    "start": facts([replace(first, start=1), PASSAGES[1]]),
    "number of a triple": facts(triples=[TRIPLES[0], replace(second, id=3)]),
    "passage of a triple": facts(triples=[TRIPLES[0], replace(second, passage_id=1)]),
    "span": facts(triples=[TRIPLES[0], replace(second, span=Span(4, 23))]),
    "no span": facts(triples=[TRIPLES[0], replace(second, span=None)]),
    "closest": facts(triples=[TRIPLES[0], replace(second, closest=True)]),
    "name as written": facts(triples=[TRIPLES[0], replace(second, object="lorn")]),
    "another question": facts(questions=[*QUESTIONS, replace(question, id="p")]),
    "words of a question": facts(questions=[replace(question, question="Who built it?")]),
    "gold": facts(questions=[replace(question, supporting_keys=("b",))]),
    "answers": facts(questions=[replace(question, answers=("Eve",))]),
    "iterations": facts(origin=replace(ORIGIN, max_iterations=2)),
    "texts": facts(origin=replace(ORIGIN, content="others")),
    "shards": facts(shards=2),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_differs_in_anything_that_is_stored_has_another_name(what: str) -> None:
    assert OTHERS[what].index != plain().index
    assert OTHERS[what].alias == plain().alias


def test_names_of_all_that_differ_are_different() -> None:
    assert len({one.index for one in OTHERS.values()}) == len(OTHERS)


def test_the_same_collection_has_the_same_name_whatever_its_revision_and_order() -> None:
    again = facts(PASSAGES[::-1], TRIPLES, QUESTIONS, replace(ORIGIN, revision=9))
    assert again.index == plain().index
    gold = facts(questions=[replace(question, supporting_keys=("a", "a"))])
    assert gold.index == plain().index


def test_the_facts_of_an_index_are_read_whole_or_not_at_all() -> None:
    told = plain().to_json()
    read = schema.facts_of(json.loads(json.dumps(told, sort_keys=True)))
    assert read == plain() and read.index == plain().index, "however a server orders it"
    assert schema.facts_of({"gear": {**told["gear"], "new": 1}}) is None
    del told["gear"]["stored"]
    assert schema.facts_of(told) is None
