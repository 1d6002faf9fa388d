"""Questions over forms, tables and lists: each form, and each reason for which none is made."""

from __future__ import annotations

import pytest

from gear_app.suggestions import suggest
from gear_app.suggestions.pairs import FactPairs
from gear_app.types import Passage


def passage(number: int, title: str, text: str, document: int | None = None) -> Passage:
    return Passage(number, f"p{number}", title, text, document)


NOTE = passage(1, "Bench note", "Opened P-88 this morning: wrong diameter.")
FORM = "Supplier: Capstan\nOrdered: 8 September\nBin: under the stairs"
PART = passage(2, "Part P-88", FORM)
JOB = passage(3, "J-301", "Customer: Hanna Coles\nReceived: 2 May by O. Lind\nHandled by: L. Moor")
CUSTOMERS = passage(
    4,
    "Customers",
    "customer | street | pays by\n--- | --- | ---\nHanna Coles | Mill Row | cash\n"
    "Gil Tranter | Upper Lane | card\nOle Lind | Kirk Hill | invoice\nLucy Moor | Dock Road | bill",
)


def asked(*passages: Passage) -> dict[str, str]:
    """The suggested questions and their answers, all but the first of those with one bridge too."""
    found: dict[str, str] = {}
    for one in suggest([], passages):
        found[one.question] = one.answer
    return found


def test_a_form_about_an_id_that_a_note_names_makes_a_question_with_its_gold() -> None:
    first, *_ = suggest([], [NOTE, PART])
    assert first.question == "Who is the supplier of the part named in “Bench note”?"
    assert (first.answer, first.bridge, first.keys) == ("Capstan", "P-88", ("p1", "p2"))
    said = [(one.subject, one.predicate, one.object) for one in first.triples]
    assert said == [("Bench note", "names", "P-88"), ("Part P-88", "Supplier", "Capstan")]
    span = first.triples[1].span
    assert span is not None and PART.text[slice(*span)] == "Supplier: Capstan"


@pytest.mark.parametrize(
    ("form", "question", "answer"),
    [
        ("Customer: Hanna Coles", "What is the street of the customer of J-301?", "Mill Row"),
        (
            "Handled by: L. Moor",
            "What is the street of the person who handled J-301?",
            "Dock Road",
        ),
        (
            "Received: 2 May by O. Lind",
            "What is the street of the person who received J-301?",
            "Kirk Hill",
        ),
        (
            "Wanted: Gil Tranter",
            "What is the street of the one named under “Wanted” in J-301?",
            "Upper Lane",
        ),
    ],
)
def test_a_value_of_a_form_leads_to_a_row_of_a_table(form: str, question: str, answer: str) -> None:
    job = passage(3, "J-301", f"{form}\nShelf: S4\nItem: a radio")
    found = suggest([], [job, CUSTOMERS])
    assert (found[0].question, found[0].answer) == (question, answer)


def test_a_key_that_is_no_noun_is_quoted() -> None:
    form = "Ordered: 8 September\nValid to: the end of the year\nMade by: Capstan"
    made = FactPairs([], [NOTE, passage(2, "Part P-88", form)]).questions()
    assert {one.question: one.answer for one in made} == {
        "Which date is given under “Ordered” for the part named in “Bench note”?": "8 September",
        "What is given under “Valid to” for the part named in “Bench note”?": "the end of the year",
        "Who made the part named in “Bench note”?": "Capstan",
    }


def test_a_list_of_names_says_something_of_one_of_them() -> None:
    mends = passage(
        2,
        "Who mends what",
        "- Hobb & Lane, Ferry Street 9\n- Quayside Metal, Dock Road 44\n- Teign Boatworks, hulls",
    )
    report = passage(1, "DR-07", "Repairer: Hobb & Lane\nEstimate: 310 pounds\nDamage: a crack")
    assert asked(report, mends) == {
        "What does “Who mends what” say of the repairer of DR-07?": "Ferry Street 9"
    }


def test_titles_that_begin_alike_are_things_that_notes_name() -> None:
    services = [
        passage(n, f"Service catalogue: {name}", f"Owner: {owner}\nTier: {n}")
        for n, (name, owner) in enumerate([("quay", "Ann"), ("pantry", "Bo"), ("slotter", "Cy")], 1)
    ]
    week = passage(9, "Handover, week 12", "Quiet. Only pantry was slow on Tuesday.")
    assert asked(*services, week) == {
        "Who is the owner of the service named in “Handover, week 12”?": "Bo"
    }


def test_the_other_of_its_kind_is_called_so() -> None:
    pump = passage(1, "GT-1 The pump", "Place: the yard\nIt is the same as with GT-2.")
    tap = passage(2, "GT-2 The tap", "Place: behind the shed")
    assert asked(pump, tap) == {
        "Where is the other GT item named in “GT-1 The pump”?": "behind the shed"
    }


