"""Why a run does not have a passage among its first k: a walk over the steps of the run, each of
which lists the passage, touches it by a fact, or does not have it; and the first step after which
it never comes back.

Pure: events and a few facts of the collection in, values out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import NamedPassage, Triple, TripleWords
from gear_app.trace.events import (
    Event,
    Expanded,
    Followed,
    Fused,
    Linked,
    Matched,
    Pooled,
    Promoted,
    RankedPassage,
    Read,
    Recognised,
    Remembered,
    Reranked,
    Retrieved,
    Rewrote,
    Thought,
    Verified,
)
from gear_app.trace.passage_origin import PassageOrigin, origin_of
from gear_app.trace.rankings import QuerySearch, first_rank, has_ranking, is_among, rank_of
from gear_app.trace.trace import RunTrace

FAR = 10**9  # the rank of a passage that no list has
NO_WAYS = ("extract", "retrieve", "fuse")  # steps of a search that lead to no new passage
LOOPS = ("remember", "reason", "pool", "match")  # steps of methods that ask again
BY_FACTS = (Read, Linked, Recognised, Matched, Expanded)  # events that touch by facts
BY_TRIPLES = ("read", "expand", "recognise", "match")  # steps that need triples of the passage
LISTS = {  # of the steps, as a sentence names them
    "walk": "the walk",
    "visit": "the walk",
    "vote": "the votes",
    "gather": "the entities' passages",
    "open": "the tree",
    "rerank": "the reranker",
    "follow": "the sum of terms",
    "fuse": "the fused ranking",
    "pool": "the pool",
    "promote": "the promoted pool",
    "rank": "the final ranking",
}


class Cause(StrEnum):
    """Kinds of loss in the order of the steps, and FOUND."""

    FOUND = "found"
    NOT_IN_COLLECTION = "not in the collection"
    NO_TRIPLE = "no triple extracted"
    BASE_MISSED = "not in the base ranking"
    READ_NOTHING = "read gave nothing"
    LINKED_ELSEWHERE = "linked elsewhere"
    NOT_REACHED = "not reached"
    PRUNED = "pruned"
    BELOW_CUT = "below the cut"
    RUN_ENDED = "run ended"


class Reach(StrEnum):
    """How a step has a passage."""

    LISTED = "listed"  # at a rank
    TOUCHED = "touched"  # by a triple of it, or a triple with a name of it
    ABSENT = "absent"
    NOT_JUDGED = "not judged"  # it was not among those that the step looked at


class AskedQuery(NamedTuple):
    """A query of a run, and the rank of the passage in what it finds; None: it does not."""

    iteration: int
    query: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class StepReach:
    """A step, what it did with the passage, and the evidence: a rank and the cut, or facts."""

    step: str
    reach: Reach
    iteration: int = 0
    number: int | None = None  # of the step of the timeline that shows it
    ranking_name: str = ""  # of the list
    rank: int | None = None  # in that list, as deep as is known
    cut: int = 0  # how many of the list go on
    score: float | None = None
    needed: float | None = None  # the score of the last item that went on
    facts: tuple[str, ...] = ()  # those that lead to it, of `total`
    total: int = 0
    queries: tuple[AskedQuery, ...] = ()

    @property
    def present(self) -> bool:
        """Whether the step lists or touches the passage."""
        return self.reach in (Reach.LISTED, Reach.TOUCHED)


@dataclass(frozen=True, slots=True)
class PassageFacts:
    """A passage of a run's collection at the run's revision, as far as events cannot tell."""

    ids: tuple[int, ...] = ()  # its parts where a document was cut; () where it is not there
    title: str = ""
    triples: tuple[Triple, ...] | None = None  # None: the run has no set, or it is not known

    def leads(self, *names: str) -> bool:
        """Whether one of these names leads a reader to it: it is its title or an entity of its
        triples, or all words of the one are in the other ("Mirrorball", "Mirrorball (pilot)").
        """
        entities = {normalise_entity(self.title), *_names(self.triples or ())} - {""}
        return any(_same_name(name, other) for name in names for other in entities)


def _names(triples: Sequence[TripleWords]) -> set[str]:
    names = {normalise_entity(end) for t in triples for end in (t.subject, t.object)}
    return names - {""}


def _same_name(name: str, other: str) -> bool:
    """Whether names are equal, or the words of the one are among the other's. A number, or words of
    three letters and less, do not make a name.
    """
    words = sorted((set(tokenise(name)), set(tokenise(other))), key=len)
    is_telling = any(len(word) > 3 and not word.isdigit() for word in words[0])
    return words[0] == words[1] != set() or (is_telling and words[0] <= words[1])


@dataclass(frozen=True, slots=True)
class WhyNot(NamedPassage):
    """The cause for which a run does not have a passage among its first `k`, or what brought it in.

    `rank` is its final one, None where the final ranking does not have it. `trail` goes up to the
    step that lost it, `lost`.
    """

    key: str
    title: str
    k: int
    rank: int | None
    cause: Cause
    trail: tuple[StepReach, ...] = ()
    origin: PassageOrigin | None = None

    @property
    def lost_step(self) -> StepReach | None:
        """The step that lost it."""
        return self.trail[-1] if self.trail and self.cause is not Cause.FOUND else None

    @property
    def lost_or_found_step(self) -> int | None:
        """The step of the timeline that lost it, or that brought it in; None where no step did."""
        cause = self.lost_step
        return cause.number if cause else self.origin.step if self.origin else None


class Loss(NamedTuple):
    """A cause and the steps up to the one that lost the passage."""

    cause: Cause
    trail: tuple[StepReach, ...]


def why_not(events: Sequence[Event], key: str, facts: PassageFacts, k: int = 5) -> WhyNot:
    """The cause, with the steps up to the one that lost a passage, by key, gold or not.

    Several searches: the one that came furthest decides, of equals the first.
    """
    trace = RunTrace.of(events)
    rank, title = rank_of(key, trace.final), facts.title or key
    if is_among(rank, k) and trace.result:
        return WhyNot(key, title, k, rank, Cause.FOUND, (), origin_of(trace, key))
    cause, trail = _Walk(trace, key, facts, k).loss()
    return WhyNot(key, title, k, rank, cause, trail)


@dataclass(frozen=True)
class _Walk:
    """The walk over the steps of a finished run with one passage in view."""

    trace: RunTrace
    key: str
    facts: PassageFacts
    k: int

    def loss(self) -> Loss:
        """The loss by what the run's steps are: of the end of the run, or of a search."""
        collection = StepReach("collection", Reach.LISTED if self.facts.ids else Reach.ABSENT)
        if not self.facts.ids:
            return Loss(Cause.NOT_IN_COLLECTION, (collection,))
        if not self.trace.result or not self.trace.searches:
            loss = Loss(Cause.RUN_ENDED, (StepReach("rank", Reach.NOT_JUDGED),))
        elif any(event.is_of(*LOOPS) for event in self.trace):
            loss = self._lost_in_joining() or self._lost_over_searches()
        else:
            loss = self._lost_in_search(self.trace.searches[0], self.k)
        return Loss(loss.cause, (collection, *loss.trail))

    def rank(self, ranking: Sequence[RankedPassage]) -> int | None:
        return rank_of(self.key, ranking)

    def last(self, *kinds: type[Event]) -> Event | None:
        return next((event for event in reversed(self.trace) if isinstance(event, kinds)), None)

    # A search

    def _lost_in_search(self, search: QuerySearch, cut: int) -> Loss:
        """The first step of a search after which the passage never comes back within the cut."""
        trail = self._trail(search, cut)
        last = trail[-1]
        if last.reach is Reach.LISTED:
            return Loss(Cause.BELOW_CUT, trail)
        if self.facts.triples == () and any(step.step in BY_TRIPLES for step in trail):
            return Loss(Cause.NO_TRIPLE, trail[:1])
        ways = [n for n, step in enumerate(trail) if step.step not in NO_WAYS]
        place = next(iter(ways), next(n for n, step in enumerate(trail) if step.step != "extract"))
        for way, after in zip(ways, [*ways[1:], *ways[-1:]], strict=True):
            if trail[way].reach is Reach.TOUCHED:
                place = way if trail[way].step == "expand" else after
        return Loss(_cause(trail[place]), trail[: place + 1])

    def _trail(self, search: QuerySearch, cut: int) -> tuple[StepReach, ...]:
        """How the steps of a search have the passage; the last list has this cut."""
        events = self.trace[search.start : search.stop]
        events += tuple(e for e in self.trace.during(search.iteration) if isinstance(e, Matched))
        events = tuple(e for e in events if has_ranking(e) or isinstance(e, BY_FACTS))
        last = next((event for event in reversed(events) if has_ranking(event)), None)
        trail = [self._reach(event, search, cut if event is last else None) for event in events]
        if any(step.step in BY_TRIPLES for step in trail):
            texts = tuple(triple.text for triple in self.facts.triples or ())
            reach = Reach.ABSENT if self.facts.triples == () else Reach.TOUCHED
            trail.insert(0, StepReach("extract", reach, facts=texts, total=len(texts)))
        return tuple(trail)

    def _reach(self, event: Event, search: QuerySearch, cut: int | None) -> StepReach:
        """How one step has the passage. `cut` None: all that it lists goes on."""
        match event:
            case Read(triples=triples) | Remembered(added=triples):
                reach = self._facts(triples)
            case Linked():
                reach = self._facts([link.triple for link in event.links if link.triple])
            case Recognised():
                names = tuple(filter(None, (e.node or e.title for e in event.entities)))
                way = Reach.TOUCHED if names else Reach.ABSENT
                reach = StepReach("", way, facts=names, total=len(event.entities))
            case Matched():
                reach = self._match(event)
            case Expanded():
                reach = self._beams(event)
            case Retrieved():
                reach = self._first(event, search, cut)
            case _:
                reach = self._list(LISTS.get(event.verb, event.verb), event.listed, cut, event)
        number = self.trace.step_of(event)
        return replace(reach, step=event.verb, iteration=event.iteration, number=number)

    def _facts(self, triples: Sequence[TripleWords]) -> StepReach:
        """Which of these facts lead to the passage."""
        stated = {triple.text for triple in self.facts.triples or ()}
        leading = [t for t in triples if t.text in stated or self.facts.leads(t.subject, t.object)]
        texts, way = tuple(t.text for t in leading), Reach.TOUCHED if leading else Reach.ABSENT
        return StepReach("", way, facts=texts, total=len(triples))

    def _match(self, event: Matched) -> StepReach:
        """The best match whose new side is a name of the passage; sure enough or not."""
        leads = [match for match in event.matches if self.facts.leads(match.new)]
        best = max(leads, key=lambda match: match.score, default=None)
        reach = StepReach("", Reach.ABSENT, total=len(event.matches))
        if best is None:
            return reach
        reach = replace(reach, facts=(best.triple.text,))
        if best.taken or best.score >= event.sure:
            return replace(reach, reach=Reach.TOUCHED)
        return replace(reach, score=best.score, needed=event.sure)

    def _first(self, event: Retrieved, search: QuerySearch, cut: int | None) -> StepReach:
        """The first list of a search; where the search is the whole run, as deep as its ranking."""
        ranking = event.ranking if cut is None else self.trace.final
        deep = cut == self.k and self.rank(event.ranking) is None and self.rank(ranking)
        reach = self._list(search.base, ranking if deep else event.ranking, cut)
        rank = first_rank(self.key, search, self.trace)
        listed = is_among(rank, len(event.ranking)) and event is self.trace[search.start]
        return replace(
            reach, rank=reach.rank or rank, reach=Reach.LISTED if listed else reach.reach
        )

    def _list(
        self,
        name: str,
        ranking: Sequence[RankedPassage],
        cut: int | None,
        event: Event | None = None,
    ) -> StepReach:
        """The place of the passage in a list, with the passage at the cut."""
        rank, size = self.rank(ranking), len(ranking) if cut is None else cut
        reach = Reach.LISTED if rank else Reach.ABSENT
        if event is not None and rank and self._only_follows(event, ranking[rank - 1]):
            judged = not isinstance(event, Reranked)
            reach = Reach.ABSENT if judged else Reach.NOT_JUDGED
            size = size if judged else len(event.reached)
        score = ranking[rank - 1].score if rank else None
        needed = ranking[min(size, len(ranking)) - 1].score if ranking and size else None
        return StepReach("", reach, 0, None, name, rank, size, score, needed)

    def _only_follows(self, event: Event, line: RankedPassage) -> bool:
        """Whether a list has the passage only among those that no way of the step leads to."""
        if isinstance(event, Followed):
            return any(part.score for part in line.parts if part.source == "alone")
        return self.rank(event.reached) is None

    def _beams(self, event: Expanded) -> StepReach:
        """The passage in the beams of the last step, else its best candidate that was dropped, else
        the candidates with a name of it.
        """
        if self.rank(event.passages):
            return self._list("the beams", event.passages, None)
        ids = {triple.id for triple in self.facts.triples or ()}
        for number, step in reversed(list(enumerate(event.beams, start=1))):
            if any(ids.intersection(candidate.path) for candidate in step.kept):
                break  # it was kept here, and no beam went on from it
            dropped = [beam.score for beam in step.pruned if ids.intersection(beam.path)]
            dropped += [score for triple, score in step.others if triple in ids]
            if dropped:
                score, size = max(dropped), len(step.kept)
                scores = [
                    *(beam.score for beam in step.pruned),
                    *(other for _, other in step.others),
                ]
                place = size + sum(other > score for other in scores) + 1
                name = f"step {number} of the beam search"
                needed = step.kept[-1].score if size else None
                return StepReach("", Reach.TOUCHED, 0, None, name, place, size, score, needed)
        candidates = [c.triple for step in event.beams for c in (*step.kept, *step.pruned)]
        names = _names(self.facts.triples or ())
        near = dict.fromkeys(t.text for t in candidates if not names.isdisjoint(_names([t])))
        way = Reach.TOUCHED if near else Reach.ABSENT
        return StepReach("", way, facts=tuple(near), total=len(candidates))

    # A run that asks several times

    def _lost_in_joining(self) -> Loss | None:
        """The loss in the ranking that joins the searches; None where it does not have the passage,
        nor should.
        """
        event, first = self.last(Pooled) or self.last(Fused), self.trace.searches[0]
        having = [search for search in self.trace.searches if self.rank(search.found)]
        best = min(having, key=lambda search: self.rank(search.found) or FAR, default=None)
        high = best is not first or is_among(self.rank(first.found), self.k)
        should = best is not None and high and not self.last(Pooled)
        if event is None or not (should or self.rank(event.reached)):
            return None
        trail = list(self._trail(best, self._cut(best))) if best else []
        remembered = self.last(Remembered)
        trail += [self._reach(remembered, first, None)] if remembered else []
        cause = Cause.BELOW_CUT
        if remembered and self.trace.result:  # GEAR's is the final ranking
            event = self.trace.result
        step = self._reach(event, first, self.k)
        if best and not step.present:  # not all that the search has was joined
            place = self._list(best.base, best.found, self._cut(best))
            step = replace(place, step=step.step, iteration=step.iteration, number=step.number)
        promoted, verified = self.last(Promoted), self.last(Verified)
        if promoted and isinstance(verified, Verified) and is_among(step.rank, verified.shown):
            trail.append(step)
            step = self._reach(promoted, first, self.k)
            cause = cause if self.rank(verified.passages) else Cause.PRUNED
        return Loss(cause, (*trail, step))

    def _cut(self, search: QuerySearch) -> int:
        """How many passages a search brings into what joins them; the first can bring more."""
        start, first = self.trace.start, search == self.trace.searches[0]
        names = ("pool_k", "first_k") if first else ("pool_k", "hop_k")
        settings = dict(start.settings) if start else {}
        return max((int(settings[name]) for name in names if name in settings), default=self.k)

    def _lost_over_searches(self) -> Loss:
        """The loss in a search that had a start for the passage; else asking again lost it, unless
        a later query came nearer: then that search's own step did.
        """
        searches = self.trace.searches
        losses = [self._lost_in_search(search, self._cut(search)) for search in searches]
        near = [
            loss
            for loss in losses
            if loss.cause in (Cause.PRUNED, Cause.BELOW_CUT)
            or (loss.cause is Cause.NOT_REACHED and loss.trail[-1].step == "expand")
        ]
        furthest = next(iter(near), None)
        if furthest and not self.last(Pooled):
            return furthest
        missing = next((loss for loss in losses if loss.cause is Cause.NO_TRIPLE), None)
        if missing and not furthest:
            return missing
        ranks = [self.rank(s.found) or self.rank(s.ranking) for s in searches]
        nearest = min(range(len(ranks)), key=lambda place: ranks[place] or FAR)
        if nearest:
            return losses[nearest]
        queries = tuple(
            AskedQuery(search.iteration, search.query, rank)
            for search, rank in zip(searches, ranks, strict=True)
        )
        step = self.last(Matched, Rewrote, Thought)
        number, last = self.trace.step_of(step) if step else None, searches[-1].iteration
        again = StepReach("ask again", Reach.ABSENT, last, number, queries=queries)
        return Loss(Cause.RUN_ENDED, (*losses[nearest].trail, again))


def _cause(step: StepReach) -> Cause:
    """The cause, by the step that lost the passage and what it did with it."""
    if step.reach in (Reach.LISTED, Reach.NOT_JUDGED):
        return Cause.BELOW_CUT if step.reach is Reach.LISTED else Cause.BASE_MISSED
    causes = {
        "extract": Cause.NO_TRIPLE,
        "retrieve": Cause.BASE_MISSED,
        "read": Cause.READ_NOTHING,
        "link": Cause.LINKED_ELSEWHERE,
    }
    dropped = step.score is not None and step.step in ("expand", "match")
    return Cause.PRUNED if dropped else causes.get(step.step, Cause.NOT_REACHED)
