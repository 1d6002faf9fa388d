"""Questions over forms, tables and lists: each form, and each reason for which none is made."""

from __future__ import annotations

import pytest

from gear_app.suggestions import suggest
from gear_app.suggestions.pairs import FactPairs
from gear_app.types import Passage, Span, Triple


def passage(number: int, title: str, text: str, document: int | None = None) -> Passage:
    return Passage(number, f"p{number}", title, text, document)


NOTE = passage(1, "J-7", "Part: P-88\nShelf: S4\nItem: a radio")
FORM = "Supplier: Capstan\nWeight: 41 grams\nBin: under the stairs"
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


def test_a_form_about_an_id_that_another_names_makes_a_question_with_its_gold() -> None:
    first, *_ = suggest([], [NOTE, PART])
    assert first.question == "Who is the supplier of the part of J-7?"
    assert (first.answer, first.bridge, first.keys) == ("Capstan", "P-88", ("p1", "p2"))
    said = [(one.subject, one.predicate, one.object) for one in first.triples]
    assert said == [("J-7", "Part", "P-88"), ("Part P-88", "Supplier", "Capstan")]
    span = first.triples[1].span
    assert span is not None and PART.text[slice(*span)] == "Supplier: Capstan"


@pytest.mark.parametrize(
    ("form", "question", "answer"),
    [
        ("Customer: Hanna Coles", "What is the street of the customer of J-301?", "Mill Row"),
        ("Handled by: L. Moor", "What is the street of the person who handled J-301?", "Dock Road"),
        (
            "Received: 2 May by O. Lind",
            "What is the street of the person who received J-301?",
            "Kirk Hill",
        ),
    ],
)
def test_a_value_of_a_form_leads_to_a_row_of_a_table(form: str, question: str, answer: str) -> None:
    job = passage(3, "J-301", f"{form}\nShelf: S4\nItem: a radio")
    found = suggest([], [job, CUSTOMERS])
    assert (found[0].question, found[0].answer) == (question, answer)


def test_a_key_that_is_neither_a_noun_nor_a_verb_is_not_asked_for() -> None:
    form = "Ordered: 8 September\nValid to: the end of the year\nMade by: Capstan"
    made = FactPairs([], [NOTE, passage(2, "Part P-88", form)]).questions()
    assert {one.question: one.answer for one in made} == {"Who made the part of J-7?": "Capstan"}


def row(number: int, text: str) -> Passage:
    """A row of a table without a name of its own."""
    return passage(number, "Tenants", text)


def test_a_row_is_of_the_only_person_in_it() -> None:
    notes = passage(1, "Notes", "Lena Brodsky keeps the four bicycles in the cellar.")
    keeps = Triple(7, 1, "Lena Brodsky", "keeps", "four bicycles", Span(0, len(notes.text)))
    tenants = [
        row(2, "flat: 3\ntenant: Lena Brodsky\nrent: 720"),
        row(3, "flat: 4\ntenant: Iwan Prosser\nrent: 610"),
    ]
    found = suggest([keeps], [notes, *tenants])
    assert {one.question: one.answer for one in found} == {
        "What is the rent of the one who keeps the four bicycles?": "720",
        "What is the flat of the one who keeps the four bicycles?": "3",
    }
    assert {(one.bridge, one.keys) for one in found} == {("Lena Brodsky", ("p1", "p2"))}
    both = [row(2, "flat: 3\ntenant: Lena Brodsky\nlandlord: Iwan Prosser\nrent: 720"), tenants[1]]
    assert suggest([keeps], [notes, *both]) == []


def test_somebody_is_called_by_what_was_done() -> None:
    glued = passage(1, "Conservation", "The comb was glued by Sunniva Dahl on 12 July.")
    rota = passage(2, "Kitchen rota", "Sunniva Dahl cooks the fish soup for all of us.")
    triples = [
        Triple(7, 1, "comb", "was glued by", "Sunniva Dahl", Span(0, len(glued.text))),
        Triple(8, 2, "Sunniva Dahl", "cooks", "fish soup", Span(0, len(rota.text))),
    ]
    found = {one.question: one.answer for one in FactPairs(triples, [glued, rota]).questions()}
    assert found == {
        "What does the one who glued the comb cook?": "fish soup",
        "What did the one who cooks the fish soup glue?": "comb",
    }


