"""What events cannot tell of a passage, from the collection and, where asked for, the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gear_app.analysis.rankings import QuerySearch, searches
from gear_app.analysis.why_not.facts import (
    DeepRank,
    NearestEntity,
    PassageFacts,
    SharedMention,
)
from gear_app.config import BaseConfig
from gear_app.errors import NotReady
from gear_app.events import Event, Followed
from gear_app.language.links import of_document
from gear_app.language.mentions import mentions, shown
from gear_app.overrides import overridden, settings
from gear_app.reader.readers import LocalReader
from gear_app.retrievers import BASES
from gear_app.retrievers.base import ALL, Base, BaseQuery, Hybrid
from gear_app.retrievers.griever import Composed
from gear_app.retrievers.method import Parts
from gear_app.rows import HubLimit, MentionQuery
from gear_app.runs.runner import Runner
from gear_app.seams import Embedder, Index, Vectors
from gear_app.store import Store
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo
from gear_app.types import Passage, Triple


def stored_facts(store: Store, run: RunInfo, key: str) -> PassageFacts:
    """What the collection says at the run's revision; no model is loaded. Raises NotReady where the
    collection was deleted.
    """
    if run.collection_id is None:
        raise NotReady(f"The collection {run.collection!r} of run {run.id} was deleted.")
    collection = store.collections.by_id(run.collection_id)
    if collection is not None and collection.cluster:
        raise NotReady(
            f"{run.collection!r} is in a cluster. Why a passage is missing is explained for"
            " collections of a workspace."
        )
    if collection is not None:
        check_complete(collection)
    found = store.passages.named(run.collection_id, run.revision, [key])
    if not found:
        return PassageFacts()
    ids = tuple(passage.id for passage in found)
    return PassageFacts(ids, found[0].title, _triples(store, run, ids))


def _triples(store: Store, run: RunInfo, ids: Sequence[int]) -> tuple[Triple, ...] | None:
    """The passage's triples in the run's set; None where the run has none."""
    if run.set_id is None:
        return None
    return tuple(store.triples.of_passages(run.set_id, ids, run.revision))


def deep_facts(
    runner: Runner, run: RunInfo, events: Sequence[Event], facts: PassageFacts
) -> PassageFacts:
    """The same with what the index tells: ranks of every query down to the last passage, the
    nearest that beams came, and the mentions that it shares with what links were followed from.
    """
    if not facts.ids:
        return facts
    runner = runner.for_settings(run.config, asks=False)
    index, embedder = runner.corpus_of(run).index, runner.models.embedder
    made = searches(events)
    return replace(
        facts,
        ranks=_ranks(index, embedder, run.config, made, facts.ids),
        nearest=_nearest(embedder.embed, events, facts),
        shared=_shared(index, events, facts.ids),
    )


def _ranks(
    index: Index,
    embedder: Embedder,
    config: Mapping[str, Any],
    made: Sequence[QuerySearch],
    ids: Sequence[int],
) -> dict[str, DeepRank]:
    found: dict[str, DeepRank] = {}
    for search in made:
        if search.query not in found:
            rank = deep_rank(index, embedder, config, search, ids)
            found |= {search.query: rank} if rank else {}
    return found


def deep_rank(
    index: Index,
    embedder: Embedder,
    config: Mapping[str, Any],
    search: QuerySearch,
    ids: Sequence[int],
) -> DeepRank | None:
    """None for a search that has no base retriever, as a walk."""
    parts = Parts(index, LocalReader(embedder), embedder)
    everything = [BaseQuery(search.query, ALL)]
    if search.base == Composed.name:
        listed = Composed(parts).search(search.query, ALL).ranking
        return DeepRank(_rank(listed.ids, ids), deeper=True)
    base = _base(parts, config, search.base)
    if base is None:
        return None
    listed = base.search(everything)[0].ranking
    rank = _rank(listed.ids, ids)
    if rank is not None or not isinstance(base, Hybrid):
        return DeepRank(rank)
    deep = base.search(everything, depth=ALL)[0].ranking
    # Fused anew all scores differ: what the list has stays before what it has not.
    return DeepRank(_rank(tuple(dict.fromkeys((*listed.ids, *deep.ids))), ids), True)


def _base(parts: Parts, config: Mapping[str, Any], name: str) -> Base | None:
    """The base retriever with the run's settings."""
    if name not in BASES:
        return None
    own = {
        field: config[full]
        for field in settings(BaseConfig())
        for full in config
        if f".{full}".endswith(f".{field}")
    }
    return BASES[name](parts, BASES[name].as_base(overridden(BaseConfig(), own)))


