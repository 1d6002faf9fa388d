"""Whether a graph earns its place, on the small collection, where every edge can be read off."""

from __future__ import annotations

import itertools
from dataclasses import replace
from statistics import fmean

import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import BadInput
from gear_app.evaluate.graph_worth import ANY, MENTION, SYNONYM, TITLE, TRIPLE, worth
from gear_app.index.embedded import EmbeddedIndex
from gear_app.text import normalise_entity
from gear_app.types import Question
from gear_app.views.evaluate.graph import rows, section
from tests.retrievers.test_networks import with_synonyms
from tests.small import SmallWorld, index_over

BORN = Question("born", "Where was the director of Harbour Lights born?", (), ("harbour", "quill"))
BRIDGE = Question("bridge", "Who built the bridge of Port Mira?", (), ("mira", "vane"))
FAR = Question("far", "What has law to do with music?", (), ("quill", "hale"))
ALONE = Question("alone", "What is Lorn?", (), ("lorn",))
GONE = Question("gone", "What is gone?", (), ("lorn", "nowhere"))
TITLES = {("harbour", "quill"), ("quill", "mira"), ("mira", "vane"), ("winter", "hale")}
"""Lorn's is too short."""


def shared_entities(small: SmallWorld) -> set[tuple[str, str]]:
    """Pairs of passages with an entity of triples of both that no more than four passages name."""
    key = {passage.id: passage.key for passage in small.passages}
    held: dict[str, set[str]] = {}
    for triple in small.triples:
        for name in (triple.subject, triple.object):
            held.setdefault(name, set()).add(key[triple.passage_id])
    few = (keys for keys in held.values() if len(keys) <= 4)
    return {tuple(sorted(pair)) for keys in few for pair in itertools.combinations(keys, 2)}


def test_edges_are_counted_by_kind_and_gold_pairs_once(small: SmallWorld) -> None:
    found = worth(small.index, [BORN, BRIDGE, FAR, ALONE, GONE, BORN])
    kinds = {kind.kind: kind for kind in found.kinds}
    assert (found.passages, found.questions, found.pairs) == (8, 4, 3)  # one is asked twice
    assert (kinds[TITLE].edges, kinds[TITLE].joined) == (len(TITLES), 2)
    assert kinds[TRIPLE].edges == len(shared_entities(small)) and kinds[TRIPLE].joined == 2
    assert (kinds[SYNONYM].edges, kinds[SYNONYM].joined) == (0, 0)
    assert kinds[MENTION].joined >= 2
    assert kinds[ANY].edges >= max(kind.edges for kind in found.kinds[:-1])
    assert found.by_chance == pytest.approx(3 / 28)
    assert found.precision(kinds[TITLE]) == pytest.approx(2 / 4)
    assert found.times(kinds[TITLE]) == pytest.approx((2 / 4) / (3 / 28))
    assert found.times(kinds[SYNONYM]) == 0.0


def test_a_synonym_joins_what_names_the_one_with_what_names_the_other(small: SmallWorld) -> None:
    found = worth(with_synonyms(small), [BORN])
    (synonym,) = (kind for kind in found.kinds if kind.kind == SYNONYM)
    # Port Mira and Lorn: two passages name the one, three the other. Harbour and Winter Lights.
    assert synonym.edges == 2 * 3 + 1


def test_the_graph_of_the_triples_is_counted(small: SmallWorld) -> None:
    """Names once, however they are written; pairs once, however many triples join them."""
    names = {normalise_entity(n) for t in small.triples for n in (t.subject, t.object)}
    ends = [(normalise_entity(t.subject), normalise_entity(t.object)) for t in small.triples]
    of = worth(small.index, [BORN]).triples
    assert (of.entities, of.synonyms) == (len(names), 0)
    assert of.joined == len({frozenset(pair) for pair in ends if pair[0] != pair[1]})
    held = {(t.passage_id, n) for t, pair in zip(small.triples, ends, strict=True) for n in pair}
    assert of.a_passage == pytest.approx(len(held) / len({id_ for id_, _ in held}))
    assert worth(with_synonyms(small), [BORN]).triples.synonyms == 2


def test_gold_is_held_against_the_nearest_others(small: SmallWorld) -> None:
    found = worth(small.index, [BORN]).nearness
    embedder = HashingEmbedder()
    (question,) = embedder.embed([BORN.question])
    cosines = {
        passage.key: float(question @ vector)
        for passage, vector in zip(
            small.passages, embedder.embed([one.indexed for one in small.passages]), strict=True
        )
    }
    gold = [cosines.pop(key) for key in ("harbour", "quill")]
    assert found["gold passages"].mean == pytest.approx(fmean(gold), abs=1e-5)
    others = found["the 10 nearest others"]
    assert (others.n, others.mean) == (6, pytest.approx(fmean(cosines.values()), abs=1e-5))
    every = [passage.key for passage in small.passages]
    assert list(worth(small.index, [replace(BORN, supporting_keys=every)]).nearness) == [
        "gold passages"
    ]


def test_distances_are_from_what_one_search_finds(
    small: SmallWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.evaluate.graph_worth.FIRST", 1)
    found = worth(small.index, [BORN])
    assert {step: n for step, n in found.distances.items() if n} == {1: 1}
    # Without any edge nothing leads there.
    lonely = index_over(small.passages[:1] + small.passages[5:6], [], HashingEmbedder())
    question = Question("q", "Harbour Lights", (), ("harbour", "hale"))
    assert worth(lonely, [question]).distances == {1: 0, 2: 0, 3: 0, 0: 1}


def test_a_collection_without_pairs_of_gold_says_so(small: SmallWorld) -> None:
    with pytest.raises(BadInput, match="No question of 'films' has two gold passages"):
        worth(small.index, [ALONE, GONE], "films")
    part = Question("part", "What is Lorn?", (), ("lorn", "lorn#1"))  # both are one passage
    with pytest.raises(BadInput):
        worth(small.index, [part], "films")
    empty: EmbeddedIndex = index_over([], [], HashingEmbedder())
    with pytest.raises(BadInput):
        worth(empty, [BORN], "films")


def test_it_is_said_in_a_section_and_in_a_table(small: SmallWorld) -> None:
    found = worth(small.index, [BORN, BRIDGE, FAR])
    told = section(found)
    assert told.heading == "An edge joins 3 of 3 gold pairs"
    assert told.aside == "3 pairs of gold passages of one question, of 3 questions"
    assert rows(found)[0][:4] == ["a title that the other's text has", 4, 2, "67 %"]
