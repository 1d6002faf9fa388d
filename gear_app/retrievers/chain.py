"""Chain: passages joined by what they both name (ours; docs/methods.md works one example).

Composes: base retrieval → the mentions of its first passages followed to others that hold them →
five terms a passage, weighted and added up (steps/chain.py), `rounds` times, each from the ranking
before. No triples, no reader, no reading of the question beyond its mentions. It is no paper's
method; LinearRAG's graph without relations is the nearest kin.

As a base of other methods it ranks passages; triples stay with hybrid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gear_app.config import ChainConfig
from gear_app.events import (
    Emit,
    Followed,
    LinkedPassage,
    LinkedSentence,
    OtherLink,
    Part,
    QueryMention,
    Retrieved,
    TermWeight,
)
from gear_app.mentions import rules
from gear_app.retrievers import lookup
from gear_app.retrievers.base import BaseQuery, BaseResult, Hybrid
from gear_app.rows import HubLimit, MentionQuery, SharedMentions
from gear_app.seams import Embedder, Index, Vectors
from gear_app.steps import chain
from gear_app.types import Passage, Ranking, Span

LINKS_SHOWN = 25  # links that an event has; with all of them a run would be large
OTHERS_SHOWN = 3
PARTS_SHOWN = 60  # passages whose terms an event has


class _Round(NamedTuple):
    """What a round followed for a query: the passages it started from, what they share, without
    vectors, the links, and by a passage's id its place among them.
    """

    number: int
    starts: Ranking
    shared: SharedMentions
    links: chain.Links
    place: Mapping[int, int]


class _Scored(NamedTuple):
    """A passage's score and its terms, of the round that gave it most."""

    score: float
    terms: Sequence[float]
    round: _Round


@dataclass(slots=True)
class _State:
    """One query on its way: what it mentions and where, the base's ranking and the one by now."""

    query: str
    vector: Vectors
    mentions: dict[str, Span]
    base: Ranking
    ranking: Ranking
    scored: dict[int, _Scored] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chain:
    """Links between passages, over hybrid; `explained`: passages of a ranking whose terms an event
    has.
    """

    index: Index
    embedder: Embedder
    config: ChainConfig = field(default_factory=ChainConfig)
    explained: int = PARTS_SHOWN
    name: str = "chain"

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """Passages by links, triples by hybrid. The index is asked once for the base rankings and
        once a round, whatever the number of queries.
        """
        deep = [
            query._replace(k=lookup.DEPTH) if query.over == "passages" else query
            for query in queries
        ]
        found = Hybrid(self.index, self.config.base).search(deep)
        places = [place for place, query in enumerate(queries) if query.over == "passages"]
        deep = list(queries)
        for place in places:
            deep[place] = deep[place]._replace(k=lookup.DEPTH)
        found = Hybrid(self.index, self.config.base).search(deep)
        states = [self._state(queries[place].text, found[place].ranking) for place in places]
        for _ in self._rounds(states):
            pass
        for place, state in zip(places, states, strict=True):
            ranking = state.ranking.top(queries[place].k)
            found[place] = BaseResult(ranking, self._parts(state, ranking.ids))
        return found

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k of the base, the ranking goes on to all that
        it has and all that are linked.
        """
        hybrid = Hybrid(self.index, self.config.base)
        (base,) = hybrid.search([BaseQuery(query, max(k, lookup.DEPTH))])
        shown = lookup.ranked_passages(self.index, base.ranking, base.terms, depth=k)
        emit(Retrieved(query, hybrid.name, shown))
        state = self._state(query, base.ranking)
        for (one,) in self._rounds([state]):
            emit(self._followed(state, one))
        return state.ranking

    def _state(self, query: str, base: Ranking) -> _State:
        mentions: dict[str, Span] = {}
        for name, span, _ in rules.mentions(query):
            mentions.setdefault(name, span)
        return _State(query, self.embedder.embed([query])[0], mentions, base, base)

    def _rounds(self, states: Sequence[_State]) -> Iterator[list[_Round]]:
        """Follow the links of all queries' rankings and rank again, round by round."""
        limit = HubLimit(self.config.most_holders)
        for number in range(1, self.config.rounds + 1):
            starts = [state.ranking.top(self.config.starts) for state in states]
            wanted = [
                MentionQuery(ranking.ids, list(state.mentions))
                for ranking, state in zip(starts, states, strict=True)
            ]
            shared = self.index.shared_mentions(wanted, limit)
            yield [self._follow(number, *of) for of in zip(states, starts, shared, strict=True)]

    def _follow(
        self, number: int, state: _State, starts: Ranking, shared: SharedMentions
    ) -> _Round:
        """Score what the links lead to, keep each passage's better score, and rank anew."""
        links = chain.follow(shared, len(starts), state.vector, list(state.mentions))
        of_id = {passage.id: place for place, passage in enumerate(shared.passages)}
        reached = [shared.passages[place].id for place in links.passages.tolist()]
        light = dataclasses.replace(shared, vectors=shared.vectors[:0])
        one = _Round(number, starts, light, links, {id_: row for row, id_ in enumerate(reached)})
        ids = list(dict.fromkeys((*state.ranking.ids[: chain.UNRANKED], *reached)))
        ranks = {id_: rank for rank, id_ in enumerate(state.base.ids[: chain.UNRANKED])}
        terms = chain.terms(
            np.array([ranks.get(id_, chain.UNRANKED) for id_ in ids], np.int64),
            links,
            np.array([one.place.get(id_, -1) for id_ in ids], np.int64),
            np.append(links.walk, 0.0)[[of_id.get(id_, -1) for id_ in ids]],
        )
        scores = (terms * self.config.weights).round(6).sum(axis=1).round(6)
        for id_, score, values in zip(ids, scores.tolist(), terms.tolist(), strict=True):
            if id_ not in state.scored or score > state.scored[id_].score:
                state.scored[id_] = _Scored(score, values, one)
        state.ranking = Ranking.of((id_, scored.score) for id_, scored in state.scored.items())
        return one

    def _parts(self, state: _State, ids: Sequence[int]) -> dict[int, tuple[Part, ...]]:
        """The parts of these passages' scores, by id; they add up to it."""
        ranks = {id_: rank for rank, id_ in enumerate(state.base.ids[: chain.UNRANKED], start=1)}
        return {
            id_: tuple(
                Part(
                    term,
                    ranks.get(id_, 0) if term == "base" else 0,
                    round(weight * value, 6),
                    value,
                )
                for term, weight, value in zip(
                    chain.TERMS, self.config.weights, state.scored[id_].terms, strict=True
                )
            )
            for id_ in ids
        }

    def _followed(self, state: _State, one: _Round) -> Followed:
        """What a round came to, as an event."""
        shared = one.shared
        asked = zip(state.mentions.items(), shared.asked_holders, chain.shares(shared), strict=True)
        first = state.ranking.ids[: min(self.explained, LINKS_SHOWN)]
        linked = [(id_, state.scored[id_].round) for id_ in first]
        parts = self._parts(state, state.ranking.ids[: self.explained])
        return Followed(
            state.query,
            one.number,
            self.config.rounds,
            shared.size,
            HubLimit(self.config.most_holders).of(shared.size),
            tuple(
                QueryMention(name, span, int(holders), round(float(share), 6))
                for (name, span), holders, share in asked
            ),
            lookup.ranked_passages(self.index, one.starts),
            tuple(map(TermWeight, chain.TERMS, self.config.weights)),
            one.links.weakest,
            tuple(
                _linked_passage(of, of.place[id_], list(state.mentions))
                for id_, of in linked
                if id_ in of.place
            ),
            lookup.ranked_passages(self.index, state.ranking, parts),
        )


