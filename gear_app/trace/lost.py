"""Why a run does not have a passage among its first k: a walk over the steps of the run, each of
which lists the passage, touches it by a fact, or does not have it; and the first step after which
it never comes back.

Pure: events and a few facts of the collection in, values out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import NamedPassage, Triple
from gear_app.trace.events import (
    BeamCandidate,
    Event,
    Expanded,
    Followed,
    Linked,
    Matched,
    Pooled,
    RankedPassage,
    Read,
    Recognised,
    Remembered,
    Reranked,
    Retrieved,
    Verified,
)
from gear_app.trace.passage_origin import PassageOrigin, origin_of
from gear_app.trace.rankings import (
    QuerySearch,
    first_rank,
    has_ranking,
    rank_of,
    within,
)
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

FAR = 10**9  # the rank of a passage that no list has
PLACE = ("reach", "rank", "cut", "score", "needed", "item", "kept")  # of a passage in a list
NO_WAYS = ("extract", "retrieve", "fuse")  # steps of a search that lead to no new passage
LOOPS = ("remember", "reason", "pool", "match")  # steps of methods that ask again
BY_FACTS = (Read, Linked, Recognised, Matched, Expanded)  # events that touch by facts
BY_TRIPLES = ("read", "expand", "recognise", "match")  # steps that need triples of the passage


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


Item = RankedPassage | BeamCandidate


@dataclass(frozen=True, slots=True)
class StepReach:
    """A step, what it did with the passage, and the evidence: a rank and the cut, or facts."""

    step: str
    reach: Reach
    iteration: int = 0
    number: int | None = None  # of the step of the timeline that shows it
    of: str = ""  # the list
    rank: int | None = None  # in that list, as deep as is known
    cut: int = 0  # how many of the list go on
    score: float | None = None
    needed: float | None = None  # the score of the last item that went on
    item: Item | None = None  # the passage in the list, or its best candidate
    kept: Item | None = None  # the last item that went on
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

    @property
    def triple_ids(self) -> frozenset[int]:
        """The ids of its triples."""
        return frozenset(triple.id for triple in self.triples or ())

    @property
    def entities(self) -> frozenset[str]:
        """The normalised names in its triples: what makes it a neighbour."""
        names = (name for triple in self.triples or () for name in (triple.subject, triple.object))
        return frozenset(filter(None, map(normalise_entity, names)))

    def shares(self, *names: str) -> bool:
        """Whether one of these names is one of its entities, as beams compare names."""
        return not self.entities.isdisjoint(map(normalise_entity, names))

    def leads(self, *names: str) -> bool:
        """Whether one of these names leads a reader to it: it is its title or an entity of its
        triples, or all words of the one are in the other ("Mirrorball", "Mirrorball (pilot)").
        """
        names_of_passage = {*self.entities, normalise_entity(self.title)} - {""}
        return any(
            _same_name(name, known_name) for name in names for known_name in names_of_passage
        )


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
    def lost(self) -> StepReach | None:
        """The step that lost it."""
        return self.trail[-1] if self.trail and self.cause is not Cause.FOUND else None

    @property
    def deciding_step(self) -> int | None:
        """The step of the timeline that lost it, or that brought it in; None where no step did."""
        lost = self.lost
        return lost.number if lost else self.origin.step if self.origin else None


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
    if within(rank, k) and trace.result:
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
        if not self.facts.ids:
            step = StepReach("collection", Reach.ABSENT)
            return Loss(Cause.NOT_IN_COLLECTION, (step,))
        collection = StepReach("collection", Reach.LISTED)
        if not self.trace.result or not self.trace.searches:
            cause, trail = Loss(Cause.RUN_ENDED, (StepReach("rank", Reach.NOT_JUDGED),))
        elif any(event.is_of(*LOOPS) for event in self.trace):
            cause, trail = self._of_loop()
        else:
            cause, trail = self._of_search(self.trace.searches[0], self.k)
            if trail[-1].step == "retrieve" and self.rank(self.trace.final):
                place = self._list(self.trace.searches[0].base, self.trace.final, self.k)
                last = replace(trail[-1], **{name: getattr(place, name) for name in PLACE})
                cause, trail = Loss(Cause.BELOW_CUT, (*trail[:-1], last))
        return Loss(cause, (collection, *trail))

    def rank(self, ranking: Sequence[RankedPassage]) -> int | None:
        return rank_of(self.key, ranking)

    def last(self, *verbs: str) -> Event | None:
        return next((event for event in reversed(self.trace) if event.is_of(*verbs)), None)

    def number(self, name: str) -> int | None:
        """The value of a whole-numbered setting, the outermost of several; None without it."""
        start = self.trace.start
        names = [
            setting for setting in (start.settings if start else ()) if _ends(setting[0], name)
        ]
        return int(min(names, key=lambda setting: setting[0].count("."))[1]) if names else None

    # A search

    def _of_search(self, search: QuerySearch, cut: int) -> Loss:
        """The first step of a search after which the passage never comes back within the cut."""
        trail = self._trail(search, cut)
        steps = {step.step for step in trail}
        last = trail[-1]
        if last.reach is Reach.LISTED:
            return Loss(_cause(last), trail)
        if self.facts.triples == () and steps & set(BY_TRIPLES):
            return Loss(Cause.NO_TRIPLE, (trail[0],))
        ways = [n for n, step in enumerate(trail) if step.step not in NO_WAYS]
        place = next(iter(ways), next(n for n, step in enumerate(trail) if step.step != "extract"))
        for n, way in enumerate(ways):
            if trail[way].reach is Reach.TOUCHED:
                place = way if trail[way].step == "expand" else ways[min(n + 1, len(ways) - 1)]
        return Loss(_cause(trail[place]), trail[: place + 1])

    def _trail(self, search: QuerySearch, cut: int) -> tuple[StepReach, ...]:
        """How the steps of a search have the passage; the last list has this cut."""
        during = {id(event) for event in self.trace[search.start : search.stop]}
        steps = [step for step in self.trace.steps if id(step.events[-1]) in during]
        steps += [
            step for step in self.trace.steps if step.verb == "match" and _follows(step, search)
        ]
        trail = [self._extract()] if any(step.verb in BY_TRIPLES for step in steps) else []
        lists = [event for step in steps for event in step.events if has_ranking(event)]
        for step in steps:
            event = next((event for event in reversed(step.events) if event.is_of(step.verb)), None)
            if event is None or not (has_ranking(event) or isinstance(event, BY_FACTS)):
                continue
            of_last = bool(lists) and event is lists[-1]
            trail += [self._reach(step, event, search, cut if of_last else None)]
        return tuple(trail)

    def _extract(self) -> StepReach:
        texts = tuple(triple.text for triple in self.facts.triples or ())
        reach = Reach.ABSENT if self.facts.triples == () else Reach.TOUCHED
        return StepReach("extract", reach, facts=texts, total=len(texts))

    def _reach(
        self, step: Step, event: Event, search: QuerySearch, cut: int | None = None
    ) -> StepReach:
        """How one step has the passage. `cut` None: all that it lists goes on."""
        match event:
            case Read():
                reach = self._facts(
                    [(triple.text, triple.subject, triple.object) for triple in event.triples]
                )
            case Linked():
                linked = [link.triple for link in event.links if link.triple]
                reach = self._facts(
                    [(triple.text, triple.subject, triple.object) for triple in linked]
                )
            case Recognised():
                entities = tuple(entity.node or entity.title for entity in event.entities)
                names = tuple(filter(None, entities))
                way = Reach.TOUCHED if names else Reach.ABSENT
                reach = StepReach("", way, facts=names, total=len(entities))
            case Matched():
                reach = self._match(event)
            case Expanded():
                reach = self._beams(event)
            case Retrieved():
                rank = first_rank(self.key, search, self.trace)
                reach = self._list(search.base, event.ranking, cut)
                reach = replace(reach, rank=reach.rank or rank)
                if within(rank, len(event.ranking)) and event is self.trace[search.start]:
                    reach = replace(reach, reach=Reach.LISTED)
            case _:
                reach = self._list(_list_name(step.verb), event.listed, cut, event)
        return replace(reach, step=step.verb, iteration=step.iteration, number=step.number)

    def _facts(self, facts: Iterable[tuple[str, str, str]]) -> StepReach:
        """Which of these facts, as text with subject and object, lead to the passage."""
        told = list(facts)
        triples = {triple.text for triple in self.facts.triples or ()}
        texts = tuple(text for text, *names in told if text in triples or self.facts.leads(*names))
        reach = Reach.TOUCHED if texts else Reach.ABSENT
        return StepReach("", reach, facts=texts, total=len(told))

    def _match(self, event: Matched) -> StepReach:
        """The best match whose new side is a name of the passage; sure enough or not."""
        leads = [match for match in event.matches if self.facts.leads(match.new)]
        best = max(leads, key=lambda match: match.score, default=None)
        if best is None:
            return StepReach("", Reach.ABSENT, total=len(event.matches))
        reach = StepReach("", Reach.TOUCHED, facts=(best.triple.text,), total=len(event.matches))
        if best.taken or best.score >= event.sure:
            return reach
        return replace(reach, reach=Reach.ABSENT, score=best.score, needed=event.sure)

    def _list(
        self,
        of: str,
        ranking: Sequence[RankedPassage],
        cut: int | None,
        event: Event | None = None,
    ) -> StepReach:
        """The place of the passage in a list, with the passage at the cut."""
        rank, size = self.rank(ranking), len(ranking) if cut is None else cut
        reach = Reach.LISTED if rank else Reach.ABSENT
        if event is not None and rank and self._only_follows(event):
            reach = Reach.NOT_JUDGED if isinstance(event, Reranked) else Reach.ABSENT
            size = len(event.reached) if isinstance(event, Reranked) else size
        last = ranking[min(size, len(ranking)) - 1] if ranking and size else None
        item = ranking[rank - 1] if rank else None
        score = item.score if item else None
        needed = last.score if last else None
        return StepReach("", reach, 0, None, of, rank, size, score, needed, item, last)

    def _only_follows(self, event: Event) -> bool:
        """Whether a list has the passage only among those that no way of the step leads to."""
        if not isinstance(event, Followed):
            return self.rank(event.reached) is None
        rank = self.rank(event.ranking)
        line = event.ranking[rank - 1] if rank else None
        alone = [part.score for part in (line.parts if line else ()) if part.source == "alone"]
        return any(alone)

    def _beams(self, event: Expanded) -> StepReach:
        """The passage in the beams of the last step, else its best candidate that was dropped, else
        whether a candidate has a name of it.
        """
        rank = self.rank(event.passages)
        if rank:
            return self._list("the beams", event.passages, None)
        for number, step in reversed(list(enumerate(event.beams, start=1))):
            ids = self.facts.triple_ids
            if any(ids.intersection(candidate.path) for candidate in step.kept):
                break  # it was kept here, and no beam went on from it
            dropped: list[tuple[float, BeamCandidate | None]] = [
                (candidate.score, candidate)
                for candidate in step.pruned
                if ids.intersection(candidate.path)
            ]
            dropped += [(score, None) for triple, score in step.others if triple in ids]
            if dropped:
                score, candidate = max(dropped, key=lambda pair: pair[0])
                scores = [candidate.score for candidate in (*step.kept, *step.pruned)]
                scores += [other for _, other in step.others]
                place = max(sum(other > score for other in scores), len(step.kept)) + 1
                last = step.kept[-1] if step.kept else None
                list_name = f"step {number} of the beam search"
                return StepReach(
                    "",
                    Reach.TOUCHED,
                    of=list_name,
                    rank=place,
                    cut=len(step.kept),
                    score=score,
                    needed=last.score if last else None,
                    item=candidate,
                    kept=last,
                )
        near = [
            candidate.triple.text
            for step in event.beams
            for candidate in (*step.kept, *step.pruned)
            if self.facts.shares(candidate.triple.subject, candidate.triple.object)
        ]
        total = sum(len(step.kept) + len(step.pruned) for step in event.beams)
        reach = Reach.TOUCHED if near else Reach.ABSENT
        return StepReach("", reach, facts=tuple(dict.fromkeys(near)), total=total)

    # A run that asks several times

    def _of_loop(self) -> Loss:
        """The loss of a method that asks again: in what joins its searches, else in one of them, or
        because no later query came nearer.
        """
        joined = self._of_joined()
        if joined:
            return joined
        cuts = {search: self._pool_size(search) for search in self.trace.searches}
        losses = [self._of_search(search, cuts[search]) for search in self.trace.searches]
        missing = next((loss for loss in losses if loss.cause is Cause.NO_TRIPLE), None)
        furthest = max(losses, key=lambda loss: _is_near(loss))
        if missing and not _is_near(furthest):
            return missing
        if _is_near(furthest) and not self.last("pool"):
            return furthest
        return self._of_queries(losses)

    def _of_joined(self) -> Loss | None:
        """The loss in the ranking that joins the searches; None where it does not have the passage,
        nor should.
        """
        verb = "pool" if self.last("pool") else "fuse"
        event = self.last(verb)
        rank = self.rank(event.reached) if event else None
        having = [search for search in self.trace.searches if self.rank(search.found)]
        best = min(having, key=lambda search: self.rank(search.found) or FAR, default=None)
        if event is None or (rank is None and not (best and self._should_join(best))):
            return None
        before = list(self._trail(best, self._pool_size(best))) if best else []
        if verb == "pool":
            return self._of_pool(event, before)
        shown_step = next((step for step in self.trace.steps if step.verb == "rank"), None)
        if self.last("match"):
            shown_step = next(
                (step for step in reversed(self.trace.steps) if step.verb == "fuse"), shown_step
            )
            before = self._until(best or self.trace.searches[-1])
        before += self._remembered(event)
        if rank is None and best and self.last("match"):
            limit = self.number("hop_k") or self.k
            place = self._list(best.base, best.found, limit)
        else:
            place = self._list(_list_name("rank"), event.listed, self.k)
        if shown_step:
            place = replace(place, iteration=shown_step.iteration, number=shown_step.number)
        step = replace(place, step=shown_step.verb if shown_step else "rank")
        return Loss(Cause.BELOW_CUT, (*before, step))

    def _should_join(self, best: QuerySearch) -> bool:
        """Whether a search has the passage so high that only what joins searches can lose it."""
        rank = self.rank(best.found) or FAR
        if self.last("match"):
            return best is not self.trace.searches[0]
        return not self.last("pool") and rank <= self.k

    def _of_pool(self, pool: Event, before: list[StepReach]) -> Loss:
        """In the pool and too low, not seen or not chosen by the verifier, or promoted too low."""
        place = self._last_list("pool", pool)
        verified = next(
            (event for event in reversed(self.trace) if isinstance(event, Verified)), None
        )
        promoted = self.last("promote")
        if promoted is None or verified is None or not within(place.rank, verified.shown):
            return Loss(Cause.BELOW_CUT, (*before, place))
        step = self._last_list("promote", promoted)
        if self.rank(verified.passages):
            return Loss(Cause.BELOW_CUT, (*before, place, step))
        chosen = StepReach("", Reach.ABSENT, of="what the verifier chose", cut=verified.shown)
        chosen = replace(chosen, rank=place.rank, total=len(verified.passages))
        chosen = replace(chosen, step="promote", iteration=step.iteration, number=step.number)
        return Loss(Cause.PRUNED, (*before, place, chosen))

    def _last_list(self, verb: str, event: Event) -> StepReach:
        number = self.trace.step_of(event)
        place = self._list(_list_name(verb), event.listed, self.k)
        return replace(place, step=verb, iteration=event.iteration, number=number)

    def _until(self, search: QuerySearch) -> list[StepReach]:
        """How hops have the passage before one found it; without extraction where it has no
        triple.
        """
        hops = [hop for hop in self.trace.searches if hop.iteration < search.iteration]
        steps = [step for hop in hops or [search] for step in self._trail(hop, self.k)]
        trail = [step for step in steps if step.step != "extract" or step.present]
        return list(dict.fromkeys(trail))

    def _remembered(self, fused: Event) -> list[StepReach]:
        """Whether the gist memory leads to it: a fact of it is linked to the passage."""
        remembered = [event for event in self.trace if isinstance(event, Remembered)]
        if not remembered:
            return []
        rank = self.rank(fused.listed)
        parts = fused.listed[rank - 1].parts if rank else ()
        facts = [triple.text for event in remembered for triple in event.added]
        names = {f"gist {n}": text for n, text in enumerate(facts, start=1)}
        texts = tuple(names[part.source] for part in parts if part.source in names)
        reach = Reach.TOUCHED if texts else Reach.ABSENT
        number = self.trace.step_of(remembered[-1])
        iteration = remembered[-1].iteration
        return [StepReach("remember", reach, iteration, number, facts=texts, total=len(facts))]

    def _pool_size(self, search: QuerySearch) -> int:
        """How many passages a search brings into what joins them; the first can bring more."""
        pools = [event for event in self.trace if isinstance(event, Pooled)]
        if not pools:
            return self.k
        names = ("pool_k", "first_k") if search == self.trace.searches[0] else ("pool_k",)
        return max(filter(None, map(self.number, names)), default=len(pools[-1].ranking))

    def _of_queries(self, losses: Sequence[Loss]) -> Loss:
        """No search had a start for it: asking again lost it, unless a later query came nearer and
        another one followed; then that search's own step did.
        """
        queries = tuple(
            AskedQuery(
                search.iteration, search.query, self.rank(search.found) or self.rank(search.ranking)
            )
            for search in self.trace.searches
        )
        ranks = [query.rank or FAR for query in queries]
        nearest = ranks.index(min(ranks))
        end = self.trace.end
        limited = end is not None and end.why == "iteration limit"
        last = len(queries) - 1
        if nearest and not (limited and nearest == last):
            return losses[nearest]
        matched = self.last("match") is not None
        if not last and not (self._stopped_short() if matched else not limited):
            return losses[0]
        step = self.last("match", "rewrite", "think")
        number = self.trace.step_of(step) if step else None
        again = StepReach("ask again", Reach.ABSENT, number=number, queries=queries)
        trail = losses[nearest].trail
        return Loss(Cause.RUN_ENDED, (*trail, replace(again, iteration=queries[-1].iteration)))

    def _stopped_short(self) -> bool:
        """Whether the last hop matched what leads to the passage, surely, and no hop followed."""
        event = [event for event in self.trace if isinstance(event, Matched)][-1]
        return self._match(event).present


def _follows(step: Step, search: QuerySearch) -> bool:
    return step.iteration == search.iteration


def _ends(full: str, name: str) -> bool:
    return f".{full}".endswith(f".{name}")


def _is_near(loss: Loss) -> bool:
    """Whether a search came to the passage, or had a way that ended next to it."""
    step = loss.trail[-1]
    far = (Cause.PRUNED, Cause.BELOW_CUT)
    return loss.cause in far or (loss.cause is Cause.NOT_REACHED and step.step == "expand")


def _cause(step: StepReach) -> Cause:
    """The cause, by the step that lost the passage and what it did with it."""
    if step.reach is Reach.LISTED:
        return Cause.BELOW_CUT
    if step.reach is Reach.NOT_JUDGED:
        return Cause.BASE_MISSED
    causes = {
        "extract": Cause.NO_TRIPLE,
        "retrieve": Cause.BASE_MISSED,
        "read": Cause.READ_NOTHING,
        "link": Cause.LINKED_ELSEWHERE,
    }
    dropped = step.score is not None and step.step in ("expand", "match")
    return Cause.PRUNED if dropped else causes.get(step.step, Cause.NOT_REACHED)


def _list_name(verb: str) -> str:
    names = {
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
    return names.get(verb, verb)
