"""Tries a server out: which models it has, and whether the chosen one replies as methods need. One
attempt each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.errors import ModelFailed
from gear_app.core.types import Passage
from gear_app.models.chat_model import ChatModel
from gear_app.models.errors import CallFailed
from gear_app.models.reader.roles import ReadRequest
from gear_app.models.server import Patience, Secret, Server, Spec
from gear_app.trace.events import ignore

# A server on a laptop may have to load its model before it replies.
PATIENCE = Patience(timeout_s=60.0, connect_s=5.0, retries=0)
NAMELESS = "-"  # what the list of models needs no name for
PASSAGE = Passage(1, "1", "Ada Quill", "Ada Quill was born in Port Mira.")


class ConnectionResult(NamedTuple):
    """Outcome of the test."""

    models: tuple[str, ...] | None  # None where the server would not say
    model: str = ""  # that was asked
    ms: float | None = None  # until its reply
    failed: str = ""  # why it failed, in the server's own words, or why its reply is of no use
    reply: str = ""  # what was read of it


def try_connection(
    spec: Spec, key: Secret, check: Callable[[], None] = lambda: None
) -> ConnectionResult:
    """List the models, then have the chosen one read a sentence, or the only one.

    A server that lists nothing may reply all the same. Takes seconds; `check` is called meanwhile,
    and stops it by raising. Raises BadInput for what cannot be an address.
    """
    from gear_app.models.client import ModelClient

    model = spec.model.strip()
    server = Server.of(replace(spec, model=model or NAMELESS), key, PATIENCE)
    result = ConnectionResult(None)
    with closing(ModelClient(server, check)) as client:
        try:
            result = ConnectionResult(tuple(dict.fromkeys(client.models())))
        except CallFailed as error:
            result = ConnectionResult(None, failed=str(error))
    model = model or (result.models[0] if result.models and len(result.models) == 1 else "")
    if not model:
        return result
    result, began = ConnectionResult(result.models, model), time.perf_counter()
    with closing(ModelClient(replace(server, model=model), check)) as client:
        request = ReadRequest([PASSAGE], [], "Where was Ada Quill born?", None)
        try:
            facts = ChatModel(client).ask(request, ignore).triples
        except ModelFailed as error:
            return result._replace(failed=str(error))
    if not facts:
        failed = f"The model's reply holds nothing, though it was given to read: {PASSAGE.text}"
        return result._replace(failed=failed)
    ms = (time.perf_counter() - began) * 1000
    return result._replace(ms=ms, reply=" | ".join(facts[0].words))
