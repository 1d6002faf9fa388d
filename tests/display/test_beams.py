from __future__ import annotations

import math
from dataclasses import replace

from gear_app.display import beams
from gear_app.display.step import telling
from gear_app.trace.events import BeamCandidate, Expanded
from tests import factories
from tests.display.told import of_verb, scenes


def test_a_line_leads_to_a_card_from_the_beam_that_it_extends() -> None:
    told = of_verb(factories.gear_run(), "expand")
    lines = {line.end: line for line in told.lines}
    one, two = told.columns
    assert {line.start for line in lines.values()} <= {card.id for card in one.cards}
    for card in two.cards:
        assert lines[card.id].start == card.parents[0]
        assert lines[card.id].dashed == (card.kind == "pruned")
    best = max(two.cards, key=lambda card: float(card.note.replace("−", "-")))
    assert lines[best.id].strength == max(line.strength for line in lines.values())


def test_the_first_card_opened_is_the_end_of_the_gold_path_or_the_beam_that_is_wanted() -> None:
    events = factories.gear_run()
    assert of_verb(events, "expand").opens == "1.k.0"
    assert of_verb(events, "expand", ("clifton",)).opens == "0.k.0"
    assert of_verb(events, "expand", ()).opens == "1.k.0"
    step = next(one for one in scenes(events) if one.step.verb == "expand")
    (expanded,) = step.of(Expanded)
    wanted = replace(step, opens=expanded.steps[-1].kept[1].path)
    assert telling(wanted).opens == "1.k.1"
    opened = telling(wanted).detail("1.k.1")
    assert opened.triple == expanded.steps[-1].kept[1].triple and opened.sum[-1][0] == "= score"


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
    assert ("no diversity weighting", "1.000000") in beams.arithmetic(plain, None)
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
        ("× e^(−min(2, 20)/20), place 3 in its beam", "0.904837418"),
        ("= score", "1.176288"),
    ]


def test_gamma_follows_the_width_unless_it_is_set() -> None:
    assert beams.gamma_of((("beam.width", "5"), ("beam.gamma", "auto"))) == 10
    assert beams.gamma_of((("beam.width", "5"), ("beam.gamma", "7"))) == 7
    assert beams.gamma_of((("beam.gamma", "none"),)) is None
    assert beams.gamma_of(()) == 20


def test_gold_that_the_base_ranking_lacks_is_said_to_be_new_where_it_was_kept() -> None:
    one, two = of_verb(factories.gear_run(), "expand").columns
    new = [card for card in (*one.cards, *two.cards) if "misses" in card.source]
    assert new and all(card.star and card.kind != "pruned" for card in new)
    assert "misses" not in one.cards[0].source  # clifton: the base has it


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
