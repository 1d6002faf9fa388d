"""GRIEVER on collections small enough to know by heart: what is searched, matched, put in, joined
and fused.
"""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.config import BaseConfig, GrieverConfig
from gear_app.embedders.cache import CachedEmbedder
from gear_app.embedders.local import HashingEmbedder
from gear_app.events import (
    Event,
    Fused,
    Matched,
    Retrieved,
    Rewrote,
    Split,
    Stopped,
    from_row,
    to_row,
)
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.entities import EntityGraph, Pairs, first_written
from gear_app.retrievers.griever import Griever, composed, hybrid, sparse_ids
from gear_app.retrievers.lookup import DEPTH, followed_by
from gear_app.retrievers.matcher import MANY, mentions
from gear_app.seams import Embedder
from gear_app.steps.fuse import rrf
from gear_app.steps.split import split
from gear_app.text import tokenise
from gear_app.types import Passage, Ranking, Triple
from tests.small import QUESTION, SmallWorld, top

EMBEDDER = HashingEmbedder(512)
Row = tuple[str, str, list[tuple[str, str, str]]]  # title, text, triples
Names = dict[tuple[str, str], float]  # pairs of names that are near, with their cosines

DOUGLASS: list[Row] = [
    (
        "The North Star (anti-slavery newspaper)",
        (
            "The abolitionist newspaper The North Star appeared in Rochester. Its publisher was"
            " Frederick Douglass."
        ),
        [
            ("The North Star", "published by", "Frederick Douglass"),
            ("The North Star", "appeared in", "Rochester"),
        ],
    ),
    (
        "Helen Pitts Douglass",
        "Helen Pitts taught school before she became the second wife of Frederick Douglass.",
        [
            ("Frederick Douglass", "spouse", "Helen Pitts Douglass"),
            ("Helen Pitts Douglass", "taught", "school"),
        ],
    ),
    (
        "North Star (ferry)",
        "The North Star is a ferry that crosses the sound.",
        [("North Star ferry", "crosses", "sound")],
    ),
    (
        "Polaris",
        "Polaris is the star that sailors call the north star.",
        [("Polaris", "called", "pole star")],
    ),
    ("Abolitionist", "An abolitionist newspaper wants slavery to end.", []),
    ("Publisher", "A publisher pays for a book.", []),
    ("Rochester", "Rochester lies on the Genesee.", [("Rochester", "lies on", "Genesee")]),
]
NORTH_STAR = "Who married the publisher of abolitionist newspaper The North Star?"


def index_of(
    rows: list[Row], near: Names | None = None, embedder: Embedder = EMBEDDER
) -> EmbeddedIndex:
    """Passages and triples with ids from 1 in the order given; `near` are the synonyms."""
    passages = [
        Passage(n, f"p{n}", title, text) for n, (title, text, _) in enumerate(rows, start=1)
    ]
    facts = [(n, *fact) for n, (_, _, found) in enumerate(rows, start=1) for fact in found]
    triples = [Triple(n, *fact) for n, fact in enumerate(facts, start=1)]

    names = first_written(name for triple in triples for name in (triple.subject, triple.object))
    nodes = {name: position for position, name in enumerate(names.values())}
    pairs = [(max(nodes[a], nodes[b]), min(nodes[a], nodes[b])) for a, b in near or {}]
    places = np.array(pairs, np.int64).reshape(-1, 2)
    synonyms = Pairs(places[:, 0], places[:, 1], np.array(list((near or {}).values())))
    graph = EntityGraph(triples, names, embedder.embed(list(names.values())), synonyms)
    vectors = [
        embedder.embed(texts)
        for texts in ([p.indexed for p in passages], [t.text for t in triples])
    ]
    return EmbeddedIndex(passages, triples, *vectors, embedder, lambda: graph)


def run(
    index: EmbeddedIndex,
    question: str,
    k: int = 5,
    embedder: Embedder = EMBEDDER,
    **settings: object,
) -> tuple[Ranking, list[Event]]:
    events: list[Event] = []
    config = GrieverConfig(**settings)  # type: ignore[arg-type]
    return Griever(index, embedder, config).retrieve(question, k, events.append), events


