"""Why not this passage: the first step of a run that lost it, the evidence, and what it would have
needed. Pure: events and a few facts in, values out.
"""

from gear_app.analysis.why_not.cause import STEPS, why_not
from gear_app.analysis.why_not.facts import DeepRank, NearestEntity, PassageFacts, SharedMention
from gear_app.analysis.why_not.model import (
    Cause,
    CauseGroup,
    Change,
    Need,
    StepOutcome,
    TrailStep,
    WhyNot,
)

__all__ = [
    "STEPS",
    "Cause",
    "CauseGroup",
    "Change",
    "DeepRank",
    "NearestEntity",
    "Need",
    "PassageFacts",
    "SharedMention",
    "StepOutcome",
    "TrailStep",
    "WhyNot",
    "why_not",
]
