from __future__ import annotations

from gear_app.events import Link, Linked, Part, Read, Rewrote
from gear_app.types import ProximalTriple, Substitution
from gear_app.views import gear
from tests import factories

EVIL = ProximalTriple("<script>alert(1)</script>", "</b>", '"><img src=x>')


def test_a_reading_shows_score_and_reason_and_escapes_words() -> None:
    drawn = gear.read_triples(Read("sync", "q", (factories.proximal(0), EVIL)))
    assert "0.700 · one side is named in the question" in drawn
    assert "<script" not in drawn
    assert "<img" not in drawn


def test_nothing_read_is_said() -> None:
    assert "took no triple" in gear.read_triples(Read("sync", "q", ()))
    assert "no proximal triple" in gear.links(Linked(()), ())


def test_links_tell_identity_rank_and_absence_apart() -> None:
    links = (
        Link(factories.proximal(0), factories.shown(0), identity=True),
        Link(
            EVIL,
            factories.shown(1),
            score=0.03,
            parts=(Part("dense", 1, 0.016393), Part("bm25", 4, 0.015625)),
        ),
        Link(EVIL, None),
    )
    drawn = gear.links(Linked(links), ("clifton",))
    assert "1 of 3 were selected from the stored triples" in drawn
    assert drawn.index("was designed by") < drawn.index("rank 1 in dense")
    assert "rank 1 in dense, rank 4 in bm25" in drawn
    assert "nothing near enough" in drawn
    assert drawn.count("★ Clifton Suspension Bridge") == 2
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


def test_passed_over_are_rows_in_order() -> None:
    rows = gear.passed_over_rows(
        Read("sync", "q", (), (factories.proximal(19), factories.proximal(0)))
    )
    assert [row["subject"] for row in rows] == ["John Smeaton", "Clifton Suspension Bridge"]
