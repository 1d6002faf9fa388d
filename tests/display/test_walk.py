from __future__ import annotations

import re

import pytest

from gear_app.display import walk
from tests import factories, rivals
from tests.display.drawn import plain

EVENT = rivals.walked()
PICTURE = walk.Picture(EVENT, factories.GOLD)
LINKS = {(link.start, link.end): link for link in PICTURE.links}


def test_lines_are_as_wide_as_what_crosses_them_and_synonyms_are_dashed() -> None:
    assert LINKS["n0", "n3"].strength == 1.0  # 0.11, the largest flow
    assert LINKS["n0", "n2"].strength == pytest.approx(0.06 / 0.11, abs=1e-3)
    assert ("n0", "n1") not in LINKS  # within a column
    assert [key for key, link in LINKS.items() if link.dashed] == [("n5", "n6")]
    assert LINKS["n0", "p1"].strength == 1.0  # 0.34 × 3, the largest term
    assert LINKS["n0", "p1"].words == "Clifton Suspension Bridge: 0.340000 × 3 triples"


def test_every_line_joins_two_cards_and_never_goes_left() -> None:
    column = {card.id: n for n, there in enumerate(PICTURE.columns) for card in there.cards}
    assert all(column[start] <= column[end] for start, end in LINKS)


def test_a_column_keeps_the_nodes_that_give_most_and_says_how_many_it_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(walk, "NODES", 1)
    columns = walk.Picture(EVENT, ()).columns[:-1]
    assert sum(len(column.cards) + column.more for column in columns) == len(EVENT.nodes)


def test_every_product_and_the_sum_are_what_is_printed() -> None:
    for passage in EVENT.passages:
        *terms, (_, total) = walk.arithmetic(EVENT, passage)
        for words, product in terms:
            probability, number = re.findall(r": ([\d.]+) × (\d+)", plain(words))[0]
            assert round(float(probability) * int(number), 6) == float(product)
        assert round(sum(float(product) for _, product in terms), 6) == float(total)
