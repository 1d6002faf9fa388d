"""Who judges what next."""

from __future__ import annotations

from dataclasses import replace

from gear_app.annotate.queue import (
    Filters,
    QueueItem,
    chosen,
    is_doubled,
    queue,
    visible,
    waiting,
)
from gear_app.annotate.record import JudgedCase, Label, Record
from gear_app.text import normalise_entity
from tests.annotate.make import heads, record

ITEMS = [
    QueueItem(
        JudgedCase(f"q{n}", method).id, f"run{n}{method}", f"q{n}", method, "bridge", 2, n % 2
    )
    for n in range(50)
    for method in ("gear", "hipporag")
]
GEAR = ITEMS[0]
ONE = Filters(double=0.0)
TWO = Filters(double=1.0)


def offered(filters: Filters, annotator: str, *said: Record) -> list[str]:
    places = queue(ITEMS[:1], filters, annotator, heads(*said))
    return [place.state for place in places]


def test_by_default_runs_that_miss_gold_are_judged() -> None:
    found = QueueItem("c", "r", "q", "gear", gold=2, found=2)
    assert chosen([found, GEAR], Filters()) == [GEAR]
    assert chosen([found, GEAR], Filters(missed=None)) == [found, GEAR]
    assert chosen([found, GEAR], Filters(missed=False)) == [found]


def test_filters_are_joined() -> None:
    assert {item.method for item in chosen(ITEMS, Filters(method="gear"))} == {"gear"}
    assert chosen(ITEMS, Filters(method="gear", type="comparison")) == []
    pruned = QueueItem("c", "r", "q", "gear", gold=1, causes=("pruned", "no match"))
    assert chosen([pruned, GEAR], Filters(cause="no match")) == [pruned]


def test_a_question_set_lets_its_own_questions_through_however_they_were_typed() -> None:
    wanted = frozenset({normalise_entity(GEAR.question)})
    found = chosen(ITEMS, Filters(missed=None, questions=wanted))
    assert found and {item.question for item in found} == {GEAR.question}
    typed = replace(GEAR, question=f" {GEAR.question.upper()} ")
    assert chosen([typed], Filters(missed=None, questions=wanted)) == [typed]


def test_a_seed_draws_the_same_sample_whatever_order_the_runs_come_in() -> None:
    ten = chosen(ITEMS, Filters(sample=10, seed=3))
    assert len(ten) == 10 and chosen(ITEMS[::-1], Filters(sample=10, seed=3)) == ten
    assert chosen(ITEMS, Filters(sample=10, seed=4)) != ten
    assert chosen(ITEMS, Filters(sample=20, seed=3))[:10] == ten  # a larger one goes on from it


def test_the_share_that_two_people_judge_is_about_as_large_as_asked_for() -> None:
    share = sum(is_doubled(item.case, 0.3) for item in ITEMS) / len(ITEMS)
    assert 0.2 < share < 0.4
    assert all(is_doubled(item.case, 1.0) for item in ITEMS)
    assert not any(is_doubled(item.case, 0.0) for item in ITEMS)


def test_the_share_that_two_people_judge_is_the_same_whatever_sample_somebody_draws() -> None:
    drawn = [
        {
            place.item.case
            for place in queue(ITEMS, Filters(seed=seed, double=0.3), "ann", {})
            if place.doubled
        }
        for seed in (7, 8)
    ]
    assert drawn[0] == drawn[1] != set()


def test_a_deferred_run_is_offered_to_others_and_stays_blind() -> None:
    ann, ben = record("q0", "ann", verdict="defer"), record("q0", "ben", verdict="defer")
    eve = record("q0", "eve")
    assert offered(ONE, "ben", ann) == ["open"]
    assert offered(TWO, "eve", ann, ben) == ["open"], "nobody has judged it"
    assert offered(TWO, "dan", ann, eve) == ["open"], "one label is missing"
    assert offered(TWO, "dan", ann, eve, record("q0", "fay")) == []
    doubled = [ann.case.id]
    assert {key.annotator for key in visible(heads(ann, eve), "ann", doubled)} == {"ann"}
    assert {key.annotator for key in visible(heads(ann, ben, eve), "dan", doubled)} == set()


def test_what_waits_for_its_second_label_is_told() -> None:
    ann, ben = record("q0", "ann"), record("q0", "ben")
    assert waiting(heads(ann), 1.0) == {ann.case.id}
    assert waiting(heads(ann), 0.0) == waiting(heads(ann, ben), 1.0) == set()
    assert waiting(heads(ann, record("q0", "ben", verdict="defer")), 1.0) == {ann.case.id}


def test_what_somebody_has_judged_is_not_offered_to_others_unless_two_are_to_judge() -> None:
    ann, ben = record("q0", "ann"), record("q0", "ben")
    assert offered(ONE, "ann", ann) == ["done"]
    assert offered(ONE, "ben", ann) == []
    assert offered(TWO, "ben", ann) == ["open"]
    assert offered(TWO, "eve", ann, ben) == []
    unfinished = Record(ann.case, "ann", ann.at, Label(note="…"))
    assert offered(ONE, "ben", unfinished) == ["open"]
    assert offered(ONE, "ann", unfinished) == ["begun"]
    assert offered(ONE, "ann", record("q0", "ann", verdict="defer")) == ["deferred"]


def test_a_second_reviewer_sees_no_label_before_her_own() -> None:
    ann, ben = record("q0", "ann"), record("q0", "ben", "graph")
    begun = Record(ann.case, "ben", ann.at, Label(category="graph"))
    doubled = [ann.case.id]

    def seen(viewer: str, *said: Record) -> set[str]:
        return {key.annotator for key in visible(heads(*said), viewer, doubled)}

    assert seen("ben", ann) == set()
    assert seen("ben", ann, begun) == {"ben"}
    assert seen("ben", ann, ben) == {"ann", "ben"}
    assert seen("eve", ann, ben) == {"ann", "ben"}  # both are done: nobody is asked any more
    assert seen("", ann) == set()
    assert set(visible(heads(ann), "ben", ())) == set(heads(ann))  # judged once
