"""GEAR's steps on the screen: proximal triples, links, the gist memory, the next query."""

from __future__ import annotations

from gear_app.events import Link, Linked, Reasoned, Remembered, Rewrote, ScorePart
from gear_app.step_views import gear, gist
from gear_app.types import ProximalTriple, Substitution
from tests import factories
from tests.views.drawn import plain

EVIL = ProximalTriple("<script>alert(1)</script>", "</b>", '"><img src=x>')


def test_nothing_to_link_is_said() -> None:
    assert "no proximal triple" in gear.links(Linked(()), ())


def test_links_tell_identity_rank_and_absence_apart() -> None:
    links = (
        Link(factories.proximal(0), factories.shown(0), identity=True),
        Link(
            EVIL,
            factories.shown(1),
            score=0.03,
            parts=(ScorePart("dense", 1, 0.016393), ScorePart("bm25", 4, 0.015625)),
        ),
        Link(EVIL, None),
    )
    drawn = gear.links(Linked(links), ("clifton",))
    assert "1 of 3 facts was chosen among the stored triples" in drawn
    assert drawn.index("was designed by") < drawn.index("rank 1 in dense")
    assert "rank 1 in dense, rank 4 in BM25" in drawn
    assert "nothing near enough" in drawn
    assert plain(drawn).count("★ Clifton Suspension Bridge") == 2
    assert drawn.count("gear-link") == 2  # an identity needs no second column


def test_a_rewriting_strikes_what_went_and_underlines_what_came() -> None:
    change = Substitution("the engineer", "Brunel", "the bridge was designed by Brunel")
    drawn = gear.next_query(Rewrote("Who taught Brunel?", (change,)), "Who taught the engineer?")
    assert "Who taught <del>the engineer</del>?" in drawn
    assert "Who taught <ins>Brunel</ins>?" in drawn
    assert "because the bridge was designed by Brunel" in drawn


def test_overlapping_and_absent_words_are_not_marked_twice() -> None:
    changes = (
        Substitution("a b", "x", ""),
        Substitution("b c", "y", ""),
        Substitution("zzz", "z", ""),
    )
    assert gear.query_struck("a b c", changes) == "<del>a b</del> c"


def test_an_empty_next_query_says_why() -> None:
    assert "nothing new to ask" in gear.next_query(Rewrote(""), "q")


def test_no_memory_draws_nothing_and_an_empty_one_says_so() -> None:
    assert gist.graph(factories.hybrid_run()) == ""
    assert "Nothing was added" in gist.graph([Reasoned(False, "nothing found")])


def test_words_of_documents_are_escaped() -> None:
    from gear_app.events import Remembered

    evil = ProximalTriple("<img src=x onerror=alert(1)>", "<script>", "</div>")
    drawn = gist.graph([Remembered((evil,), (), 1), Reasoned(True, "<b>", "<i>")])
    assert "<img" not in drawn
    assert "<script" not in drawn
    assert "<i>" not in drawn


def test_the_memory_is_told_in_sentences() -> None:
    one, two = (factories.proximal(0),), (factories.proximal(0), factories.proximal(19))
    assert gear.remembered(Remembered(one, (), 1)) == (
        "1 fact added to the gist memory. It holds 1 fact now."
    )
    assert gear.remembered(Remembered(one, two, 3)) == (
        "1 fact added to the gist memory. 2 facts were in it already. It holds 3 facts now."
    )
    assert gear.remembered(Remembered((), one, 1)) == (
        "Nothing new: 1 fact was in it already. It holds 1 fact."
    )
    assert gear.remembered(Remembered((), (), 0)) == (
        "Nothing was added to the gist memory. It is empty."
    )
