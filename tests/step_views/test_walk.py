from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.step_views import walk, walk_graph
from tests import factories, rivals
from tests.views.drawn import plain

EVENT = rivals.walked()
GRAPH = walk_graph.graph(EVENT, factories.GOLD)


def cards(column: int) -> list[str]:
    return [card["title"] for card in GRAPH["columns"][column]["cards"]]


def test_lines_are_as_wide_as_what_crosses_them_and_synonyms_are_dashed() -> None:
    links = {(link["from"], link["to"]): link for link in GRAPH["links"]}
    assert links["n0", "n3"]["strength"] == 1.0  # 0.11, the largest flow
    assert links["n0", "n2"]["strength"] == pytest.approx(0.06 / 0.11, abs=1e-3)
    assert ("n0", "n1") not in links  # within a column
    assert [key for key, link in links.items() if link["dashed"]] == [
        ("n5", "n6")
    ]  # on the way to the tunnel
    assert links["n0", "p1"]["strength"] == 1.0  # 0.34 × 3, the largest term
    assert (
        links["n0", "p1"]["words"] == "Clifton Suspension Bridge: 0.340000 × 3 triples = 1.020000"
    )


def test_every_line_joins_two_cards_and_never_goes_left() -> None:
    column = {card["id"]: n for n, there in enumerate(GRAPH["columns"]) for card in there["cards"]}
    assert all(column[link["from"]] <= column[link["to"]] for link in GRAPH["links"])


def test_a_line_past_a_column_has_a_lane_in_it() -> None:
    for link in GRAPH["links"]:
        numbers = [
            n
            for n, there in enumerate(GRAPH["columns"])
            if {link["from"], link["to"]} & set(there["order"])
        ]
        between = GRAPH["columns"][numbers[0] + 1 : numbers[-1]]
        assert all(f"lane {link['from']}" in column["order"] for column in between), link
    for column in GRAPH["columns"]:
        assert [id_ for id_ in column["order"] if not id_.startswith("lane")] == [
            c["id"] for c in column["cards"]
        ]


def test_a_column_keeps_the_nodes_that_give_most_and_says_how_many_it_left() -> None:
    graph = walk_graph.graph(EVENT, (), nodes=1)
    assert [card["title"] for card in graph["columns"][1]["cards"]][:1] != []
    shown = sum(len(column["cards"]) + column["more"] for column in graph["columns"][:-1])
    assert shown == len(EVENT.nodes)


def test_the_first_card_is_the_best_gold_passage() -> None:
    assert (
        walk_graph.best_card(EVENT, ("marc", "isambard"))
        == f"p{factories.KEYS.index('isambard') + 1}"
    )
    assert walk_graph.best_card(EVENT, ()) == "p1"


def test_entities_are_marked_in_the_question_and_escaped() -> None:
    drawn = walk.entities(rivals.recognised())
    assert (
        'the <mark class="gear-entity">engineer</mark> who designed the <mark'
        ' class="gear-entity">Clifton' in drawn
    )
    assert "0.830" in drawn
    evil = walk.entities(replace(rivals.recognised(rivals.EVIL), query=rivals.EVIL))
    assert "<script" not in evil


def test_every_product_and_the_sum_are_what_is_printed() -> None:
    for passage in EVENT.passages:
        *terms, (_, total) = walk.arithmetic(EVENT, passage)
        for words, product in terms:
            probability, number = re.findall(r": ([\d.]+) × (\d+)", plain(words))[0]
            assert round(float(probability) * int(number), 6) == float(product)
        assert round(sum(float(product) for _, product in terms), 6) == float(total)
