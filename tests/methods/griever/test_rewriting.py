"""What of a query gives way to what a matched triple leads to."""

from __future__ import annotations

import pytest

from gear_app.trace.events import Matched, Retrieved, Rewrote
from tests.methods.griever.asked import Row, index_of, run
from tests.small import of_kind

REWRITTEN = [
    (
        "Where was the director of Harbour Lights born?",
        "Harbour Lights|was directed by|Ada Quill",
        "Where was Ada Quill born?",
    ),
    (
        "Who is the mother of the director of film Harbour Lights?",
        "Harbour Lights|directed by|Ada Quill",
        "Who is the mother of Ada Quill?",
    ),
    (
        "Which river runs through the town where Ada Quill was born?",
        "Ada Quill|was born in|Port Mira",
        "Which river runs through Port Mira?",
    ),
    (
        "When did Ada Quill's husband die?",
        "Ada Quill|was married to|Bo Hale",
        "When did Bo Hale die?",
    ),
    (
        "What is the capital of the country in which the river Sel rises?",
        "river Sel|rises in|Lorn",
        "What is the capital of Lorn?",
    ),
    (
        "Who owns the company that built the Sel Bridge?",
        "Sel Bridge|was built by|Vane and Sons",
        "Who owns Vane and Sons?",
    ),
    (
        "Who founded the label which released Winter Lights?",
        "Winter Lights|was released by|Quill Records",
        "Who founded Quill Records?",
    ),
    (
        "Which city is home to the club that plays at Vane Park?",
        "Mira Rovers|plays at|Vane Park",
        "Which city is home to Mira Rovers?",
    ),
    (
        "Who painted the castle whose first lord was Tom Vane?",
        "Lorn Castle|had as first lord|Tom Vane",
        "Who painted Lorn Castle?",
    ),
    (
        "What language is spoken in the birthplace of Bo Hale?",
        "Bo Hale|was born in|Lorn",
        "What language is spoken in Lorn?",
    ),
    (
        "When was the school attended by Ada Quill founded?",
        "Ada Quill|attended|Mira Academy",
        "When was Mira Academy founded?",
    ),
    (
        "Who wrote the novel on which Harbour Lights is based?",
        "Harbour Lights|is based on|The Ferryman",
        "Who wrote The Ferryman?",
    ),
    (
        "Which sea does the river that flows past Port Mira reach?",
        "Sel|flows past|Port Mira",
        "Which sea does Sel reach?",
    ),
    (
        'Where did the singer of "Winter Lights" grow up?',
        "Winter Lights|was sung by|Bo Hale",
        "Where did Bo Hale grow up?",
    ),
    (
        "What is the population of the county where Lorn Castle stands?",
        "Lorn Castle|stands in|Mira County",
        "What is the population of Mira County?",
    ),
    (
        "Who was king when the war in which Tom Vane fell began?",
        "Tom Vane|fell in|Salt War",
        "Who was king when Salt War began?",
    ),
    (
        "Which prize did the author of Letters from the Sel win?",
        "Letters from the Sel|was written by|Ada Quill",
        "Which prize did Ada Quill win?",
    ),
    (
        "In what year did the employer of Bo Hale close?",
        "Bo Hale|worked for|Lorn Mill",
        "In what year did Lorn Mill close?",
    ),
    (
        "Who discovered the comet after which the ship Skylark was named?",
        "Skylark|was named after|Comet Hale",
        "Who discovered Comet Hale?",
    ),
    (
        "Is the architect of the Sel Bridge still alive?",
        "Sel Bridge|was designed by|Tom Vane",
        "Is Tom Vane still alive?",
    ),
    (
        "Who is the father of the composer of the anthem of Lorn?",
        "Anthem of Lorn|was composed by|Bo Hale",
        "Who is the father of Bo Hale?",
    ),
    ("Who lit the harbour?", "Harbour Lights|was directed by|Ada Quill", ""),
    ("When was Harbour Lights made?", "Harbour Lights|was made in|1951", ""),
    ("Who made the songs of Harbour Lights?", "Harbour Lights|has|songs", ""),
]


@pytest.mark.parametrize(("question", "triple", "query"), REWRITTEN)
def test_what_a_triple_answers_gives_way_to_what_it_leads_to(
    question: str, triple: str, query: str
) -> None:
    subject, predicate, object_ = triple.split("|")
    rows: list[Row] = [
        (subject, f"{subject} {predicate} {object_}.", [(subject, predicate, object_)]),
        (object_, f"{object_} is known.", [(object_, "is", "known")]),
        ("More", f"{subject} is known too.", [(subject, "is", "known too")]),
    ]
    _, events = run(index_of(rows), question, sure=0.8)
    rewrote = of_kind(events, Rewrote)[0]
    assert rewrote.query == query
    assert [change.inserted for change in rewrote.substitutions] == [
        name for name in (subject, object_) if name in query
    ]
    for change, match in zip(
        rewrote.substitutions, of_kind(events, Matched)[0].matches, strict=False
    ):
        assert change.removed == question[match.place.start : match.place.end]


def test_only_the_name_gives_way_where_the_relation_was_not_matched() -> None:
    """ "stands beside" answers nothing of "the height of", but with a low threshold it is taken all
    the same.
    """
    rows: list[Row] = [
        (
            "Vane Tower",
            "Vane Tower stands beside Lorn Mill.",
            [("Vane Tower", "beside", "Lorn Mill")],
        ),
        ("Lorn Mill", "Lorn Mill is old.", [("Lorn Mill", "is", "old")]),
    ]
    _, events = run(
        index_of(rows), "What is the approximate measured height of Vane Tower?", sure=0.2
    )
    match = of_kind(events, Matched)[0].matches[0]
    assert (match.taken, match.relation, match.relation_spans) == (True, "", ())
    assert (
        of_kind(events, Rewrote)[0].query == "What is the approximate measured height of Lorn Mill?"
    )


def test_both_sides_of_a_comparison_are_put_in_at_once() -> None:
    rows: list[Row] = [
        ("Harbour Lights", "A film.", [("Harbour Lights", "was directed by", "Ada Quill")]),
        ("Winter Lights", "A film.", [("Winter Lights", "was directed by", "Bo Hale")]),
        ("Ada Quill", "She was born in 1900.", [("Ada Quill", "was born in", "1900")]),
        ("Bo Hale", "He was born in 1910.", [("Bo Hale", "was born in", "1910")]),
        ("Lorn", "Nothing.", [("Lorn", "is", "town")]),
    ]
    question = "Is the director of Harbour Lights older than the director of Winter Lights?"
    _, events = run(index_of(rows), question)
    assert of_kind(events, Rewrote)[0].query == "Is Ada Quill older than Bo Hale?"
    assert [join.entity for join in of_kind(events, Matched)[0].joins] == ["Ada Quill", "Bo Hale"]
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 2, 3, 4}
