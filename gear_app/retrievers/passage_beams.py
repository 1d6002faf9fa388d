"""Beams over passages.

*TitleBeam* (NeuroGraphDB's "GB", as its author's code has it; there is no paper): from the nearest
passages along titles that a passage names, each seed's beam for itself. A path scores the mean of
its passages' cosines with the question, a passage the best path that ends there; what no path leads
to follows in the order of dense.

*DenseBeam* (Multi-hop Dense Retrieval's search, with an encoder that was not trained for it): the
question and a chain's passages together find the next one. A chain scores the sum of the cosines, a
passage the best chain that it is in.

They leave out: triples, a reader. Ties go to the path that was there first.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gear_app.config import DenseBeamConfig, TitleBeamConfig
from gear_app.events import Emit, PathPassage, PathsExtended, ScorePart
from gear_app.language.mentions import sentences
from gear_app.retrievers import lookup
from gear_app.retrievers.base import all_by_meaning
from gear_app.rows import Named, Search
from gear_app.seams import Embedder, Index, query_vectors
from gear_app.types import Hit, Passage, Ranking

SHORTEST, LONGEST = 5, 6  # characters and words of a title that makes an edge
DROPPED = 12  # paths of a round that do not go on and are told
_OTHER = re.compile(r"[^a-z0-9 ]")


class PassagePath(NamedTuple):
    """Passages by id, each with its cosine, and how the last was reached from the one before."""

    ids: tuple[int, ...]
    cosines: tuple[float, ...]
    score: float
    named: str = ""


class PathRound(NamedTuple):
    """Paths of one length, and for each the place in the round before of the path it extends."""

    paths: Sequence[PassagePath]
    parents: Sequence[int | None]
    kept: frozenset[int]


@dataclass(frozen=True, slots=True)
class TitleBeam:
    """Paths from passages to those whose titles they name."""

    index: Index
    config: TitleBeamConfig

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages: those that a path leads to, then the others in the order of dense."""
        near = all_by_meaning(self.index, query, k, emit)
        passages = self.index.rows(near.ids, ()).passages
        titles = titles_of(passages) if self.index.links else {}
        rounds = self._rounds(near, passages, titles)
        best: dict[int, PassagePath] = {}
        for path in (one.paths[place] for one in rounds for place in sorted(one.kept)):
            there = best.get(path.ids[-1])
            if path.score >= 0 and (there is None or path.score > there.score):
                best[path.ids[-1]] = path
        return _told(self.index, PathsExtended(query, "title", (), ()), rounds, best, near, k, emit)

    def _rounds(
        self, near: Ranking, passages: Mapping[int, Passage], titles: Mapping[str, int]
    ) -> list[PathRound]:
        """The paths of all seeds by length; of each seed `width` go on."""
        cosines = dict(near.hits)
        seeds = [
            PassagePath((id_,), (cosine,), cosine) for id_, cosine in near.hits[: self.config.seeds]
        ]
        rounds = [PathRound(seeds, [None] * len(seeds), frozenset(range(len(seeds))))]
        for _ in range(self.config.depth):
            before = rounds[-1]
            extended = [
                (place, longer)
                for place in sorted(before.kept)
                for longer in _by_titles(before.paths[place], passages, titles, cosines)
            ]
            extended.sort(key=lambda one: -one[1].score)
            of_seed: dict[int, list[int]] = {}
            for number, (_, path) in enumerate(extended):
                of_seed.setdefault(path.ids[0], []).append(number)
            kept = frozenset(n for all_ in of_seed.values() for n in all_[: self.config.width])
            rounds.append(PathRound([p for _, p in extended], [n for n, _ in extended], kept))
        return [one for one in rounds if one.paths]


def _by_titles(
    path: PassagePath,
    passages: Mapping[int, Passage],
    titles: Mapping[str, int],
    cosines: Mapping[int, float],
) -> Iterator[PassagePath]:
    """The path made longer by each passage whose title its last one names, in the order of ids; one
    with a cosine below 0 is never gone to.
    """
    named = named_titles(passages[path.ids[-1]].text, titles)
    for id_ in sorted(named.keys() - set(path.ids)):
        if cosines[id_] >= 0:
            all_ = (*path.cosines, cosines[id_])
            yield PassagePath((*path.ids, id_), all_, round(sum(all_) / len(all_), 6), named[id_])


def titles_of(passages: Mapping[int, Passage]) -> dict[str, int]:
    """The titles that make edges, each with the first passage that has it, by id."""
    titles: dict[str, int] = {}
    for id_ in sorted(passages):
        title = plain(passages[id_].title)
        if len(title) >= SHORTEST and len(title.split()) <= LONGEST:
            titles.setdefault(title, id_)
    return titles


def named_titles(text: str, titles: Mapping[str, int]) -> dict[int, str]:
    """The passages whose titles stand in a text, by id, each with its title."""
    words = plain(text).split()
    return {
        titles[title]: title
        for length in range(1, LONGEST + 1)
        for start in range(len(words) - length + 1)
        for title in [" ".join(words[start : start + length])]
        if title in titles
    }


