"""Methods that ask again: GEAR and those over a pool (IRCoT, BDTR, …). Which search came nearest,
and what the loop did with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gear_app.analysis.rankings import QuerySearch, searches
from gear_app.analysis.why_not.case import FEW, LossCase
from gear_app.analysis.why_not.model import (
    Asked,
    AskedQuery,
    Cause,
    CauseGroup,
    Change,
    Leading,
    ListPlace,
    Loss,
    Need,
    PoolVerdict,
    StepOutcome,
    TrailStep,
)
from gear_app.config import FUSION_CONSTANTS
from gear_app.events import Chained, Event, Pooled, Ranked, Remembered, Stopped, Verified

SearchLoss = Callable[[LossCase, QuerySearch, int], Loss]
_FAR = 10**9  # the rank of what is in no list


def asked(case: LossCase, made: Sequence[QuerySearch]) -> Asked:
    """All queries with the passage's rank in what each finds, and why the run ended."""
    end = next((event for event in reversed(case.events) if isinstance(event, Stopped)), None)
    queries = tuple(AskedQuery(one.iteration, one.query, _rank(case, one)) for one in made)
    return Asked(queries, end.why if end else "", end.sentence if end else "")


def gear_loss(case: LossCase, of_search: SearchLoss) -> Loss:
    """Eq. 9 has it too low, or no search came to it: the furthest one decides, of equals the first.

    Where none had a start for it, what the loop asked decides (`_unasked`).
    """
    fused = case.last("fuse")
    # What merely follows a short ranking was found by no round.
    if fused and case.rank(fused.reached) is not None:
        margin = case.margin("the final ranking", fused.listed, case.k)
        found = [one for one in searches(case.events) if case.rank(one.found)]
        best = min(found, key=lambda one: case.rank(one.found) or _FAR, default=None)
        trail: list[TrailStep] = []
        if best:
            trail = list(of_search(case, best, case.k).trail)
            trail[-1] = _passed(trail[-1])
        trail += _remembered(case, fused)
        # That fusion is no step of the run by itself; the final ranking, which shows it, is.
        ranked = next(iter(case.all(Ranked)), fused)
        step = case.lost("rank", ranked, margin)
        changes = (
            *(case.others("wait_for_memory", ("False",)) if _left_out(case, fused) else ()),
            *case.others("fusion", ("interleaved", "gist_first")),
            *case.others("fusion_constant", FUSION_CONSTANTS),
            *_links(case),
        )
        return Loss(Cause.FUSED_BELOW, (*trail, step), case.needs(margin), changes)
    made = searches(case.events)
    if fused and (left_out := _left_out(case, fused)):
        return _not_counted(case, left_out[0], of_search)
    losses = [of_search(case, one, case.k) for one in made]
    furthest = max(losses, key=lambda loss: loss.cause.group.reach)
    if furthest.cause.group is not CauseGroup.NO_START:
        return furthest
    return _unasked(case, made, losses)


def _left_out(case: LossCase, fused: Event) -> list[QuerySearch]:
    """The rounds that found it, and were not fused in the end."""
    return [
        one
        for one in searches(case.events)
        if f"iteration {one.iteration}" not in getattr(fused, "lists", ())
        and (case.rank(one.found) or _FAR) <= case.k
    ]


def _not_counted(case: LossCase, search: QuerySearch, of_search: SearchLoss) -> Loss:
    """A round found it, and while nothing is remembered only the first one counts."""
    trail = list(of_search(case, search, case.k).trail)
    trail[-1] = _passed(trail[-1])
    ranked = next(iter(case.all(Ranked)), None)
    place = ListPlace("the final ranking", None, case.k)
    step = case.lost("rank", ranked, place)
    needs = (Need("facts in the memory", 0, 1),)
    changes = tuple(case.others("wait_for_memory", ("False",)))
    return Loss(Cause.FUSED_BELOW, (*trail, step), needs, changes)


def pool_loss(case: LossCase, of_search: SearchLoss) -> Loss:
    """In the pool and too low, not promoted, or in no query's first passages."""
    pool = case.all(Pooled)[-1]
    rank = case.rank(pool.reached)
    made = searches(case.events)
    if rank is None:
        losses = [of_search(case, one, _brought(case, made, one)) for one in made]
        missing = next((one for one in losses if one.cause is Cause.NO_TRIPLE), None)
        return missing or _unasked(case, made, losses)
    best = min(made, key=lambda one: _rank(case, one) or _FAR)
    cut = _brought(case, made, best)
    trail = [_passed(step) for step in of_search(case, best, cut).trail]
    place = ListPlace(best.base, _rank(case, best), cut)
    trail[-1] = replace(trail[-1], evidence=place)
    promoted = case.last("promote")
    margin = case.margin("the pool", pool.ranking, case.k, rank)
    if promoted is None:
        step = case.lost("pool", pool, margin)
        return Loss(Cause.FUSED_BELOW, (*trail, step), case.needs(margin), tuple(_more(case)))
    trail.append(case.passed("pool", pool, margin))
    verified = next(iter(case.all(Verified)), None)
    if verified and case.rank(verified.passages):
        after = case.margin("the promoted pool", promoted.listed, case.k)
        step = case.lost("promote", promoted, after)
        return Loss(Cause.FUSED_BELOW, (*trail, step), case.needs(after))
    if verified is None or rank > verified.shown:
        trail[-1] = replace(trail[-1], outcome=StepOutcome.LOST)
        changes = case.at_least("verify_k", rank, "exact") if verified else []
        return Loss(Cause.FUSED_BELOW, tuple(trail), case.needs(margin), tuple(changes))
    chained = case.all(Chained)
    chain = chained[-1].nodes if chained else ()
    verdict = PoolVerdict(rank, verified.shown, len(verified.passages), chain)
    step = case.lost("promote", promoted, verdict)
    return Loss(
        Cause.NOT_PROMOTED,
        (*trail, step),
        (Need("rank in the pool", rank, case.k),),
        tuple(_more(case)),
    )


