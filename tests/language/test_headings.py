"""Headings, table heads and authors are mentions of what stands under them."""

from __future__ import annotations

from gear_app.language.mentions import read

TEXT = (
    "Freezer C\n\nThe samples of May are there. Nobody has the key.\n\nShelf D\n\nIt is empty now."
)


def by_sentence(text: str) -> dict[str, set[str]]:
    """The names of each sentence, by its words."""
    found = read("", text)
    return {
        text[span.start : span.end]: {one.name for one in found.mentions if one.sentence == number}
        for number, span in enumerate(found.sentences, start=1)
    }


def test_a_heading_is_a_mention_of_the_sentences_under_it_and_not_of_itself() -> None:
    named = by_sentence(TEXT)
    with_freezer = [words for words, names in named.items() if "freezer c" in names]
    assert with_freezer == ["The samples of May are there.", "Nobody has the key."]
    assert "shelf d" in named["It is empty now."] and "shelf d" not in named["Shelf D"]
    assert "freezer" in named["Freezer C"]


def test_a_mention_from_a_heading_has_its_place_there() -> None:
    spans = {one.span for one in read("", TEXT).mentions if one.name == "freezer c"}
    assert {TEXT[start:end] for start, end in spans} == {"Freezer C"}
    assert {start for start, _ in spans} == {0}


def test_ordinary_words_of_a_heading_stay_there() -> None:
    named = by_sentence("Root cause of it\n\nThe disk was full.")
    assert named == {"Root cause of it": {"root", "cause"}, "The disk was full.": {"disk", "full"}}


def test_the_head_of_a_column_is_a_mention_of_the_rows() -> None:
    named = by_sentence("| Item | Anna Bell | Where |\n|---|---|---|\n| jars | four | shelf |")
    assert "anna bell" in named["jars | four | shelf"]


def test_one_author_is_that_of_the_whole_text_and_one_of_several_of_what_follows() -> None:
    named = by_sentence("The disk was full.\n\nAuthor: Priya Raman")
    assert {"priya raman", "raman"} <= named["The disk was full."]
    assert "ines calvet" in by_sentence("By Ines Calvet\n\nIt rained.")["It rained."]
    mails = by_sentence("From: Anna Bell\nAll is well.\n\nFrom: Colm Drew\nNo, it is not.")
    assert "anna bell" in mails["All is well."] and "colm drew" not in mails["All is well."]
    assert "colm drew" in mails["No, it is not."] and "anna bell" not in mails["No, it is not."]


def test_what_a_sentence_inherits_is_bounded() -> None:
    heading = "# " + ", ".join(f"Unit {n}" for n in range(9))
    named = by_sentence(f"{heading}\n\nIt rained.")["It rained."]
    assert len([name for name in named if name.startswith("unit ")]) == 6
