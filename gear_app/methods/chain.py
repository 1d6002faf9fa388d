"""Chain: passages joined by what they both name (ours; docs/methods.md works one example).

Composes: base retrieval → the mentions of its first passages followed to others that hold them →
seven terms a passage, weighted and added up (index/links.py), `rounds` times, each from the ranking
before. No triples, no reader, no reading of the question beyond its mentions. It is no paper's
method; LinearRAG's graph without relations is the nearest kin.

As a base of other methods it ranks passages; triples are those of its own base.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gear_app.core.config import BaseConfig, ChainConfig
from gear_app.core.protocols import query_vectors
from gear_app.core.rows import HubLimit, MentionQuery, SharedMentions
from gear_app.core.types import Ranking, Span
from gear_app.index import links as chain
from gear_app.language import mentions as find
from gear_app.language.mentions import cuts
from gear_app.methods import lookup
from gear_app.methods.base import Base, BaseQuery, BaseResult, Weighted
from gear_app.methods.method import declare_method
from gear_app.trace.events import (
    Emit,
    Followed,
    LinkedPassage,
    LinkedSentence,
    OtherLink,
    QueryMention,
    Retrieved,
    ScorePart,
    TermWeight,
)

OTHERS_SHOWN = 3
EXPLAINED = 60  # passages whose terms and links an event has: with all of them a run is large


class _Round(NamedTuple):
    """The links that a round followed for a query: the passages it started from, what they share,
    without vectors, the links, and by a passage's id its place among them.
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

    text: str
    mentions: dict[str, Span]
    query: chain.ChainQuery
    base: Ranking
    ranking: Ranking
    scored: dict[int, _Scored] = field(default_factory=dict)


@declare_method(
    name="chain",
    label="Chain",
    inline="chain",
    summary="passages joined by what they both name, and few others do",
    step_purpose="What chain finds for the query. The rounds of links that come to it are the next"
    " steps.",
    idea="Chain follows the names that passages share",
    order=8,
    defaults=ChainConfig(),
    compared="always",
    links=True,
    ours=True,
    version=11,
    made_of=("weighted",),
    above={"first_k": 15, "later_power": 2.0},
)
class Chain(Base):
    """Links between passages, over weighted."""

    used = ("depth", "dense_share")

    @classmethod
    def as_base(cls, config: BaseConfig) -> ChainConfig:
        """Its settings as a base of other methods."""
        return ChainConfig(base=config)

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """Passages by links, triples by the base. The index is asked once for the base rankings and
        once a round, whatever the number of queries.
        """
        places = [place for place, query in enumerate(queries) if query.over == "passages"]
        deep = list(queries)
        for place in places:
            deep[place] = deep[place]._replace(k=lookup.DEPTH)
        results = self._base.search(deep)
        states = [self._state(queries[place].text, results[place].ranking) for place in places]
        for _ in self._rounds(states):
            pass
        for place, state in zip(places, states, strict=True):
            ranking = state.ranking.top(queries[place].k)
            results[place] = results[place]._replace(
                ranking=ranking, terms=self._parts(state, ranking.ids)
            )
        return results

    def begin(self, query: BaseQuery, emit: Emit, shown: int = lookup.DEPTH) -> Ranking:
        """The ranking for one query over passages, and events with the links of these passages: a
        loop makes several searches, and its run has to stay small.
        """
        (base,) = self._base.search([query._replace(k=lookup.DEPTH)])
        state = self._state(query.text, base.ranking)
        followed = [self._followed(state, round_, query.k) for (round_,) in self._rounds([state])]
        ranking = state.ranking.top(query.k)
        parts = self._parts(state, ranking.ids)
        lines = lookup.ranked_passages(self.index, ranking, parts, depth=shown)
        emit(Retrieved(query.text, self.name, lines, lucene=base.lucene))
        for event in followed:
            emit(event)
        return ranking

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k of the base, the ranking goes on to all that
        it has and all that are linked.
        """
        (base,) = self._base.search([BaseQuery(query, max(k, lookup.DEPTH))])
        lines = lookup.ranked_passages(self.index, base.ranking, base.terms, depth=k)
        emit(Retrieved(query, self._base.name, lines, lucene=base.lucene))
        state = self._state(query, base.ranking)
        for (round_,) in self._rounds([state]):
            emit(self._followed(state, round_))
        return state.ranking

    @property
    def _base(self) -> Weighted:
        return Weighted(self.parts, self.config.base)

    def _state(self, query: str, base: Ranking) -> _State:
        mentions: dict[str, Span] = {}
        for name, span, _ in find.mentions(query):
            mentions.setdefault(name, span)
        halves = cuts(query)
        parts = query_vectors(self.embedder, [part for half in halves for part in half])
        return _State(query, mentions, chain.ChainQuery(tuple(mentions), halves, parts), base, base)

    def _rounds(self, states: Sequence[_State]) -> Iterator[list[_Round]]:
        """Follow the links of all queries' rankings and rank again, round by round."""
        limit = HubLimit(self.config.most_holders)
        for number in range(1, self.config.link_rounds + 1):
            starts = [state.ranking.top(self.config.starts) for state in states]
            queries = [
                MentionQuery(ranking.ids, list(state.mentions))
                for ranking, state in zip(starts, states, strict=True)
            ]
            shared = self.index.shared_mentions(queries, limit)
            yield [
                self._follow(number, *parts) for parts in zip(states, starts, shared, strict=True)
            ]

    def _follow(
        self, number: int, state: _State, starts: Ranking, shared: SharedMentions
    ) -> _Round:
        """Score what the links lead to, keep each passage's better score, and rank anew."""
        weights = self.config.weights
        links = chain.follow(shared, len(starts), state.query, weights[2:6])
        of_id = {passage.id: place for place, passage in enumerate(shared.passages)}
        reached = [shared.passages[place].id for place in links.passages.tolist()]
        light = dataclasses.replace(shared, vectors=shared.vectors[:0])
        round_ = _Round(number, starts, light, links, {id_: row for row, id_ in enumerate(reached)})
        ids = list(dict.fromkeys((*state.ranking.ids[: chain.UNRANKED], *reached)))
        ranks = {id_: rank for rank, id_ in enumerate(state.base.ids[: chain.UNRANKED])}
        terms = chain.terms(
            np.array([ranks.get(id_, chain.UNRANKED) for id_ in ids], np.int64),
            links,
            np.array([round_.place.get(id_, -1) for id_ in ids], np.int64),
            np.append(links.walk, 0.0)[[of_id.get(id_, -1) for id_ in ids]],
        )
        scores = (terms * weights).round(6).sum(axis=1).round(6)
        for id_, score, values in zip(ids, scores.tolist(), terms.tolist(), strict=True):
            if id_ not in state.scored or score > state.scored[id_].score:
                state.scored[id_] = _Scored(score, values, round_)
        state.ranking = Ranking.of((id_, scored.score) for id_, scored in state.scored.items())
        return round_

    def _parts(self, state: _State, ids: Sequence[int]) -> dict[int, tuple[ScorePart, ...]]:
        """The parts of these passages' scores, by id; they add up to it."""
        ranks = {id_: rank for rank, id_ in enumerate(state.base.ids[: chain.UNRANKED], start=1)}
        return {
            id_: tuple(
                ScorePart(
                    term,
                    ranks.get(id_, 0) if term == "base" else 0,
                    round(weight * value, 6),
                    value,
                    f"{value:.6f} × {weight:g}",
                )
                for term, weight, value in zip(
                    chain.TERMS, self.config.weights, state.scored[id_].terms, strict=True
                )
            )
            for id_ in ids
        }

    def _followed(self, state: _State, round_: _Round, depth: int = lookup.DEPTH) -> Followed:
        """A round's result as an event with the first `shown` passages."""
        shared = round_.shared
        mentioned = zip(
            state.mentions.items(),
            shared.asked_holders,
            chain.shares(shared, state.query.mentions),
            strict=True,
        )
        ranking = state.ranking.top(depth)
        first = ranking.ids[: min(self.parts.explained, EXPLAINED)]
        linked = [(id_, state.scored[id_].round) for id_ in first]
        parts = self._parts(state, ranking.ids[: min(self.parts.explained, EXPLAINED)])
        return Followed(
            state.text,
            round_.number,
            self.config.link_rounds,
            shared.size,
            HubLimit(self.config.most_holders).holders(shared.size),
            tuple(
                QueryMention(name, span, int(holders), round(float(share), 6))
                for (name, span), holders, share in mentioned
            ),
            lookup.ranked_passages(self.index, round_.starts),
            tuple(map(TermWeight, chain.TERMS, self.config.weights)),
            tuple(
                _linked_passage(round_, round_.place[id_], state.query)
                for id_, round_ in linked
                if id_ in round_.place
            ),
            lookup.ranked_passages(self.index, ranking, parts),
            self._base.name,
        )


