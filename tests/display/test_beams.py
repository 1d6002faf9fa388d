from __future__ import annotations

import math
from dataclasses import replace

from gear_app.display import beams
from gear_app.display.step import telling
from gear_app.trace.events import Expanded
from tests import factories
from tests.display.told import of_verb, scenes


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
