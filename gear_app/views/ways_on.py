"""What somebody can do where a run ended without an answer: the same question by other methods, or
a triple more.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.rankings import final
from gear_app.events import Event, Reasoned, Thought
from gear_app.retrievers import bases

READING = ("bdtr", "gear")  # over chain the two that find most
LINKS = "chain"  # follows what passages name, where no triple leads on


def unanswered(events: Sequence[Event]) -> bool:
    """Whether the last verdict or thought of a run has no answer; False where there was none."""
    last = next((one for one in reversed(events) if isinstance(one, Reasoned | Thought)), None)
    match last:
        case Reasoned():
            return not last.answerable
        case Thought():
            return not last.answer
        case _:
            return False


def first_passage(events: Sequence[Event]) -> str:
    """The key of the first passage of the final ranking, which may hold a fact that no triple says;
    "" for none.
    """
    return next((one.key for one in final(events)[:1]), "")


def other_methods(method: str) -> list[str]:
    """Methods that may find more than this one did, as they are asked for: chain alone, and this
    one over chain or, where it is that already, another one that reads what chain finds.
    """
    name, *base = method.split(":")
    if name == LINKS:
        return []
    if LINKS in base:
        return [LINKS, next(f"{reads}:{LINKS}" for reads in READING if reads != name)]
    return [LINKS, *([f"{name}:{LINKS}"] if LINKS in bases(name) else [])]
