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


def test_a_text_under_a_heading_is_about_its_document_and_its_heading() -> None:
    told = "She was born in Port Mira.\nAnswered by: Bo Hale"
    assert set(facts("Ada Quill › Alarm Desk", told)) == {
        ("Ada Quill", "was born in", "Port Mira"),
        ("Alarm Desk", "Answered by", "Bo Hale"),
    }
    found = facts("Ada Quill › early life", "Teacher: Bo Hale")
    assert found == [("Ada Quill", "Teacher", "Bo Hale")]


def test_the_fact_of_a_pair_has_the_pair_as_its_sentence() -> None:
    text = "Risk: low. Owner: Priya Raman."
    spans = {t.object: t.span for t in extracted("TX-9: new disk", text).triples if t.span}
    assert text[slice(*spans["Priya Raman"])] == "Owner: Priya Raman."


def test_an_id_names_what_a_title_tells_of() -> None:
    found = facts("TX-9: new disk", "Owner: Priya Raman.")
    assert found == [("TX-9", "Owner", "Priya Raman")]


def test_a_row_of_a_table_tells_of_its_first_cell() -> None:
    text = "| Name | Role | Office |\n|---|---|---|\n| Ada Bell | clerk | Ghent |"
    assert facts("Staff", text)[:2] == [
        ("Ada Bell", "Role", "clerk"),
        ("Ada Bell", "Office", "Ghent"),
    ]


def subjects(title: str, text: str) -> list[str]:
    return list(dict.fromkeys(subject for subject, _, _ in facts(title, text)))


def test_an_item_that_is_a_sentence_is_read_as_one() -> None:
    text = "Resolution\n- 09:31 Priya Raman followed RB-17 and rolled release 8.3 back."
    found = facts("INC-9 – Checkout latency", text)
    assert ("Priya Raman", "followed", "RB-17") in found
    assert "Resolution" not in {predicate for _, predicate, _ in found}


def test_a_text_about_others_than_its_title_is_linked_to_it() -> None:
    found = facts("Mail from the depot", "The scanners are up. Jonas Verhelst wrote it.")
    assert ("Mail from the depot", "mentions", "Jonas Verhelst") in found


def test_a_text_about_its_title_mentions_nothing() -> None:
    found = facts("Urbis", "Urbis was a museum in Manchester. It was designed by Ian Simpson.")
    assert "mentions" not in {predicate for _, predicate, _ in found}


def test_fragments_are_no_facts_and_nobody_is_no_entity() -> None:
    found = facts("Minutes", "Apologies, Lena Brandt. Nobody disputes the cause of INC-5.")
    assert ("Lena Brandt", "is", "Apologies") not in found
    assert "nobody" not in {side.lower() for s, _, o in found for side in (s, o)}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Brock met Jonas at Varholm. He left Oslo.", "left"),  # who?
        ("Tomasz called Ruben Maes. Ruben Maes executed it.", "executed"),
        ("Mrs Roth came to Oslo. He left Ghent.", "left"),
    ],
)
def test_a_pronoun_that_may_mean_two_or_none_makes_no_fact(text: str, wrong: str) -> None:
    names = {"Brock", "Jonas", "Tomasz", "Mrs Roth", "Roth"}
    assert not [f for f in facts("Diary", text) if f[1] == wrong and names & {f[0], f[2]}]


def test_a_pronoun_that_can_mean_one_person_is_that_person() -> None:
    assert ("Ada Bell", "left", "Ghent") in facts("Diary", "Ada Bell was tired. She left Ghent.")


def test_another_language_gives_nothing_and_a_note_that_says_so() -> None:
    text = "Die Brücke überspannt die Wupper und wurde von der Firma MAN im Jahr 1897 gebaut."
    assert extracted("Brücke", text) == Extraction((), (), NOT_ENGLISH)


def test_a_table_of_two_columns_stays_one() -> None:
    found = facts("Teams", "| Team | Lead |\n|---|---|\n| Finance | Lena Brandt |")
    assert ("Finance", "Lead", "Lena Brandt") in found


def test_a_key_that_is_the_title_says_nothing_of_its_own() -> None:
    found = facts("Bluefin", "Bluefin: EUR 18,400\nKestrel: EUR 2,000")
    assert ("Bluefin", "Kestrel", "EUR 2,000") in found
    assert not any(subject == predicate for subject, predicate, _ in found)


def test_the_first_word_of_a_sentence_is_no_name_for_its_capital() -> None:
    found = facts("Bluefin", "Owner: Ines. Head office is in Tallinn.")
    assert ("Head office", "is in", "Tallinn") in found
    assert not any("Head" in (subject, object_) for subject, _, object_ in found)
