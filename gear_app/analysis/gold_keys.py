"""Gold passages, by key.

Where a document was cut by us, gold names the document, "id", and its parts "id#1", "id#2", … stand
for it: the best one counts (DESIGN §4).
"""

from __future__ import annotations

import re

_PART = re.compile(r"(.+)#[1-9]\d*", re.DOTALL)


def whole(key: str) -> str:
    """The key of the document that a part was cut from; any other key as it is."""
    part = _PART.fullmatch(key)
    return part[1] if part else key


def stands_for(key: str, gold: str) -> bool:
    """Whether a passage is the gold one of this key, or a part of it."""
    return key == gold or whole(key) == gold


class Gold(tuple[str, ...]):
    """The gold keys of a run, in order; a passage is in it by its own key or as a part."""

    __slots__ = ()

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (
            isinstance(key, str) and super().__contains__(whole(key))
        )
