"""Tries a server out: which models it has, and whether the chosen one replies as methods need. One
attempt each.
"""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple

from gear_app import prompts
from gear_app.errors import ModelFailed
from gear_app.events import ignore
from gear_app.llm.chat_model import ChatModel, TypedRequest
from gear_app.llm.errors import CallFailed
from gear_app.llm.reply_parser import (
    Parsed,
    StringTriple,
    Unparsed,
    at_least_one,
    triples,
    without_example,
)
from gear_app.llm.server import PRESETS, Patience, Secret, Server, Spec

# A server on a laptop may have to load its model before it replies.
LIST_S, REPLY_S, CONNECT_S = 10.0, 60.0, 5.0
HERE_S = 1.0  # a server on this machine that takes longer to list its models is not looked for
_WANTS_KEY = re.compile(r"\banswered 40[13]\b")
NAMELESS = "-"  # what the list of models needs no name for
TITLE, TEXT = "Ada Quill", "Ada Quill was born in Port Mira."
PROMPT = prompts.prompt(
    "read", documents=prompts.documents([(TITLE, TEXT)]), question="Where was Ada Quill born?"
)


class ConnectionResult(NamedTuple):
    """What came of the test.

    `models`: those the server has, None where it would not say. `model`: the one that was asked,
    "" where none was. `ms`: how long its reply took, and `reply` what was read of it. `failed`: why
    it failed, in the server's own words, or why its reply cannot be used; "" where it did not.
    """

    models: tuple[str, ...] | None
    model: str = ""
    ms: float | None = None
    failed: str = ""
    reply: str = ""


def try_connection(
    spec: Spec, key: Secret, check: Callable[[], None] = lambda: None
) -> ConnectionResult:
    """List the models, then have the chosen one read a sentence, or the only one.

    A server that lists nothing may reply all the same. Takes seconds; `check` is called meanwhile,
    and stops it by raising. Raises BadInput for what cannot be an address.
    """
    server = Server.of(dataclasses.replace(spec, model=spec.model.strip() or NAMELESS), key)
    models, failed = _list_models(server, check)
    model = spec.model.strip() or (models[0] if models and len(models) == 1 else "")
    if not model:
        return ConnectionResult(models, failed=failed)
    began = time.perf_counter()
    try:
        reply = _ask(dataclasses.replace(server, model=model), check)
    except ModelFailed as error:
        return ConnectionResult(models, model, failed=str(error))
    return ConnectionResult(models, model, (time.perf_counter() - began) * 1000, reply=reply)


class RunningServer(NamedTuple):
    """A server on this machine that replies: what it is called, its address, and its models that
    may read; None where it says them to nobody without a key.
    """

    name: str
    address: str
    models: tuple[str, ...] | None


def running_here() -> list[RunningServer]:
    """The servers that answer at the usual ports of this machine, in the order of PRESETS. Takes no
    longer than HERE_S, and asks nothing of another machine.
    """
    usual = [one for one in PRESETS if one.address.startswith("http://localhost")]
    with ThreadPoolExecutor(len(usual)) as pool:
        listed = pool.map(lambda one: _models_at(one.address), usual)
        return [
            RunningServer(one.name, one.address, models)
            for one, models in zip(usual, listed, strict=True)
            if models is None or models
        ]


def _models_at(address: str) -> tuple[str, ...] | None:
    from gear_app.llm.client import ModelClient

    patience = Patience(timeout_s=HERE_S, connect_s=HERE_S / 2, retries=0)
    server = dataclasses.replace(Server.of(Spec(address, NAMELESS), Secret()), patience=patience)
    with closing(ModelClient(server)) as client:
        try:
            models = dict.fromkeys(client.models())
        except CallFailed as error:
            return None if _WANTS_KEY.search(str(error)) else ()
        return tuple(name for name in models if "embed" not in name.casefold())


def _list_models(server: Server, check: Callable[[], None]) -> tuple[tuple[str, ...] | None, str]:
    from gear_app.llm.client import ModelClient

    with closing(ModelClient(_with_timeout(server, LIST_S), check)) as client:
        try:
            return client.models(), ""
        except CallFailed as error:
            return None, str(error)


def _ask(server: Server, check: Callable[[], None]) -> str:
    """The first triple of its reply. Raises ModelFailed where none came, or it holds none."""
    from gear_app.llm.client import ModelClient

    with closing(ModelClient(_with_timeout(server, REPLY_S), check)) as client:
        request = TypedRequest("read", PROMPT, _parse, whole=False)
        return " | ".join(ChatModel(client).ask(request, ignore)[0])


def _parse(reply: str) -> Parsed[tuple[StringTriple, ...]]:
    """The triples of a reply, of which there must be one besides the prompt's own example."""
    example = triples(prompts.text("read")).value
    parsed = at_least_one(without_example(triples(reply), example, TEXT))
    if not parsed.value:
        raise Unparsed(f"holds nothing, though it was given to read: {TEXT}")
    return parsed


def _with_timeout(server: Server, timeout_s: float) -> Server:
    patience = Patience(timeout_s=timeout_s, connect_s=CONNECT_S, retries=0)
    return dataclasses.replace(server, patience=patience)
