"""What asking a question once more takes: nothing for replies that are still kept, for others what
they took then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app import prompts
from gear_app.events import Called
from gear_app.llm.chat_model import reply_key
from gear_app.llm.server import Server
from gear_app.store import Store
from gear_app.store.spending import Took


class Repeated(NamedTuple):
    """Calls, of which `kept` are replied to by what is kept; tokens of the others."""

    calls: int = 0
    kept: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def asked_before(earlier: Sequence[Took], questions: Sequence[str]) -> list[int]:
    """The newest run of each of these questions that was asked of what is there now, in today's
    words.
    """
    now = prompts.hashes()
    runs = {took.question: took.run for took in earlier if took.current and took.prompts == now}
    words = (" ".join(question.split()) for question in questions)
    return [runs[question] for question in words if question in runs]


def repeated(store: Store, runs: Sequence[int], server: Server) -> Repeated:
    """Of making these runs again, by their numbers, all of which asked this server."""
    found = Repeated()
    for call in (event for run in runs for event in store.events.every(run, Called)):
        assert isinstance(call, Called)
        found = _with(found, call, kept=_kept(store, call, server))
    return found


def _with(found: Repeated, call: Called, *, kept: bool) -> Repeated:
    calls, before, given, got = found
    if kept:
        return Repeated(calls + 1, before + 1, given, got)
    return Repeated(calls + 1, before, given + call.input_tokens, got + call.output_tokens)


def _kept(store: Store, call: Called, server: Server) -> bool:
    from gear_app.reader.llm import SCHEMAS

    return store.replies.has(reply_key(server, call.prompt, SCHEMAS.get(call.role)))