def of(events: list[Event], kind: type) -> list:  # type: ignore[type-arg]
    return [event for event in events if isinstance(event, kind)]


# The poster's example


def check_the_north_star(index: EmbeddedIndex, embedder: Embedder) -> None:
    ranking, events = run(index, NORTH_STAR, embedder=embedder)
    first, second = of(events, Retrieved)
    assert first.ranking[0].title == "The North Star (anti-slavery newspaper)"
    assert second.query == "Who married Frederick Douglass?"
    assert [
        line.title for line in second.ranking if "ferry" in line.title or line.title == "Publisher"
    ] == []
    assert {line.title for line in second.ranking} == {
        "Helen Pitts Douglass",
        "The North Star (anti-slavery newspaper)",
    }
    titles = [index.names([id_])[id_].title for id_ in ranking.ids[:2]]
    assert set(titles) == {"Helen Pitts Douglass", "The North Star (anti-slavery newspaper)"}
    matched = of(events, Matched)[0]
    (match,) = [match for match in matched.matches if match.taken]
    assert (match.mention, match.known, match.new) == (
        "The North Star",
        "The North Star",
        "Frederick Douglass",
    )
    assert match.relation == "the publisher of abolitionist newspaper"
    (change,) = of(events, Rewrote)[0].substitutions
    assert change.removed == "the publisher of abolitionist newspaper The North Star"
    assert (change.inserted, change.because) == (
        "Frederick Douglass",
        "The North Star published by Frederick Douglass",
    )
    assert [(join.entity, join.passages) for join in matched.joins] == [("Frederick Douglass", 2)]
    answer = of(events, Matched)[1].matches[0]
    assert (answer.known, answer.new, answer.taken) == (
        "Frederick Douglass",
        "Helen Pitts Douglass",
        False,
    )
    assert of(events, Stopped)[0].why == "nothing to rewrite"


def test_the_north_star_leads_to_helen_pitts_douglass() -> None:
    check_the_north_star(index_of(DOUGLASS), EMBEDDER)


@pytest.mark.models
def test_the_north_star_leads_to_helen_pitts_douglass_by_the_real_model(
    minilm: CachedEmbedder,
) -> None:
    check_the_north_star(index_of(DOUGLASS, embedder=minilm), minilm)


# Rewriting, on questions written for this test: a triple, the next query


