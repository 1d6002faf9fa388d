"""The rounds of chain in a small world, for tests of what is told and drawn of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from unittest.mock import patch

from gear_app.core.config import ChainConfig
from gear_app.display.chain_round import Round
from gear_app.methods import answer, build
from gear_app.methods.base import Hybrid
from gear_app.methods.method import declare_method
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import Event, Followed
from tests.small import QUESTION, small_world

GOLD = ("quill", "mira")
QUILL, MIRA = 2, 3  # ids in the small world


@declare_method(
    name="weighted",
)
class _ByRank(Hybrid):
    """Hybrid in the place of weighted."""


@cache
def run(method: str = "chain") -> tuple[Event, ...]:
    """The small world asked with links from its first three passages: the film's page names its
    director, hers where she was born.
    """
    embedder = HashingEmbedder()
    small, events = small_world(embedder), list[Event]()
    config = ChainConfig(starts=3) if method == "chain" else None
    retriever = build(method, small.index, LocalReader(embedder), embedder, config)
    # By ranks her page is sixth, and by scores fifth: a link would bring nothing into the first 5.
    with patch("gear_app.methods.chain.Weighted", _ByRank):
        answer(retriever, small.index, QUESTION, 8, events.append)
    return tuple(events)


def rounds(gold: tuple[str, ...] = GOLD, events: tuple[Event, ...] | None = None) -> list[Round]:
    events = run() if events is None else events
    return [Round(e, gold) for e in events if isinstance(e, Followed)]


def changed(shown: Round, **fields: object) -> Round:
    """A round with other values in its event."""
    return replace(shown, event=replace(shown.event, **fields))
