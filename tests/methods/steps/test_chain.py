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

from gear_app.core.rows import SharedMentions
from gear_app.core.types import Passage
from gear_app.index import links as chain
from gear_app.language.links import cuts, of_document

POST, CHANGE, MENU = range(3)
QUERY = chain.ChainQuery(
    ["scanner", "approved"],
    [("Who approved", "the failure of scanners")],
    np.array([[1.0, 0.0], [0.0, 1.0]], np.float32),
)
LEFT, RIGHT = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
BETWEEN = np.array([0.6, 0.8], np.float32)
LINK_WEIGHTS = (10.0, 0.8, 2.0, 5.5)


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
        spans=np.array([[0, 40]] * 4),
        vectors=np.stack([RIGHT, BETWEEN, LEFT, LEFT]),
        named=np.array([[0, 0], [1, 1], [2, 0], [3, 1]]),
        asked_holders=np.array([2, 1]),
        asked_in_sentences=np.array([[1, 0], [0, 0], [0, 1], [0, 0]], bool),
        asked_in_titles=np.zeros((3, 2), bool),
    )
    return replace(value, **changes)  # type: ignore[arg-type]


IDF_SCANNER, IDF_APPROVED = math.log(9 / 2.5), math.log(9 / 1.5)
SCANNER = IDF_SCANNER / (IDF_SCANNER + IDF_APPROVED)
WEIGHTS = 1.5 * math.log(65 / 2.5), 0.7 * math.log(65 / 3.5)


def follow(value: SharedMentions, starts: int = 1, query: chain.ChainQuery = QUERY) -> chain.Links:
    return chain.follow(value, starts, query, LINK_WEIGHTS)


def test_a_query_is_cut_after_a_word_that_says_something_with_two_such_on_either_side() -> None:
    assert cuts("Who approved the change that stopped scanners at Ghent?") == [
        ("Who approved the change", "that stopped scanners at Ghent"),
        ("Who approved the change that stopped", "scanners at Ghent"),
    ]


def test_a_query_that_is_too_short_to_be_cut_is_both_its_parts() -> None:
    assert cuts("Who signed CHG-1?") == [("Who signed CHG-1?", "Who signed CHG-1?")]
    assert cuts("") == [("", "")]


def test_a_name_counts_half_as_much_again_and_a_word_seven_tenths() -> None:
    assert chain.mention_weights(shared()).tolist() == pytest.approx(WEIGHTS)
    digits = shared(names=["1871", "friday"], common=np.array([True, True]))
    assert chain.mention_weights(digits).tolist() == pytest.approx(WEIGHTS)  # a number is no word
    assert chain.mention_weights(shared(size=150_000)).tolist() == pytest.approx(WEIGHTS)


def test_the_shares_of_a_query_are_by_idf_and_add_up_to_one() -> None:
    assert chain.shares(shared(), QUERY.mentions).tolist() == pytest.approx([SCANNER, 1 - SCANNER])


def test_what_was_put_together_by_rule_counts_only_where_a_passage_holds_it() -> None:
    nowhere = shared(asked_holders=np.array([2, 0]))
    assert chain.shares(nowhere, ["scanner", "ghent hall"]).tolist() == pytest.approx([1, 0])
    assert chain.shares(nowhere, ["scanner", "#chg9"]).tolist() == pytest.approx([1, 0])
    assert chain.shares(nowhere, ["scanner", "hall"])[1] > 0.5


def test_the_best_link_has_both_sentences_and_their_parts_of_the_query() -> None:
    links = follow(shared())
    assert links.passages.tolist() == [CHANGE, MENU]
    assert links.starts.tolist() == [POST, POST]
    assert links.mentions.tolist() == [0, 1]
    assert (links.here.tolist(), links.there.tolist()) == ([0, 1], [2, 3])
    # The right part of the query is the post-mortem's, so the cut is turned.
    assert links.turned.tolist() == [True, True]
    assert links.near_here.tolist() == pytest.approx([1.0, 0.8])
    assert links.near_there.tolist() == pytest.approx([1.0, 1.0])
    assert links.values[0].tolist() == pytest.approx(
        [1.0, WEIGHTS[0], SCANNER, 1 - SCANNER], abs=1e-6
    )
    assert links.values[1].tolist() == pytest.approx([0.9, WEIGHTS[1], 0, 0], abs=1e-6)


