"""Facts of text that has more structure than grammar, with the real parser."""

from __future__ import annotations

import pytest

from gear_app.core.types import Extraction, Passage
from gear_app.language.english import NOT_ENGLISH
from gear_app.models.extractor.local import LocalExtractor

pytestmark = pytest.mark.models
EXTRACTOR = LocalExtractor()
Fact = tuple[str, str, str]


def extracted(title: str, text: str) -> Extraction:
    (found,) = EXTRACTOR.extract([Passage(1, "p", title, text)])
    return found


def facts(title: str, text: str) -> list[Fact]:
    return [(t.subject, t.predicate, t.object) for t in extracted(title, text).triples]


def test_a_heading_a_marker_and_a_clock_time_are_no_part_of_a_name() -> None:
    text = "## Chapter 4: The compass\nBrock mends the sail of Ilse.\n- 09:31 Priya Raman met Ilse."
    found = facts("Story", text)
    assert {("Brock", "mends", "sail of Ilse"), ("Brock", "mends sail of", "Ilse")} & set(found)
    assert ("Priya Raman", "met", "Ilse") in found
    assert not any("Chapter" in side or "09:31" in side for s, _, o in found for side in (s, o))
    assert "The" not in extracted("Chapter 4: The compass", "Brock saw Ilse.").entities


def test_a_key_and_its_value_are_facts_of_the_title() -> None:
    found = facts("Ticket TX-9", "Owner: Priya Raman.\nApproved by: O. Lind, by mail.\nRisk: low")
    assert {
        ("Ticket TX-9", "Owner", "Priya Raman"),
        ("Ticket TX-9", "Approved by", "O. Lind"),
        ("Ticket TX-9", "Risk", "low"),
    } <= set(found)
    assert ("Priya Raman", "is", "Owner") not in found


def test_a_row_of_a_table_tells_of_its_first_cell() -> None:
    text = "| Name | Role | Office |\n|---|---|---|\n| Ada Bell | clerk | Ghent |"
    assert facts("Staff", text)[:2] == [
        ("Ada Bell", "Role", "clerk"),
        ("Ada Bell", "Office", "Ghent"),
    ]


def test_another_language_gives_nothing_and_a_note_that_says_so() -> None:
    text = "Die Brücke überspannt die Wupper und wurde von der Firma MAN im Jahr 1897 gebaut."
    assert extracted("Brücke", text) == Extraction((), (), NOT_ENGLISH)
