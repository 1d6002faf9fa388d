"""A reader whose facts are edited by hand: some it never gives, some that it passed over it takes,
and no more proximal triples than so many.

For a what-if: the run without this proximal triple, or this entry of the gist memory. The reader
inside is asked as ever; its reading is edited before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self, cast

from gear_app.core.errors import BadInput
from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple, Reading, ScoreSum
from gear_app.models.reader.roles import Reader, ReaderRequest, ReadRequest, Reply
from gear_app.trace.events import Emit

Words = tuple[str, str, str]
Purpose = Literal["sync", "gist"]
MARKED = "marked by hand"  # in the `why` of a triple that the reader passed over


class ReadingEdit(NamedTuple):
    """A fact that is dropped from all readings of one purpose, or taken in all that have it."""

    purpose: Purpose  # `sync`: where a search starts (GEAR Eq. 1); `gist`: to remember (Eq. 4)
    fact: Words  # its subject, predicate and object
    taken: bool = False  # given also where the reader passed it over; else dropped

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """The edit that JSON gives as a list. Raises BadInput for anything else."""
        try:
            purpose, fact, replaced = row
            if purpose not in ("sync", "gist") or not isinstance(replaced, bool):
                raise ValueError(row)
            return cls(purpose, _words(fact), replaced)
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"{row!r} is no edit of a reading. It takes 'sync' or 'gist', the three words of a"
                " fact, and true for one that is taken or false for one that is dropped."
            ) from error


def edits_of(options: Mapping[str, Any]) -> tuple[ReadingEdit, ...]:
    """The edits among a run's options. Raises BadInput where they are none."""
    return tuple(ReadingEdit.of(row) for row in options.get("edits", ()))


def edited(reader: Reader, options: Mapping[str, Any]) -> Reader:
    """The reader as a run's options edit what it reads; the same one where they do not."""
    edits, most = edits_of(options), int(options.get("proximal", 0))
    return EditedReader(reader, edits, most) if edits or most else reader


class EditedReader:
    """A reader that gives its facts with edits (reader.roles.Reader)."""

    def __init__(
        self, reader: Reader, edits: Collection[ReadingEdit] = (), proximal: int = 0
    ) -> None:
        """Of two edits of one fact the last counts. `proximal`: how many proximal triples a reading
        has at most; 0 sets no limit.
        """
        self._reader, self._proximal = reader, proximal
        self._edits = {(edit.purpose, _same(edit.fact)): edit for edit in edits}

    @property
    def name(self) -> str:
        """That of the reader inside."""
        return self._reader.name

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """As the reader inside; a reading edited: a fact that is dropped is not passed over either,
        a proximal triple beyond the limit is, and a marked one comes after those that the reader
        took.
        """
        reply = self._reader.ask(request, emit)
        if isinstance(request, ReadRequest) and isinstance(reply, Reading):
            purpose: Purpose = "sync" if request.memory is None else "gist"
            return cast(Reply, self._edited(reply, purpose))
        return reply

    def _edited(self, reading: Reading, purpose: Purpose) -> Reading:
        sums: list[list[ScoreSum]] = [[], []]
        groups: list[list[ProximalTriple]] = [[], []]
        every = [(0, triple) for triple in reading.triples] + [
            (1, triple) for triple in reading.passed_over
        ]
        for place, (group, triple) in enumerate(every):
            edit = self._edits.get((purpose, _same(triple.words)))
            if edit is None or edit.taken:
                group_after = group if edit is None else 0
                reason = triple.why if group_after == group else f"{MARKED}: {triple.why}"
                groups[group_after].append(replace(triple, why=reason))
                sums[group_after] += reading.sums[place : place + 1]
        most = self._proximal if purpose == "sync" and self._proximal else len(groups[0])
        beyond = (*groups[0][most:], *groups[1])
        return Reading(tuple(groups[0][:most]), beyond, (*sums[0], *sums[1]))


def _words(row: Sequence[str]) -> Words:
    subject, predicate, object_ = (" ".join(str(part).split()) for part in row)
    if not subject or not object_:
        raise ValueError("a fact has a subject and an object")
    return subject, predicate, object_


def _same(words: Words) -> Words:
    """Equal for facts that say the same, as in the gist memory (methods/gear.py)."""
    subject, predicate, object_ = map(normalise_entity, words)
    return subject, predicate, object_
