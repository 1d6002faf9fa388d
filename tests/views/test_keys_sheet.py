"""The sheet of keys says what the pages listen to."""

from __future__ import annotations

import re
from pathlib import Path

from gear_app.ui.shared.keys import KEYS, sheet

PRESENTING = Path(__file__).parents[2] / "docs" / "presenting.md"


def test_every_key_of_the_sheet_is_on_it_with_its_words() -> None:
    shown = sheet()
    for page, rows in KEYS.items():
        assert f"<h3>{page}</h3>" in shown
        for key, words in rows:
            assert f'<th scope="row">{key}</th><td>{words}</td>' in shown


def test_the_keys_of_a_presentation_are_those_of_its_documentation() -> None:
    described = re.findall(r"^\| (.+?) \|", PRESENTING.read_text(encoding="utf-8"), re.M)
    letters = {key for row in described for key in re.findall(r"`(\w)`", row)}
    told = {key for row, _ in KEYS["While presenting"] for key in re.findall(r"\b[A-Z1-9]\b", row)}
    assert letters == told
