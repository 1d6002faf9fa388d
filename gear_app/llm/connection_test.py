"""Trying a server out: which models it has, and whether the one that was chosen replies. One
attempt each, in time.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from gear_app.llm.failures import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.server import Patience, Secret, Server, Spec

LISTED_S, REPLIED_S, CONNECTED_S = (
    10.0,
    60.0,
    5.0,
)  # a server on a laptop may have to load its model first
LEAST, MORE = (
    1,
    256,
)  # tokens of the reply; models that think to themselves refuse to say one word only
NAMELESS = "-"  # what the list of models needs no name for
PROMPT = "Say hello."


class Tried(NamedTuple):
    """What came of it: the models it has, None where it would not say; which one was asked, ""
    where none was; how long its reply took; and why it failed, in the server's own words, "" where
    it did not.
    """

    models: tuple[str, ...] | None
    model: str = ""
    ms: float | None = None
    failed: str = ""


def tried(spec: Spec, key: Secret, check: Callable[[], None] = lambda: None) -> Tried:
    """List the models, then ask the chosen one for a word; where none is chosen the only one there
    is, if it is.

    A server that lists nothing may reply all the same. Takes seconds; `check` is called meanwhile,
    and stops it by raising. Raises BadInput for what cannot be an address.
    """
    server = Server.of(dataclasses.replace(spec, model=spec.model.strip() or NAMELESS), key)
    models, failed = _models(server, check)
    model = spec.model.strip() or (models[0] if models and len(models) == 1 else "")
    if not model:
        return Tried(models, failed=failed)
    ms, failed = _replied(dataclasses.replace(server, model=model, max_tokens=LEAST), check)
    if "max_tokens" in failed:
        ms, failed = _replied(dataclasses.replace(server, model=model, max_tokens=MORE), check)
    return Tried(models, model, ms, failed)


def _models(server: Server, check: Callable[[], None]) -> tuple[tuple[str, ...] | None, str]:
    from gear_app.llm.completion import Chat

    with closing(Chat(_patient(server, LISTED_S), check)) as chat:
        try:
            return chat.models(), ""
        except CallFailed as error:
            return None, str(error)


def _replied(server: Server, check: Callable[[], None]) -> tuple[float | None, str]:
    """The milliseconds it took to reply, or why it did not."""
    from gear_app.llm.completion import Chat

    began = time.perf_counter()
    with closing(Chat(_patient(server, REPLIED_S), check)) as chat:
        try:
            chat.ask(Request("test", PROMPT))
        except CallFailed as error:
            return None, str(error)
    return (time.perf_counter() - began) * 1000, ""


def _patient(server: Server, timeout_s: float) -> Server:
    return dataclasses.replace(
        server, patience=Patience(timeout_s=timeout_s, connect_s=CONNECTED_S, retries=0)
    )
