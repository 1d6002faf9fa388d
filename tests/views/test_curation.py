"""What changed in a triple set, in words."""

from __future__ import annotations

from gear_app.store.triples import TriplesSince
from gear_app.types import Triple
from gear_app.views import curation

ADA = Triple(1, 1, "Ada", "met", "Bo")
BO = Triple(2, 1, "Bo", "met", "Ada")


def test_what_changed_since_a_run_says_whether_its_steps_show_it() -> None:
    nothing = TriplesSince([], [])
    assert curation.changed_since(nothing, {1}, "mine") == ""
    both = TriplesSince([ADA, BO], [Triple(3, 1, "Ada", "knew", "Bo")])
    start = (
        ": of the triples “mine”, 2 triples that it saw were changed or deleted and 1 triple is new"
    )
    assert curation.changed_since(both, {9}, "mine") == (
        f"{start}. None that was changed is in its steps"
    )
    assert curation.changed_since(both, {1}, "mine") == (
        f"{start}. Its steps show one of these: “Ada · met · Bo”"
    )
    assert curation.changed_since(both, {1, 2}, "mine") == f"{start}. Its steps show 2 of these"
    only_new = TriplesSince([], [ADA])
    assert curation.changed_since(only_new, {1}, "mine") == (
        ": of the triples “mine”, 1 triple is new"
    )
