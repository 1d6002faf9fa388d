"""Where questions are cut, on questions written for this test, and that nothing is lost or counted
twice.
"""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gear_app.methods.split import split

CUT = [
    "Where was the town | where: where Ada Quill was born?",
    "Who painted the portrait | that: that hangs in Lorn Castle?",
    "What is the height of the tower | which: which Tom Vane built in Port Mira?",
    "When was the harbour opened | in which: in which the Harbour Lights sank?",
    "Which poet was born in the village | after which: after which the comet of 1911 is named?",
    "Which author lived beside the man | who: who built the bridge | that: that fell in 1950?",
]
REDUCED = [
    "Who owns the label | founded by: founded by Ada Quill?",
    "Who sang in the show | located in: located in the hall | where: where Mr. Vane died?",
    (
        "What is the mouth of the river | crossed by: crossed by the bridge | that: that Tom Vane"
        " designed?"
    ),
]
RESUMED = [
    "When did the company | that: that built the Sel Bridge | : close?",
    "Where was the man | who: who designed the Sel Bridge at Lorn | : born?",
    "Did the painter | who: who lived in Lorn | : know the writer | who: who lived in Port Mira?",
    "Which film | whose: whose director is older, | : Harbour Lights or Winter Lights?",
    "In the film | that: that Bo Hale shot in Lorn, | : who plays the ferryman?",
]
WHOLE = [
    "Who married the publisher of abolitionist newspaper The North Star?",
    "What is the capital of that country?",  # a determiner
    "The lighthouse was built when?",  # the question's own, at its end
    "Who directed The Man Who Lived Twice?",  # within a name
    "When was the harbour opened and when was it closed?",  # a second question
    "Harbour Lights",
]


def written(question: str) -> str:
    """The clauses of a question as the lines above are written."""
    first, *others = split(question)
    assert first.connector == ""
    text = question[: first.span.end]
    for clause, before in zip(others, split(question), strict=False):
        between = question[before.span.end : clause.span.start]
        text += f"{between.rstrip()} | {clause.connector}: {clause.text}"
    return text


@pytest.mark.parametrize("line", [*CUT, *REDUCED, *RESUMED, *WHOLE])
def test_a_question_is_cut_where_it_says(line: str) -> None:
    assert written(re.sub(r" \| [\w ]*: ", " ", line)) == line


def test_the_questions_own_which_connects_nothing_but_one_before_it_does() -> None:
    clauses = split("The tower which stands in Lorn was sold to which bank?")
    assert [clause.connector for clause in clauses] == ["", "which"]
    assert clauses[1].text == "which stands in Lorn was sold to which bank?"


_WORDS = st.sampled_from(
    "who which that where in when did was the bridge Ada Quill built founded by , . ? and or née İ".split(
        " "
    )
)


@given(st.lists(_WORDS, max_size=25))
@example(["bridge", "built", ",", "by", "in"])
def test_every_word_is_in_one_clause_at_its_place(words: list[str]) -> None:
    question = " ".join(words)
    clauses = split(question)
    assert [question[clause.span.start : clause.span.end] for clause in clauses] == [
        clause.text for clause in clauses
    ]
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(clauses))
    said = [word for clause in clauses for word in re.findall(r"[^\W_]+", clause.text)]
    assert said == re.findall(r"[^\W_]+", question)
    for clause in clauses:
        own = " ".join(re.findall(r"[^\W_]+", clause.text.casefold()))
        assert own.startswith(clause.connector)