def _linked_passage(round_: _Round, row: int, query: chain.ChainQuery) -> LinkedPassage:
    """A link with its words."""
    links, shared = round_.links, round_.shared
    place, start, mention = (
        int(array[row]) for array in (links.passages, links.starts, links.mentions)
    )
    name, passage = shared.names[mention], shared.passages[place]
    left, right = query.cuts[int(links.cut[row])]
    one_part, other_part = (right, left) if links.turned[row] else (left, right)
    start_part = one_part, float(links.start_cosines[row])
    end_part = other_part, float(links.end_cosines[row])
    start_sentence = _sentence(
        shared, int(links.start_sentences[row]), start, name, query, start_part
    )
    end_sentence = _sentence(shared, int(links.end_sentences[row]), place, name, query, end_part)
    parts, weight, covered, cover = links.values[row].tolist()
    first, last = np.searchsorted(links.edges[:, 2], [place, place + 1])
    texts = (end_sentence.text, start_sentence.text, passage.title)
    more = [pair for pair in links.edges[first:last, :2].tolist() if pair != [start, mention]]
    return LinkedPassage(
        id=passage.id,
        start=shared.passages[start].id,
        round=round_.number,
        mention=find.written(name, *texts),
        passages=int(shared.holders[mention]),
        start_sentence=start_sentence,
        end_sentence=end_sentence,
        parts=parts,
        weight=weight,
        covered=covered,
        cover=cover,
        others=tuple(
            OtherLink(
                shared.passages[other].id,
                find.written(shared.names[also], *texts),
                int(shared.holders[also]),
            )
            for other, also in more[:OTHERS_SHOWN]
        ),
    )


def _sentence(
    shared: SharedMentions,
    sentence: int,
    place: int,
    name: str,
    query: chain.ChainQuery,
    compared: tuple[str, float],
) -> LinkedSentence:
    """One end of a link: its words, where the mention stands in them, what of the query it covers,
    and the part that it was `compared` with.
    """
    passage = shared.passages[place]
    start, end = shared.spans[sentence].tolist()
    text = passage.text[start:end]
    has = shared.asked_in_sentences[sentence] | shared.asked_in_titles[place]
    covers = tuple(
        word for word, is_named in zip(query.mentions, has.tolist(), strict=True) if is_named
    )
    marks = find.places(text, name)
    counted = round(float(chain.counted(np.array(end - start))), 6)
    return LinkedSentence(text, marks, covers, *compared, counted)
