"""The rounds of chain in a small world, for tests of what is told and drawn of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from unittest.mock import patch

from gear_app.core.config import ChainConfig
from gear_app.display.chain_round import Round, round_of
from gear_app.methods import answer, build
from gear_app.methods.base import Hybrid
from gear_app.methods.method import facts
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import Event, Followed, ScorePart
from tests.small import QUESTION, small_world

GOLD = ("quill", "mira")
QUILL, MIRA = 2, 3  # ids in the small world


@facts(
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
    return [round_of(e, events, gold) for e in events if isinstance(e, Followed)]


def changed(shown: Round, **fields: object) -> Round:
    """A round with other values in its event."""
    return replace(shown, event=replace(shown.event, **fields))


def without_link(id_: int, spread: float = 0.9) -> tuple[Event, ...]:
    """The run as it were if no link led to a passage, and its ranks were the same."""

    def unlinked(event: Followed) -> Followed:
        ranking = tuple(
            replace(one, parts=_alone(one.parts, spread)) if one.id == id_ else one
            for one in event.ranking
        )
        links = tuple(link for link in event.links if link.id != id_)
        return replace(event, ranking=ranking, links=links)

    return tuple(unlinked(e) if isinstance(e, Followed) else e for e in run())


def _alone(parts: tuple[ScorePart, ...], spread: float) -> tuple[ScorePart, ...]:
    """The terms of a passage that no link leads to, and that a walk may have come to."""
    terms = {"alone": (1.0, 7.0), "spread": (spread, round(1.5 * spread, 6))}
    nothing = (0.0, 0.0)
    return tuple(
        part
        if part.source == "base"
        else replace(
            part,
            score=terms.get(part.source, nothing)[0],
            value=terms.get(part.source, nothing)[1],
        )
        for part in parts
    )
