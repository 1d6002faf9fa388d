from __future__ import annotations

import re
from dataclasses import replace

from gear_app.events import Matched, Rewrote, Split
from gear_app.step_views import griever
from gear_app.types import Span
from gear_app.views.markup import around, find
from tests import rivals
from tests.factories import QUESTION

EVENTS = rivals.griever_run()
SPLIT = next(event for event in EVENTS if isinstance(event, Split))
MATCHED = next(event for event in EVENTS if isinstance(event, Matched))
REWROTE = next(event for event in EVENTS if isinstance(event, Rewrote))


def test_a_clause_whose_span_does_not_fit_is_left_alone() -> None:
    wrong = replace(
        SPLIT, clauses=(SPLIT.clauses[0], replace(SPLIT.clauses[1], span=Span(30, 999)))
    )
    assert "Clifton" in griever.clauses(wrong)


def test_hostile_words_are_escaped_everywhere() -> None:
    evil = replace(SPLIT, question=rivals.EVIL, clauses=())
    assert "<script" not in griever.clauses(evil)
    match = replace(
        MATCHED.matches[0], mention=rivals.EVIL, known=rivals.EVIL, mention_span=Span(0, 5)
    )
    assert "<script" not in griever.best_matches(
        replace(MATCHED, query=rivals.EVIL, matches=(match,)), REWROTE.substitutions, ()
    )
    assert "<script" not in griever.joins((replace(MATCHED.joins[0], entity=rivals.EVIL),))


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
        words = griever.arithmetic(odd)
        score, mention, relation, agreement = map(float, re.findall(r"\d\.\d{6}", words)[:4])
        title = (
            [float(n) for n in re.findall(r"\+ ([\d.]+) × (\d\.\d{6})", words)[0]]
            if match.title_weight
            else [0, 0]
        )
        assert round(mention * (relation + agreement) + title[0] * title[1], 6) == score