def _linked_passage(one: _Round, row: int, asked: Sequence[str]) -> LinkedPassage:
    """A link with its words."""
    links, shared = one.links, one.shared
    place, start, mention = (int(of[row]) for of in (links.passages, links.starts, links.mentions))
    name, passage = shared.names[mention], shared.passages[place]
    here = _sentence(shared, int(links.here[row]), start, name, asked)
    there = _sentence(shared, int(links.there[row]), place, name, asked)
    first, last = np.searchsorted(links.edges[:, 2], [place, place + 1])
    others = [pair for pair in links.edges[first:last, :2].tolist() if pair != [start, mention]]
    return LinkedPassage(
        id=passage.id,
        start=shared.passages[start].id,
        round=one.number,
        mention=_as_written(name, here.text, there.text, passage.title),
        passages=int(shared.holders[mention]),
        weight=float(links.weight[row]),
        here=here,
        there=there,
        cosine=float(links.cosine[row]),
        strength=float(links.strength[row]),
        cover=float(links.cover[row]),
        others=tuple(
            OtherLink(
                shared.passages[other].id,
                _as_written(shared.names[also], passage.indexed),
                int(shared.holders[also]),
            )
            for other, also in others[:OTHERS_SHOWN]
        ),
    )


def _sentence(
    shared: SharedMentions, sentence: int, place: int, name: str, asked: Sequence[str]
) -> LinkedSentence:
    """One end of a link: its words, where the mention stands in them, and what of the query."""
    passage: Passage = shared.passages[place]
    span = shared.spans[sentence]
    text = passage.text[span.start : span.end]
    marks = [where for found, where, _ in rules.mentions(text) if found == name]
    has = shared.asked_in_sentences[sentence] | shared.asked_in_titles[place]
    covers = tuple(word for word, there in zip(asked, has.tolist(), strict=True) if there)
    return LinkedSentence(text, tuple(dict.fromkeys(marks)), covers)


def _as_written(name: str, *texts: str) -> str:
    """A mention as one of these texts writes it, the first that does."""
    first, last = name.split()[0], name.split()[-1]
    for text in texts:
        folded = text.casefold()
        start = folded.find(first)
        end = folded.find(last, start) + len(last)
        # Between its words there may be marks, behind them a plural's s.
        if start >= 0 and len(name) <= end - start <= len(name) + 4 and len(folded) == len(text):
            plural = folded[end : end + 1] == "s" and not folded[end + 1 : end + 2].isalnum()
            return text[start : end + plural]
    return name
