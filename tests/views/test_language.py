from __future__ import annotations

import pytest

from gear_app.llm.connection_test import ConnectionResult
from gear_app.llm.server import Spec
from gear_app.views.language_models import in_use, key_sentence, outcome

SPEC = Spec("http://a/v1", "tiny")


@pytest.mark.parametrize(
    ("key_from", "whose"),
    [
        ("", "without a key"),
        ("environment", "the server's environment"),
        ("session 1 x", "typed in this session"),
    ],
)
def test_what_is_in_use_says_which_model_and_whose_key(key_from: str, whose: str) -> None:
    told = in_use(Spec("http://a/v1", "tiny", key_from=key_from), "llm")
    assert (
        told.startswith("In use: tiny at http://a/v1, ")
        and whose in told
        and "session 1" not in told
    )


def test_a_model_that_is_there_is_not_in_use_until_it_is_chosen() -> None:
    assert in_use(None, "llm").startswith("In use: the local reader")
    told = in_use(SPEC, "local")
    assert (
        told.startswith("In use: the local reader") and "you can choose tiny at http://a/v1" in told
    )


def test_a_key_goes_to_the_server_it_was_typed_for() -> None:
    assert key_sentence("", "").startswith("Give the address first")
    assert "No key is held for http://a/v1" in key_sentence("http://a/v1", "")
    assert "OpenAI wants one" in key_sentence("https://api.openai.com/v1", "")
    assert "environment is used" in key_sentence("http://a/v1", "environment")
    assert "A key for http://a/v1 is held" in key_sentence("http://a/v1", "session 1 x")


@pytest.mark.parametrize(
    ("tried", "told", "tone"),
    [
        (
            ConnectionResult(("tiny", "b"), "tiny", 210.0),
            "It works: tiny replied in 210 ms. The server has 2 models.",
            "good",
        ),
        (
            ConnectionResult(("b",), "tiny", 1210.0),
            (
                "It works: tiny replied in 1.2 s. The server has 1 model. The one asked is not"
                " among those named."
            ),
            "good",
        ),
        (
            ConnectionResult(None, "tiny", 5.0),
            "It works: tiny replied in 5 ms. The server does not say which models it has.",
            "good",
        ),
        (
            ConnectionResult(("a", "b")),
            "The server answers. The server has 2 models. Choose one, then test again.",
            "info",
        ),
        (
            ConnectionResult(()),
            "The server answers, and names no model. Type the name of one, then test again.",
            "info",
        ),
        (
            ConnectionResult(None, failed="The model server at u answered 404: none."),
            (
                "It does not work yet. The model server at u"
                " answered 404: none. Does the address end in /v1, and is the model's name right?"
            ),
            "bad",
        ),
        (ConnectionResult(None, failed="It stalled"), "It does not work yet. It stalled.", "bad"),
    ],
)
def test_what_came_of_trying_says_what_to_do_next(
    tried: ConnectionResult, told: str, tone: str
) -> None:
    assert outcome(tried) == (told, tone)