def _rank(ranked: Sequence[int], ids: Sequence[int]) -> int | None:
    return next((rank for rank, id_ in enumerate(ranked, start=1) if id_ in ids), None)


def stored_nearest(
    store: Store, run: RunInfo, events: Sequence[Event], facts: PassageFacts
) -> dict[str, NearestEntity]:
    """The same as far as the workspace has the vectors of all these names, as where synonyms were
    looked for; no model is loaded.
    """

    def stored(names: Sequence[str]) -> Vectors | None:
        found = store.embeddings.get_many(run.versions.get("embedder", ""), names)
        return np.stack([found[name] for name in names]) if len(found) == len(names) else None

    return _nearest(stored, events, facts)


def _nearest(
    embed: Callable[[Sequence[str]], Vectors | None], events: Sequence[Event], facts: PassageFacts
) -> dict[str, NearestEntity]:
    """By query, the nearest two names: one that a kept beam ends in, and one of its triples. None
    for a query where `embed` has not the vectors.
    """
    own = list(
        dict.fromkeys(
            name for triple in facts.triples or () for name in (triple.subject, triple.object)
        )
    )
    found: dict[str, NearestEntity] = {}
    for event in events:
        if not event.beams or not own:
            continue
        ends = [one.triple for step in event.beams for one in step.kept]
        reached = list(dict.fromkeys(name for end in ends for name in (end.subject, end.object)))
        if not reached:
            continue
        theirs, mine = embed(reached), embed(own)
        if theirs is None or mine is None:
            continue
        cosines = theirs @ mine.T
        row, column = divmod(int(cosines.argmax()), len(own))
        cosine = round(float(cosines[row, column]), 6)
        found[event.query_text] = NearestEntity(reached[row], own[column], cosine)
    return found


def _shared(
    index: Index, events: Sequence[Event], ids: Sequence[int]
) -> dict[str, tuple[SharedMention, ...]]:
    """By query, the mentions that the passage shares with a start of any round, rarest first."""
    starts: dict[str, dict[int, str]] = {}
    for event in events:
        if isinstance(event, Followed):
            titles = {one.id: one.name for one in event.starts if one.id not in ids}
            starts.setdefault(event.query, {}).update(titles)
    return {query: _shared_with(index, query, of, ids) for query, of in starts.items()}


def _by_document(start: int, ids: Sequence[int], passages: Mapping[int, Passage]) -> frozenset[str]:
    """The mentions that a start has in common with the passage only as parts of one document."""
    return frozenset().union(
        *(
            of_document(passages[start], passages[id_])
            for id_ in ids
            if {start, id_} <= passages.keys()
        )
    )


def _shared_with(
    index: Index, query: str, starts: Mapping[int, str], ids: Sequence[int]
) -> tuple[SharedMention, ...]:
    every = HubLimit(ALL, 1.0, ALL)
    (found,) = index.shared_mentions([MentionQuery(list(starts), ())], every)
    asked = {name for name, _, _ in mentions(query)}
    passages: Sequence[Passage] = found.passages
    holds: dict[int, set[int]] = {}
    for passage, mention in found.held.tolist():
        holds.setdefault(passages[passage].id, set()).add(mention)
    mine = set().union(*(holds.get(id_, set()) for id_ in ids))
    of_id = {passage.id: passage for passage in passages}
    shared = [
        SharedMention(title, shown(found.names[one]), int(found.holders[one]), found.size)
        for start, title in starts.items()
        for one in holds.get(start, set()) & mine
        if found.names[one] not in asked | _by_document(start, ids, of_id)
    ]
    return tuple(sorted(shared, key=lambda one: (one.holders, one.mention, one.start)))
