"""Rankings: what a search found, what became of several lists, and what the run ends with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gear_app.analysis.evidence import evidence_of, source_of
from gear_app.analysis.gold import base
from gear_app.analysis.metrics import found_at, gold_count
from gear_app.analysis.rankings import (
    first_rank,
    gist_texts,
    has_ranking,
    keys,
    of_event,
    rank_of,
    within,
)
from gear_app.analysis.trace import RunTrace
from gear_app.events import VERBS, Event, EvidenceFound, Fused, Ranked, RankedPassage, Retrieved
from gear_app.events.base import BY_SCORE, Way
from gear_app.step_views import chain_round
from gear_app.step_views.blocks import (
    PASSAGE,
    Block,
    Column,
    MarkupBlock,
    RankingBlock,
    SentenceBlock,
    StepLink,
    TableBlock,
)
from gear_app.step_views.gear import answer_source, iterations_with_memory
from gear_app.step_views.view import LONGEST, K, Kind, StepView, left_out, ranking_of, titles
from gear_app.text import count, cut
from gear_app.views import evidence, labels, rankings
from gear_app.views.labels import absent_from, base_name, capital, search_name
from gear_app.views.markup import tag

NO_PASSAGE = "No passage was found. Try other words, or another base."
NO_WALK = "so dense retrieval ranks by meaning instead."
LISTS = {  # whose place it is, after "1st"
    "dense": "by meaning",
    "bm25": "by words",
    f"dense{BY_SCORE}": "by meaning",
    f"bm25{BY_SCORE}": "by words",
    "hybrid": "by one search",
    "base": "by one search",
}


class RankingView(StepView[Kind]):
    """A step that has found a ranking of passages."""

    @property
    def blocks(self) -> list[Block]:
        """The ranking of the step, with a table of all of it."""
        event = next((event for event in self.scene.step.events if of_event(event)), None)
        if event is None:  # a step that failed has found nothing out, not even that
            return self.failures or [SentenceBlock(NO_PASSAGE)]
        return [*self.failures, *self.ranking_blocks(event)]

    def ranking_blocks(self, event: Event) -> list[Block]:
        """What is said of the event's ranking."""
        lucene = _as_in_lucene(self.scene.step.events)
        return [*lucene, *self.lines_of(of_event(event), rankings.way_of(event))]

    def lines_of(
        self,
        ranking: Sequence[RankedPassage],
        way: Way,
        notes: Sequence[Block] = (),
    ) -> list[Block]:
        """A ranking in lines and as a table, and between them the notes on it."""
        scene = self.scene
        gist = gist_texts(scene.events)
        links = chain_round.links_of(ranking, scene.events) if way == "terms" else {}
        lists = rankings.part_lists(scene.events)
        lines = rankings.lines(
            ranking,
            scene.gold,
            gist,
            way=way,
            beside=rankings.Beside(names=scene.names, links=links),
            lists=lists,
        )
        gold = (passage.id for passage in ranking if passage.key in scene.gold)
        label = f"All {len(ranking)} passages as a table" if lines["more"] else "As a table"
        rows = partial(rankings.rows, ranking, scene.gold, gist, way)
        return [
            RankingBlock(
                "ranking", lines, ranking[: len(lines["lines"])], next(gold, ranking[0].id)
            ),
            *notes,
            TableBlock(f"ranking-{scene.step.verb}", label, rows),
        ]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The first passages, with their places in the lists that were put together."""
        return first_passages(self, ranking_of(self.scene.step.events)) or super().columns

    def place_of(self, passage: RankedPassage) -> str:
        """Where other lists have a passage, those where it is higher first."""
        listed = sorted((part for part in passage.parts if part.rank), key=lambda part: part.rank)
        return " · ".join(
            f"{ordinal(part.rank)} {LISTS.get(part.source) or f'in {base_name(part.source)}'}"
            for part in listed[:4]
        )

    def first_of(self, ranking: Sequence[RankedPassage]) -> str:
        """Which passage comes first."""
        if not ranking:
            return "No passage was found"
        return f"{titles([ranking[0].name])} comes first"

    def has_gold(self, searched: str, ranking: Sequence[RankedPassage]) -> str:
        """How many gold passages a search by this name has."""
        gold = self.scene.gold
        found, total = found_at(keys(ranking), gold, K), gold_count(gold)
        first = f"{found} of {total} gold passages in {'its' if total else 'the'} first {K}"
        return f"{labels.capital(search_name(searched))} has {first}"

    def place_at_first(self, passage: RankedPassage) -> str:
        """Where the first search had a passage; "" where the run is that search alone."""
        first = base(self.scene.events)
        if first is None or RunTrace.of(self.scene.events).single:
            return ""
        rank = first_rank(passage.key, first, self.scene.events)
        place = ordinal(rank) if rank else absent_from(first.ranking)
        return f"{place} by {search_name(first.base)} alone"


def first_passages(view: RankingView[Any], ranking: Sequence[RankedPassage]) -> tuple[Column, ...]:
    """The first passages of a ranking as a column of cards."""
    cards = tuple(
        view.passage_card(rank, passage, view.place_of(passage))
        for rank, passage in enumerate(ranking[:K], start=1)
    )
    name = f"first {len(cards)} of {len(ranking)}"
    return (Column(name, cards, PASSAGE, left_out(ranking)),) if cards else ()


def ordinal(rank: int) -> str:
    """A rank as an ordinal: 1st, 2nd, 3rd, 11th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"


