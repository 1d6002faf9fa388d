"""Retrieval methods, in the order of the papers' tables. To add one: a file, and a line in `METHODS`.

A method is named `method[:base]` with a single-step base: `gear`, `sync_ge:bm25`, `gear:dense`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from gear_app.config import BaseConfig, GearConfig, GraphConfig
from gear_app.errors import BadInput, Unknown
from gear_app.events import Emit, Ranked
from gear_app.retrievers import show
from gear_app.retrievers.base import Base, Hybrid, bm25, dense
from gear_app.retrievers.expansion import Expansion
from gear_app.retrievers.gear import Gear
from gear_app.retrievers.naive_ge import NaiveGE
from gear_app.retrievers.sync_ge import SyncGE
from gear_app.seams import Embedder, Index, Reader, Retriever
from gear_app.types import Ranking


@dataclass(frozen=True, slots=True)
class Parts:
    """What methods are built from."""

    index: Index
    reader: Reader
    embedder: Embedder


class Method(NamedTuple):
    """A method: what it is in one line, its default configuration, and how it is built over a base."""

    summary: str
    config: Any
    build: Callable[[Parts, Base, Any], Retriever]
    takes_base: bool = True
    reads: bool = False


BASES: dict[str, Callable[[Index, BaseConfig], Any]] = {
    "bm25": lambda index, config: bm25(index),
    "dense": lambda index, config: dense(index),
    "hybrid": Hybrid,
}


def _expansion(parts: Parts, config: GraphConfig | GearConfig) -> Expansion:
    return Expansion(parts.index, parts.embedder, config.beam, config.base.constant)


def _sync_ge(parts: Parts, base: Base, config: GraphConfig | GearConfig) -> SyncGE:
    return SyncGE(parts.index, base, parts.reader, _expansion(parts, config))


METHODS: dict[str, Method] = {
    "bm25": Method("words in common, rare ones more", BaseConfig(), lambda p, b, c: bm25(p.index), takes_base=False),
    "dense": Method("nearness in meaning", BaseConfig(), lambda p, b, c: dense(p.index), takes_base=False),
    "hybrid": Method("both, fused by rank", BaseConfig(), lambda p, b, c: Hybrid(p.index, c), takes_base=False),
    "naive_ge": Method(
        "beam search over triples from every triple of the base's passages", GraphConfig(),
        lambda p, b, c: NaiveGE(p.index, b, _expansion(p, c)),
    ),
    "sync_ge": Method(
        "beam search over triples from those a reader chose", GraphConfig(), _sync_ge, reads=True,
    ),
    "gear": Method(
        "SyncGE in a loop that remembers, judges and asks again", GearConfig(),
        lambda p, b, c: Gear(p.index, _sync_ge(p, b, c), p.reader, c), reads=True,
    ),
}  # fmt: skip


def parse(name: str) -> tuple[str, str]:
    """Split `method[:base]`; the base defaults to hybrid. Raises Unknown or BadInput with what there is."""
    method, _, base = name.partition(":")
    if method not in METHODS:
        raise Unknown("method", method, METHODS)
    if base and not METHODS[method].takes_base:
        raise BadInput(f"{method} is a base itself and takes none. Write: {method}")
    if base and base not in BASES:
        raise BadInput(f"{base!r} cannot be a base: it must be single-step. Available: {', '.join(BASES)}")
    return method, base or "hybrid"


def config_for(name: str) -> Any:  # noqa: ANN401
    """The default configuration of a method."""
    return METHODS[parse(name)[0]].config


def build(name: str, index: Index, reader: Reader, embedder: Embedder, config: Any = None) -> Retriever:  # noqa: ANN401
    """The method called `name` over an index; `config` defaults to the method's own."""
    method_name, base_name = parse(name)
    method = METHODS[method_name]
    config = config or method.config
    base_config = config if isinstance(config, BaseConfig) else config.base
    base = BASES[base_name](index, base_config)
    return method.build(Parts(index, reader, embedder), base, config)


def answer(retriever: Retriever, index: Index, question: str, k: int, emit: Emit) -> Ranking:
    """Run a method on a question and emit the final ranking."""
    ranking = retriever.retrieve(question, k, emit)
    emit(Ranked(show.ranked(index, ranking), iteration=0))
    return ranking
