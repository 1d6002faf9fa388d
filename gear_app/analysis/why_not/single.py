"""Base retrieval alone (bm25, dense, hybrid, weighted), and every search that is nothing more."""

from __future__ import annotations

from gear_app.analysis.rankings import QuerySearch, final
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.cause import Cause
from gear_app.analysis.why_not.model import Change, Claim, ListPlace, Loss, Need, StepOutcome
from gear_app.events import Retrieved


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """It is below the cut, or the ranking does not have it at all."""
    event = next(iter(case.of(search, Retrieved)), None)
    whole = final(case.events) if event and _alone(case, search) else search.found
    rank = case.rank(whole)
    shown = case.margin(search.base, search.ranking, cut, case.rank(search.ranking))
    if rank is not None:
        margin = shown if shown and shown.terms else case.margin(search.base, whole, cut)
        step = case.step("retrieve", StepOutcome.LOST, event, margin)
        return Loss(Cause.BELOW_CUT, (step,), case.needs(margin))
    known = case.deep(search)
    place = ListPlace(search.base, known.rank, cut, known.deeper, unknown=known.unknown)
    step = case.step("retrieve", StepOutcome.LOST, event, place)
    needs = (Need(f"rank in {search.base}", known.rank, cut),)
    return Loss(Cause.NOT_IN_BASE_RANKING, (step,), needs, tuple(deeper_base(case, search)))


def deeper_base(case: LossCase, search: QuerySearch) -> list[Change]:
    """So many passages of the base ranking as would have it, where the run's own ranking goes on to
    it.
    """
    known = case.deep(search)
    if known.rank is None or known.deeper or case.rank(search.ranking):
        return []
    # What a later query finds is another thing once the first brings more.
    claim: Claim = "enough" if search.iteration == 1 else ""
    pooled, rounds = case.setting("pool_k"), case.setting("round_k")
    if pooled:
        return case.at_least("pool_k", known.rank, claim)
    if rounds:
        return case.at_least("round_k", known.rank, claim)
    return []


def _alone(case: LossCase, search: QuerySearch) -> bool:
    """Whether the run is this search and its ranking the final one."""
    return len(case.all(Retrieved)) == 1 and case.setting("pool_k") is None