def test_of_several_cuts_the_best_counts() -> None:
    two = chain.ChainQuery(
        QUERY.mentions,
        [("Who", "approved the failure"), *QUERY.cuts],
        np.concatenate([np.stack([-LEFT, -RIGHT]), QUERY.parts]),
    )
    links = follow(shared(), query=two)
    assert links.cut.tolist() == [1, 1]
    assert links.values[0, 0] == pytest.approx(1.0)


def test_what_the_first_sentence_covers_is_not_covered_again() -> None:
    again = shared(asked_in_sentences=np.array([[1, 1], [0, 0], [0, 1], [0, 0]], bool))
    assert follow(again).values[0].tolist()[2:] == pytest.approx([1, 0])
    title = shared(asked_in_titles=np.array([[0, 1], [0, 0], [0, 0]], bool))
    assert follow(title).values[0].tolist()[2:] == pytest.approx([1, 0])


def test_links_are_chosen_by_the_weights_that_rank() -> None:
    both = shared(
        held=np.array([[POST, 0], [POST, 1], [CHANGE, 0], [CHANGE, 1]]),
        named=np.array([[0, 0], [1, 1], [2, 0], [3, 1]]),
        sentence_passages=np.array([POST, POST, CHANGE, CHANGE]),
    )
    assert follow(both).mentions.tolist() == [0]
    by_nothing = chain.follow(both, 1, QUERY, (0.0, -1.0, 0.0, 0.0))
    assert by_nothing.mentions.tolist() == [1]


def test_mentions_of_the_query_are_no_links_but_the_walk_takes_them() -> None:
    links = follow(shared(), query=QUERY._replace(mentions=["chg-1", "approved"]))
    assert links.passages.tolist() == [MENU]
    assert links.walk[CHANGE] > 0


def test_the_walk_goes_by_squared_weight_evenly_to_all_who_hold_it() -> None:
    to_change, to_menu = WEIGHTS[0] ** 2 / 2, WEIGHTS[1] ** 2 / 3
    assert follow(shared()).walk.tolist() == pytest.approx(
        [0, to_change / (to_change + to_menu), to_menu / (to_change + to_menu)]
    )


def test_a_mention_in_the_title_alone_links_all_sentences_of_its_passage() -> None:
    title = shared(named=np.array([[1, 1], [2, 0], [3, 1]]))
    links = follow(title)
    assert (links.here[0], links.near_here[0]) == (0, 1.0)  # the nearer of both


def test_what_only_the_titles_of_both_passages_name_is_no_link_and_the_walk_goes_past_it() -> None:
    links = follow(shared(named=np.array([[1, 1], [3, 1]])))
    assert links.passages.tolist() == [MENU]
    assert links.walk.tolist() == pytest.approx([0, 0, 1])
    there_alone = follow(shared(named=np.array([[0, 0], [1, 1], [3, 1]])))
    assert there_alone.passages.tolist() == [CHANGE, MENU]


def test_of_a_short_sentence_the_cosine_counts_by_its_length() -> None:
    links = follow(shared(spans=np.array([[0, 30], [5, 20], [0, 15], [0, 29]])))
    assert links.near_there.tolist() == pytest.approx([1.0, 1.0])
    assert links.values[:, 0].tolist() == pytest.approx([(1 + 0.5) / 2, (0.8 * 0.5 + 29 / 30) / 2])
    assert chain.counted(np.array([0, 3, 30, 31])).tolist() == pytest.approx([0, 0.1, 1, 1])


def test_a_cut_is_chosen_by_what_counts_of_the_cosines() -> None:
    """The first has the nearer part for the linked sentence, the second for the start's."""
    two = chain.ChainQuery(
        QUERY.mentions,
        [("first", "cut"), ("second", "cut")],
        np.array([[0.8, 0.6], [0.0, 0.7], [0.6, 0.8], [0.0, 0.85]], np.float32),
    )
    long, short = [shared(spans=np.array([[0, 40], [0, 40], [0, n], [0, 40]])) for n in (40, 3)]
    assert (follow(long, query=two).cut[0], follow(short, query=two).cut[0]) == (0, 1)
    assert follow(short, query=two).near_there[0] == pytest.approx(0.6)


def test_ties_go_to_the_start_that_ranks_higher() -> None:
    two = shared(
        holders=np.array([3]),
        held=np.array([[POST, 0], [CHANGE, 0], [MENU, 0]]),
        names=["chg-1"],
        common=np.array([False]),
        vectors=np.stack([LEFT] * 4),
        named=np.array([[0, 0], [2, 0], [3, 0]]),
        asked_in_sentences=np.zeros((4, 2), bool),
    )
    links = follow(two, starts=2)
    assert links.starts[links.passages.tolist().index(MENU)] == POST


