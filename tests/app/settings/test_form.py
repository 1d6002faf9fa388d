"""The form for a language model: what is offered, what cannot be used, and the key that is typed."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.app.settings.settings_page import (
    at_server,
    drawn,
    press,
    section,
    sentences,
    state,
)
from tests.models.server import KEY


def test_without_a_model_the_local_reader_is_in_use_and_every_card_says_what_to_do(
    page: AppTest,
) -> None:
    shown = sentences(page) + sentences(section(page, "about"))
    shown += sentences(section(page, "costs"))
    assert "In use: the local reader: rules, not a language model; English only." in shown
    for told in (
        "No key is held for https://api.openai.com/v1.",
        "Nothing: no language model has been asked yet.",
        "None yet.",
    ):
        assert told in shown, told
    assert page.number_input(key="language-budget").value == 200_000


def test_a_key_is_taken_out_of_its_field_at_once_and_held_for_its_server(page: AppTest) -> None:
    at_server(page, "http://localhost:1/v1/", KEY)
    assert page.text_input(key="model-key").value == ""
    assert KEY not in drawn(page) + state(page)
    assert (
        "A key for http://localhost:1/v1 is held for this session, in memory alone,"
        in sentences(page)
    )
    page.text_input(key="model-address").set_value("http://localhost:2/v1").run()
    assert "No key is held for http://localhost:2/v1." in sentences(page)
    page.text_input(key="model-address").set_value("http://localhost:1/v1").run()
    shown = press(page, "model-forget")
    assert "The key for http://localhost:1/v1 is forgotten." in shown and "No key is held" in shown
    assert "model-forget" not in {button.key for button in page.button}


def test_a_key_that_cannot_be_one_is_not_taken(page: AppTest) -> None:
    at_server(page, "http://localhost:1/v1", "sk–dash")
    assert "The key holds a character that no key has." in sentences(page)
    assert "No key is held" in sentences(page)
    at_server(page, "", KEY)
    assert "The key was not taken. The server's address must begin with" in sentences(page)
