from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_app.language.blocks import sentences
from tests.documents.reports import split

SENTENCE = "The quick brown fox jumps over the old lazy dog again."  # 11 words


def cut(text: str, words: int = 100) -> list[str]:
    return [text[start:end] for start, end in split(text, words)]


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Dr. Quill met Mr. Vane. They spoke.", ["Dr. Quill met Mr. Vane.", "They spoke."]),
        (
            "J. R. R. Tolkien wrote it. He was born in 1892.",
            ["J. R. R. Tolkien wrote it.", "He was born in 1892."],
        ),
        ("It costs 3.5 crowns. No. 5 is sold.", ["It costs 3.5 crowns.", "No. 5 is sold."]),
        (
            "She moved to the U.S. in May. Later she left the U.S. She went home.",
            ["She moved to the U.S. in May.", "Later she left the U.S.", "She went home."],
        ),
        (
            "She works for Vane Inc. The firm is old.",
            ["She works for Vane Inc.", "The firm is old."],
        ),
        (
            "“Who is it?” he asked. “Me.” Then silence.",
            ["“Who is it?” he asked.", "“Me.”", "Then silence."],
        ),
        (
            "Towns, e.g. Lorn, are small (i.e. poor). Yes.",
            ["Towns, e.g. Lorn, are small (i.e. poor).", "Yes."],
        ),
        ("1. Buy bread.\n2. Go home.", ["Buy bread.", "Go home."]),
        ("她出生在北京。她学习法律。", ["她出生在北京。", "她学习法律。"]),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert said(text) == parts


def test_passages_are_about_a_hundred_words_and_end_with_sentences() -> None:
    passages = cut(" ".join([SENTENCE] * 40))
    assert [len(p.split()) for p in passages] == [110, 110, 110, 110]
    assert all(p.endswith("again.") for p in passages)


def test_a_heading_stays_with_what_follows_it() -> None:
    section = " ".join([SENTENCE] * 6)
    text = f"# One\n\n{section}\n\n# Two\n\n{section}\n\nPlain heading\n\n{section}"
    assert cut(text) == [
        f"# One\n\n{section}",
        f"# Two\n\n{section}",
        f"Plain heading\n\n{section}",
    ]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                SENTENCE,
                "Dr. A. Vane!",
                "# Head",
                "\n\n",
                "\n",
                "x" * 90,
                "- item",
                "«Été?»",
                "東京。",
            ]
        ),
        max_size=60,
    ),
    st.integers(4, 40),
)
def test_every_word_is_in_exactly_one_passage_and_none_is_much_too_long(
    parts: list[str], words: int
) -> None:
    text = " ".join(parts)
    spans = split(text, words)
    assert "".join("".join(text[s:e].split()) for s, e in spans) == "".join(text.split())
    assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""
        assert start == 0 or text[start - 1].isspace() or text[start - 1] == "。" or words < 9
        assert len(text[start:end].split()) <= 3.5 * words


@pytest.mark.parametrize(
    "entry",
    [
        "2024-03-02 10:{0:02} INFO Pump {0} was started by Mara Holt. It ran until six.",
        "- Rope {0} is kept by Tomas Reed. It was bought in May. It lies in the boathouse.",
        "Rope {0} | Tomas Reed. Sometimes Bo Hale | The boathouse. Or the pier",
        "Keeper {0}: Ida Brand came. She wound the clock. Then she left.",
    ],
)
def test_no_entry_of_a_plain_text_is_torn(entry: str) -> None:
    lines = [entry.format(number) for number in range(60)]
    text = "\n".join(lines)
    spans = split(text)
    assert len(spans) > 3
    assert [line for span in spans for line in text[slice(*span)].split("\n")] == lines
