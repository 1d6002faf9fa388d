"""The answer to "why not this passage?": cause, trail, evidence, and what it would have needed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from gear_app.analysis.passage_origin import PassageOrigin
from gear_app.analysis.why_not.facts import NearestEntity, SharedMention
from gear_app.events import BeamCandidate, LinkedPassage
from gear_app.types import NamedPassage


class CauseGroup(StrEnum):
    """What kind of loss a cause is, and how far a passage came that was lost so: 0 nowhere, 3 to
    the cut, 4 it was found.
    """

    reach: int

    def __new__(cls, words: str, reach: int) -> CauseGroup:
        """In these words."""
        group = str.__new__(cls, words)
        group._value_, group.reach = words, reach
        return group

    FOUND = "found", 4
    NOTHING = "nothing to find", 0
    NO_START = "no start", 1
    NO_WAY = "no way to it", 2
    CUT = "reached, then cut", 3
    NOT_ASKED = "not asked again", 1


class Cause(StrEnum):
    """What lost a passage, or FOUND, and the kind of loss that is, in the order of the steps."""

    group: CauseGroup

    def __new__(cls, words: str, group: CauseGroup) -> Cause:
        """In these words."""
        cause = str.__new__(cls, words)
        cause._value_, cause.group = words, group
        return cause

    FOUND = "found", CauseGroup.FOUND
    RUN_ENDED = "run ended", CauseGroup.NOTHING  # before there was a ranking
    NOT_IN_COLLECTION = "not in the collection", CauseGroup.NOTHING
    NO_TRIPLE = "no triple extracted", CauseGroup.NOTHING
    NOT_IN_BASE_RANKING = "not in the base ranking", CauseGroup.NO_START
    READ_GAVE_NOTHING = "read gave nothing", CauseGroup.NO_START
    LINKED_ELSEWHERE = "linked elsewhere", CauseGroup.NO_START
    NO_SEED = "no seed reaches it", CauseGroup.NO_START
    NO_ENTITY_NEAR = "no entity of it near the question", CauseGroup.NO_START
    NOT_A_NEIGHBOUR = "not a neighbour", CauseGroup.NO_WAY
    NO_MATCH = "no match", CauseGroup.NO_WAY
    NO_LINK = "no link reaches it", CauseGroup.NO_WAY
    NO_WAY = "nothing leads to it", CauseGroup.NO_WAY
    PRUNED = "pruned", CauseGroup.CUT
    PROBABILITY_BELOW = "probability below the cut", CauseGroup.CUT
    TERMS_BELOW = "sum below the cut", CauseGroup.CUT
    NOT_PROMOTED = "not promoted", CauseGroup.CUT
    FUSED_BELOW = "fused below the cut", CauseGroup.CUT
    BELOW_CUT = "below the cut", CauseGroup.CUT
    NEVER_ASKED_FOR = "never asked for", CauseGroup.NOT_ASKED
    STOPPED_TOO_EARLY = "stopped too early", CauseGroup.NOT_ASKED


class StepOutcome(StrEnum):
    """What a step did with a passage."""

    PASSED = "passed"
    SKIPPED = "did not bring it in"
    LOST = "lost here"
    NOT_REACHED = "not reached"
    BELOW = "ranked below the cut"


class ListPlace(NamedTuple):
    """Its rank in a list of which the first `cut` go on; None: it is not in it, or, where that is
    `unknown`, not among as many as were looked at.

    `starts`: all of the list goes on, and links start from the first `cut`. `deeper`: the list
    itself ended before it; a search with more candidates has it there.
    """

    of: str
    rank: int | None
    cut: int
    deeper: bool = False
    starts: bool = False
    unknown: bool = False


class ExtractedTriples(NamedTuple):
    """Its triples, as text."""

    triples: tuple[str, ...]


class Leading(NamedTuple):
    """Of so many facts those that lead to it: from it, or with a name of it."""

    number: int
    facts: tuple[str, ...] = ()
    because: str = ""  # what they were linked to instead


class Neighbours(NamedTuple):
    """Why no beam could go on with a triple of it.

    `why` is "far": no name is shared, `nearest` is as near as it came; "short": a beam of the last
    step ends in `shared`; "limit": beams ended in `shared`, and more than the `neighbours` allowed
    were nearer to the query; "same": what it says of `shared` was in a beam, from elsewhere.
    """

    why: Literal["far", "short", "limit", "same"]
    shared: str = ""
    nearest: NearestEntity | None = None


class PrunedCandidate(NamedTuple):
    """A candidate of a step of the beam search that was dropped, and the last that was kept.

    `candidate` None: its beam was kept before, and none of its extensions was. `leads`: it is not
    a triple of the passage, but has a name of it. `place` of `size` candidates of step `step`, from
    1.
    """

    step: int
    place: int
    size: int
    candidate: BeamCandidate | None
    survivor: BeamCandidate | None
    score: float
    leads: bool = False


class AddedTerm(NamedTuple):
    """A part of a score: what it is called, and what it adds."""

    name: str
    value: float


class Margin(NamedTuple):
    """Its score and that of the passage at the cut, each with the terms that are known.

    `holder` is the title of the passage at the cut.
    """

    place: ListPlace
    score: float
    needed: float
    terms: tuple[AddedTerm, ...] = ()
    holder: str = ""
    holder_terms: tuple[AddedTerm, ...] = ()
    link: LinkedPassage | None = None


class Seeds(NamedTuple):
    """The question's entities: as written, and the node or title each was linked to ("": none)."""

    entities: tuple[tuple[str, str], ...]


