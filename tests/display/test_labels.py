"""What readers and steps are called, and what a step is for."""

from __future__ import annotations

import pytest

from gear_app.display import labels


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        labels.reader_note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert labels.reader_note("gpt") == "by gpt"
    assert labels.reader_name("local", "tiny") == "local reader"
    assert labels.reader_note("") == ""


def test_somebodys_words_are_no_markdown() -> None:
    assert labels.literal("ann ![x](https://a.b) :red[y] $z$") == (
        r"ann \!\[x\]\(https\:\/\/a\.b\) \:red\[y\] \$z\$"
    )
    assert labels.literal("Ivo Andrić\nB") == "Ivo Andrić B"


@pytest.mark.parametrize(
    ("ms", "words"),
    [(999.4, "999 ms"), (999.6, "1.0 s"), (59_949, "59.9 s"), (59_960, "1 min 0 s")],
)
def test_a_time_is_never_sixty_seconds_or_a_thousand_milliseconds(ms: float, words: str) -> None:
    assert labels.duration(ms) == words
