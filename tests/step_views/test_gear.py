"""GEAR's steps on the screen: proximal triples, links, the gist memory, the next query."""

from __future__ import annotations

from gear_app.events import Reasoned
from gear_app.step_views import gear, gist
from gear_app.types import ProximalTriple, Substitution


def test_overlapping_and_absent_words_are_not_marked_twice() -> None:
    changes = (
        Substitution("a b", "x", ""),
        Substitution("b c", "y", ""),
        Substitution("zzz", "z", ""),
    )
    assert gear.query_struck("a b c", changes) == "<del>a b</del> c"


def test_words_of_documents_are_escaped() -> None:
    from gear_app.events import Remembered

    evil = ProximalTriple("<img src=x onerror=alert(1)>", "<script>", "</div>")
    drawn = gist.graph([Remembered((evil,), (), 1), Reasoned(True, "<b>", "<i>")])
    assert "<img" not in drawn
    assert "<script" not in drawn
    assert "<i>" not in drawn