def plain(text: str) -> str:
    """Letters of a to z, digits and single blanks: how titles and texts are compared."""
    return " ".join(_OTHER.sub(" ", text.lower()).split())


@dataclass(frozen=True, slots=True)
class DenseBeam:
    """Chains of passages that a growing question finds."""

    index: Index
    embedder: Embedder
    config: DenseBeamConfig

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages: those of the chains, then the others in the order of dense."""
        near = all_by_meaning(self.index, query, k, emit)
        asked, width = query.rstrip().removesuffix("?"), self.config.width
        (begun,) = self.index.search([Search(asked, width + DROPPED, "dense")]).rankings
        first = [PassagePath((id_,), (cosine,), cosine) for id_, cosine in begun.hits]
        rounds = [PathRound(first, [None] * len(first), frozenset(range(min(width, len(first)))))]
        for _ in range(self.config.hops - 1):
            before = rounds[-1]
            chains = [before.paths[place] for place in sorted(before.kept)]
            queries = self._queries(asked, chains)
            searches = [Search(text, width + len(chains) + DROPPED, "dense") for text in queries]
            extended = [
                (
                    place,
                    PassagePath(
                        (*chain.ids, id_), (*chain.cosines, cosine), round(chain.score + cosine, 6)
                    ),
                )
                for place, chain, found in zip(
                    sorted(before.kept), chains, self.index.search(searches).rankings, strict=True
                )
                for id_, cosine in found.hits
                if id_ not in chain.ids
            ]
            if not extended:
                break
            extended.sort(key=lambda one: -one[1].score)
            kept = frozenset(range(min(width, len(extended))))
            rounds.append(PathRound([p for _, p in extended], [n for n, _ in extended], kept))
        last = [rounds[-1].paths[place] for place in sorted(rounds[-1].kept)]
        best: dict[int, PassagePath] = {}
        for path in last:
            for id_ in path.ids:
                best.setdefault(id_, path)
        return _told(self.index, PathsExtended(query, "dense", (), ()), rounds, best, near, k, emit)

    def _queries(self, asked: str, chains: Sequence[PassagePath]) -> list[str]:
        """The question with each chain's passages, or the nearest sentence of each."""
        passages = self.index.rows({id_ for chain in chains for id_ in chain.ids}, ()).passages
        told = {id_: passage.text for id_, passage in passages.items()}
        if self.config.append == "sentence":
            (question,) = query_vectors(self.embedder, [asked])
            for id_, passage in passages.items():
                all_ = [passage.text[span.start : span.end] for span in sentences(passage.text)]
                if all_:
                    told[id_] = all_[
                        int(np.round(self.embedder.embed(all_) @ question, 6).argmax())
                    ]
        return [" ".join([asked, *(told[id_] for id_ in chain.ids)]) for chain in chains]


def _told(
    index: Index,
    event: PathsExtended,
    rounds: Sequence[PathRound],
    best: Mapping[int, PassagePath],
    near: Ranking,
    k: int,
    emit: Emit,
) -> Ranking:
    """The ranking by each passage's best path, followed by the rest of dense; told in words."""
    hits = sorted((Hit(id_, path.score) for id_, path in best.items()), key=lambda hit: -hit.score)
    depth = max(k, lookup.DEPTH)
    found = Ranking(tuple(hits[:depth]))
    ranking = lookup.followed_by(found, near.ids, depth)
    names = index.names({id_ for one in rounds for path in one.paths for id_ in path.ids})
    parts = {}
    for id_, path in best.items():
        of = len(path.ids) if event.by == "title" else 1  # a mean, or a sum
        parts[id_] = tuple(
            ScorePart(names[one].title or names[one].key, 0, round(cosine / of, 6), cosine)
            for one, cosine in zip(path.ids, path.cosines, strict=True)
        )
    event = dataclasses.replace(
        event,
        rounds=_in_words(rounds, names),
        ranking=lookup.ranked_passages(index, ranking, parts),
        below=len(ranking) - len(found),
    )
    emit(event)
    return ranking


def _in_words(
    rounds: Sequence[PathRound], names: Mapping[int, Named]
) -> tuple[tuple[PathPassage, ...], ...]:
    """The paths that go on, and the first of those that do not; a parent's place is among these."""
    told: list[tuple[PathPassage, ...]] = []
    places: dict[int, int] = {}
    for one in rounds:
        dropped = [n for n in range(len(one.paths)) if n not in one.kept][:DROPPED]
        shown = sorted([*one.kept, *dropped])
        paths = [(n, one.paths[n], one.parents[n]) for n in shown]
        told.append(
            tuple(
                PathPassage(
                    path.ids[-1],
                    names[path.ids[-1]].key,
                    names[path.ids[-1]].title,
                    None if parent is None else places[parent],
                    path.cosines[-1],
                    path.score,
                    n in one.kept,
                    path.named,
                )
                for n, path, parent in paths
            )
        )
        places = {n: place for place, n in enumerate(shown)}
    return tuple(told)
