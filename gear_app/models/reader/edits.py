"""A reader some of whose facts are dropped by hand, and which has a limit of proximal triples.

For a what-if: the run without this proximal triple, or this entry of the gist memory. The reader
inside is asked as ever; its reading is edited before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import compress
from typing import Any, Literal, NamedTuple, cast

from gear_app.core.text import normalise_entity
from gear_app.core.types import Reading
from gear_app.models.reader.roles import READ, Reader, ReaderRequest, Reply
from gear_app.trace.events import Emit

Words = tuple[str, str, str]
Purpose = Literal["sync", "gist"]


class ReadingEdit(NamedTuple):
    """A fact that is dropped from all readings of one purpose."""

    purpose: Purpose  # `sync`: where a search starts (GEAR Eq. 1); `gist`: to remember (Eq. 4)
    fact: Words  # its subject, predicate and object


def edits_of(options: Mapping[str, Any]) -> tuple[ReadingEdit, ...]:
    """The edits among a run's options."""
    return tuple(ReadingEdit(purpose, tuple(fact)) for purpose, fact in options.get("edits", ()))


def edited(reader: Reader, options: Mapping[str, Any]) -> Reader:
    """The reader as a run's options edit what it reads; the same one where they do not."""
    edits, most = edits_of(options), int(options.get("proximal", 0))
    return EditedReader(reader, edits, most) if edits or most else reader


class EditedReader:
    """A reader that gives its facts with edits (reader.roles.Reader)."""

    def __init__(self, reader: Reader, edits: Collection[ReadingEdit], proximal: int) -> None:
        """`proximal`: how many proximal triples a reading has at most; 0 sets no limit."""
        self._reader, self._proximal, self.name = reader, proximal, reader.name
        self._dropped = {(edit.purpose, _normalised(edit.fact)) for edit in edits}

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The reply of the reader inside; of a reading without the facts that are dropped, which
        are not passed over either. A proximal triple beyond the limit is.
        """
        reply = self._reader.ask(request, emit)
        if isinstance(reply, Reading):
            return cast(Reply, self._edited(reply, "sync" if request.asks is READ else "gist"))
        return reply

    def _edited(self, reading: Reading, purpose: Purpose) -> Reading:
        triples = (*reading.triples, *reading.passed_over)
        stays = [(purpose, _normalised(fact.words)) not in self._dropped for fact in triples]
        most = sum(stays[: len(reading.triples)])
        if purpose == "sync" and self._proximal:
            most = min(most, self._proximal)
        rest = tuple(compress(triples, stays))
        return Reading(rest[:most], rest[most:], tuple(compress(reading.sums, stays)))


def _normalised(fact: Words) -> Words:
    """Equal for facts that say the same, as in the gist memory (methods/gear.py)."""
    subject, predicate, object_ = map(normalise_entity, fact)
    return subject, predicate, object_