class Matching(NamedTuple):
    """The best match that leads to it, which was not taken, its score, and the score that is sure.

    `fact` is "" where none of `number` matches leads to it.
    """

    number: int
    fact: str = ""
    score: float = 0.0
    sure: float = 0.0


class MentionReach(NamedTuple):
    """The rarest mention it shares with a start, which more than `limit` passages hold; or none."""

    limit: int
    nearest: SharedMention | None = None


class AskedQuery(NamedTuple):
    """A query of a run, and the passage's rank in what it finds, None where it finds it not."""

    iteration: int
    query: str
    rank: int | None


class Asked(NamedTuple):
    """All queries of the run, and why it ended."""

    queries: tuple[AskedQuery, ...]
    stopped: str = ""
    sentence: str = ""


class PoolVerdict(NamedTuple):
    """Its rank in the pool, how many the verifier saw, how many it chose, and the chain."""

    rank: int
    shown: int
    chosen: int
    chain: tuple[str, ...]


Evidence = (
    ListPlace
    | ExtractedTriples
    | Leading
    | Neighbours
    | PrunedCandidate
    | Margin
    | Seeds
    | Matching
    | MentionReach
    | Asked
    | PoolVerdict
)


@dataclass(frozen=True, slots=True)
class TrailStep:
    """What a step did with the passage; `number` is the step of the timeline that shows it."""

    step: str
    outcome: StepOutcome
    evidence: Evidence | None = None
    iteration: int = 0
    number: int | None = None


class Need(NamedTuple):
    """A rank or a score that would have admitted it: what it is, what it has, and what it takes."""

    what: str
    has: float | None
    needs: float


Claim = Literal["exact", "enough", ""]


class Change(NamedTuple):
    """Another value of one setting; all other settings stay.

    `claim` is what is known of the first of `values` without a run: "enough", with it the passage
    gets past the step that lost it, though less may do; "exact", and with less it does not; "":
    nothing, for other passages move as well. `values` are those that are worth a run, the smallest
    change first.
    """

    setting: str
    was: str
    values: tuple[str, ...]
    claim: Claim = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """What lost a passage: the cause, the trail up to the step, and what it would have needed."""

    cause: Cause
    trail: tuple[TrailStep, ...]
    needs: tuple[Need, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyNot(NamedPassage):
    """Why a run does not have a passage among its first `k`, or what brought it in.

    `rank` is its final one, None where the final ranking has it not. The trail goes on to the end
    of the method; exactly one of its steps is LOST, unless the passage was found. After that step
    it was NOT_REACHED by the others, but a final ranking that goes further down has it BELOW.
    """

    key: str
    title: str
    k: int
    rank: int | None
    cause: Cause
    trail: tuple[TrailStep, ...] = ()
    needs: tuple[Need, ...] = ()
    changes: tuple[Change, ...] = ()
    origin: PassageOrigin | None = None

    @property
    def lost(self) -> TrailStep | None:
        """The first step that lost it."""
        return next((step for step in self.trail if step.outcome is StepOutcome.LOST), None)

    @property
    def deciding_step(self) -> int | None:
        """The step of the timeline that lost it, or that brought it in; None where no step did."""
        if self.lost is not None:
            return self.lost.number
        return self.origin.step if self.origin else None

    @property
    def last_good(self) -> TrailStep | None:
        """The last step that it passed before it was lost."""
        ended = self.trail.index(self.lost) if self.lost else len(self.trail)
        passed = [step for step in self.trail[:ended] if step.outcome is StepOutcome.PASSED]
        return passed[-1] if passed else None
