"""What was found, in words, as markup and for a hall."""

from __future__ import annotations

from gear_app.events import (
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    NameLead,
)
from gear_app.types import Span
from gear_app.views import evidence

PUMP = EvidencePassage(
    1, "pump", "Pump house", 2, "It broke. Orla <b> held it. Then", Span(10, 27), (Span(10, 14),)
)
MILL = EvidencePassage(2, "mill", "Orla's mill", 4, "It is dusty.", Span(0, 12))
RIVER = EvidencePassage(3, "river", "River", 1, "It rises.", Span(0, 9))
LOFT = NameLead(5, "loft", "Loft", 4, "Grell", 2, "Grell sings.", Span(0, 12), (Span(0, 5),))
CHOIR = NameLead(4, "choir", "Choir", 3, "Tobias", 3, "Tobias sings.", Span(0, 13), (Span(0, 6),))
LINK = EvidenceLink((1, 2), "Orla", 2, 0.413)
FOUND = EvidenceFound((PUMP, MILL, RIVER), (LINK,), 1200, (CHOIR, LOFT), iteration=0)


def test_the_card_escapes_texts_and_marks_the_name_in_text_and_title() -> None:
    drawn = evidence.card(FOUND, ["mill"])
    assert "&lt;b&gt;" in drawn and "<b> held" not in drawn
    assert drawn.count("<mark>Orla</mark>") == 2
    assert drawn.count("★") == 1
    assert drawn.index("Pump house") < drawn.index("mill</b>") < drawn.index("River")


def test_other_passages_are_quoted_with_the_name_for_which_they_are_listed() -> None:
    drawn = evidence.card(FOUND, ["choir"])
    assert "<mark>Tobias</mark> sings." in drawn and "<mark>Grell</mark> sings." in drawn
    assert drawn.count("★") == 1
    assert drawn.index("More to read") < drawn.index("Choir") < drawn.index("Loft")


def test_a_hall_sees_one_passage_the_name_and_the_other() -> None:
    one, other, rest = evidence.columns(FOUND)
    assert other.name == "both name Orla"
    assert other.cards[0].parents == (one.cards[0].id,)
    assert one.cards[0].pieces[0] == ("Orla", "mark")
    assert [card.title for card in rest.cards] == ["River"]