REWRITTEN = [
    (
        "Where was the director of Harbour Lights born?",
        "Harbour Lights|was directed by|Ada Quill",
        "Where was Ada Quill born?",
    ),
    (
        "Who is the mother of the director of film Harbour Lights?",
        "Harbour Lights|directed by|Ada Quill",
        "Who is the mother of Ada Quill?",
    ),
    (
        "Which river runs through the town where Ada Quill was born?",
        "Ada Quill|was born in|Port Mira",
        "Which river runs through Port Mira?",
    ),
    (
        "When did Ada Quill's husband die?",
        "Ada Quill|was married to|Bo Hale",
        "When did Bo Hale die?",
    ),
    (
        "What is the capital of the country in which the river Sel rises?",
        "river Sel|rises in|Lorn",
        "What is the capital of Lorn?",
    ),
    (
        "Who owns the company that built the Sel Bridge?",
        "Sel Bridge|was built by|Vane and Sons",
        "Who owns Vane and Sons?",
    ),
    (
        "Who founded the label which released Winter Lights?",
        "Winter Lights|was released by|Quill Records",
        "Who founded Quill Records?",
    ),
    (
        "Which city is home to the club that plays at Vane Park?",
        "Mira Rovers|plays at|Vane Park",
        "Which city is home to Mira Rovers?",
    ),
    (
        "Who painted the castle whose first lord was Tom Vane?",
        "Lorn Castle|had as first lord|Tom Vane",
        "Who painted Lorn Castle?",
    ),
    (
        "What language is spoken in the birthplace of Bo Hale?",
        "Bo Hale|was born in|Lorn",
        "What language is spoken in Lorn?",
    ),
    (
        "When was the school attended by Ada Quill founded?",
        "Ada Quill|attended|Mira Academy",
        "When was Mira Academy founded?",
    ),
    (
        "Who wrote the novel on which Harbour Lights is based?",
        "Harbour Lights|is based on|The Ferryman",
        "Who wrote The Ferryman?",
    ),
    (
        "Which sea does the river that flows past Port Mira reach?",
        "Sel|flows past|Port Mira",
        "Which sea does Sel reach?",
    ),
    (
        'Where did the singer of "Winter Lights" grow up?',
        "Winter Lights|was sung by|Bo Hale",
        "Where did Bo Hale grow up?",
    ),
    (
        "What is the population of the county where Lorn Castle stands?",
        "Lorn Castle|stands in|Mira County",
        "What is the population of Mira County?",
    ),
    (
        "Who was king when the war in which Tom Vane fell began?",
        "Tom Vane|fell in|Salt War",
        "Who was king when Salt War began?",
    ),
    (
        "Which prize did the author of Letters from the Sel win?",
        "Letters from the Sel|was written by|Ada Quill",
        "Which prize did Ada Quill win?",
    ),
    (
        "In what year did the employer of Bo Hale close?",
        "Bo Hale|worked for|Lorn Mill",
        "In what year did Lorn Mill close?",
    ),
    (
        "Who discovered the comet after which the ship Skylark was named?",
        "Skylark|was named after|Comet Hale",
        "Who discovered Comet Hale?",
    ),
    (
        "Is the architect of the Sel Bridge still alive?",
        "Sel Bridge|was designed by|Tom Vane",
        "Is Tom Vane still alive?",
    ),
    (
        "Who is the father of the composer of the anthem of Lorn?",
        "Anthem of Lorn|was composed by|Bo Hale",
        "Who is the father of Bo Hale?",
    ),
    ("Who lit the harbour?", "Harbour Lights|was directed by|Ada Quill", ""),
    ("When was Harbour Lights made?", "Harbour Lights|was made in|1951", ""),
    ("Who made the songs of Harbour Lights?", "Harbour Lights|has|songs", ""),
]


@pytest.mark.parametrize(("question", "triple", "query"), REWRITTEN)
def test_what_a_triple_answers_gives_way_to_what_it_leads_to(
    question: str, triple: str, query: str
) -> None:
    subject, predicate, object_ = triple.split("|")
    rows: list[Row] = [
        (subject, f"{subject} {predicate} {object_}.", [(subject, predicate, object_)]),
        (object_, f"{object_} is known.", [(object_, "is", "known")]),
        ("More", f"{subject} is known too.", [(subject, "is", "known too")]),
    ]
    _, events = run(index_of(rows), question, sure=0.8)
    rewrote = of(events, Rewrote)[0]
    assert rewrote.query == query
    assert [change.inserted for change in rewrote.substitutions] == [
        name for name in (subject, object_) if name in query
    ]
    for change, match in zip(rewrote.substitutions, of(events, Matched)[0].matches, strict=False):
        assert change.removed == question[match.place.start : match.place.end]


def test_only_the_name_gives_way_where_the_relation_was_not_matched() -> None:
    """ "stands beside" answers nothing of "the height of", but with a low threshold it is taken all
    the same.
    """
    rows: list[Row] = [
        (
            "Vane Tower",
            "Vane Tower stands beside Lorn Mill.",
            [("Vane Tower", "beside", "Lorn Mill")],
        ),
        ("Lorn Mill", "Lorn Mill is old.", [("Lorn Mill", "is", "old")]),
    ]
    _, events = run(
        index_of(rows), "What is the approximate measured height of Vane Tower?", sure=0.2
    )
    match = of(events, Matched)[0].matches[0]
    assert (match.taken, match.relation, match.relation_spans) == (True, "", ())
    assert of(events, Rewrote)[0].query == "What is the approximate measured height of Lorn Mill?"


