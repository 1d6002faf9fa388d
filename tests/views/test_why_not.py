from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.analysis.why_not import Cause, Change, NearestEntity, why_not
from gear_app.runs.why_not import Trial
from gear_app.ui.explore import why_not as drawn
from gear_app.views import why_not as words
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import CASES, asked
from tests.factories import QUESTION

WIDER = Change("beam.width", "2", ("3", "4", "5"))


def test_every_cause_has_words() -> None:
    assert set(words.CAUSES) == set(Cause)


@pytest.mark.parametrize("cause", CASES)
def test_every_cause_is_told_as_text_and_as_markup(cause: Cause) -> None:
    found = asked(cause)
    assert words.CAUSES[cause] in words.sentence(found)
    assert drawn.trail(found).count("<li") == len(found.trail)
    assert words.line(found).startswith(cause.value)
    assert len(words.text(found)) > len(found.trail)


def test_the_arithmetic_of_a_pruned_triple_adds_up_to_what_is_missing() -> None:
    sums = drawn.arithmetic(asked(Cause.PRUNED))
    for number in ("0.9000", "0.3000", "1.2000", "0.7788", "0.9346", "1.1000", "0.1654"):
        assert number in sums


def test_a_start_of_links_and_the_final_rank_are_told_in_the_trail() -> None:
    told = [words.step_words(step) for step in asked(Cause.NO_LINK).trail]
    assert "hybrid ranks it 6; links start from the first 2" in [one.lower() for one in told]
    assert told[-1] == "rank 6 in the final ranking"


def test_what_the_trail_says_is_not_said_again_beside_it() -> None:
    assert drawn.arithmetic(asked(Cause.NO_LINK)) == ""
    assert drawn.arithmetic(asked(Cause.TERMS_BELOW)) != ""


def test_words_of_passages_are_escaped() -> None:
    hostile = why_not(lost.read_nothing(), "hostile", facts(key="hostile"))
    assert "<script>" not in drawn.trail(hostile)
    assert "&lt;script&gt;" in drawn.trail(hostile)


def test_what_is_needed_says_what_it_is_and_what_is_missing() -> None:
    rank, score = map(words.need_words, asked(Cause.PRUNED).needs)
    assert rank == "place among the candidates: at most 2; it is 3"
    assert score == "score in the beam: at least 1.1000; it is 0.9346, 0.1654 are missing"


@pytest.mark.parametrize("cause", CASES)
def test_every_cause_says_what_it_would_have_needed(cause: Cause) -> None:
    found = asked(cause)
    told = words.needed_words(found)
    assert told and all(told)
    assert drawn.needed(found).count("<li") == len(told)
    assert {"What it would have needed", *told} <= set(words.text(found))


def test_what_is_next_to_no_beam_says_how_near_it_is() -> None:
    near = NearestEntity("Thomas Telford", "Thames Tunnel", 0.4)
    far = why_not(lost.far(), KEY, replace(facts(), nearest={QUESTION: near}))
    (told,) = words.needed_words(far)
    assert told.endswith("“Thomas Telford” and its “Thames Tunnel”, cosine 0.40")
    (told,) = words.needed_words(why_not(lost.limited(), KEY, facts()))
    assert "nearer to the query" in told


def test_a_trial_that_helped_says_what_enters_and_what_leaves() -> None:
    helped = Trial(WIDER, "4", ("3", "4"), 3, (0.5, 1.0), ("Marc",), ("Rouen",), past=True)
    assert (
        words.trial_words(helped, 5)
        == "beam.width 4 instead of 2: final rank 3, recall@5 0.50 → 1.00; Rouen leaves"
    )
    none = Trial(WIDER, None, ("3", "4", "5"), 9)
    assert words.trial_words(none, 5) == "beam.width 3 to 5 instead of 2: no help; rank 9 at best"
    failed = Trial(WIDER, None, ("3",), None, failure="No reply is kept")
    assert words.trial_words(failed, 5) == "beam.width: not run. No reply is kept."


def test_a_claim_says_how_sure_it_is() -> None:
    claims = [words.change_words(WIDER._replace(claim=claim)) for claim in ("exact", "enough", "")]
    assert claims == [
        "beam.width 3 instead of 2, no less: past this step",
        "beam.width 3 instead of 2 is enough for this step",
        "beam.width 3 instead of 2; only a run can tell",
    ]


def test_the_json_names_the_cause_by_a_word_that_scripts_can_rely_on() -> None:
    answer = why_not(lost.pruned(), KEY, facts())
    found = words.to_json(answer)
    assert (found["cause"], found["passage_id"], found["rank"]) == ("pruned", KEY, None)
    assert [step["outcome"] for step in found["trail"]].count("lost here") == 1
