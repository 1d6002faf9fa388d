"""The gist memory G(n): an array of proximal triples that grows by concatenation (GEAR Eq. 5).

Ours: exact repeats are not appended, since each would add a list to Eq. 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple


class Memory(NamedTuple):
    """The memory after an iteration, what the iteration added to it and what it only repeated."""

    triples: tuple[ProximalTriple, ...]
    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]


def remember(memory: Sequence[ProximalTriple], triples: Sequence[ProximalTriple]) -> Memory:
    """Append the triples that are new; two are the same when their normalised words are equal."""
    known = {_fact(triple) for triple in memory}
    added: list[ProximalTriple] = []
    repeated: list[ProximalTriple] = []
    for triple in triples:
        group = repeated if _fact(triple) in known else added
        group.append(triple)
        known.add(_fact(triple))
    return Memory((*memory, *added), tuple(added), tuple(repeated))


def _fact(triple: ProximalTriple) -> tuple[str, ...]:
    return tuple(normalise_entity(part) for part in triple.words)
