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

    model, models, failed = spec.model.strip(), None, ""
    server = Server.of(replace(spec, model=model or NAMELESS), key, PATIENCE)
    with closing(ModelClient(server, check)) as client:
        try:
            models = tuple(dict.fromkeys(client.models()))
        except CallFailed as error:
            failed = str(error)
    if not model and models and len(models) == 1:
        (model,) = models
    if not model:
        return ConnectionResult(models, failed=failed)
    request, began = ReadRequest([PASSAGE], [], "Where was Ada Quill born?", None), time.monotonic()
    try:
        with closing(ModelClient(replace(server, model=model), check)) as client:
            facts = ChatModel(client).ask(request, ignore).triples
        if not facts:
            raise ModelFailed(
                f"The model's reply holds nothing, though it was given to read: {PASSAGE.text}"
            )
    except ModelFailed as error:
        return ConnectionResult(models, model, failed=str(error))
    ms = (time.monotonic() - began) * 1000
    return ConnectionResult(models, model, ms, reply=" | ".join(facts[0].words))