def keys(*passages: Passage) -> set[str]:
    """The keys of all values that are asked for."""
    return {one.triples[1].predicate for one in FactPairs([], passages).questions()}


def test_every_value_of_a_form_may_be_asked_for() -> None:
    assert keys(NOTE, PART) == {"Supplier", "Weight", "Bin"}


@pytest.mark.parametrize(
    "note",
    [
        passage(1, "J-7", "Part: P-88\nPart: P-90\nItem: a radio"),
        passage(1, "J-P-88", "Part: P-88\nShelf: S4\nItem: a radio"),
        passage(1, "J-7", "Part: P-88\nMaker: Capstan\nItem: a radio"),
        passage(1, "J-7", "Part: another\nShelf: S4\nItem: a radio"),
    ],
    ids=["several", "the bridge in the question", "the answer in the first passage", "no bridge"],
)
def test_a_note_that_does_not_lead_there_makes_no_question(note: Passage) -> None:
    assert "Supplier" not in keys(note, PART)


@pytest.mark.parametrize(
    ("supplier", "kept"),
    [
        ("Supplier: unknown", {"Weight", "Bin"}),
        ("Supplier: They sent it late. We rang", {"Weight", "Bin"}),
        ("Supplier: the one who is in Leeds and is always late", {"Weight", "Bin"}),
        ("Remarks: a friend of the house", {"Weight", "Bin"}),
        ("Supplier: the one of J-7", set()),
    ],
    ids=["says nothing", "sentences", "too long", "a remark", "names the first passage"],
)
def test_a_value_that_is_no_answer_is_not_asked_for(supplier: str, kept: set[str]) -> None:
    form = FORM.replace("Supplier: Capstan", supplier) + "\nShelf: S4"
    assert keys(NOTE, passage(2, "Part P-88", form)) - {"Shelf"} == kept


def test_two_passages_of_one_document_make_no_question() -> None:
    note = passage(1, "J-7", NOTE.text, document=7)
    assert keys(note, passage(2, "Part P-88", FORM, document=7)) == set()
    assert keys(note, passage(2, "Part P-88", FORM, document=8)) != set()


def test_an_answer_that_the_first_passage_has_in_other_words_is_not_asked_for() -> None:
    form = FORM.replace("Capstan", "Ada Capstan").replace("under the stairs", "red box, top shelf")
    part = passage(2, "Part P-88", form)
    assert keys(NOTE, part) == {"Supplier", "Weight", "Bin"}
    assert keys(passage(1, "J-7", f"{NOTE.text}\nNote: from A. Capstan"), part) == {"Weight", "Bin"}
    assert keys(passage(1, "J-7", f"{NOTE.text}\nNote: top shelf, a box"), part) == {
        "Supplier",
        "Weight",
    }


def test_two_values_of_one_thing_make_no_question() -> None:
    again = passage(3, "Part P-88, again", "Supplier: Beltline\nBin: on the roof")
    assert keys(NOTE, PART, again) == {"Weight"}


def test_a_thing_that_many_passages_name_is_no_bridge() -> None:
    others = [passage(n, f"Day {n}", "P-88 again.") for n in range(3, 12)]
    assert keys(NOTE, PART, *others[:-1]) != set()
    assert keys(NOTE, PART, *others) == set()


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
    note = NOTE
    assert asked(note, form) != {}
    assert asked(note, form, *german) == {}


def test_no_answer_is_asked_for_twice() -> None:
    answers = [one.answer for one in suggest([], [NOTE, PART, JOB, CUSTOMERS])]
    assert len(answers) == len(set(answers)) > 1
