"""Methods that order passages anew after one search, as walks over entities and passages do."""

from __future__ import annotations

from collections.abc import Mapping

from gear_app.analysis.rankings import QuerySearch
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.model import Cause, ListPlace, Loss, Need
from gear_app.events import Reranked

SETTINGS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "visit": {
        "facts": (10, 3, 1),
        "filter": ("none", "reader"),
        "delta": (0.2, 0.1, 0.5),
        "sentences": (4,),
        "passage_share": (0.0, 0.5),
        "restart": (0.3, 0.7),
    },
    "open": {"layers": (1,), "membership": (0.01, 0.5), "clusters": (5, 100)},
    "vote": {"voters": (50, 10, 5), "threshold": (0.9,), "synonymy": (False, True)},
    "gather": {"entities": (20, 50, 5, 3, 1)},
    "rerank": {"judged": (50, 10, 5)},
}
"""By the verb of the step: what of a run's settings may be worth a run, in this order."""
CAUSES = {
    "visit": Cause.PROBABILITY_BELOW,
    "vote": Cause.TERMS_BELOW,
    "gather": Cause.BELOW_CUT,
    "open": Cause.BELOW_CUT,
    "rerank": Cause.TERMS_BELOW,
}
UNREACHED = {"gather": Cause.NO_ENTITY_NEAR}  # else nothing leads to it
LISTS = {
    "visit": "the walk",
    "vote": "the votes",
    "gather": "the entities' passages",
    "open": "the tree",
    "rerank": "the reranker",
}


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """It scores less than others, or nothing leads to it."""
    during = case.events[search.start : search.stop]
    event = next(one for one in reversed(during) if one.is_of(*SETTINGS))
    verb = event.verb
    margin = case.margin(LISTS[verb], event.listed, cut)
    reached = case.rank(event.reached) is not None
    if isinstance(event, Reranked) and not reached:
        return _not_judged(case, search, event)
    evidence = margin if reached and margin else ListPlace(LISTS[verb], None, cut)
    trail = case.retrieve(search), case.lost(verb, event, evidence)
    changes = [
        change for name, values in SETTINGS[verb].items() for change in case.others(name, values)
    ]
    cause = CAUSES[verb] if reached else UNREACHED.get(verb, Cause.NO_WAY)
    return Loss(cause, trail, case.needs(margin), tuple(changes))


def _not_judged(case: LossCase, search: QuerySearch, event: Reranked) -> Loss:
    """It was not among the first of the method below."""
    of, judged = event.of, len(event.reached)
    rank = case.rank(event.listed)  # what was not judged follows as it was
    step = case.lost("rerank", event, ListPlace(of, rank, judged, unknown=rank is None))
    needs = (Need(f"rank in {of}", rank, judged),)
    changes = case.at_least("judged", rank) if rank else []
    return Loss(Cause.NOT_IN_BASE_RANKING, (case.retrieve(search), step), needs, tuple(changes))
