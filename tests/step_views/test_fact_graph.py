"""Facts as a graph: where everything stands, that it stays there, and what a fact opens into."""

from __future__ import annotations

from gear_app.events import PassagesLinked, Read, Remembered
from gear_app.step_views import beam_graph, fact_graph, gist
from gear_app.step_views.fact_graph import BEGINS, ENDS, GraphFact, Place
from gear_app.types import ProximalTriple
from tests import factories
from tests.views.drawn import plain

DESIGNED = GraphFact(ProximalTriple("Bridge", "was designed by", "Brunel"))
SON = GraphFact(ProximalTriple("Brunel", "was son of", "Marc"))
BUILT = GraphFact(ProximalTriple("Paddington", "was built by", "Brunel"))
STORED = factories.shown(0)
SELF = GraphFact(ProximalTriple("Rouen", "is", "rouen"))


def test_what_is_new_of_a_fact_stands_in_its_row_and_what_is_known_stays() -> None:
    first = fact_graph.places([[DESIGNED, SELF]])
    assert first == {
        "bridge": Place(0, BEGINS, 0),
        "brunel": Place(0, ENDS, 0),
        "rouen": Place(0, ENDS, 1),
    }
    later = fact_graph.places([[DESIGNED, SELF], [SON, BUILT]])
    assert later == {**first, "marc": Place(1, ENDS, 0), "paddington": Place(1, ENDS, 1)}


def test_arrows_end_at_the_object_whichever_side_it_stands_on() -> None:
    on, back = (fact_graph.draw([[DESIGNED], facts], 2) for facts in ([SON], [BUILT]))
    assert (on.count("gear-on gear-edge-to"), on.count("gear-back gear-edge-to")) == (2, 0)
    assert (back.count("gear-on gear-edge-to"), back.count("gear-back gear-edge-to")) == (1, 1)
    assert "left:49.75%;width:16.75%;top:27px;height:0px" in back  # from the second fact to Brunel
    assert fact_graph.draw([[], []], 2) == ""


def test_a_fact_opens_into_its_sentence_and_the_passages_it_was_linked_to() -> None:
    said = ProximalTriple("The bridge", "spans", "<b>a gorge</b>")
    linked = PassagesLinked("gist 2", "", factories.ranked(["marc", "clifton", "avon"]), 2)
    read = Read("gist", factories.QUESTION, (factories.proximal(0),), (), stored=(STORED,))
    events = [read, Remembered((said, factories.proximal(0)), (said,), 2), linked]
    alone, known, again = gist.graph(events, gold=["clifton"]).split("<details>")[1:]
    assert "it is no stored triple" in plain(alone)
    assert "&lt;b&gt;a gorge" in alone
    assert "★ Clifton Suspension Bridge: It was designed by Isambard Kingdom Brunel" in plain(known)
    assert plain(known).endswith("best first:Marc Isambard Brunel★ Clifton Suspension Bridge")
    assert "gear-again" in again
    assert gist.AGAIN in again


def test_the_beams_of_the_first_passages_are_drawn_over_each_other() -> None:
    events = factories.gear_run()
    paths = [[triple.id for triple in path] for path in beam_graph.beams(events)]
    assert paths == [[101, 104], [108, 107]]
    drawn = plain(beam_graph.graph(events, factories.GOLD))
    assert drawn.count("★ 2 · Marc Isambard Brunel") == 2
    assert beam_graph.graph(factories.hybrid_run(), factories.GOLD) == ""
