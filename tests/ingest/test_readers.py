"""Which endings are read and what is said of others."""

from __future__ import annotations

import pytest

from gear_app.ingest.readers import ADVICE, DOCUMENTS, TEXTS, advice


def test_no_ending_is_read_and_advised_against() -> None:
    read = [*DOCUMENTS, *TEXTS]
    assert len(set(read)) == len(read)
    assert not set(read) & set(ADVICE)
    assert all(ending == ending.lower() and ending[0] == "." for ending in (*read, *ADVICE))


@pytest.mark.parametrize(
    ("ending", "way"),
    [
        (".doc", "save it as .docx"),
        (".RTF", "save it as .docx"),
        (".msg", "save it as .eml"),
        (".7z", "unpack it first"),
        (".png", "OCR"),
        (".mp3", "transcript"),
        (".nobody", "save it as PDF, .docx or text"),
    ],
)
def test_what_is_not_read_is_told_with_what_to_do(ending: str, way: str) -> None:
    assert advice(ending).startswith(f"{ending} is not read; ")
    assert way in advice(ending)
