"""What was found, in words, as markup and for a hall."""

from __future__ import annotations

from dataclasses import replace

from gear_app.analysis.evidence import leads_from, trail_of
from gear_app.events import (
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    NameLead,
    Reasoned,
    Started,
    WentOn,
)
from gear_app.types import Span
from gear_app.views import evidence
from gear_app.views.markup import tag

PUMP = EvidencePassage(
    1, "pump", "Pump house", 2, "It broke. Orla <b> held it. Then", Span(10, 27), (Span(10, 14),)
)
MILL = EvidencePassage(2, "mill", "Orla's mill", 4, "It is dusty.", Span(0, 12))
RIVER = EvidencePassage(3, "river", "River", 1, "It rises.", Span(0, 9))
LOFT = NameLead(5, "loft", "Loft", 4, "Grell", 2, "Grell sings.", Span(0, 12), (Span(0, 5),))
CHOIR = NameLead(4, "choir", "Choir", 3, "Tobias", 3, "Tobias sings.", Span(0, 13), (Span(0, 6),))
LINK = EvidenceLink((1, 2), "Orla", 2, 0.413)
FOUND = EvidenceFound((PUMP, MILL, RIVER), (LINK,), 1200, (CHOIR, LOFT), iteration=0)


def test_it_says_what_joins_and_how_often_such_pairs_were_right() -> None:
    assert evidence.joined(FOUND) == "Joined by “Orla”, which only these two name"
    assert evidence.measured(FOUND).endswith("the right ones 41 times in 100")
    rare = EvidenceFound((PUMP, MILL), (replace(LINK, holders=7, share=0.01),), 1200)
    assert evidence.joined(rare) == "Joined by “Orla”, which 7 of 1,200 passages name"
    assert evidence.measured(rare).endswith("the right ones rarely")


def test_what_else_is_joined_is_told_by_rank_with_how_often_it_was_right() -> None:
    mill, pump = EvidenceLink((3, 2), "<Weir>", 5, 0.3), EvidenceLink((3, 1), "Lock", 2, 0.01)
    found = replace(FOUND, links=(LINK, mill, pump))
    told = "Or 1 and 4 by “<Weir>” (30 times in 100), or 1 and 2 by “Lock” (rarely)."
    assert evidence.others(found) == told == [*evidence.lines(found)][-1]
    assert "1 and 4 by “&lt;Weir&gt;”" in evidence.card(found)
    assert evidence.others(FOUND) == ""


def test_where_no_name_joins_two_the_first_two_are_shown_and_it_is_said() -> None:
    alone = EvidenceFound((PUMP, MILL, RIVER), size=1200)
    drawn = evidence.card(alone)
    assert drawn.count("<section>") == 2 and drawn.count("<li>") == 1
    *passages, how = evidence.lines(alone)
    assert [line.split(":")[1] for line in passages] == [" Pump house", " Orla's mill"]
    assert how.startswith("No two of the first 3 passages share a name") and "nearest to" in how
    assert tag("b", "Orla's mill") in evidence.compared([("GEAR", alone)])
    assert list(evidence.lines(EvidenceFound((MILL,))))[-1] == "One passage was found."


def test_the_card_escapes_texts_and_marks_the_name_in_text_and_title() -> None:
    drawn = evidence.card(FOUND, ["mill"])
    assert "&lt;b&gt;" in drawn and "<b> held" not in drawn
    assert drawn.count("<mark>Orla</mark>") == 2
    assert drawn.count("★") == 1
    assert drawn.index("Pump house") < drawn.index("mill</b>") < drawn.index("River")


def test_the_trail_is_what_was_followed_last_and_leads_on_from_its_end() -> None:
    events = [FOUND, WentOn((4,)), WentOn((4, 5))]
    assert trail_of(events) == (CHOIR, LOFT)
    assert trail_of([*events, WentOn(())]) == ()
    assert leads_from(FOUND, ()) == [CHOIR]
    assert leads_from(FOUND, [CHOIR]) == [LOFT]
    assert "by “Tobias”, which 3 passages name" in evidence.whole(events, [])


def test_a_reader_that_has_no_answer_says_so_in_small() -> None:
    begun = Started("q", "gear", (), "local")
    none = Reasoned(answerable=False, reason="")
    assert evidence.no_answer([begun, none]).startswith("The local reader could not phrase")
    assert evidence.no_answer([begun]) == ""
    assert "could not phrase" in evidence.whole([begun, none, FOUND], [])


def test_a_hall_sees_one_passage_the_name_and_the_other() -> None:
    one, other, rest = evidence.columns(FOUND)
    assert other.name == "both name Orla"
    assert other.cards[0].parents == (one.cards[0].id,)
    assert one.cards[0].pieces[0] == ("Orla", "mark")
    assert [card.title for card in rest.cards] == ["River"]


def test_methods_with_the_same_pair_stand_in_one_line_of_a_comparison() -> None:
    other = EvidenceFound((MILL, RIVER), (EvidenceLink((2, 3), "Weir", 3, 0.2),), 1200)
    drawn = evidence.compared([("GEAR", FOUND), ("Chain", FOUND), ("Hybrid", other)])
    assert "GEAR, Chain" in drawn
    assert drawn.count("<tr>") == 2


def test_a_trail_does_not_go_back() -> None:
    back = replace(CHOIR, id=4, start=5)
    events = [replace(FOUND, leads=(CHOIR, LOFT, back)), WentOn((4, 5))]
    assert leads_from(events[0], trail_of(events)) == []


def test_a_rows_line_has_all_its_fields() -> None:
    row = replace(RIVER, excerpt="Glaze: Oatmeal\nSupplier: Arn", sentence=Span(15, 28))
    drawn = evidence.card(replace(FOUND, passages=(PUMP, MILL, row)), [])
    assert "Oatmeal" in drawn
    assert "Oatmeal" not in evidence.card(
        replace(FOUND, passages=(PUMP, MILL, replace(row, excerpt="Oatmeal. It\nrises: Arn"))), []
    )
