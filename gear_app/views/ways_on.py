"""What somebody can do where a run ended without an answer: the same question by other methods, or
a triple more.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.answer_source import unsure_facts
from gear_app.analysis.rankings import final
from gear_app.events import Event
from gear_app.reader.linked_facts import MAY_BE
from gear_app.retrievers import bases
from gear_app.types import ProximalTriple

READING = ("bdtr", "gear")  # over chain the two that find most
LINKS = "chain"  # follows what passages name, where no triple leads on
NEAREST = 3  # facts that were not sure enough


def first_passage(events: Sequence[Event]) -> str:
    """The key of the first passage of the final ranking, which may hold a fact that no triple says;
    "" for none.
    """
    return next((one.key for one in final(events)[:1]), "")


def nearest_facts(events: Sequence[Event]) -> list[ProximalTriple]:
    """The stored facts nearest to the question that the last reading for the gist memory that left
    any did not take, best first; guesses are none.
    """
    left = unsure_facts(events)
    told = [fact for fact in left if fact.triple_id is not None and fact.predicate != MAY_BE]
    return told[:NEAREST]


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
