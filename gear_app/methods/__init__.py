"""Retrieval methods: every class of this package's modules that has a name is one.

A method is named `method[:base]` with a single-step base: `gear`, `sync_ge:bm25`, `ircot:hipporag`.
To add one, add a file (docs/adding-a-method.md).
"""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from gear_app.core.config import paper_values
from gear_app.core.errors import BadInput, Unknown, did_you_mean
from gear_app.core.protocols import Embedder, Index
from gear_app.core.types import Ranking
from gear_app.methods import lookup
from gear_app.methods.base import Base
from gear_app.methods.method import (
    DEFAULT_BASE,
    READER,
    SEARCH,
    Method,
    Parts,
    PromptCall,
    Retriever,
    retrieved,
    stop_after,
)
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import Reader
from gear_app.trace.events import Emit, Ranked

ON_SINGLE_STEP = ("method", "step")  # `over`: a single-step method
AS_PAPER = "as-paper"  # behind a method's name: with its paper's settings, not its defaults


def methods_in(modules: Iterable[ModuleType]) -> dict[str, type[Method]]:
    """The methods of these modules by name, in the order of lists."""
    values = [value for module in modules for value in vars(module).values()]
    classes = {v for v in values if isinstance(v, type) and issubclass(v, Method) and v.name}
    return {
        method.name: method
        for method in sorted(classes, key=lambda method: (method.order, method.name))
    }


METHODS = methods_in(
    import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
)
BASES: dict[str, type[Base]] = {
    name: method for name, method in METHODS.items() if issubclass(method, Base)
}


def parse(name: str) -> tuple[str, str]:
    """Split `method[:base]`: `gear`, `sync_ge:bm25`, `ircot:hipporag`, `ircot:sync_ge:bm25`.

    The base is "" for a method that takes none and defaults to hybrid. Raises Unknown or BadInput
    with what there is.
    """
    method, _, base = name.partition(":")
    if method not in METHODS:
        raise Unknown("method", method, METHODS)
    if not base:
        return method, DEFAULT_BASE if bases(method) else ""
    if not bases(method):
        raise BadInput(f"{method} takes no base. Write: {method}")
    if base.partition(":")[0] not in bases(method):
        available = ", ".join(bases(method))
        raise BadInput(
            f"{base!r} cannot be the base of {method}: it must be single-step."
            f"{did_you_mean(base, bases(method))} Available: {available}"
        )
    parse(base)
    return method, base


def bases(method: str) -> tuple[str, ...]:
    """Names of what a method can be built over, each perhaps with a base of its own; none where it
    takes none.
    """
    over = METHODS[method].over
    if over == "search":
        return tuple(BASES)
    names = (other.name for other in METHODS.values() if other.single_step and other.name != method)
    return tuple(names) if over in ON_SINGLE_STEP else ()


def method_of(name: str) -> type[Method]:
    """The method that a name begins with. Raises as `parse` does."""
    return METHODS[parse(name)[0]]


def uses_triples(name: str, *, reader: bool) -> bool:
    """Whether a method looks at triples; `reader`: its reader does, which is all that an iterative
    one does itself.
    """
    method = method_of(name)
    below = method.over == "method" or (method.over == "step" and not reader)
    return uses_triples(parse(name)[1], reader=reader) if below else method.triples


def graph_first(name: str) -> str:
    """The part of a method that begins with the graph of all triples, `hipporag` of
    `ircot:hipporag`; "" for none.
    """
    return next((part for part in name.split(":") if method_of(part).graph_first), "")


def follows_links(name: str) -> bool:
    """Whether a method, or what it stands over, follows links that can be switched off."""
    return any(METHODS[part].links for part in name.split(":") if part in METHODS)


def most_calls(name: str, config: Any, k: int) -> list[PromptCall]:  # noqa: ANN401
    """The largest calls of a language model that a method of this configuration can make, those of
    its base included.
    """
    method, base = method_of(name), parse(name)[1]
    calls: list[PromptCall] = []
    for call in method.most_calls(config, k):
        calls += most_calls(base, config.base, call.passages) if call.prompt == SEARCH else [call]
    return calls


def versions(name: str) -> dict[str, int]:
    """The versions of everything that decides what a method finds, by name: its own, its base's,
    those of their parts. The local reader's is that of "reader".
    """
    method, base = parse(name)
    return _versions(method) | (versions(base) if base else {})


def version_words(name: str) -> str:
    """Versions in words, as a run stores them: `gear 3, sync_ge 2, reader 4`."""
    return ", ".join(f"{part} {version}" for part, version in versions(name).items())


def _versions(method: str) -> dict[str, int]:
    numbers = {method: METHODS[method].version}
    for part in METHODS[method].made_of:
        numbers |= {READER: LocalReader.version} if part == READER else _versions(part)
    return numbers


def config_for(name: str) -> Any:  # noqa: ANN401
    """The default configuration of a method; an iterative one's holds its base's."""
    method, base = method_of(name), parse(name)[1]
    if method.over not in ON_SINGLE_STEP:
        return method.defaults
    above = method_of(base).above if method.over == "step" else {}
    return dataclasses.replace(method.defaults, base=config_for(base), **above)


def as_paper(name: str) -> dict[str, Any]:
    """The settings that make a method what its paper describes, and what is beneath it, by full
    name: those whose default is another. Nothing where there are none, or no paper.
    """
    return paper_values(config_for(name))


def is_as_paper(name: str, config: Mapping[str, Any]) -> bool:
    """Whether a whole configuration, by full name, has all that `as_paper` sets. Not where that is
    nothing, nor of a method that is not known any more.
    """
    exists = all(part in METHODS for part in name.split(":"))
    paper = as_paper(name) if exists else {}
    return bool(paper) and all(str(config.get(key)) == str(paper[key]) for key in paper)


def build(
    name: str,
    index: Index,
    reader: Reader,
    embedder: Embedder,
    config: Any = None,  # noqa: ANN401
) -> Method:
    """The method called `name` over an index; `config` defaults to the method's own."""
    return _built(name, Parts(index, reader, embedder), config or config_for(name))


def _built(name: str, parts: Parts, config: Any) -> Method:  # noqa: ANN401
    method, base = method_of(name), parse(name)[1]
    under: Method | None = None
    if method.over == "search":
        below = dataclasses.replace(parts, explained=lookup.DEPTH)
        under = BASES[base](below, BASES[base].as_base(config.base))
    elif method.over in ON_SINGLE_STEP:
        # each ranking is explained as far as it is used: a run stays below 100 kB
        few = dataclasses.replace(parts, explained=method.at_most(config))
        under = _built(base, few, config.base)
    return method(parts, config, under)


def answer(retriever: Retriever, index: Index, question: str, k: int, emit: Emit) -> Ranking:
    """Run a method on a question and emit the final ranking.

    Where the budget ends or the model fails after something was ranked, the last ranking that was
    emitted is the result. Raises what the method does otherwise.
    """
    ranking, error = retrieved(retriever, question, k, emit)
    if error:
        emit(stop_after(error, emit))
    emit(Ranked(lookup.ranked_passages(index, ranking), iteration=0))
    return ranking
