"""Who replies to a reader's requests: the local rules, a language model, or a script; and whether a
server's model replies as methods need.

The local reader is no language model: it has the rule that stands with each request (reader.roles).
A reply of a model that cannot be used at all raises ModelFailed; parts that cannot are a Failed
event. A script is for tests. Recorded replies are for lessons: those of GEAR's Table 6 (Bremen
Cathedral) and of failures are in data/walkthrough, each to one question on one collection;
data/README.md tells which are the paper's and which are ours.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.errors import ModelFailed
from gear_app.core.paths import WALKTHROUGH, packaged_data
from gear_app.core.protocols import Embedder
from gear_app.core.types import Passage
from gear_app.models import prompts
from gear_app.models.chat_model import ChatModel
from gear_app.models.errors import CallFailed
from gear_app.models.reader import RECORDED
from gear_app.models.reader.roles import READ, ReaderRequest, Reply
from gear_app.models.server import Patience, Secret, Server, Spec
from gear_app.trace.events import Emit, ignore

# A server on a laptop may have to load its model before it replies.
PATIENCE = Patience(timeout_s=60.0, connect_s=5.0, retries=0)
PASSAGE = Passage(1, "1", "Ada Quill", "Ada Quill was born in Port Mira.")


class LocalReader:
    """Replies to each request by the rule that stands with it (reader.roles.Reader). There is no
    state between requests.
    """

    name = "local reader"
    version = 33  # of its rules, and of those it shares with GRIEVER; raise it when a reply changes

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The reply; it can be empty."""
        return request.by_rules(self._embedder)


class LlmReader:
    """Reads the passages' text and leaves their stored triples aside (reader.roles.Reader)."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.server.model
        # With the name, what a run is made of.
        self.versions = {"server": model.server.base_url, "prompts": prompts.hashes()}

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The model's reply. Raises Unusable with the raw reply, CallFailed where none came."""
        return self._model.ask(request, emit)


class RecordedReader:
    """Gives each role's written replies in order, understood as a language model's are."""

    def __init__(self, name: str) -> None:
        """The reader of this name in RECORDED. Raises NotReady."""
        self.name = name
        self._replies: dict[str, deque[str]] = {}
        path = packaged_data(WALKTHROUGH) / RECORDED[name]
        lines = path.read_text(encoding="utf-8").splitlines()
        for row in map(json.loads, filter(str.strip, lines)):
            self._replies.setdefault(row["role"], deque()).append(row["reply"])

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The next reply of the role, whatever the passages. Raises ModelFailed after the last."""
        waiting = self._replies.get(request.role)
        if not waiting:
            raise ModelFailed(f"No reply to '{request.role}' is written down in “{self.name}”.")
        return request.parse(waiting.popleft()).value


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
    # The list of models needs no name of one.
    server = Server(**vars(spec) | {"model": model or "-"}, key=key, patience=PATIENCE)
    try:
        with closing(ModelClient(server, check)) as client:
            models = tuple(dict.fromkeys(client.models()))
    except CallFailed as error:
        failed = str(error)
    if not model and models and len(models) == 1:
        (model,) = models
    if not model:
        return ConnectionResult(models, failed=failed)
    request, began = ReaderRequest(READ, "Where was Ada Quill born?", [PASSAGE]), time.monotonic()
    try:
        with closing(ModelClient(replace(server, model=model), check)) as client:
            facts = ChatModel(client).ask(request, ignore).triples
        if not facts:
            raise ModelFailed(
                f"The model's reply holds nothing, though it was given to read: {PASSAGE.text}"
            )
    except ModelFailed as error:
        return ConnectionResult(models, model, failed=str(error))
    return ConnectionResult(
        models, model, (time.monotonic() - began) * 1000, reply=" | ".join(facts[0].words)
    )