def weighed_as_in_lucene(events: Sequence[Event]) -> bool:
    """Whether a search weighed words otherwise than usual."""
    return any(isinstance(event, Retrieved) and event.lucene for event in events)


def _as_in_lucene(events: Sequence[Event]) -> list[Block]:
    return [SentenceBlock(rankings.WEIGHED_AS_IN_LUCENE)] if weighed_as_in_lucene(events) else []


class RetrieveView(
    RankingView[Retrieved], verb="retrieve", kind=Retrieved, asks="What does one search find?"
):
    """What a base retriever found."""

    @property
    def asks(self) -> str:
        """Of a later iteration the query is new."""
        later = self.scene.step.iteration > 1
        return "What does the new query find?" if later else self.ASKS

    @property
    def purpose(self) -> str:
        """What the base retriever does; also why it takes the place of a walk, and which passages
        it is among.
        """
        from gear_app.retrievers import METHODS  # loaded late: it is large

        scene = self.scene
        entities = self._entities_before()
        if entities is not None:
            none = "None of the question's entities is in the graph"
            return f"{none if entities else 'No entity was recognised'}, {NO_WALK}"
        before = scene.step.iteration - 1
        joins = [e.joins for e in scene.events if e.iteration == before and hasattr(e, "joins")]
        names = " or ".join(join.entity for of in joins[:1] for join in of)
        among = f" Only passages that name {names} are considered." if names else ""
        if self.event is None:
            return super().purpose
        method = METHODS.get(self.event.base)
        known = method.step_purpose if method else ""
        return (known or super().purpose) + among

    def _entities_before(self) -> Sequence[object] | None:
        """The entities that the search began with which goes on with a retrieval in place of a
        walk; None where it did not begin so.
        """
        events = self.scene.events
        for search in RunTrace.of(events).searches:
            if any(events[search.stop - 1] is event for event in self.scene.step.events):
                return getattr(events[search.start], "entities", None)
        return None

    @property
    def headline(self) -> str:
        """Also that a search found nothing."""
        event, scene = self.event, self.scene
        if event is None or not event.ranking:
            gave_up = super().headline if scene.step.failed else ""
            return gave_up or self.first_of(())
        if not scene.gold:
            return self.first_of(event.ranking)
        at = next((at for at, one in enumerate(scene.events) if one is event), len(scene.events))
        before = [one.ranking[:K] for one in scene.events[:at] if isinstance(one, Retrieved)]
        seen = [key for key in scene.gold if any(rank_of(key, ranking) for ranking in before)]
        new = self.gold_of(event.ranking[:K], seen)
        if before and new:
            return f"The new query finds {titles(new)}"
        return self.has_gold(event.base, event.ranking)


class FuseView(
    RankingView[Fused], verb="fuse", kind=Fused, asks="What comes first when both are put together?"
):
    """Lists that became one."""

    def headline_of(self, event: Fused) -> str:
        """What rises by it."""
        ranking, gold = ranking_of(self.scene.step.events), self.scene.gold
        search = self.scene.search
        for passage in ranking[:K]:
            if search is None or not found_at([passage.key], gold, 1):
                continue
            before, now = (rank_of(passage.key, one) for one in (search.listed, ranking))
            if not within(before, K):
                rises = f"rises from {before} to {now}" if before else f"comes in at {now}"
                return f"{titles([passage.name])} {rises}"
        return self.gold_found(ranking) if gold else self.first_of(ranking)

    def origin_of_ranking(self, event: Fused) -> str:
        """Which lists it was made of, and how."""
        if event.variant in ("lists", event.fusion) and event.way == "sum":
            fused = "fused" if event.fusion == "rrf" else f"fused by {event.fusion}"
            return f"{' and '.join(event.lists)}, {fused}"
        if event.purpose != "final":
            return "base retrieval and the beams' passages, fused"
        counted = sum(name.startswith("iteration ") for name in event.lists)
        remembered = iterations_with_memory(self.scene.events)
        waited = len(remembered) - counted
        if len(event.lists) > counted:
            rounds = "every iteration's ranking and the passages the gist links to"
            if event.fusion == "gist_first":
                return f"the passages that the gist triples come from, then {rounds}, fused"
            return f"{rounds}, {'in turn' if event.fusion == 'interleaved' else 'fused'}"
        if remembered and waited > 0:
            later = "later ones wait" if waited > 1 else "the second waits"
            return (
                f"that of the first iteration, since nothing was remembered: {later} for a first"
                " fact (Options)"
            )
        rounds = "the rankings of all iterations, fused" if counted > 1 else "that of one iteration"
        return rounds + (", since nothing was remembered" if remembered else "")

    def order_of_followers(self, event: Fused) -> str:
        """The base retriever, which the event names."""
        return base_name(event.rest) if event.rest else ""


