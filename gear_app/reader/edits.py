"""A reader whose facts are edited by hand: some it never gives, others in other words, some that it
passed over it takes, and no more proximal triples than so many.

What somebody asks with it: what would the run be without this proximal triple, or this entry of the
gist memory? The reader inside is asked as ever; its reading is edited before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self, cast

from gear_app.errors import BadInput
from gear_app.events import Emit
from gear_app.reader.roles import Reader, ReaderRequest, ReadRequest, Reply
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Reading, ScoreSum

Words = tuple[str, str, str]
Purpose = Literal["sync", "gist"]
BY_HAND = "edited by hand"  # why such a triple is there, in its `why`
MARKED = "marked by hand"  # the same of one that the reader passed over


class ReadingEdit(NamedTuple):
    """A fact that the reader gives, in all readings of one purpose, dropped or replaced.

    Attributes:
        purpose: `sync`: as a proximal triple, where a search starts (GEAR Eq. 1); `gist`: as an
            entry of the gist memory (Eq. 4)
        fact: its subject, predicate and object
        instead: those that take its place; None: it is dropped; its own: it is given also where
            the reader passed it over
    """

    purpose: Purpose
    fact: Words
    instead: Words | None = None

    @classmethod
    def taking(cls, purpose: Purpose, fact: Words) -> Self:
        """The edit by which a fact that the reader passed over is given."""
        return cls(purpose, fact, fact)

    @property
    def takes(self) -> bool:
        """Whether the fact is given as it is, also where the reader passed it over."""
        return self.instead == self.fact

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """The edit that JSON gives as a list. Raises BadInput for anything else."""
        try:
            purpose, fact, instead = row
            if purpose not in ("sync", "gist"):
                raise ValueError(purpose)
            return cls(purpose, _words(fact), None if instead is None else _words(instead))
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"{row!r} is no edit of a reading. It takes 'sync' or 'gist', the three words of a"
                " fact, and the three that take their place or null."
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

    def _edited(self, found: Reading, purpose: Purpose) -> Reading:
        sums: list[list[ScoreSum]] = [[], []]
        kept: list[list[ProximalTriple]] = [[], []]
        replaced = False
        every = [(0, one) for one in found.triples] + [(1, one) for one in found.passed_over]
        for place, (group, triple) in enumerate(every):
            words = triple.words
            edit = self._edits.get((purpose, _same(words)))
            if edit is None or edit.takes:
                taken = group if edit is None else 0
                why = triple.why if taken == group else f"{MARKED}: {triple.why}"
                kept[taken].append(replace(triple, why=why))
                sums[taken] += found.sums[place : place + 1]
            elif edit.instead is not None:
                kept[group].append(ProximalTriple(*edit.instead, why=BY_HAND))
                replaced = True
        most = self._proximal if purpose == "sync" and self._proximal else len(kept[0])
        beyond = (*kept[0][most:], *kept[1])
        # Words that somebody wrote have no sum of a score, and a reading has all of them or none.
        return Reading(tuple(kept[0][:most]), beyond, () if replaced else (*sums[0], *sums[1]))


def _words(row: Sequence[str]) -> Words:
    subject, predicate, object_ = (" ".join(str(part).split()) for part in row)
    if not subject or not object_:
        raise ValueError("a fact has a subject and an object")
    return subject, predicate, object_


def _same(words: Words) -> Words:
    """Equal for facts that say the same, as in the gist memory (retrievers/gear.py)."""
    subject, predicate, object_ = map(normalise_entity, words)
    return subject, predicate, object_