def of_documents(*documents: int | None, title: str) -> list[Passage]:
    """The three passages as parts of documents of one title."""
    return [Passage(n, str(n), title, "", document) for n, document in enumerate(documents)]


def test_the_title_of_a_document_links_none_of_its_own_parts() -> None:
    rows = shared(passages=of_documents(1, 1, 2, title="Roster"))
    names = ["chg-1", "roster"]
    held = np.array([[POST, 0], [POST, 1], [CHANGE, 1], [MENU, 1]])
    named = np.array([[0, 0], [1, 1], [2, 1], [3, 1]])
    found = follow(replace(rows, names=names, held=held, named=named))
    assert found.passages.tolist() == [MENU]  # another file's row, though of the same title
    assert found.walk.round(3).tolist() == [0.0, 0.0, 1.0]


def test_a_mention_that_only_one_of_two_titles_has_links_parts_of_a_document() -> None:
    passages = of_documents(1, 1, 1, title="Roster")
    passages[CHANGE] = replace(passages[CHANGE], title="CHG-1")
    passages[MENU] = replace(passages[MENU], title="Menu")
    found = follow(shared(passages=passages))
    assert found.passages.tolist() == [CHANGE, MENU]


def test_what_a_document_is_called_is_no_mention_of_its_own_parts_alone() -> None:
    one, other = of_documents(1, 1, title="Kestrel plan (draft)")
    assert of_document(one, other) == {"kestrel", "plan", "draft", "kestrel plan"}
    assert of_document(one, replace(other, document_id=2)) == frozenset()
    assert of_document(*of_documents(None, None, title="Kestrel plan")) == frozenset()


def test_the_head_of_a_table_links_no_parts_of_it_and_a_row_does() -> None:
    one, other = of_documents(1, 1, title="Firms")
    one = replace(one, text="Firm | Call-out\nHolt | 45")
    other = replace(other, text="Firm | Call-out\nReed | Holt")
    assert {"firm", "call-out"} <= of_document(one, other)
    assert "holt" not in of_document(one, other)
    assert "call-out" not in of_document(one, replace(other, text="Call-out: 30"))


def test_rows_of_one_table_are_not_linked_by_what_both_have_in_a_column() -> None:
    row = "Change: CHG-1\nBy: Calvet"
    passages = [Passage(n, str(n), "Log", row, document_id=1) for n in range(3)]
    spans = np.array([[0, 13], [14, 25], [0, 13], [14, 25]])
    table = shared(passages=passages, spans=spans, names=["#chg1", "calvet"])
    assert follow(table).passages.tolist() == []
    assert follow(table).walk.tolist() == [0, 0, 0]
    other = passages[CHANGE] = replace(passages[CHANGE], text="After: CHG-1\nBy: none")
    assert follow(replace(table, passages=passages)).passages.tolist() == [CHANGE]
    passages[CHANGE] = replace(other, text=row, document_id=2)
    assert follow(replace(table, passages=passages)).passages.tolist() == [CHANGE]
    passages[CHANGE] = replace(other, text=row + "\nand no more")
    assert follow(replace(table, passages=passages)).passages.tolist() == [CHANGE]


def test_nothing_shared_gives_no_links() -> None:
    nothing = shared(
        names=[],
        holders=np.zeros(0, np.int64),
        common=np.zeros(0, bool),
        held=np.zeros((0, 2), np.int64),
        named=np.zeros((0, 2), np.int64),
    )
    links = follow(nothing)
    assert len(links.passages) == 0
    assert links.walk.tolist() == [0, 0, 0]


def test_the_terms_are_those_of_the_docstring() -> None:
    links = follow(shared())
    terms = chain.terms(
        np.array([0, 3, chain.UNRANKED]), links, np.array([-1, 0, 1]), np.array([0.0, 0.5, 0.1])
    )
    expected = [
        [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [10 / 8, 0.0, *links.values[0], math.log1p(25)],
        [10 / 105, 0.0, *links.values[1], math.log1p(5)],
    ]
    assert terms.tolist() == [pytest.approx(row, abs=1e-6) for row in expected]


def test_a_long_query_is_cut_in_a_bounded_number_of_places() -> None:
    words = [f"word{n}" for n in range(500)]
    found = cuts(" ".join(words))
    assert len(found) == len(set(found)) == 32
    assert all(f"{left} {right}".split() == words for left, right in found)
