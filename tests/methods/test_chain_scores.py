"""Links and terms on a collection small enough to work out by hand.

Three passages. "Post-mortem" says that the scanners failed after CHG-1; "CHG-1" says who approved;
"Menu" shares "friday" with the first and says nothing of the question. The search starts from the
post-mortem alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gear_app.core.rows import SharedMentions
from gear_app.core.types import Passage
from gear_app.index import links as chain
from gear_app.language.mentions import of_document

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


def follow(value: SharedMentions, starts: int = 1, query: chain.ChainQuery = QUERY) -> chain.Links:
    return chain.follow(value, starts, query, LINK_WEIGHTS)


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