def test_both_sides_of_a_comparison_are_put_in_at_once() -> None:
    rows: list[Row] = [
        ("Harbour Lights", "A film.", [("Harbour Lights", "was directed by", "Ada Quill")]),
        ("Winter Lights", "A film.", [("Winter Lights", "was directed by", "Bo Hale")]),
        ("Ada Quill", "She was born in 1900.", [("Ada Quill", "was born in", "1900")]),
        ("Bo Hale", "He was born in 1910.", [("Bo Hale", "was born in", "1910")]),
        ("Lorn", "Nothing.", [("Lorn", "is", "town")]),
    ]
    question = "Is the director of Harbour Lights older than the director of Winter Lights?"
    _, events = run(index_of(rows), question)
    assert of(events, Rewrote)[0].query == "Is Ada Quill older than Bo Hale?"
    assert [join.entity for join in of(events, Matched)[0].joins] == ["Ada Quill", "Bo Hale"]
    assert {line.id for line in of(events, Retrieved)[1].ranking} == {1, 2, 3, 4}


# Matching


def test_the_events_say_how_a_score_is_made(small: SmallWorld) -> None:
    _, events = run(small.index, QUESTION, embedder=small.embedder, sure=0.5)
    for matched in of(events, Matched):
        assert matched.sure == 0.5
        assert [match.score for match in matched.matches] == sorted(
            (m.score for m in matched.matches), reverse=True
        )
        for match in matched.matches:
            relation = match.mention_cosine * (match.relation_cosine + match.agreement)
            assert match.score == pytest.approx(
                relation + match.title_weight * max(0, match.title_cosine), abs=1e-6
            )
            assert matched.query[match.mention_span.start : match.mention_span.end] == match.mention
            assert {match.known, match.new} == {match.triple.subject, match.triple.object}
            assert (
                match.place.start
                <= match.mention_span.start
                < match.mention_span.end
                <= match.place.end
            )


def test_a_match_that_is_not_sure_enough_is_shown_and_not_taken() -> None:
    _, events = run(index_of(DOUGLASS), NORTH_STAR, sure=2.0)
    (matched,) = of(events, Matched)
    assert (
        matched.matches
        and not any(match.taken for match in matched.matches)
        and matched.joins == ()
    )
    assert of(events, Rewrote)[0] == Rewrote("")
    assert of(events, Stopped)[0].why == "nothing to rewrite"


def test_what_the_query_mentions_already_is_not_new() -> None:
    """ "Ada Quill Junior" has two of three words in "Ada Quill": cosine 0.816."""
    rows: list[Row] = [
        ("Harbour Lights", "A film.", [("Harbour Lights", "directed by", "Ada Quill Junior")]),
        ("Ada Quill Junior", "A woman.", [("Ada Quill Junior", "is", "woman")]),
    ]
    _, events = run(index_of(rows), "Did the director of Harbour Lights know Ada Quill?", sure=0.0)
    assert of(events, Matched)[0].matches == ()
    _, events = run(index_of(rows), "Did the director of Harbour Lights know Bo Hale?", sure=0.0)
    assert [match.new for match in of(events, Matched)[0].matches] == ["Ada Quill Junior"]


@pytest.mark.parametrize(("title", "new"), [("Ferry", ["ferry"]), ("Boats", [])])
def test_a_name_without_a_capital_is_the_title_of_a_passage_found(
    title: str, new: list[str]
) -> None:
    rows: list[Row] = [
        ("Port Mira", "It has a ferry.", [("Port Mira", "is reached by", "ferry")]),
        (title, "It is slow.", [("ferry", "is", "slow")]),
    ]
    _, events = run(index_of(rows), "Who owns what reaches Port Mira?", sure=0.0)
    assert [match.new for match in of(events, Matched)[0].matches] == new


