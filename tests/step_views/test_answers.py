"""How answers are shown: measured against the known ones, with the passages behind them, and in no
other step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gear_app.analysis import gold as golds
from gear_app.analysis import timeline
from gear_app.analysis.metrics import retrieved_answer, scored_answers
from gear_app.events import Answered, Called, Event, Failed, Promoted
from gear_app.runs import comparison
from gear_app.step_views import answers
from gear_app.types import Source
from gear_app.views import header, labels
from gear_app.views.compare import tables
from tests import factories
from tests.factories import GOLD
from tests.rivals import EVIL, bdtr_run
from tests.step_views.told import purpose
from tests.views.compared import column, hybrid

KNOWN = ("François Carpentier", "Carpentier")


def answered(
    run: Sequence[Event], said: str, gold: str = "Carpentier", count: int = 5
) -> list[Event]:
    """A finished run with its answers: from its first passages, from the gold ones, from none."""
    last = timeline.ranked(run)
    assert last
    behind: dict[Source, tuple[str, tuple[answers.RankedPassage, ...]]] = {
        "retrieved": (said, last.ranking[:count]),
        "gold": (gold, tuple(p for p in last.ranking if p.key in GOLD)),
        "nothing": ("", ()),
    }
    return [
        *run,
        *(Answered(source, words, of, iteration=0) for source, (words, of) in behind.items()),
    ]


def test_the_answers_are_one_step_after_the_ranking() -> None:
    plain = timeline.steps(factories.gear_run())
    events = answered(factories.gear_run(), "Carpentier")
    steps = timeline.steps(events)
    assert steps[:-1] == plain and (
        steps[-1].verb,
        labels.step_title(steps[-1]),
        len(steps[-1].events),
    ) == (
        "answer",
        "Answer",
        3,
    )
    assert "bounds" in purpose(steps[-1], events)
    assert golds.decisive_step(events, GOLD) == golds.decisive_step(factories.gear_run(), GOLD)
    assert golds.alone(answered(factories.hybrid_run(), "x"))  # an answer is no search


def test_an_answer_that_failed_has_a_step_of_its_own_with_its_calls() -> None:
    call = Called("answer", "m", "h", "p", "", 1, 0, 1.0, iteration=0)
    failed = Failed("answer", "No answer without passages. It is empty.", iteration=0)
    last = timeline.steps([*factories.hybrid_run(), call, failed])[-1]
    assert (last.verb, last.failed, [type(event) for event in last.events]) == (
        "answer",
        True,
        [Called, Failed],
    )


def test_measures_are_of_the_nearest_known_answer() -> None:
    right, bound, nothing = scored_answers(answered(factories.gear_run(), "Jean Carpentier"), KNOWN)
    assert (right.em, right.f1, right.nearest) == (0.0, pytest.approx(2 / 3), "Carpentier")
    assert (bound.em, bound.f1, answers.measures(bound)) == (1.0, 1.0, "EM 1 · F1 1.00")
    assert (nothing.answer, nothing.em, nothing.nearest) == ("", 0.0, "")


def test_without_known_answers_nothing_is_measured_and_that_is_said() -> None:
    events = answered(factories.gear_run(), "Carpentier")
    one = retrieved_answer(events, ())
    assert one and (one.em, one.f1, answers.measures(one)) == (None, None, "")
    drawn = answers.cards(events, (), GOLD)
    assert answers.UNKNOWN in drawn and "exact match</span>" not in drawn
    assert [row["EM"] for row in answers.rows(events, (), GOLD)] == [None] * 9


def test_the_card_has_the_aliases_the_ranks_and_the_stars() -> None:
    events = answered(factories.gear_run(), "Jean Carpentier")
    drawn = answers.cards(events, KNOWN, GOLD)
    assert all(f">{name}</span>" in drawn for name in KNOWN)
    assert (
        "✗ no exact match" in drawn
        and "✓ exact match" in drawn
        and "F1 0.67 with “Carpentier”" in drawn
    )
    first = drawn.split("From the first 5 passages")[1].split("From the gold passages")[0]
    ranked = timeline.ranked(events)
    assert ranked and [f"rank {n}" in first for n in range(1, 7)] == [True] * 5 + [False]
    assert first.count("★") == sum(line.key in GOLD for line in ranked.ranking[:5])
    assert "no answer" in drawn.split("Without passages")[1]


def test_a_gold_passage_that_was_not_found_has_no_rank() -> None:
    run = factories.hybrid_run()
    missing = replace(factories.ranked(["marc"])[0], score=0.0)
    events = [*run, Answered("gold", "x", (missing,), iteration=0)]
    (row,) = answers.rows(events, KNOWN, GOLD)
    assert (row["from"], row["rank"], row["gold"]) == ("From the gold passage", None, True)
    assert "not among the first 3" in answers.cards(events, KNOWN, GOLD)


def test_what_bdtr_hands_on_is_called_what_it_is() -> None:
    events = answered(bdtr_run(), "x")
    assert "From the 5 passages that the cut keeps" in answers.cards(events, KNOWN, GOLD)
    without = [event for event in events if not isinstance(event, Promoted)]
    assert "From the first 5 passages" in answers.cards(without, KNOWN, GOLD)


def test_words_of_models_and_documents_are_escaped() -> None:
    run = factories.hybrid_run()
    hostile = replace(factories.ranked(["marc"])[0], title=EVIL)
    drawn = answers.cards(
        [*run, Answered("retrieved", EVIL, (hostile,), iteration=0)], (EVIL, "alert"), GOLD
    )
    assert "<script" not in drawn and drawn.count("&lt;script&gt;") >= 3


def test_the_header_gives_the_written_answer_in_the_place_of_the_verdict() -> None:
    wrong = header.figures(answered(factories.gear_run(), "Jean"), GOLD, KNOWN)[-1]
    assert wrong == header.Figure("Jean", "the answer, EM 0 · F1 0.00")
    right = header.figures(answered(factories.gear_run(), "carpentier"), GOLD, KNOWN)[-1]
    assert (right.value, right.tone) == ("carpentier", "yes")
    assert header.figures(answered(factories.gear_run(), ""), GOLD)[-1] == header.Figure(
        "No answer", "the answer"
    )
    assert "local reader" in header.facts(
        header.HeadFacts("hybrid", "demo", None, "abc", 1), answered(started(), "x")
    )


def started() -> list[Event]:
    run = factories.hybrid_run()
    return [replace(run[0], reader="local reader"), *run[1:]]  # type: ignore[call-arg]


# Compare


def test_the_table_of_methods_has_answers_only_where_a_run_has_one() -> None:
    events = answered(factories.gear_run(), "Jean Carpentier")
    with_answer = replace(
        column("gear", events, "GEAR"), digest=comparison.digest(events, GOLD, KNOWN)
    )
    grid = tables.method_grid([hybrid(), with_answer], [], ["", ""])
    assert [cell["pieces"][0]["text"] for cell in grid["head"]][1:4] == ["Answer", "EM", "F1"]
    shown = [
        [piece["text"] for cell in row[1:4] for piece in cell["pieces"]] for row in grid["rows"]
    ]
    assert shown == [["–", "–", "–"], ["Jean Carpentier", "no", "0.67"]]
    plain = tables.method_grid([hybrid()], [], [""])
    assert "Answer" not in [cell["pieces"][0]["text"] for cell in plain["head"]]


def test_an_answer_neither_moves_the_last_step_of_a_comparison_nor_says_why_the_run_stopped() -> (
    None
):
    events = [*answered(factories.gear_run(), "x"), Failed("answer", "It is empty.", iteration=0)]
    plain, found = (comparison.digest(run, GOLD) for run in (factories.gear_run(), events))
    assert found.last_step == plain.last_step
    assert (found.gave_up, found.why_stopped, found.steps) == (
        None,
        plain.why_stopped,
        plain.steps,
    )