def keys(*passages: Passage) -> set[str]:
    """The keys of all values that are asked for."""
    return {one.triples[1].predicate for one in FactPairs([], passages).questions()}


def test_every_value_of_a_form_may_be_asked_for() -> None:
    assert keys(NOTE, PART) == {"Supplier", "Ordered", "Bin"}


@pytest.mark.parametrize(
    "note",
    [
        passage(1, "Bench note", "Opened P-88 and P-90 this morning."),
        passage(1, "On P-88", "Opened P-88 this morning."),
        passage(1, "Bench note", "Opened P-88 from Capstan this morning."),
        passage(1, "Capstan again", "Opened P-88 this morning."),
        passage(1, " ".join(["long"] * 9), "Opened P-88 this morning."),
        passage(1, "Bench note", "Opened another this morning."),
    ],
    ids=[
        "several of its kind",
        "the bridge in the question",
        "the answer in the first passage",
        "the answer in the question",
        "a title too long for a question",
        "no bridge",
    ],
)
def test_a_note_that_does_not_lead_there_makes_no_question(note: Passage) -> None:
    assert "Supplier" not in keys(note, PART)


@pytest.mark.parametrize(
    ("supplier", "kept"),
    [
        ("Supplier: unknown", {"Ordered", "Bin"}),
        ("Supplier: They sent it late. We rang", {"Ordered", "Bin"}),
        ("Supplier: the one who is in Leeds and is always late", {"Ordered", "Bin"}),
        ("Remarks: a friend of the house", {"Ordered", "Bin"}),
        ("Supplier: the one of the Bench note", set()),
    ],
    ids=["says nothing", "sentences", "too long", "a remark", "names the first passage"],
)
def test_a_value_that_is_no_answer_is_not_asked_for(supplier: str, kept: set[str]) -> None:
    form = FORM.replace("Supplier: Capstan", supplier) + "\nShelf: S4"
    assert keys(NOTE, passage(2, "Part P-88", form)) - {"Shelf"} == kept


def test_two_passages_of_one_document_make_no_question() -> None:
    note = passage(1, "Bench note", NOTE.text, document=7)
    assert keys(note, passage(2, "Part P-88", FORM, document=7)) == set()
    assert keys(note, passage(2, "Part P-88", FORM, document=8)) != set()


def test_an_answer_that_the_first_passage_has_in_other_words_is_not_asked_for() -> None:
    form = FORM.replace("Capstan", "Ada Capstan").replace("under the stairs", "red box, top shelf")
    part = passage(2, "Part P-88", form)
    assert keys(NOTE, part) == {"Supplier", "Ordered", "Bin"}
    assert keys(passage(1, "Note", "P-88 came from A. Capstan."), part) == {"Ordered", "Bin"}
    assert keys(passage(1, "Note", "P-88: the top shelf, a box."), part) == {"Supplier", "Ordered"}


def test_two_values_of_one_thing_make_no_question() -> None:
    again = passage(3, "Part P-88, again", "Supplier: Beltline\nBin: on the roof")
    assert keys(NOTE, PART, again) == {"Ordered"}


def test_a_thing_that_many_passages_name_is_no_bridge() -> None:
    others = [passage(n, f"Day {n}", "P-88 again.") for n in range(3, 7)]
    assert keys(NOTE, PART, *others[:-1]) != set()
    assert keys(NOTE, PART, *others) == set()


def test_a_title_of_several_passages_tells_nobody_which_is_meant() -> None:
    assert keys(NOTE, passage(3, "Bench note", "The kettle is broken."), PART) == set()


def test_an_initial_that_two_people_have_names_neither() -> None:
    job = passage(3, "J-301", "Handled by: L. Moor\nShelf: S4\nItem: a radio")
    rows = "customer | street\n---|---\nLucy Moor | Dock Road\n{} Moor | Quay Street"
    assert keys(job, passage(4, "Customers", rows.format("Anna"))) == {"street"}
    assert keys(job, passage(4, "Customers", rows.format("Lionel"))) == set()


def test_forms_of_another_language_make_none() -> None:
    german = [
        passage(5, "Notiz", "Die Lieferung ist nicht da und wir haben den Händler angerufen."),
        passage(6, "Brief", "Das Teil ist zu groß und wird mit der Post nach Leeds geschickt."),
    ]
    form = passage(2, "Teil P-88", FORM)
    note = passage(1, "Werkstatt", "P-88 ausgepackt, falscher Durchmesser.")
    assert asked(note, form) != {}
    assert asked(note, form, *german) == {}


def test_there_is_one_suggestion_for_each_bridge() -> None:
    bridges = [one.bridge for one in suggest([], [NOTE, PART, JOB, CUSTOMERS])]
    assert len(bridges) == len(set(bridges)) > 1
