"""The sheet of keys says what the pages listen to."""

from __future__ import annotations

from gear_app.ui.shared.keys import KEYS, sheet


def test_every_key_of_the_sheet_is_on_it_with_its_words() -> None:
    shown = sheet()
    for page, rows in KEYS.items():
        assert f"<h3>{page}</h3>" in shown
        for key, words in rows:
            assert f'<th scope="row">{key}</th><td>{words}</td>' in shown
