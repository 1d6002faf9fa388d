"""Retrieval methods, in the order of the papers' tables. To add one: a file, and a line in
`METHODS`.

A method is named `method[:base]` with a single-step base: `gear`, `sync_ge:bm25`, `ircot:hipporag`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gear_app.config import (
    AgentConfig,
    BaseConfig,
    BdtrConfig,
    ChainConfig,
    CommunitiesConfig,
    ComposedConfig,
    GearConfig,
    GfmConfig,
    GraphConfig,
    GrieverConfig,
    Hippo2Config,
    HippoConfig,
    LinearConfig,
    RaptorConfig,
    RerankConfig,
    ThoughtConfig,
    paper_values,
)
from gear_app.errors import BadInput, Unknown, did_you_mean
from gear_app.events import Emit, Ranked
from gear_app.llm.errors import BudgetReached
from gear_app.reader.readers import LocalReader
from gear_app.reader.roles import Reader
from gear_app.retrievers import agent, bdtr, gear, iterative, lookup
from gear_app.retrievers.agent import Agent
from gear_app.retrievers.base import Base, Hybrid, Sentences, SingleStep, Weighted, bm25, dense
from gear_app.retrievers.bdtr import Bdtr
from gear_app.retrievers.chain import EXPLAINED, Chain
from gear_app.retrievers.communities import Communities
from gear_app.retrievers.expansion import Expansion
from gear_app.retrievers.gear import Gear
from gear_app.retrievers.gfm import GfmRAG
from gear_app.retrievers.griever import Composed, Griever
from gear_app.retrievers.hipporag import HippoRAG
from gear_app.retrievers.hipporag2 import HippoRAG2
from gear_app.retrievers.iterative import Thoughts
from gear_app.retrievers.linearrag import LinearRAG
from gear_app.retrievers.model_calls import SEARCH, MostCalls, PromptCall, no_calls, stop_after
from gear_app.retrievers.naive_ge import NaiveGE
from gear_app.retrievers.raptor import SUMMED, Raptor
from gear_app.retrievers.rerank import ColBERT, Rerank
from gear_app.retrievers.sync_ge import SyncGE
from gear_app.seams import Embedder, Index, Retriever
from gear_app.types import Ranking, Style


@dataclass(frozen=True, slots=True)
class Parts:
    """What methods are built from."""

    index: Index
    reader: Reader
    embedder: Embedder
    explained: int = lookup.DEPTH  # passages of a ranking whose whole arithmetic an event has


Over = Literal["nothing", "search", "method", "step"]
WHOLE = ("method", "step")  # what is over a whole single-step method
READER = "reader"  # among the parts of a method: the local reader
AS_PAPER = "as-paper"  # behind a method's name: with its paper's settings, not its defaults


class Method(NamedTuple):
    """A method: what it is in one line, its default configuration, and how it is built over a base.

    `over`: what a base must be: a base retriever's `search` (NaiveGE, SyncGE, GEAR), a whole
    single-step method ("step", the iterative ones, and "method", where it is one itself), or the
    method has none. `single_step`: it can
    be such a base. `by_rank`: its scores are reciprocal ranks, which say nothing about nearness.
    `calls`: what it asks a language model at most, from its configuration and k; nothing where it
    asks no reader. `triples`: it needs triples. `graph_first`: it begins with the whole collection
    in memory, not with passages whose triples it asks for. `version`: a person raises it with every
    change that can change a ranking; what was measured with another one is measured anew. `parts`:
    what it is made of besides its base, methods or READER; their versions count as well. `above`:
    settings that an iterative method over it begins with, other than its own. `links`: it follows
    links of the index's graph, which can be switched off (index.no_links). `ours`: no paper
    describes it. `needs_model`: only a language model can be its reader. `needs_weights`: it
    computes with a network that does not come along.
    """

    summary: str
    config: Any
    build: Callable[[Parts, Any, Any], Retriever]
    over: Over = "search"
    single_step: bool = False
    by_rank: bool = False
    calls: MostCalls = no_calls
    triples: bool = True
    graph_first: bool = False
    version: int = 1
    parts: tuple[str, ...] = ()
    above: Mapping[str, float] = MappingProxyType({})
    links: bool = False
    ours: bool = False
    needs_model: bool = False
    needs_weights: bool = False

    @property
    def reads(self) -> bool:
        """Whether it asks a reader itself."""
        return self.calls is not no_calls


BASES: dict[str, Callable[[Parts, BaseConfig], Base]] = {
    "bm25": lambda parts, config: bm25(parts.index),
    "dense": lambda parts, config: dense(parts.index),
    "hybrid": lambda parts, config: Hybrid(parts.index, config),
    "weighted": lambda parts, config: Weighted(parts.index, config),
    "sentences": lambda parts, config: Sentences(parts.index, parts.embedder),
    "colbert": lambda parts, config: ColBERT(parts.index, parts.embedder, config),
    "chain": lambda parts, config: Chain(parts.index, parts.embedder, ChainConfig(base=config)),
}


BASE_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "bm25": (),
    "dense": (),
    "hybrid": ("depth", "constant"),
    "weighted": ("depth", "dense_share"),
    "sentences": (),
    "colbert": ("depth",),
    "chain": ("depth", "dense_share"),
}
"""The fields of BaseConfig that change what a base retriever finds."""


def _expansion(parts: Parts, config: GraphConfig | GearConfig) -> Expansion:
    return Expansion(parts.index, parts.embedder, config.beam, config.base.constant)


def _sync_ge(parts: Parts, base: Base, config: GraphConfig | GearConfig) -> SyncGE:
    return SyncGE(parts.index, base, parts.reader, _expansion(parts, config))


def _thoughts(style: Style, summary: str, *, version: int) -> Method:
    """An iterative method with one thought of a style in each iteration."""
    return Method(
        summary,
        ThoughtConfig(),
        lambda p, f, c: Thoughts(p.index, f, p.reader, style, c),
        over="step",
        calls=lambda c, k: iterative.most_calls(c, style),
        version=version,
        parts=(READER,),
    )


def _bdtr(summary: str, config: BdtrConfig, *, part: str, version: int = 1) -> Method:
    """BDTR, whole or with a part of it left out."""
    return Method(
        summary,
        config,
        lambda p, f, c: Bdtr(p.index, f, p.reader, c),
        over="step",
        calls=bdtr.most_calls,
        version=version,
        parts=(part,),
    )


_single_step = partial(Method, over="nothing", single_step=True)


def _base(name: str, summary: str, **traits: Any) -> Method:  # noqa: ANN401
    """A base retriever as a method by itself."""
    return _single_step(
        summary, BaseConfig(), lambda p, b, c: BASES[name](p, c), triples=False, **traits
    )


METHODS: dict[str, Method] = {
    "bm25": _base("bm25", "words in common, rare ones more", version=3),
    "dense": _base("dense", "nearness in meaning"),
    "hybrid": _base(
        "hybrid", "BM25 and dense, fused by rank", by_rank=True, parts=("dense", "bm25")
    ),
    "weighted": _base(
        "weighted", "BM25 and dense, fused by score", version=3, parts=("dense", "bm25"), ours=True
    ),
    "sentences": _base(
        "sentences", "nearness in meaning of a passage's best sentence", graph_first=True, ours=True
    ),
    "colbert": _base(
        "colbert",
        "late interaction: the nearest word of a passage for each word of the question",
        parts=("hybrid",),
    ),
    "composed": _single_step(
        "BM25's first passages, ordered by nearness in meaning",
        ComposedConfig(),
        lambda p, b, c: Composed(p.index, c),
        triples=False,
        parts=("bm25", "dense"),
    ),
    "chain": _single_step(
        "passages joined by what they both name, and few others do",
        ChainConfig(),
        lambda p, b, c: Chain(p.index, p.embedder, c, min(p.explained, EXPLAINED)),
        triples=False,
        links=True,
        version=9,
        parts=("weighted",),
        above=MappingProxyType({"first_k": 15, "later_power": 2.0}),
        ours=True,
    ),
    "rerank": Method(
        "the first passages of another method, judged again together with the question",
        RerankConfig(),
        lambda p, f, c: Rerank(p.index, f, p.embedder, c),
        over="method",
        single_step=True,
        triples=False,
    ),
    "naive_ge": Method(
        "beam search over triples from every triple of the base's passages",
        GraphConfig(),
        lambda p, b, c: NaiveGE(p.index, b, _expansion(p, c)),
        single_step=True,
        by_rank=True,
        links=True,
        version=2,
    ),
    "sync_ge": Method(
        "beam search over triples from those a reader chose",
        GraphConfig(),
        _sync_ge,
        single_step=True,
        by_rank=True,
        calls=lambda c, k: [PromptCall("read", k)],
        links=True,
        version=2,
        parts=(READER,),
    ),
    "gear": Method(
        "SyncGE in a loop that remembers, judges and asks again",
        GearConfig(),
        lambda p, b, c: Gear(p.index, _sync_ge(p, b, c), p.reader, c),
        calls=gear.most_calls,
        links=True,
        version=3,
        parts=("sync_ge",),
    ),
    "hipporag": _single_step(
        "one walk over the graph of entities, from those the question names",
        HippoConfig(),
        lambda p, b, c: HippoRAG(p.index, p.index.entities(), p.reader, p.embedder, c, p.explained),
        graph_first=True,
        calls=lambda c, k: [PromptCall("query_entities")],
        links=True,
        version=5,
        parts=("hybrid", READER),
    ),
    "hipporag2": _single_step(
        "a walk over entities and passages, from facts near the question",
        Hippo2Config(),
        lambda p, b, c: HippoRAG2(p.index, p.index.entities(), p.reader, c, p.explained),
        graph_first=True,
        calls=lambda c, k: [PromptCall("choose_facts")] if c.filter == "reader" else [],
        links=True,
        parts=("dense", READER),
    ),
    "gfm": _single_step(
        "a trained network sends messages along the triples, and its entities vote for passages",
        GfmConfig(),
        lambda p, b, c: GfmRAG(p.index, p.index.entities(), p.reader, p.embedder, c),
        graph_first=True,
        calls=lambda c, k: [PromptCall("query_entities")],
        parts=("dense", READER),
        needs_weights=True,
    ),
    "communities": _single_step(
        "the entities nearest to the question, their communities and their passages",
        CommunitiesConfig(),
        lambda p, b, c: Communities(p.index, p.index.entities(), p.reader, c),
        graph_first=True,
        calls=lambda c, k: [PromptCall("report")] * c.reports,
        parts=("dense", READER),
    ),
    "linearrag": _single_step(
        "from the question's names through sentences to others, then a walk to passages",
        LinearConfig(),
        lambda p, b, c: LinearRAG(p.index, p.embedder, c, p.explained),
        triples=False,
        graph_first=True,
        links=True,
        parts=("dense",),
    ),
    "raptor": _single_step(
        "passages and summaries of many, together; a summary opens into its passages",
        RaptorConfig(),
        lambda p, b, c: Raptor(p.index, p.embedder, p.reader, c),
        triples=False,
        graph_first=True,
        calls=lambda c, k: (
            [PromptCall("summarise", SUMMED, once=True)] * (c.clusters * c.layers)
            if c.summaries == "reader"
            else []
        ),
        parts=("dense", READER),
    ),
    "griever": Method(
        "hops that put what a triple says in the place of the question's own words",
        GrieverConfig(),
        lambda p, b, c: Griever(p.index, p.embedder, c),
        over="nothing",
        links=True,
        version=4,
        parts=("bm25", "dense", READER),  # it asks no reader, but goes by its rules of words
    ),
    "ircot": _thoughts("ircot", "one thought after another, each searched for", version=4),
    "bdtr": _bdtr(
        "a fast and a slow thought a round, then a verified chain puts its passages on top",
        BdtrConfig(),
        version=4,
        part=READER,
    ),
    "dtr": _bdtr(
        "BDTR without the chain: fast and slow thoughts alone",
        BdtrConfig(calibrate=False),
        part="bdtr",
    ),
    "bgec": _bdtr(
        "BDTR with one thought a round, then the chain",
        BdtrConfig(thoughts="single"),
        part="bdtr",
    ),
    "gcot": _thoughts("gcot", "what is still missing, searched for", version=4),
    "tog": _thoughts(
        "tog", "whether the passages suffice, and if not, what they lack is searched for", version=4
    ),
    "irgs": _thoughts(
        "irgs", "the question searched for again together with the reasoning so far", version=4
    ),
    "agent": Method(
        "a chat model that thinks, searches with queries of its own, and answers",
        AgentConfig(),
        lambda p, f, c: Agent(p.index, f, p.reader, c),
        over="step",
        calls=lambda c, k: agent.most_calls(c),
        needs_model=True,
    ),
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
        return method, "hybrid" if bases(method) else ""
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
    """What a method of METHODS can stand over, each of which may have a base of its own; none where
    it takes none.
    """
    match METHODS[method].over:
        case "nothing":
            return ()
        case "search":
            return tuple(BASES)
        case "method":
            return tuple(
                name for name, found in METHODS.items() if found.single_step and name != method
            )
        case "step":
            return tuple(name for name, found in METHODS.items() if found.single_step)


def method_of(name: str) -> Method:
    """The entry of METHODS that a name begins with. Raises as `parse` does."""
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
    """What a method of this configuration asks a language model at most; an iterative one's base is
    counted in.
    """
    method, base = METHODS[parse(name)[0]], parse(name)[1]
    calls: list[PromptCall] = []
    for call in method.calls(config, k):
        calls += most_calls(base, config.base, call.passages) if call.prompt == SEARCH else [call]
    return calls


def versions(name: str) -> dict[str, int]:
    """The versions of everything that decides what a method finds, by name: its own, its base's,
    those of their parts. The local reader's is that of "reader".
    """
    method, base = parse(name)
    return _versions(method) | (versions(base) if base else {})


def version_words(name: str) -> str:
    """The same in words, as a run keeps them: `gear 3, sync_ge 2, reader 4`."""
    return ", ".join(f"{part} {version}" for part, version in versions(name).items())


def _versions(method: str) -> dict[str, int]:
    found = {method: METHODS[method].version}
    for part in METHODS[method].parts:
        found |= {READER: LocalReader.version} if part == READER else _versions(part)
    return found


def config_for(name: str) -> Any:  # noqa: ANN401
    """The default configuration of a method; an iterative one's holds its base's."""
    method, base = METHODS[parse(name)[0]], parse(name)[1]
    if method.over not in WHOLE:
        return method.config
    above = method_of(base).above if method.over == "step" else {}
    return dataclasses.replace(method.config, base=config_for(base), **above)


def as_paper(name: str) -> dict[str, Any]:
    """The settings that make a method what its paper describes, and what is beneath it, by full
    name: those whose default is another. Nothing where there are none, or no paper.
    """
    return paper_values(config_for(name))


def is_as_paper(name: str, config: Mapping[str, Any]) -> bool:
    """Whether a whole configuration, by full name, has all that `as_paper` sets. Not where that is
    nothing, nor of a method that is not known any more.
    """
    known = all(part in METHODS for part in name.split(":"))
    paper = as_paper(name) if known else {}
    return bool(paper) and all(str(config.get(key)) == str(paper[key]) for key in paper)


def build(
    name: str,
    index: Index,
    reader: Reader,
    embedder: Embedder,
    config: Any = None,  # noqa: ANN401
) -> Retriever:
    """The method called `name` over an index; `config` defaults to the method's own."""
    return _built(name, Parts(index, reader, embedder), config or config_for(name))


def _built(name: str, parts: Parts, config: Any) -> Retriever:  # noqa: ANN401
    method, base = METHODS[parse(name)[0]], parse(name)[1]
    under: Any = None
    if method.over == "search":
        under = BASES[base](parts, config.base)
    elif method.over in WHOLE:
        # Each of several queries is explained as far down as it enters the pool: a run stays below
        # 100 kB.
        judged = method.over == "method"
        deep = config.judged if judged else max(config.pool_k, config.first_k)
        few = dataclasses.replace(parts, explained=deep)
        under = SingleStep(_built(base, few, config.base), base, method_of(base).by_rank)
    return method.build(parts, under, config)


def answer(retriever: Retriever, index: Index, question: str, k: int, emit: Emit) -> Ranking:
    """Run a method on a question and emit the final ranking. Raises what the method does.

    Where the budget stops a single-step method its ranking is what it began with.
    """
    try:
        ranking = retriever.retrieve(question, k, emit)
    except BudgetReached as error:
        if error.ranking is None:
            raise
        ranking = error.ranking
        emit(stop_after("retrieval", error, emit))
    emit(Ranked(lookup.ranked_passages(index, ranking), iteration=0))
    return ranking
