"""What a reader took and left, on the screen."""

from __future__ import annotations

import re

import pytest

from gear_app.analysis.entities import entity_names
from gear_app.events import Read, ReadPassage, ShownTriple
from gear_app.reader.bridges import EVEN, SLOPE, WEIGHTS
from gear_app.step_views import reading
from gear_app.types import ProximalTriple, ScoreSum, ScoreTerm, Span
from tests.views.drawn import plain

TEXT = "Richard Branson founded Virgin Records. Its first record was Tubular Bells. It sold well."
LABEL = ReadPassage(7, "label", "Virgin Records")
OTHER = ReadPassage(8, "other", "Oxygen")
NAMES = entity_names(["Richard Branson", "Virgin Records", "Tubular Bells"])
FOUNDED = ProximalTriple("Virgin Records", "was founded by", "Richard Branson", 1, 0.610113, "near")
RECORD = ProximalTriple("Tubular Bells", "was first record of", "Virgin Records", 2, 0.2, "far")
SUM = ScoreSum(
    (
        ScoreTerm("quality", 1.0, 0.8),
        ScoreTerm("conflict", 1.0, -2.5),
        ScoreTerm("kind", 0.333333, 2.4),
        ScoreTerm("whole", -0.1, 2.2),
    ),
    EVEN,
    SLOPE,
)


def stored(triple: ProximalTriple, start: int, end: int) -> ShownTriple:
    return ShownTriple(
        triple.triple_id or 0,
        triple.subject,
        triple.predicate,
        triple.object,
        7,
        "label",
        "Virgin Records",
        TEXT[start:end],
        Span(start, end),
    )


EVENT = Read(
    "gist",
    "q",
    (FOUNDED,),
    (RECORD,),
    (SUM, SUM),
    (OTHER, LABEL),
    (stored(FOUNDED, 0, 39), stored(RECORD, 40, 75)),
)


def test_the_terms_that_are_printed_add_up_to_the_sum_that_is_printed() -> None:
    drawn = str(reading.table(SUM, None))
    rows = [[plain(cell) for cell in row.split("</td>")] for row in drawn.split("<tr>")[2:]]
    numbers = [[cell.replace("−", "-") for cell in row[1:4]] for row in rows]
    values, weights, products = zip(*numbers, strict=True)
    assert all(
        round(float(value) * float(weight), 6) == float(product)
        for value, weight, product in zip(values, weights, products, strict=True)
    )
    total = re.search(r"= sum.*?(−?[\d.]+)", plain(drawn))
    assert total is not None
    assert f"{sum(map(float, products)):.6f}" == total[1].replace("−", "-") == "-1.120001"


def test_the_score_is_the_logistic_of_the_sum() -> None:
    even = ScoreSum((ScoreTerm("mass", 8.0, 1.5),), 12.0, 2.0)
    assert reading.probability(even) == pytest.approx(0.5)
    assert "score = 1 / (1 + e^((12 − 12.000000) / 2)) = 0.500000" in plain(
        reading.table(even, None)
    )


def test_every_feature_of_a_bridge_has_its_words() -> None:
    assert list(reading.TERMS) == list(WEIGHTS._fields)


def test_a_passage_shows_the_sentence_taken_and_the_one_left_apart() -> None:
    drawn = reading.cards(EVENT, {7: TEXT}, ("label",), NAMES)
    assert plain(drawn).startswith("★ Virgin Records1 taken · 1 left")
    taken, left = re.findall(r"<mark( class=\"[^\"]*\")?>(.*?)</mark>", drawn)
    assert (taken[0], plain(taken[1])) == ("", "Richard Branson founded Virgin Records.")
    assert (left[0], plain(left[1])) == (
        ' class="gear-considered"',
        "Its first record was Tubular Bells.",
    )
    assert 'data-entity="richard branson"' in taken[1]
    assert "Oxygen" not in drawn  # nothing of it was considered


def test_what_a_model_wrote_is_said_to_be_and_stands_with_the_passage_that_names_it() -> None:
    written = ProximalTriple("Richard Branson", "started", "virgin records")
    nowhere = ProximalTriple("<script>", "is", "b")
    event = Read("sync", "q", (written, nowhere), (), (), (OTHER, LABEL))
    drawn = reading.cards(event, {7: TEXT, 8: "Air."}, (), NAMES)
    assert plain(drawn).startswith("Virgin Records1 taken")
    assert plain(drawn).count("written by the language model") == 2
    assert "<script" not in drawn
    assert reading.summary(event) == (
        "2 passages read: the language model wrote 2 facts in its own words."
    )
