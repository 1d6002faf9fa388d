from __future__ import annotations

from dataclasses import replace

from gear_app.core.types import Span
from gear_app.display import griever
from gear_app.display.markup import around, find
from gear_app.trace.events import Matched
from tests import rivals
from tests.factories import QUESTION

EVENTS = rivals.griever_run()
MATCHED = next(event for event in EVENTS if isinstance(event, Matched))


def test_overlapping_and_impossible_places_are_marked_once_or_not() -> None:
    places = [(Span(0, 3), "i", ""), (Span(2, 5), "b", ""), (Span(4, 99), "u", ""), (None, "s", "")]
    assert around("abcdef", places) == "<i>abc</i>def"
    assert find(QUESTION, "clifton suspension") == Span(
        QUESTION.index("Clifton"), QUESTION.index(" Bridge")
    )
    assert find(QUESTION, "") is None
    assert find(QUESTION, "nowhere") is None


def test_a_matchs_score_is_what_its_printed_terms_come_to() -> None:
    for match in MATCHED.matches:
        odd = replace(match, mention_cosine=match.mention_cosine + 0.0000004)
        mention, relation, agreement, *title, score = (
            float(value) for _, value in griever.arithmetic(odd)
        )
        titles = match.title_weight * title[0] if title else 0.0
        assert round(mention * (relation + agreement) + titles, 6) == score
