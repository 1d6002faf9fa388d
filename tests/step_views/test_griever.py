from __future__ import annotations

import re
from dataclasses import replace

from gear_app.events import Matched, Rewrote, Split
from gear_app.step_views import gear, griever
from gear_app.types import Span
from gear_app.views.markup import around, find
from tests import rivals
from tests.factories import QUESTION

EVENTS = rivals.griever_run()
SPLIT = next(event for event in EVENTS if isinstance(event, Split))
MATCHED = next(event for event in EVENTS if isinstance(event, Matched))
REWROTE = next(event for event in EVENTS if isinstance(event, Rewrote))


def test_one_clause_is_the_whole_question() -> None:
    drawn = griever.clauses(replace(SPLIT, clauses=SPLIT.clauses[:1]))
    assert "no relative clause" in drawn
    assert "gear-clause" not in drawn


def test_a_clause_whose_span_does_not_fit_is_left_alone() -> None:
    wrong = replace(
        SPLIT, clauses=(SPLIT.clauses[0], replace(SPLIT.clauses[1], span=Span(30, 999)))
    )
    assert "Clifton" in griever.clauses(wrong)


def test_the_taken_match_is_first_and_shows_what_it_changes() -> None:
    turned = replace(MATCHED, matches=MATCHED.matches[::-1])
    drawn = griever.best_matches(turned, REWROTE.substitutions, ())
    assert drawn.index("· taken") < drawn.index("· not taken")
    assert (
        "<del>the engineer who designed the Clifton Suspension Bridge</del> becomes"
        " <ins>Isambard" in drawn
    )
    assert (
        drawn.count("gear-relation") == 2
    )  # once in the query, once in the triple, and not where it is unmatched


def test_every_taken_match_is_drawn_however_many() -> None:
    many = replace(MATCHED, matches=MATCHED.matches[:1] * 5 + MATCHED.matches[1:])
    assert griever.best_matches(many, REWROTE.substitutions, ()).count("· taken") == 5


def test_a_match_without_a_titles_part_leaves_it_out() -> None:
    assert "title" not in griever.arithmetic(replace(MATCHED.matches[0], title_weight=0.0))


def test_nothing_matched_and_nothing_put_in_are_sentences() -> None:
    assert "No triple matched" in griever.best_matches(replace(MATCHED, matches=()), (), ())
    left = replace(MATCHED, matches=MATCHED.matches[1:])
    assert "the search ends here" in griever.best_matches(left, (), ())
    assert "the search ends here" not in griever.best_matches(MATCHED, REWROTE.substitutions, ())
    assert "No matched triple" in gear.next_query(
        Rewrote(""), "q", "No matched triple could be put in."
    )


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
