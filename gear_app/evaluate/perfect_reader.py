"""What one simple way to search finds that knows all answers: a question's published steps, each
with the answers of those before put in, searched for one by one. A method can find more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from gear_app.retrievers.base import Base, BaseQuery
from gear_app.retrievers.lookup import DEPTH
from gear_app.steps.fuse import interleaved
from gear_app.types import Hop

_REFERENCE = re.compile(r"#(\d+)")


def searches(decomposition: Sequence[Hop]) -> list[str]:
    """The question of every hop, "#2" replaced by the second hop's answer; a number that no hop
    has stays.
    """

    def answer(match: re.Match[str]) -> str:
        number = int(match[1])
        return decomposition[number - 1].answer if 0 < number <= len(decomposition) else match[0]

    return [_REFERENCE.sub(answer, hop.question) for hop in decomposition]


def in_turn(rankings: Sequence[Sequence[str]]) -> list[str]:
    """The same of the searches' rankings by key, as they are kept: each passage once."""
    turns = zip_longest(*rankings)
    return list(dict.fromkeys(key for turn in turns for key in turn if key is not None))


def ranking(base: Base, decomposition: Sequence[Hop]) -> list[int]:
    """The ids of the passages that a reader would have seen, knowing all answers: the first of
    every search, then the second of every one.
    """
    found = base.search([BaseQuery(text, DEPTH) for text in searches(decomposition)])
    in_turn, _ = interleaved({str(hop): one.ranking for hop, one in enumerate(found, start=1)})
    return list(in_turn.ids)