class RankView(RankingView[Ranked], verb="rank", kind=Ranked, asks="What comes first in the end?"):
    """The ranking that a run ends with."""

    def ranking_blocks(self, event: Event) -> list[Block]:
        """Above it the answer that the reader found, and where; below it what fills it up."""
        events = self.scene.events
        if not isinstance(event, Ranked):
            return super().ranking_blocks(event)
        ranking, way = rankings.ranking_with_parts(event, events)
        constant = rankings.constant_note(ranking, way)
        notes: list[Block] = []
        if constant:
            notes.append(MarkupBlock(tag("p", constant, class_="gear-note")))
        told_elsewhere = way in ("terms", "greatest")  # there a score of 0 opens into its reason
        behind = "" if told_elsewhere else _without_score(ranking)
        if behind:
            notes.append(SentenceBlock(behind))
        lines = self.lines_of(ranking, way, notes)
        return [*self._answer(), *_as_in_lucene(events), *lines]

    def _answer(self) -> list[Block]:
        """The reader's answer, the sentence that it came from, and its step."""
        source = source_of(self.scene.events)
        if source is None:
            return []
        drawn: list[Block] = [MarkupBlock(answer_source(source, self.scene.names))]
        if source.step is not None:
            drawn.append(StepLink("source", "Show where it was read", source.step))
        return drawn

    @property
    def columns(self) -> tuple[Column, ...]:
        """The two passages that carry the answer, where nobody knows the gold ones."""
        return evidence.columns(self._evidence) if self._evidence else super().columns

    @property
    def _evidence(self) -> EvidenceFound | None:
        found = None if self.scene.gold else evidence_of(self.scene.events)
        return found if found and found.links else None

    def place_of(self, passage: RankedPassage) -> str:
        """Where the first search had the passage."""
        return self.place_at_first(passage)

    def headline_of(self, event: Ranked) -> str:
        """What the run found more than its first search, and the answer."""
        source = source_of(self.scene.events)
        answer = f". Answer: {cut(source.answer, LONGEST)}" if source else ""
        return self._found() + answer

    def _found(self) -> str:
        events, gold = self.scene.events, self.scene.gold
        ranking, first = ranking_of(self.scene.step.events), base(events)
        if self._evidence:
            return capital(self._evidence.summary)
        if not gold or first is None:
            return self.first_of(ranking)
        if RunTrace.of(events).single:
            return self.has_gold(first.base, ranking)
        before = found_at(keys(first.ranking), gold, K)
        found, total = found_at(keys(ranking), gold, K), gold_count(gold)
        return f"One search finds {before} of {total}, this run finds {found}"

    @property
    def purpose(self) -> str:
        """What the final ranking is, as the event that it came of tells."""
        events = self.scene.events
        if RunTrace.of(events).result is None:
            return "The run ended before its final ranking."
        there = (one for one in reversed(events) if has_ranking(one) and one.verb)
        last = next((one for one in there if one.verb not in NOT_LAST), None)
        if last is None or isinstance(last, Retrieved):
            return VERBS["rank"].purpose
        view = StepView.VERBS.get(last.verb, RankingView[Event])(self.scene)
        made = f"The final ranking: {view.origin_of_ranking(last)}."
        return made + _followers(last, view.order_of_followers(last))


NOT_LAST = ("rank", "remember")  # of the gist memory's rankings, none is the run's


def _without_score(ranking: Sequence[RankedPassage]) -> str:
    """What the passages at the end of a ranking are that has scores before them; "" for none."""
    rest = sum(not passage.score for passage in ranking)
    if not rest or rest == len(ranking):
        return ""
    return (
        f"{count(rest, 'passage')} at the end without a score: nothing that counts found them;"
        " they fill the ranking."
    )


def _followers(last: Event, whose: str) -> str:
    """What comes after the passages that the last ranking is of; "" where nothing does."""
    ranking = of_event(last)
    below = len(ranking) - len(last.reached)
    if not below:
        return ""
    above, total = len(ranking) - below, count(len(ranking), "passage")
    order = f"in the order of {whose}, without a score" if whose else "without a score"
    if not above:
        return f" It has none: all {total} are {order}."
    these = f"These are the first {above}" if above > 1 else "This is the first"
    return f" {these} of {total}; what follows is {order}."