def test_a_triple_is_read_from_its_object_too() -> None:
    """ "wrote" leads from the book to its author, which is what "author" wants: 0.3 for the words
    and 0.2 for that.
    """
    rows: list[Row] = [
        (
            "Letters",
            "Letters was written by Ada Quill.",
            [("Ada Quill", "wrote", "Letters from Lorn")],
        ),
        ("Ada Quill", "A woman.", [("Ada Quill", "is", "woman")]),
    ]
    _, events = run(index_of(rows), "Which prize did the author of Letters from Lorn win?")
    match = of(events, Matched)[0].matches[0]
    assert (match.known, match.new, match.agreement) == ("Letters from Lorn", "Ada Quill", 0.5)
    assert of(events, Rewrote)[0].query == "Which prize did Ada Quill win?"


def test_a_name_that_nothing_is_asked_about_is_compared_by_its_clause() -> None:
    question = "In the hall that burned, Ada Quill sang?"
    (quill,) = mentions(question, split(question), ["Ada Quill"])
    assert (quill.phrase, quill.beside) == ("Ada Quill sang?", ())
    assert question[quill.span.start : quill.span.end] == "Ada Quill"


def test_of_a_crowd_of_names_the_first_are_looked_at() -> None:
    question = "Who knew " + " and met ".join(f"Ada{n} Quill" for n in range(MANY + 1)) + "?"
    found = mentions(question, split(question), ())
    assert [mention.text for mention in found] == [f"Ada{n} Quill" for n in range(MANY)]


COUNTY: list[Row] = [
    ("County", "A county.", [("county", "borders", "Port Mira")]),
    ("Port Mira", "A port.", [("Port Mira", "is", "port")]),
]


def test_a_single_word_without_a_capital_names_nothing_unless_all_are_written_so() -> None:
    _, events = run(index_of(COUNTY), "Which county borders Lorn?", sure=0.0)
    assert of(events, Matched)[0].matches == ()
    _, events = run(index_of(COUNTY), "which county borders lorn?", sure=0.0)
    assert [match.mention for match in of(events, Matched)[0].matches] == ["county"]


def test_several_words_without_a_capital_are_a_name() -> None:
    rows: list[Row] = [
        ("Harbour Lights", "A song.", [("Harbour Lights", "sung by", "Ada Quill")]),
        ("Ada Quill", "A woman.", [("Ada Quill", "is", "woman")]),
    ]
    _, events = run(index_of(rows), "Where did the singer of harbour lights meet Bo Hale?")
    assert of(events, Rewrote)[0].query == "Where did Ada Quill meet Bo Hale?"


def test_ties_go_to_the_smaller_triple() -> None:
    """Both triples have the same words and lead to names of the same words: only their ids tell
    them apart.
    """
    rows: list[Row] = [
        (
            "Sel Bridge",
            "A bridge.",
            [("Sel Bridge", "was built by", "Tom Vane"), ("Sel Bridge", "was built by", "Bo Hale")],
        ),
        ("Tom Vane", "A man.", [("Tom Vane", "is", "man")]),
        ("Bo Hale", "A man.", [("Bo Hale", "is", "man")]),
    ]
    _, events = run(index_of(rows), "Where was the builder of Sel Bridge born?", sure=0.5)
    assert [(m.triple.id, m.taken) for m in of(events, Matched)[0].matches] == [
        (1, True),
        (2, False),
    ]


def test_a_name_that_only_its_own_passage_has_leads_nowhere() -> None:
    rows = [row if row[0] != "Helen Pitts Douglass" else (row[0], row[1], []) for row in DOUGLASS]
    _, events = run(index_of(rows), NORTH_STAR, sure=0.0)
    assert "Frederick Douglass" not in [match.new for match in of(events, Matched)[0].matches]


def test_what_was_found_is_not_found_again() -> None:
    """From Lorn Castle to Tom Vane and on to Lorn; back to the castle no triple leads, nor to Tom
    Vane.
    """
    rows: list[Row] = [
        ("Lorn Castle", "Castle.", [("Lorn Castle", "was built by", "Tom Vane")]),
        (
            "Tom Vane",
            "Builder.",
            [("Tom Vane", "was born in", "Lorn"), ("Tom Vane", "built", "Lorn Castle")],
        ),
        ("Lorn", "Town.", [("Lorn", "is home of", "Tom Vane"), ("Lorn", "lies on", "Sel")]),
        ("Sel", "River.", [("Sel", "is", "river")]),
    ]
    question = (
        "Which poet mentions the river beside the birthplace of the builder of the Lorn Castle?"
    )
    _, events = run(index_of(rows), question, sure=0.5)
    found = [change.inserted for event in of(events, Rewrote) for change in event.substitutions]
    assert found[:2] == ["Tom Vane", "Lorn"]
    assert len(set(found)) == len(found) and "Lorn Castle" not in found


