from __future__ import annotations

from gear_app.trace.rankings import searches
from tests import factories, rivals


def test_a_search_of_gear_ends_where_the_gist_is_read() -> None:
    found = searches(factories.gear_run())
    assert [(search.iteration, search.query, search.base) for search in found] == [
        (1, factories.QUESTION, "hybrid"),
        (2, factories.NEXT_QUERY, "hybrid"),
    ]
    assert [(search.start, search.stop) for search in found] == [(1, 6), (11, 16)]
    assert [passage.key for passage in found[0].ranking[:2]] == ["clifton", "engineers"]
    assert [passage.key for passage in found[0].found[:2]] == [
        "clifton",
        "menai",
    ]  # as fused, not as retrieved


def test_two_searches_of_one_iteration_are_named_after_their_thoughts() -> None:
    assert [
        (search.iteration, search.name, search.query) for search in searches(rivals.bdtr_run())
    ] == [
        (1, "", factories.QUESTION),
        (2, "fast", rivals.FAST),
        (2, "slow", rivals.SLOW),
    ]
