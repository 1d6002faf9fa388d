"""Chain: the base's rank, the links, and the terms that are added up."""

from __future__ import annotations

from gear_app.analysis.metrics import stands_for
from gear_app.analysis.rankings import QuerySearch, rank_before_links
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.model import (
    Cause,
    Change,
    ListPlace,
    Loss,
    MentionReach,
    TrailStep,
)
from gear_app.events import Followed, LinkedPassage
from gear_app.rows import HubLimit

FEWEST, SHARE = HubLimit().fewest, HubLimit().share


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """No link reaches it, or its terms add up to less than those of others."""
    rounds = case.of(search, Followed)
    last = rounds[-1]
    retrieve = _retrieve(case, search, rounds)
    margin = case.margin("the sum of terms", last.ranking, cut)
    if _linked(case, search, rounds) is False:
        shared = case.facts.shared.get(search.query, ())
        beyond = next((one for one in shared if one.holders > last.limit), None)
        evidence = MentionReach(last.limit, beyond)
        step = case.lost("follow", last, evidence)
        changes = _more_holders(case, evidence) + _more_starts(case)
        return Loss(Cause.NO_LINK, (retrieve, step), case.needs(margin), tuple(changes))
    if margin:
        margin = margin._replace(link=_link(case, rounds))
    place = ListPlace("the sum of terms", None, cut)
    step = case.lost("follow", last, margin or place)
    changes = _more_starts(case)
    return Loss(Cause.TERMS_BELOW, (retrieve, step), case.needs(margin), tuple(changes))


def _retrieve(case: LossCase, search: QuerySearch, rounds: list[Followed]) -> TrailStep:
    """Whether the ranking before any link has it; the run may tell that in the terms alone. Under
    other methods the search began with what links had made of it.
    """
    step, base = case.retrieve(search), rounds[-1].base
    listed = case.rank(search.ranking)
    if listed and search.base != base:
        return step
    rank = listed or rank_before_links(case.key, rounds[-1])
    if rank is None:
        return step
    place = ListPlace(base, rank, len(rounds[0].starts), starts=True)
    return case.passed("retrieve", case.events[search.start], place)


def _linked(case: LossCase, search: QuerySearch, rounds: list[Followed]) -> bool | None:
    """Whether a link reaches it: a link that an event has, the term `alone`, or a mention shared
    with a start. None where nothing tells.
    """
    if _link(case, rounds):
        return True
    lines = (one for one in reversed(rounds[-1].ranking) if case.is_own(one))
    alone = [part.score for one in lines for part in one.parts if part.source == "alone"]
    if alone:
        return not alone[0]
    if case.rank(rounds[-1].ranking) is None:
        return False  # the ranking goes down to the last passage that a link reaches
    shared = case.facts.shared.get(search.query)
    if shared is None:
        return None
    return any(2 <= one.holders <= rounds[-1].limit for one in shared)


def _link(case: LossCase, rounds: list[Followed]) -> LinkedPassage | None:
    """The best link into it, of the latest round that has one."""
    for event in reversed(rounds):
        ids = {one.id for one in event.ranking if stands_for(one.key, case.key)}
        for link in event.links:
            if link.id in ids:
                return link
    return None


def _more_holders(case: LossCase, evidence: MentionReach) -> list[Change]:
    """As many holders as its rarest mention has, where a collection of this size allows so many."""
    shared = evidence.nearest
    if shared is None or shared.holders > max(FEWEST, SHARE * shared.size):
        return []
    return case.at_least("most_holders", shared.holders)


def _more_starts(case: LossCase) -> list[Change]:
    rounds = case.setting("link_rounds")
    more_rounds = case.others("link_rounds", (rounds.number + 1,)) if rounds else []
    return case.more("starts") + more_rounds
