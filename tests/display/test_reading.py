"""What a reader took and left, on the screen."""

from __future__ import annotations

import re

from gear_app.core.types import ProximalTriple, ScoreSum, ScoreTerm, Span
from gear_app.display import gear
from gear_app.models.reader.bridges import EVEN, SLOPE, WEIGHTS
from gear_app.trace.events import Read, ReadPassage, ShownTriple
from gear_app.trace.timeline import steps
from tests.display.drawn import plain
from tests.display.told import scene

TEXT = "Richard Branson founded Virgin Records. Its first record was Tubular Bells. It sold well."
LABEL = ReadPassage(7, "label", "Virgin Records")
OTHER = ReadPassage(8, "other", "Oxygen")
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
    drawn = str(gear.sum_table(SUM, None))
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
    assert "score = 1 / (1 + e^((12 − 12.000000) / 2)) = 0.500000" in plain(
        gear.sum_table(even, None)
    )


def test_every_feature_of_a_bridge_has_its_words() -> None:
    assert list(gear.TERMS) == list(WEIGHTS._fields)


def test_a_fact_opens_into_its_sum_and_the_sentence_that_it_comes_from() -> None:
    told = gear.reading(scene([EVENT], steps([EVENT])[0], ("label",)), EVENT)
    (passage,), facts = (column.cards for column in told.columns)  # nothing was taken of the other
    assert (passage.title, passage.text, passage.star) == (
        "Virgin Records",
        "1 taken · 1 left",
        True,
    )
    assert [(card.kind, card.parents) for card in facts] == [
        ("proximal", (passage.id,)),
        ("pruned", (passage.id,)),
    ]
    opened = told.detail(facts[0].id)
    assert opened.triple == EVENT.stored[0] and "= sum" in opened.html


def test_what_a_model_wrote_is_said_to_be() -> None:
    written = ProximalTriple("Richard Branson", "started", "virgin records")
    event = Read("sync", "q", (written,), (), (), (OTHER, LABEL))
    told = gear.reading(scene([event], steps([event])[0]), event)
    assert told.columns[0].cards[0].source == "written by the language model"
    assert gear.summary(event) == (
        "2 passages read: the language model wrote 1 fact in its own words."
    )