# Searching


def test_dense_ranks_only_what_bm25_put_first(small: SmallWorld) -> None:
    sparse_first = top(small.index, QUESTION, 3, "bm25")
    everywhere = top(small.index, QUESTION, 8, "dense")
    found = composed(small.index, QUESTION, 3).ranking
    assert set(found.ids) == set(sparse_first.ids)
    assert found.ids == tuple(id_ for id_ in everywhere.ids if id_ in sparse_first.ids)
    assert found.ids != sparse_first.ids


def test_the_nearest_others_fill_up_where_bm25_finds_too_few(small: SmallWorld) -> None:
    """ "Vane" is in two passages; the third is the nearest of the others."""
    assert set(top(small.index, "Vane", 8, "bm25").ids) == {3, 4}
    nearest = [id_ for id_ in top(small.index, "Vane", 8, "dense").ids if id_ not in (3, 4)]
    assert set(composed(small.index, "Vane", 3).ranking.ids) == {3, 4, nearest[0]}
    assert len(composed(small.index, "no such word", 3).ranking) == 3


def test_what_bm25_finds_is_kept_however_far_it_is(small: SmallWorld) -> None:
    for word in {word for passage in small.passages for word in tokenise(passage.text)}:
        found = top(small.index, f"{word} unlike anything else", 4, "bm25").ids
        assert set(found) <= set(
            composed(small.index, f"{word} unlike anything else", 4).ranking.ids
        )


def test_a_search_stays_among_the_passages_it_is_given(small: SmallWorld) -> None:
    among = frozenset((2, 5, 8))
    assert set(composed(small.index, QUESTION, 5, among).ranking.ids) == among
    assert set(hybrid(small.index, QUESTION, BaseConfig(), among).ranking.ids) == among
    for by in ("bm25", "dense"):
        everywhere = top(small.index, QUESTION, 8, by).hits
        assert top(small.index, QUESTION, 8, by, among).hits == tuple(
            h for h in everywhere if h.id in among
        )
        assert top(small.index, QUESTION, 8, by, ()) == Ranking()


def test_a_later_hop_stays_among_the_passages_that_name_what_it_joins() -> None:
    index = index_of(DOUGLASS)
    _, events = run(index, NORTH_STAR)
    first, second = of(events, Retrieved)
    assert len(first.ranking) == 7
    assert sorted(line.id for line in second.ranking) == [1, 2]


WIVES: list[Row] = [
    DOUGLASS[0],
    (
        "Helen Pitts",
        "She was the second wife of F. Douglass.",
        [("F. Douglass", "spouse", "Helen Pitts")],
    ),
    (
        "Anna Murray",
        "She was the first wife of Fred Douglas.",
        [("Fred Douglas", "spouse", "Anna Murray")],
    ),
    ("Frederick Douglass", "He spoke.", [("Frederick Douglass", "spoke at", "Rochester Hall")]),
]
ALIASES = {
    ("Frederick Douglass", "F. Douglass"): 0.95,
    ("Frederick Douglass", "Fred Douglas"): 0.949999,
}


def test_synonyms_of_the_join_entity_widen_the_search_from_the_threshold_on() -> None:
    _, events = run(index_of(WIVES, ALIASES), NORTH_STAR)
    (join,) = of(events, Matched)[0].joins
    assert (join.entity, join.synonyms, join.passages) == (
        "Frederick Douglass",
        (("F. Douglass", 0.95),),
        3,
    )
    assert {line.id for line in of(events, Retrieved)[1].ranking} == {1, 2, 4}
    _, events = run(index_of(WIVES, ALIASES), NORTH_STAR, threshold=0.9)
    assert of(events, Matched)[0].joins[0].synonyms == (
        ("F. Douglass", 0.95),
        ("Fred Douglas", 0.949999),
    )
    assert {line.id for line in of(events, Retrieved)[1].ranking} == {1, 2, 3, 4}


