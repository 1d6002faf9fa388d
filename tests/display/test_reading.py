"""What a reader took and left, on the screen."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple, ScoreSum, ScoreTerm, Span
from gear_app.display import gear
from gear_app.models.reader.bridges import EVEN, SLOPE
from gear_app.trace.events import Read, ReadPassage, ShownTriple
from gear_app.trace.timeline import steps
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
    *terms, (_, total), (formula, score) = (
        (words, value.replace("−", "-")) for words, value in gear.sum_lines(SUM, None)
    )
    for words, product in terms:
        value, weight = words.rpartition(": ")[2].replace("−", "-").split(" × ")
        assert round(float(value) * float(weight), 6) == float(product)
    assert f"{sum(float(product) for _, product in terms):.6f}" == total == "-1.120001"
    assert formula.startswith("= score") and 0 < float(score) < 0.5


def test_a_fact_opens_into_its_sum_and_the_sentence_that_it_comes_from() -> None:
    told = gear.reading(scene([EVENT], steps([EVENT])[0], ("label",)), EVENT)
    (passage,), facts = (column.cards for column in told.columns)  # nothing was taken of the other
    assert (passage.title, passage.star) == ("Virgin Records", True)
    assert [(card.kind, card.parents) for card in facts] == [
        ("proximal", (passage.id,)),
        ("pruned", (passage.id,)),
    ]
    opened = told.detail(facts[0].id)
    assert opened.triple == EVENT.stored[0] and "= sum" in dict(opened.sum)