def _unasked(case: LossCase, made: Sequence[QuerySearch], losses: Sequence[Loss]) -> Loss:
    """No search had a start for it.

    One query and a loop that could have gone on: stopped too early. Of several none after the first
    came nearer, by the rank of the passage in what each finds: never asked for. The last came
    nearest and the limit ended the run: stopped too early. Else the nearest search's own loss.
    """
    ranks = [_rank(case, one) or _FAR for one in made]
    nearest = min(range(len(made)), key=lambda n: ranks[n])
    end = next((event for event in reversed(case.events) if isinstance(event, Stopped)), None)
    limit = next(filter(None, map(case.setting, ("max_iterations", "rounds"))), None)
    ended_by_limit = end is not None and end.why == "iteration limit"
    more = (
        tuple(case.at_least(limit.name, limit.number + 1, values=FEW))
        if limit and ended_by_limit
        else ()
    )
    if len(made) == 1 and not ended_by_limit and end is not None:
        return _at_loop(case, Cause.STOPPED_TOO_EARLY, made, losses[0], end, ())
    if len(made) > 1 and ranks[nearest] == ranks[0]:
        return _at_loop(
            case, Cause.NEVER_ASKED_FOR, made, losses[0], case.last("rewrite", "think"), more
        )
    if len(made) > 1 and nearest == len(made) - 1 and ended_by_limit:
        return _at_loop(case, Cause.STOPPED_TOO_EARLY, made, losses[nearest], end, more)
    return losses[nearest]


def _at_loop(
    case: LossCase,
    cause: Cause,
    made: Sequence[QuerySearch],
    found: Loss,
    event: Event | None,
    changes: tuple[Change, ...],
) -> Loss:
    """Asking again lost it; what a search's own step did not bring in is no loss yet."""
    trail = [
        replace(step, outcome=StepOutcome.SKIPPED) if step.outcome is StepOutcome.LOST else step
        for step in found.trail
    ]
    step = case.lost("ask again", event, asked(case, made))
    ranks = [one.rank for one in asked(case, made).queries if one.rank is not None]
    best = min(ranks, default=None)
    cut = len(made[0].ranking)
    needs = (Need("rank in what a query finds", best, cut),)
    return Loss(cause, (*trail, step), needs, (*changes, *found.changes))


def _rank(case: LossCase, search: QuerySearch) -> int | None:
    """Its rank in what a search ended with, else in what it began with, as deep as is known."""
    return case.rank(search.found) or case.deep(search).rank


def _brought(case: LossCase, made: Sequence[QuerySearch], search: QuerySearch) -> int:
    """How many passages a search brings into the pool; that of the question can bring more."""
    names = ("pool_k", "first_k") if search is made[0] else ("pool_k",)
    limits = [one.number for one in map(case.setting, names) if one]
    return max(limits, default=len(case.all(Pooled)[-1].ranking))


def _passed(step: TrailStep) -> TrailStep:
    return replace(step, outcome=StepOutcome.PASSED) if step.outcome is StepOutcome.LOST else step


def _remembered(case: LossCase, fused: Event) -> list[TrailStep]:
    """Whether the gist memory leads to it: a fact of it is linked to the passage."""
    remembered = case.all(Remembered)
    if not remembered:
        return []
    mine = [line for line in fused.listed if case.is_own(line)]
    linked = [part for line in mine for part in line.parts if part.source.startswith("gist")]
    facts = [triple for event in remembered for triple in event.added]
    names = {f"gist {n}": triple.text for n, triple in enumerate(facts, start=1)}
    texts = tuple(names.get(part.source, part.source) for part in linked)
    return [case.passed("remember", remembered[-1], Leading(len(facts), texts), by=linked)]


def _links(case: LossCase) -> list[Change]:
    limit = case.setting("link_k")
    return case.others("link_k", (limit.number * 2, limit.number // 2)) if limit else []


def _more(case: LossCase) -> list[Change]:
    """More rounds; nothing is known of them without a run."""
    for name in ("max_iterations", "rounds"):
        limit = case.setting(name)
        if limit:
            return case.others(limit.name, (limit.number + 1, limit.number - 1 or limit.number))
    return []
