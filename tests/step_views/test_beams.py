from __future__ import annotations

import math
from dataclasses import replace

from gear_app.analysis.paths import beam_of
from gear_app.events import BeamCandidate, Expanded
from gear_app.step_views import beams
from gear_app.views import decimals
from tests import factories

GOLD = factories.GOLD


def expanded() -> Expanded:
    return Expanded(factories.QUESTION, 8, factories.first_beams(), ())


def words(pieces: list[dict[str, object]]) -> str:
    """What a line of a card says."""
    return "".join(str(piece["text"]) for piece in pieces)


def test_the_gold_path_needs_every_triple_of_the_beam_from_a_gold_passage() -> None:
    cards = {
        card["id"]: card
        for column in beams.graph(expanded(), ("isambard",))["columns"]
        for card in column["cards"]
    }
    son = next(
        card
        for card in cards.values()
        if words(card["relation"]) == "was the only son of → Marc Isambard Brunel"
    )
    assert (son["state"], son["star"]) == (
        "kept",
        True,
    )  # its own passage is gold, the one before is not


def test_cards_point_to_the_beam_they_extend() -> None:
    _, two = beams.graph(expanded(), GOLD)["columns"]
    parents = {words(card["relation"]): card["parent"] for card in two["cards"]}
    assert parents["was the only son of → Marc Isambard Brunel"] == "0.k.0"
    assert parents["lies west of → Bristol"] == "0.k.1"


def test_a_card_id_gives_its_candidate_and_its_whole_beam() -> None:
    found = beams.candidate(expanded(), "1.k.0")
    assert found and found.triple.object == "Marc Isambard Brunel"
    assert [c.triple.object for c in beam_of(expanded(), 1, found)] == [
        "Isambard Kingdom Brunel",
        "Marc Isambard Brunel",
    ]
    assert beams.candidate(expanded(), "9.k.9") is None


def test_the_first_card_opened_is_the_end_of_the_gold_path() -> None:
    assert beams.best_card(expanded(), GOLD) == "1.k.0"
    assert beams.best_card(expanded(), ("clifton",)) == "0.k.0"
    assert beams.best_card(expanded(), ()) == "1.k.0"
    assert beams.best_card(Expanded("q", 0, (), ()), GOLD) is None


def test_the_card_of_a_beam_is_found_by_its_path() -> None:
    there = expanded().steps[-1]
    assert beams.card_of(expanded(), there.kept[1].path) == "1.k.1"
    assert beams.card_of(expanded(), (0,)) is None
    assert beams.card_of(Expanded("q", 0, (), ()), ()) is None


def test_arithmetic_is_algorithm_1_term_by_term() -> None:
    found = factories.candidate(4, 0.52, 0, 0.82, 2)  # e^(-2/20) = 0.904837
    assert beams.arithmetic(found, 20) == [
        ("beam so far", "0.820000"),
        ("+ cosine to the query", "0.520000"),
        ("= sum", "1.340000"),
        ("× e^(−min(2, 20)/20), place 3 in its beam", "0.904837418"),
        ("= score", "1.212482"),
    ]


def test_arithmetic_says_when_nothing_was_weighted() -> None:
    plain = BeamCandidate(0, (1,), factories.shown(4), 0.8, 0.5, 1.3, 2, 1.0, 1.3, kept=True)
    assert ("no diversity weighting", "× 1") in beams.arithmetic(plain, None)
    negative = BeamCandidate(0, (1,), factories.shown(4), -0.8, 0.5, -0.3, 2, 1.0, -0.3, kept=False)
    words = dict(beams.arithmetic(negative, 20))
    assert words["= sum"] == "−0.300000"
    assert any("0 or less is not weighted" in term for term in words)


def test_a_carried_beam_and_a_screened_one_say_so() -> None:
    carried = factories.second_beams()[1].kept[2]
    assert beams.arithmetic(carried, 20) == [("no neighbour left: score unchanged", "0.390000")]
    screened = replace(factories.candidate(4, 0.5, 0, 0.8, 2), kept=False, encoded=False)
    assert beams.arithmetic(screened, 20) == [
        ("beam so far", "0.800000"),
        ("+ cosine to the query, estimated by the screen", "0.500000"),
        ("= sum", "1.300000"),
        ("× e^(−min(2, 20)/20), place 3 in its beam by estimate", "0.904837418"),
        ("= score", "1.176288"),
    ]


def test_a_score_that_rounds_to_zero_has_no_minus_sign() -> None:
    assert [decimals.number(-0.0004), decimals.exact(-1e-9)] == ["0.000", "0.000000"]
    assert [decimals.number(-0.5), decimals.exact(-1e-6)] == ["−0.500", "−0.000001"]


def test_gamma_follows_the_width_unless_it_is_set() -> None:
    assert beams.gamma_of((("beam.width", "5"), ("beam.gamma", "auto"))) == 10
    assert beams.gamma_of((("beam.width", "5"), ("beam.gamma", "7"))) == 7
    assert beams.gamma_of((("beam.gamma", "none"),)) is None
    assert beams.gamma_of(()) == 20


def test_gold_that_the_base_ranking_lacks_is_fresh_where_it_was_kept() -> None:
    one, two = beams.graph(expanded(), GOLD, base=("clifton",))["columns"]
    assert not any(
        card["fresh"] for card in one["cards"] if card["id"] == "0.k.0"
    )  # clifton: the base has it
    assert [card["fresh"] for card in two["cards"][:3]] == [True] * 3
    assert not any(card["fresh"] for card in two["cards"] if card["state"] == "pruned")
    assert not any(
        card["fresh"]
        for column in beams.graph(expanded(), GOLD)["columns"]
        for card in column["cards"]
    )


def test_what_is_printed_of_a_score_adds_up_and_multiplies_out() -> None:
    for position in range(1, 9):
        weight = math.exp(-position / 20)
        total = 1.276702
        found = replace(
            factories.candidate(0, 0.549874, kept=True),
            parent=0,
            previous=0.726828,
            cosine=0.549874,
            total=total,
            position=position,
            weight=round(weight, 6),
            score=round(total * weight, 6),
        )
        values = [float(value) for _, value in beams.arithmetic(found, 20)]
        assert round(values[0] + values[1], 6) == values[2]
        assert round(values[2] * values[3], 6) == values[4] == found.score
