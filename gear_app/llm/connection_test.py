"""Tries a server out: which models it has, and whether the chosen one replies. One attempt each."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.server import Patience, Secret, Server, Spec

# A server on a laptop may have to load its model before it replies.
LIST_S, REPLY_S, CONNECT_S = 10.0, 60.0, 5.0
# Tokens of the reply; models that think to themselves refuse to say one word only.
LEAST, MORE = 1, 256
NAMELESS = "-"  # what the list of models needs no name for
PROMPT = "Say hello."


class ConnectionResult(NamedTuple):
    """What came of the test.

    `models`: those the server has, None where it would not say. `model`: the one that was asked,
    "" where none was. `ms`: how long its reply took. `failed`: why it failed, in the server's own
    words, "" where it did not.
    """

    models: tuple[str, ...] | None
    model: str = ""
    ms: float | None = None
    failed: str = ""


def try_connection(
    spec: Spec, key: Secret, check: Callable[[], None] = lambda: None
) -> ConnectionResult:
    """List the models, then ask the chosen one for a word; where none is chosen, the only one.

    A server that lists nothing may reply all the same. Takes seconds; `check` is called meanwhile,
    and stops it by raising. Raises BadInput for what cannot be an address.
    """
    server = Server.of(dataclasses.replace(spec, model=spec.model.strip() or NAMELESS), key)
    models, failed = _list_models(server, check)
    model = spec.model.strip() or (models[0] if models and len(models) == 1 else "")
    if not model:
        return ConnectionResult(models, failed=failed)
    ms, failed = _ask(dataclasses.replace(server, model=model, max_tokens=LEAST), check)
    if "max_tokens" in failed:
        ms, failed = _ask(dataclasses.replace(server, model=model, max_tokens=MORE), check)
    return ConnectionResult(models, model, ms, failed)


def _list_models(server: Server, check: Callable[[], None]) -> tuple[tuple[str, ...] | None, str]:
    from gear_app.llm.completion import ChatClient

    with closing(ChatClient(_with_timeout(server, LIST_S), check)) as client:
        try:
            return client.models(), ""
        except CallFailed as error:
            return None, str(error)


def _ask(server: Server, check: Callable[[], None]) -> tuple[float | None, str]:
    """The milliseconds it took to reply, or why it did not."""
    from gear_app.llm.completion import ChatClient

    began = time.perf_counter()
    with closing(ChatClient(_with_timeout(server, REPLY_S), check)) as client:
        try:
            client.ask(Request("test", PROMPT))
        except CallFailed as error:
            return None, str(error)
    return (time.perf_counter() - began) * 1000, ""


def _with_timeout(server: Server, timeout_s: float) -> Server:
    patience = Patience(timeout_s=timeout_s, connect_s=CONNECT_S, retries=0)
    return dataclasses.replace(server, patience=patience)