# Fusing


def test_the_final_ranking_is_rrf_over_the_hops_of_which_later_ones_bring_few() -> None:
    index = index_of(WIVES, ALIASES)
    ranking, events = run(index, NORTH_STAR, hop_k=2)
    first, second = ([line.id for line in event.ranking] for event in of(events, Retrieved))
    lists = [Ranking.of((id_, -n) for n, id_ in enumerate(ids)) for ids in (first, second[:2])]
    assert len(second) == 3
    assert ranking == rrf(lists)
    fused = of(events, Fused)
    assert [event.lists for event in fused] == [("iteration 1",), ("iteration 1", "iteration 2")]
    assert [(line.id, line.score) for line in fused[-1].ranking] == [
        tuple(hit) for hit in ranking.hits
    ]
    assert {event.purpose for event in fused} == {"final"}


def test_what_else_bm25_finds_follows_with_score_0() -> None:
    """k · c = 5 candidates of 250 passages with the same word; the ranking goes on to 200, in
    BM25's order.
    """
    rows: list[Row] = [(f"Lights {n}", "harbour " * (n % 7 + 1), []) for n in range(250)]
    index = index_of(rows)
    ranking, events = run(index, "harbour", k=1)
    assert len(of(events, Retrieved)[0].ranking) == 5
    assert len(ranking) == DEPTH == len(of(events, Fused)[0].ranking)
    assert all(hit.score > 0 for hit in ranking.hits[:5]) and all(
        hit.score == 0 for hit in ranking.hits[5:]
    )
    candidates = set(ranking.ids[:5])
    order = [id_ for id_ in top(index, "harbour", DEPTH, "bm25").ids if id_ not in candidates]
    assert list(ranking.ids[5:]) == order


def test_a_ranking_is_200_deep_and_no_deeper() -> None:
    """Three passages without the word, then those that have it."""
    rows: list[Row] = [(f"Lights {n}", "harbour" if n > 2 else "lamp", []) for n in range(250)]
    index = index_of(rows)
    found = followed_by(Ranking.of([(1, 0.3), (2, 0.2), (3, 0.1)]), sparse_ids(index, "harbour"))
    assert len(found) == DEPTH and found.ids[:4] == (1, 2, 3, 4)
    assert len(followed_by(Ranking(), sparse_ids(index, "nowhere"))) == 0


# Ablations


def test_without_the_composed_retriever_hops_are_hybrid(small: SmallWorld) -> None:
    _, events = run(small.index, QUESTION, embedder=small.embedder, composed=False)
    first = of(events, Retrieved)[0]
    assert first.base == "hybrid"
    dense = top(small.index, QUESTION, 100, "dense")
    bm25 = top(small.index, QUESTION, 100, "bm25")
    assert [line.id for line in first.ranking] == list(rrf([dense, bm25]).ids)


def test_a_collection_that_the_candidates_are_half_of_is_searched_by_both_scorers(
    small: SmallWorld,
) -> None:
    """Eight passages: three candidates leave most of them out, four do not."""
    for candidates, base in ((3, "composed"), (4, "hybrid")):
        _, events = run(small.index, QUESTION, 1, small.embedder, candidates=candidates)
        assert of(events, Retrieved)[0].base == base


def test_without_synonyms_only_the_name_itself_joins() -> None:
    index = index_of(WIVES, ALIASES)
    _, events = run(index, NORTH_STAR, same_as=False)
    assert of(events, Matched)[0].joins[0].synonyms == ()
    assert {line.id for line in of(events, Retrieved)[1].ranking} == {1, 4}


def test_without_shortlisting_every_partial_triple_is_matched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gear_app.retrievers.matcher.SHORTLIST", 3)
    index = index_of(DOUGLASS)
    assert [event.shortlisted for event in of(run(index, NORTH_STAR)[1], Matched)] == [3, 3]
    _, events = run(index, NORTH_STAR, k=7, shortlist=False)
    first = of(events, Matched)[0]
    assert (first.triples, first.shortlisted) == (7, 14)


