from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.analysis.paths import walk_path
from gear_app.events import QueryEntity, Recognised, WalkedNode
from gear_app.step_views import walk, walk_graph
from gear_app.views.origin_words import walk_words
from tests import factories, rivals
from tests.views.drawn import plain

EVENT = rivals.walked()
GRAPH = walk_graph.graph(EVENT, factories.GOLD)


def cards(column: int) -> list[str]:
    return [card["title"] for card in GRAPH["columns"][column]["cards"]]


def test_a_gold_passage_far_down_is_drawn_with_its_rank() -> None:
    graph = walk_graph.graph(EVENT, ("marc",), passages=2)
    assert [(card["rank"], card["kind"]) for card in graph["columns"][-1]["cards"]] == [
        (1, "plain"),
        (2, "plain"),
        (6, "gold"),
    ]
    assert graph["columns"][-1]["more"] == 4


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


def test_an_edge_of_synonyms_alone_is_dashed() -> None:
    edges = (*EVENT.edges[:5], replace(EVENT.edges[5], source=2))
    graph = walk_graph.graph(replace(EVENT, edges=edges), ())
    assert [link["words"] for link in graph["links"] if link["dashed"]] == [
        "Isambard Kingdom Brunel → the elder Brunel: synonyms, cosine 0.81, 0.010000 crosses in a"
        " step"
    ]
    assert ("pruned", "dashed line: two names for the same") in walk_graph.legend(graph)


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


def test_a_node_that_no_edge_leads_to_has_no_way_and_stands_furthest() -> None:
    lonely = replace(EVENT, edges=())
    assert (
        walk_words(walk_path(lonely, "marc"))
        == "the walk: Marc Isambard Brunel, named in 2 of its triples"
    )
    assert [column["name"] for column in walk_graph.graph(lonely, ())["columns"]] == [
        "Question’s entities",
        "Further",
        "Passages",
    ]


def test_the_first_card_is_the_best_gold_passage() -> None:
    assert (
        walk_graph.best_card(EVENT, ("marc", "isambard"))
        == f"p{factories.KEYS.index('isambard') + 1}"
    )
    assert walk_graph.best_card(EVENT, ()) == "p1"


def test_small_probabilities_keep_digits_that_count() -> None:
    assert [walk_graph.small(value) for value in (0.5316, 0.0034, 0.00012, 0.00001, 0)] == [
        "0.532",
        "0.0034",
        "0.00012",
        "<0.0001",
        "0.000",
    ]


def test_a_walk_that_reached_nothing_is_no_picture() -> None:
    nothing = replace(EVENT, passages=(), ranking=(), nodes=(), edges=())
    assert walk_graph.best_card(nothing, ()) is None
    assert walk_graph.graph(nothing, ())["links"] == []


def test_the_ablations_and_the_ensemble_are_told() -> None:
    assert "restarts at the question's entities with probability 0.5" in walk.how(EVENT)
    assert "entities alone" in walk.how(replace(EVENT, spread="seeds"))
    assert "“engineer” was linked less surely" in walk.ensemble(rivals.walked(ensembled=True))


def test_entities_are_marked_in_the_question_and_escaped() -> None:
    drawn = walk.entities(rivals.recognised())
    assert (
        'the <mark class="gear-entity">engineer</mark> who designed the <mark'
        ' class="gear-entity">Clifton' in drawn
    )
    assert "0.830" in drawn
    evil = walk.entities(replace(rivals.recognised(rivals.EVIL), query=rivals.EVIL))
    assert "<script" not in evil


def test_a_name_matched_to_a_title_and_one_left_out_are_told_apart() -> None:
    titled = QueryEntity("The Tunnel", "", 0.41, 1, 1.0, "Tunnel (1928 film)")
    event = Recognised(
        "Who dug The Tunnel with Nil?", (titled, QueryEntity("Nil", "", 0.2, 0, 0.0))
    )
    drawn = walk.entities(event)
    assert "those of the passage titled “Tunnel (1928 film)”; none by name is near" in drawn
    assert "left out: no entity is near enough (the nearest: 0.200)" in drawn
    assert "dense retrieval takes over" not in drawn
    assert event.summary == "The Tunnel = the passage Tunnel (1928 film), Nil (left out)"


def test_no_entity_is_one_sentence() -> None:
    drawn = walk.entities(rivals.recognised(none=True))
    assert "dense retrieval takes over" in drawn
    assert "left out: no entity is near enough, no passage has it as title" in drawn
    hostile = replace(EVENT, nodes=(WalkedNode(rivals.EVIL, 0.5, 1.0),), edges=(), passages=())
    assert walk.node_rows(hostile)[0]["entity"] == rivals.EVIL  # a table's cell is text


def test_every_product_and_the_sum_are_what_is_printed() -> None:
    for passage in EVENT.passages:
        *terms, (_, total) = walk.arithmetic(EVENT, passage)
        for words, product in terms:
            probability, number = re.findall(r": ([\d.]+) × (\d+)", plain(words))[0]
            assert round(float(probability) * int(number), 6) == float(product)
        assert round(sum(float(product) for _, product in terms), 6) == float(total)
