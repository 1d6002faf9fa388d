"""Evidence, in words, as markup and for a hall."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.core.types import ProximalTriple, Span
from gear_app.display import evidence
from gear_app.trace.events import (
    Answered,
    Event,
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    NameLead,
    Reasoned,
    Remembered,
    Started,
)

PUMP = EvidencePassage(
    1, "pump", "Pump house", 2, "It broke. Orla <b> held it. Then", Span(10, 27), (Span(10, 14),)
)
MILL = EvidencePassage(2, "mill", "Orla's mill", 4, "It is dusty.", Span(0, 12))
RIVER = EvidencePassage(3, "river", "River", 1, "It rises.", Span(0, 9))
LOFT = NameLead(5, "loft", "Loft", 4, "Grell", 2, "Grell sings.", Span(0, 12), (Span(0, 5),))
CHOIR = NameLead(4, "choir", "Choir", 3, "Tobias", 3, "Tobias sings.", Span(0, 13), (Span(0, 6),))


def yes(answer: str) -> Reasoned:
    return Reasoned(True, "It says so", answer)


LINK = EvidenceLink((1, 2), "Orla", 2, 0.413)
FOUND = EvidenceFound((PUMP, MILL, RIVER), (LINK,), 1200, (CHOIR, LOFT), iteration=0)


START = Started("Where?", "chain", reader="local", iteration=0)
NO = Reasoned(False, "Nothing yet about it", "")


def test_the_card_escapes_texts_and_marks_the_name_in_text_and_title() -> None:
    drawn = evidence.card([FOUND], ["mill"])
    assert "&lt;b&gt;" in drawn and "<b> held" not in drawn
    assert drawn.count("<mark>Orla</mark>") == 2
    assert drawn.count("★") == 1
    assert drawn.index("Pump house") < drawn.index("mill</b>") < drawn.index("River")


def with_share(share: float) -> EvidenceFound:
    return replace(FOUND, links=(replace(LINK, share=share),))


@pytest.mark.parametrize(
    ("events", "known", "title", "note"),
    [
        (
            [with_share(0.61)],
            (),
            evidence.PAIR,
            "Strong match: joined by “Orla”, which only these two name",
        ),
        ([with_share(0.3)], (), evidence.PAIR, "Fair match"),
        (
            [START, Remembered((ProximalTriple("Ada", "owns", "it"),), (), 1), NO, with_share(0.1)],
            (),
            evidence.NOTHING,
            "",
        ),
        ([yes("Orla"), FOUND], ("Orla",), "Answer: Orla", "= expected: Orla"),
    ],
)
def test_evidence_stands_under_one_of_three_headings(
    events: list[Event], known: tuple[str, ...], title: str, note: str
) -> None:
    head = evidence.heading(events, known)
    assert head.title == title and head.note.startswith(note)
    assert bool(head.passages) == ("gear-pair" in evidence.card(events))
    assert next(evidence.lines(events, known)).startswith(title)


def test_one_part_of_an_answer_is_said_where_the_reader_found_no_more() -> None:
    memory = Remembered((ProximalTriple("Ada", "owns", "it"),), (), 1)
    assert "One part was found: “Ada owns it”." in evidence.card([START, memory, NO, FOUND])
    assert "No answer" in evidence.card([START, NO, FOUND])


def test_the_answer_is_the_written_one_else_the_readers() -> None:
    for written, title in {"Lorn": "Answer: Lorn", "": "Answer: Orla"}.items():
        events = [yes("Orla"), Answered("retrieved", written, ()), FOUND]
        assert evidence.heading(events).title == title


def test_the_passage_with_the_answer_stands_under_it_too() -> None:
    source = replace(RIVER, answers=True)
    found = replace(FOUND, passages=(PUMP, MILL, source))
    head = evidence.heading([yes("rises"), found])
    assert head.passages == (PUMP, MILL, source)
    weak = replace(found, links=(replace(LINK, share=0.1),))
    assert evidence.heading([yes("rises"), weak]).passages == (source,)
