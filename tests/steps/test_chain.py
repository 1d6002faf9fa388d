"""Links and terms on a collection small enough to work out by hand.

Three passages. "Post-mortem" says that the scanners failed after CHG-1; "CHG-1" says who approved;
"Menu" shares "friday" with the first and says nothing of the question. The search starts from the
post-mortem alone.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from gear_app.rows import SharedMentions
from gear_app.steps import chain
from gear_app.types import Passage, Span

POST, CHANGE, MENU = range(3)
ASKED = ["scanner", "approved"]
QUERY = np.array([1.0, 0.0], np.float32)
NEAR = np.array([0.6, 0.8], np.float32)  # cosine 0.6 with the query
FAR = np.array([0.0, 1.0], np.float32)


def shared(**changes: object) -> SharedMentions:
    """Sentences: 0 "Scanners failed after CHG-1." and 1 "That was a friday." of the post-mortem, 2
    "CHG-1 was approved by Calvet.", 3 "Fish on friday."
    """
    value = SharedMentions(
        size=8,
        passages=[Passage(n, key, key, "") for n, key in enumerate(("post", "change", "menu"))],
        names=["chg-1", "friday"],
        holders=np.array([2, 3]),
        common=np.array([False, True]),
        held=np.array([[POST, 0], [POST, 1], [CHANGE, 0], [MENU, 1]]),
        sentence_passages=np.array([POST, POST, CHANGE, MENU]),
        spans=[Span(0, 1)] * 4,
        vectors=np.stack([NEAR, FAR, FAR, FAR]),
        named=np.array([[0, 0], [1, 1], [2, 0], [3, 1]]),
        asked_holders=np.array([2, 1]),
        asked_in_sentences=np.array([[1, 0], [0, 0], [0, 1], [0, 0]], bool),
        asked_in_titles=np.zeros((3, 2), bool),
    )
    return replace(value, **changes)  # type: ignore[arg-type]


IDF_CHG, IDF_FRIDAY = math.log(9 / 2.5), math.log(9 / 3.5)
IDF_SCANNER, IDF_APPROVED = math.log(9 / 2.5), math.log(9 / 1.5)
SCANNER = IDF_SCANNER / (IDF_SCANNER + IDF_APPROVED)
WEIGHTS = 1.5 * IDF_CHG, 0.7 * IDF_FRIDAY


def test_a_name_counts_half_as_much_again_and_a_word_seven_tenths() -> None:
    assert chain.weights(shared()).tolist() == pytest.approx(WEIGHTS)
    digits = shared(names=["1871", "friday"], common=np.array([True, True]))
    assert chain.weights(digits).tolist() == pytest.approx(WEIGHTS)  # a number is no word


def test_in_large_collections_weights_are_as_in_one_of_64() -> None:
    large = shared(size=5000)
    scale = math.log(65) / math.log(5001)
    assert chain.weights(large)[0] == pytest.approx(scale * 1.5 * math.log(5001 / 2.5))


def test_the_shares_of_a_query_are_by_idf_and_add_up_to_one() -> None:
    assert chain.shares(shared()).tolist() == pytest.approx([SCANNER, 1 - SCANNER])


def test_the_best_link_has_both_sentences_and_its_strength_adds_up() -> None:
    links = chain.follow(shared(), 1, QUERY, ASKED)
    assert links.passages.tolist() == [CHANGE, MENU]
    assert links.starts.tolist() == [POST, POST]
    assert links.mentions.tolist() == [0, 1]
    assert (links.here.tolist(), links.there.tolist()) == ([0, 1], [2, 3])
    both = (NEAR + FAR) / np.linalg.norm(NEAR + FAR)
    cosine = float(both @ QUERY)
    assert links.cosine.tolist() == pytest.approx([cosine, 0.0], abs=1e-6)
    covered = 1.0  # scanner in the first sentence, approved in the second
    assert links.strength.tolist() == pytest.approx(
        [cosine + 0.05 * WEIGHTS[0] + 0.3 * covered + 0.15, 0.05 * WEIGHTS[1] + 0.15], abs=1e-6
    )
    assert links.cover.tolist() == pytest.approx([1 - SCANNER, 0.0], abs=1e-6)
    assert links.weakest == links.strength[1]


def test_what_the_first_sentence_covers_is_not_covered_again() -> None:
    again = shared(asked_in_sentences=np.array([[1, 1], [0, 0], [0, 1], [0, 0]], bool))
    assert chain.follow(again, 1, QUERY, ASKED).cover[0] == 0
    title = shared(asked_in_titles=np.array([[0, 1], [0, 0], [0, 0]], bool))
    assert chain.follow(title, 1, QUERY, ASKED).cover[0] == 0


def test_mentions_of_the_query_are_no_links_but_the_walk_takes_them() -> None:
    links = chain.follow(shared(), 1, QUERY, ["chg-1", "approved"])
    assert links.passages.tolist() == [MENU]
    assert links.walk[CHANGE] > 0


def test_the_walk_goes_by_squared_weight_evenly_to_all_who_hold_it() -> None:
    to_change, to_menu = WEIGHTS[0] ** 2 / 2, WEIGHTS[1] ** 2 / 3
    walk = chain.follow(shared(), 1, QUERY, ASKED).walk
    assert walk.tolist() == pytest.approx(
        [0, to_change / (to_change + to_menu), to_menu / (to_change + to_menu)]
    )


def test_a_mention_in_the_title_alone_links_all_sentences_of_its_passage() -> None:
    title = shared(
        named=np.array([[1, 1], [2, 0], [3, 1]]), vectors=np.stack([FAR, NEAR, FAR, FAR])
    )
    links = chain.follow(title, 1, QUERY, ASKED)
    covering, near = 0.3 * SCANNER, float(((NEAR + FAR) / np.linalg.norm(NEAR + FAR)) @ QUERY)
    assert near > covering
    assert links.here[0] == 1  # the nearer of both


def test_ties_go_to_the_start_that_ranks_higher() -> None:
    two = shared(
        holders=np.array([3, 3]),
        held=np.array([[POST, 0], [CHANGE, 0], [MENU, 0]]),
        names=["chg-1"],
        common=np.array([False]),
        vectors=np.stack([FAR] * 4),
        named=np.array([[0, 0], [2, 0], [3, 0]]),
        asked_in_sentences=np.zeros((4, 2), bool),
    )
    two = replace(two, holders=np.array([3]))
    links = chain.follow(two, 2, QUERY, ASKED)
    assert links.starts[links.passages.tolist().index(MENU)] == POST


def test_nothing_shared_gives_no_links() -> None:
    nothing = shared(
        names=[],
        holders=np.zeros(0, np.int64),
        common=np.zeros(0, bool),
        held=np.zeros((0, 2), np.int64),
        named=np.zeros((0, 2), np.int64),
    )
    links = chain.follow(nothing, 1, QUERY, ASKED)
    assert (len(links.passages), links.weakest) == (0, 0.0)
    assert links.walk.tolist() == [0, 0, 0]


def test_the_terms_are_those_of_the_docstring() -> None:
    links = chain.follow(shared(), 1, QUERY, ASKED)
    terms = chain.terms(
        np.array([0, 3, chain.UNRANKED]), links, np.array([-1, 0, 1]), np.array([0.0, 0.5, 0.1])
    )
    strength, weight, cover = links.strength, links.weight, links.cover
    expected = [
        [2.0, 5 * (strength[1] - 0.5), 0.0, 0.0, 0.0],
        [10 / 8, 5 * (strength[0] - 0.5), weight[0] / 4, 3 * cover[0], math.log1p(25)],
        [10 / 105, 5 * (strength[1] - 0.5), weight[1] / 4, 0.0, math.log1p(5)],
    ]
    assert terms.tolist() == [pytest.approx(row, abs=1e-6) for row in expected]
