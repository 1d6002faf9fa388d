"""Who judges what next."""

from __future__ import annotations

from gear_app.annotation.queue import Filters, QueueItem, chosen, queue, visible
from gear_app.annotation.record import Case, Label, Record
from tests.annotation.make import labels, record

ITEMS = [
    QueueItem(Case(f"q{n}", method).id, f"run{n}{method}", f"q{n}", method, "bridge", 2, n % 2)
    for n in range(50)
    for method in ("gear", "hipporag")
]
GEAR = ITEMS[0]


def offered(annotator: str, *records: Record) -> list[str]:
    places = queue(ITEMS[:1], Filters(), annotator, labels(*records))
    return [place.state for place in places]


def test_by_default_runs_that_miss_gold_are_judged() -> None:
    found = QueueItem("c", "r", "q", "gear", gold=2, found=2)
    assert chosen([found, GEAR], Filters()) == [GEAR]
    assert chosen([found, GEAR], Filters(missed=None)) == [found, GEAR]
    assert chosen([found, GEAR], Filters(missed=False)) == [found]


def test_a_queue_of_cases_has_these_alone() -> None:
    assert chosen(ITEMS, Filters(cases=frozenset({GEAR.case}))) == [GEAR]


def test_a_seed_draws_the_same_sample_whatever_order_the_runs_come_in() -> None:
    ten = chosen(ITEMS, Filters(sample=10, seed=3))
    assert len(ten) == 10 and chosen(ITEMS[::-1], Filters(sample=10, seed=3)) == ten
    assert chosen(ITEMS, Filters(sample=10, seed=4)) != ten
    assert chosen(ITEMS, Filters(sample=20, seed=3))[:10] == ten  # a larger one goes on from it


def test_a_run_is_offered_until_two_others_have_judged_it() -> None:
    ann, ben = record("q0", "ann"), record("q0", "ben")
    assert offered("ann", ann) == ["done"]
    assert offered("eve", ann) == ["open"]
    assert offered("eve", ann, ben) == []
    begun = Record(ann.case, "eve", ann.at, Label(note="…"))
    assert offered("eve", ann, ben, begun) == ["begun"]


def test_a_deferred_run_is_offered_to_others_and_stays_blind() -> None:
    ann, ben = record("q0", "ann", verdict="defer"), record("q0", "ben", verdict="defer")
    eve = record("q0", "eve")
    assert offered("ann", ann) == ["deferred"]
    assert offered("dan", ann, eve) == ["open"], "one label is missing"
    assert offered("dan", ann, eve, record("q0", "fay")) == []
    assert {key.annotator for key in visible(labels(ann, eve), "ann")} == {"ann"}
    assert visible(labels(ann, ben, eve), "dan") == {}


def test_nobody_sees_anothers_label_before_saving_an_own_one() -> None:
    ann, ben = record("q0", "ann"), record("q0", "ben", "graph")
    begun = Record(ann.case, "ben", ann.at, Label(category="graph"))

    def seen(viewer: str, *records: Record) -> set[str]:
        return {key.annotator for key in visible(labels(*records), viewer)}

    assert seen("ben", ann) == seen("", ann) == set()
    assert seen("ben", ann, begun) == {"ben"}
    assert seen("ben", ann, ben) == {"ann", "ben"}
    assert seen("eve", ann, ben) == {"ann", "ben"}  # two have judged: eve is not asked any more