def test_the_shortlist_keeps_what_is_nearest_to_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "the crew sang" is near to the second clause only; the first has nothing but one shared word
    with any.
    """
    monkeypatch.setattr("gear_app.retrievers.matcher.SHORTLIST", 1)
    rows: list[Row] = [
        (
            "Skylark",
            "Ship.",
            [("Skylark", "left", "Lorn"), ("Port Mira", "sang for crew of", "Skylark")],
        ),
        ("Port Mira", "Port.", [("Port Mira", "is", "port")]),
    ]
    _, events = run(
        index_of(rows), "What is the height of the hill which sang for crew of Skylark?", sure=0.0
    )
    assert [match.new for match in of(events, Matched)[0].matches] == ["Port Mira"]


def test_full_triples_are_compared_with_both_sides(small: SmallWorld) -> None:
    partial = of(run(small.index, QUESTION, embedder=small.embedder)[1], Matched)[0].matches[0]
    whole = of(run(small.index, QUESTION, embedder=small.embedder, triples="full")[1], Matched)[
        0
    ].matches[0]
    phrase, part, full = small.embedder.embed(
        [
            "the director of Harbour Lights",
            "Harbour Lights was directed by",
            "Harbour Lights was directed by Ada Quill",
        ]
    )
    assert (partial.triple.id, whole.triple.id) == (2, 2)
    assert partial.relation_cosine == pytest.approx(float(part @ phrase), abs=1e-5)
    assert whole.relation_cosine == pytest.approx(float(full @ phrase), abs=1e-5)


# How it ends


def test_hops_are_limited() -> None:
    _, events = run(index_of(DOUGLASS), NORTH_STAR, max_iterations=1)
    assert [event.why for event in of(events, Stopped)] == ["iteration limit"]
    assert of(events, Rewrote) == [] and not any(m.taken for m in of(events, Matched)[0].matches)
    assert of(events, Matched)[0].joins == ()


def test_a_query_that_was_asked_before_ends_the_search() -> None:
    """From the Vane, here "Vane", to the Tower and back to Vane, a name not met before."""
    rows: list[Row] = [
        ("Vane", "Vane is high.", [("The Vane", "joined", "Tower"), ("Vane", "is", "high")]),
        ("Tower", "Tower is low.", [("Tower", "joined", "Vane"), ("Tower", "is", "low")]),
    ]
    question = "What was the approximate yearly cost of the wall of Vane?"
    _, events = run(index_of(rows), question, sure=0.2)
    assert [event.query for event in of(events, Rewrote)] == [
        question.replace("Vane", "Tower"),
        question,
    ]
    assert [(event.why, event.iteration) for event in of(events, Stopped)] == [
        ("query repeated", 2)
    ]


def test_a_collection_without_triples_is_searched_by_the_composed_retriever() -> None:
    index = index_of([(title, text, []) for title, text, _ in DOUGLASS])
    ranking, events = run(index, NORTH_STAR, 1, candidates=2)
    found = rrf([composed(index, NORTH_STAR, 2).ranking])
    assert ranking.hits[: len(found)] == found.hits and len(found) == 2
    assert [(event.triples, event.shortlisted, event.matches) for event in of(events, Matched)] == [
        (0, 0, ())
    ]
    assert of(events, Stopped)[0].why == "nothing to rewrite"


def test_the_trace_is_in_order_and_survives_storing() -> None:
    _, events = run(index_of(DOUGLASS), NORTH_STAR)
    assert [(type(event), event.iteration) for event in events] == [
        (Split, 1),
        (Retrieved, 1),
        (Matched, 1),
        (Fused, 1),
        (Rewrote, 1),
        (Retrieved, 2),
        (Matched, 2),
        (Fused, 2),
        (Rewrote, 2),
        (Stopped, 2),
    ]
    assert [from_row(to_row(event)) for event in events] == events
