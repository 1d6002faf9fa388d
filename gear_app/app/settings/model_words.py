"""What the page Settings says of language models, as sentences and rows: which one is used, whose
key, what came of trying it, what each costs and took.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gear_app.core.text import count
from gear_app.display.labels import as_sentence, duration
from gear_app.models.connection_test import ConnectionResult, RunningServer
from gear_app.models.environment import ENVIRONMENT
from gear_app.models.server import OPENAI, PRESETS, Spec

Remark = tuple[str, Literal["info", "good", "bad"]]
LOCAL = "the local reader: rules, not a language model; English only"


def in_use(spec: Spec | None, reader: str) -> str:
    """What reads for this session, in one sentence."""
    if spec is None:
        return (
            f"In use: {LOCAL}. Everything works with it; a language model reads better, and may"
            " cost money."
        )
    model = f"{spec.model} at {spec.base_url}, {_key_words(spec.key_from)}"
    if reader == "local":
        return (
            f"In use: {LOCAL}. For any question you can choose {model} instead, in Explore and in"
            " Compare."
        )
    return (
        f"In use: {model}. For any question you can choose the local reader instead, in Explore and"
        " in Compare."
    )


def running_sentence(found: Sequence[RunningServer]) -> str:
    """Which servers run on this machine."""
    if not found:
        names = ", ".join(
            preset.name for preset in PRESETS if preset.address.startswith("http://localhost")
        )
        return f"No language model was found on this machine ({names} at their usual ports)."
    key = " (wants a key: type it below)"
    servers = (f"{server.name}{key if server.models is None else ''}" for server in found)
    return f"On this machine: {', '.join(servers)}."


def _key_words(key_from: str) -> str:
    if key_from == ENVIRONMENT:
        return "with the key in the server's environment"
    return "with the key typed in this session" if key_from else "without a key"


def key_sentence(base_url: str, key_from: str) -> str:
    """Whose key goes to this server."""
    if not base_url:
        return "Give the address first: a key goes to the server it was typed for, and to no other."
    if key_from == ENVIRONMENT:
        return (
            "The key in the server's environment is used. One typed here takes its place for this"
            " session."
        )
    if key_from:
        return (
            f"A key for {base_url} is held for this session, in memory alone. It is gone when you"
            " close or reload the page. A second application on this workspace cannot use it with"
            " the worker of the first."
        )
    advice = (
        "OpenAI wants one."
        if base_url == OPENAI
        else "Servers on your own machine mostly want none."
    )
    return f"No key is held for {base_url}. {advice}"


def outcome(tried: ConnectionResult, address: str = "") -> Remark:
    """What came of trying the server at an address out, and what to do next."""
    if tried.failed:
        advice = _advice(tried.failed, address)
        return f"It does not work yet. {as_sentence(tried.failed)}{advice}", "bad"
    has = "" if tried.models is None else f" The server has {count(len(tried.models), 'model')}."
    if tried.ms is None:
        if not tried.models:
            return (
                "The server answers, and names no model. Type the name of one, then test again."
                f"{_note(address)}",
                "info",
            )
        return f"The server answers.{has} Choose one, then test again.", "info"
    unlisted = (
        ""
        if tried.models is None or tried.model in tried.models
        else " The one asked is not among those named."
    )
    lists = (
        " The server does not say which models it has." if tried.models is None else has + unlisted
    )
    read = f" It read a sentence as asked: {tried.reply}." if tried.reply else ""
    return f"It works: {tried.model} replied in {duration(tried.ms)}.{read}{lists}", "good"


def _note(address: str) -> str:
    """What is to be known of the kind of server that mostly has this address."""
    notes = {preset.address: f" {preset.note}" for preset in PRESETS if preset.address}
    return notes.get(address.rstrip("/"), "")


def _advice(words: str, address: str) -> str:
    """What mostly helps."""
    if "could not be reached" in words:
        return " Is the server running, and is the address right?"
    if "answered 401" in words or "answered 403" in words:
        return " Type the key again, or one that may use this model."
    if "answered 404" in words:
        if address.rstrip("/").endswith("/v1"):
            return " Is the model’s name right?"
        return " Is the model’s name right, and does the server want an address that ends in /v1?"
    return ""
