"""The causes for which a run does not have a passage among its first, in the order of the steps;
cause.py decides which it is.
"""

from __future__ import annotations

from enum import StrEnum


class CauseGroup(StrEnum):
    """What kind of loss a cause is."""

    FOUND = "found"
    NOTHING = "nothing to find"
    NO_START = "no start"
    NO_WAY = "no way to it"
    CUT = "reached, then cut"
    NOT_ASKED = "not asked again"

    @property
    def reach(self) -> int:
        """How far a passage came that was lost so: 0 nowhere, 3 to the cut, 4 it was found."""
        return _REACH[self]


_REACH = {
    CauseGroup.NOTHING: 0,
    CauseGroup.NOT_ASKED: 1,
    CauseGroup.NO_START: 1,
    CauseGroup.NO_WAY: 2,
    CauseGroup.CUT: 3,
    CauseGroup.FOUND: 4,
}


class Cause(StrEnum):
    """What lost a passage, or FOUND. The order is that of the steps."""

    FOUND = "found"
    RUN_ENDED = "run ended"  # before there was a ranking
    NOT_IN_COLLECTION = "not in the collection"
    NO_TRIPLE = "no triple extracted"
    NOT_IN_BASE_RANKING = "not in the base ranking"
    READ_GAVE_NOTHING = "read gave nothing"
    LINKED_ELSEWHERE = "linked elsewhere"
    NO_SEED = "no seed reaches it"
    NOT_A_NEIGHBOUR = "not a neighbour"
    NO_MATCH = "no match"
    NO_LINK = "no link reaches it"
    NO_WAY = "nothing leads to it"
    PRUNED = "pruned"
    PROBABILITY_BELOW = "probability below the cut"
    TERMS_BELOW = "sum below the cut"
    NOT_PROMOTED = "not promoted"
    FUSED_BELOW = "fused below the cut"
    BELOW_CUT = "below the cut"
    NEVER_ASKED_FOR = "never asked for"
    STOPPED_TOO_EARLY = "stopped too early"

    @property
    def group(self) -> CauseGroup:
        """What kind of loss it is."""
        return _GROUPS[self]


_GROUPS = {
    Cause.FOUND: CauseGroup.FOUND,
    Cause.RUN_ENDED: CauseGroup.NOTHING,
    Cause.NOT_IN_COLLECTION: CauseGroup.NOTHING,
    Cause.NO_TRIPLE: CauseGroup.NOTHING,
    Cause.NOT_IN_BASE_RANKING: CauseGroup.NO_START,
    Cause.READ_GAVE_NOTHING: CauseGroup.NO_START,
    Cause.LINKED_ELSEWHERE: CauseGroup.NO_START,
    Cause.NO_SEED: CauseGroup.NO_START,
    Cause.NOT_A_NEIGHBOUR: CauseGroup.NO_WAY,
    Cause.NO_MATCH: CauseGroup.NO_WAY,
    Cause.NO_LINK: CauseGroup.NO_WAY,
    Cause.NO_WAY: CauseGroup.NO_WAY,
    Cause.PRUNED: CauseGroup.CUT,
    Cause.PROBABILITY_BELOW: CauseGroup.CUT,
    Cause.TERMS_BELOW: CauseGroup.CUT,
    Cause.NOT_PROMOTED: CauseGroup.CUT,
    Cause.FUSED_BELOW: CauseGroup.CUT,
    Cause.BELOW_CUT: CauseGroup.CUT,
    Cause.NEVER_ASKED_FOR: CauseGroup.NOT_ASKED,
    Cause.STOPPED_TOO_EARLY: CauseGroup.NOT_ASKED,
}
