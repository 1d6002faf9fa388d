"""What a method finds without a passage, and with one that leads its first search."""

from __future__ import annotations

import pytest

from gear_app.core.rows import Over, Search
from gear_app.index.changed import IndexWithLeader, IndexWithoutPassages
from gear_app.trace.events.base import PassageOfRun, ShownTriple
from gear_app.trace.events.values import values
from tests.acting import READY
from tests.methods.checks import run
from tests.small import SmallWorld

SEARCHES = ["bm25", "dense", "hybrid", "weighted", "chain", "sync_ge", "gear", "ircot"]


@pytest.mark.parametrize("name", READY)
def test_an_absent_passage_is_in_no_step(name: str, small: SmallWorld) -> None:
    absent = small.passage("quill").id
    ranking, events = run(name, IndexWithoutPassages(small.index, [absent]))
    shown = {passage.id for event in events for passage in values(event, PassageOfRun)}
    shown |= {triple.passage_id for event in events for triple in values(event, ShownTriple)}
    assert len(ranking) and absent not in shown | set(ranking.ids)


@pytest.mark.parametrize("over", ["passages", "triples"])
def test_a_search_among_few_lacks_the_absent_ones_alone(over: Over, small: SmallWorld) -> None:
    """Passages and triples have the same numbers."""
    absent = small.passage("winter").id
    ids = [absent, *(t.id for t in small.triples if t.passage_id == absent), 1, 2]
    search = Search("Lights is a film", 9, "dense", over, [id_ for id_ in ids if id_ <= 8])
    (ranking,) = IndexWithoutPassages(small.index, [absent]).search([search]).rankings
    gone = {t.id for t in small.triples if t.passage_id == absent}
    (complete,) = small.index.search([search]).rankings
    left = [
        hit for hit in complete.hits if hit.id not in ({absent} if over == "passages" else gone)
    ]
    assert ranking.hits == tuple(left) and len(left) >= 2


@pytest.mark.parametrize("name", READY)
def test_without_absent_passages_nothing_changes(name: str, small: SmallWorld) -> None:
    assert run(name, IndexWithoutPassages(small.index, [])) == run(name, small.index)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_leader_is_first_in_the_first_search_alone(name: str, small: SmallWorld) -> None:
    leader = small.passage("mira").id
    _, events = run(name, IndexWithLeader(small.index, leader))
    first = next(event for event in events if event.listed)
    assert first.listed[0].id == leader
