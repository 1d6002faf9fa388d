"""The questions behind a number of an evaluation, and their runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import (
    NOT_RANKED,
    RANK_BINS,
    bin_name,
    density_groups,
    links,
    recall,
)
from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.question_set import changes, compared
from gear_app.types import Question

OF_PASSAGES = ("cause", "pair")  # whose lists are of passages (evaluate.causes)
KINDS = ("measure", "link", "ranks", "kind", "only", "round", "found", "lost", *OF_PASSAGES)


class Pick(NamedTuple):
    """A number: its kind, what of it, and the method. `measure` with a measure's name, `link` with
    a place in the chain, `ranks` with a bin, `kind` with a type, "3 hops" or how many triples,
    `only` with another method, `round` with an iteration, `found` and `lost` since a set of
    questions was made, `cause` with what lost passages, `pair` with two steps.
    """

    kind: str
    what: str
    method: str

    @classmethod
    def parse(cls, text: str) -> Pick:
        """What `str` wrote. Raises BadInput."""
        parts = text.split("|")
        if len(parts) != len(cls._fields) or parts[0] not in KINDS:
            raise BadInput(f"{text!r} names no number of an evaluation")
        return cls(*parts)

    def __str__(self) -> str:
        """As it stands in an address."""
        return "|".join(self)


@dataclass(frozen=True, slots=True)
class Behind:
    """A question behind a number. `ranks` are of its gold passages, (place, rank); `lost` of them
    are what the number counts as missed. `change` is the recall above the baseline's.
    """

    question: Question
    row: Row
    recall: float
    change: float
    missed: bool
    ranks: tuple[tuple[int, int | None], ...]


def behind(evaluation: Evaluation, pick: Pick, baseline: str, k: int) -> list[Behind]:
    """The questions that a number is over: those that miss something first, the worst before."""
    questions = {one.id: one for one in evaluation.questions}
    usual = {row.id: row.recall[k] for row in evaluation.of(baseline)}
    cut = _number(pick.what.partition("@")[2] or str(k)) if pick.kind == "measure" else k
    chosen = _chosen(evaluation, pick, k)
    found = []
    for row in evaluation.of(pick.method):
        if chosen(questions[row.id], row):
            value = recall(row.ranks, cut)
            change = row.recall[k] - usual.get(row.id, row.recall[k])
            ranks = tuple(enumerate(row.ranks, start=1))
            found.append(Behind(questions[row.id], row, value, change, value < 1, ranks))
    return sorted(found, key=lambda one: (one.recall, one.change))


def _chosen(evaluation: Evaluation, pick: Pick, k: int) -> Callable[[Question, Row], bool]:
    """Whether a question is one of those that a number is about."""
    if pick.kind == "link":
        place = _number(pick.what)
        return lambda question, row: _missed(links(question, row).get(place, 0), k)
    if pick.kind == "ranks":
        low, high = _bin(pick.what)
        return lambda _, row: any(_between(rank, low, high) for rank in row.ranks)
    if pick.kind == "kind":
        groups = density_groups(evaluation)
        return lambda question, _: (
            pick.what in (question.type, f"{question.hops} hops", groups.get(question.id))
        )
    if pick.kind == "only":
        others = {row.id: row.ranks for row in evaluation.of(pick.what)}
        return lambda _, row: (
            row.id in others
            and any(
                not _missed(mine, k) and _missed(its, k)
                for mine, its in zip(row.ranks, others[row.id], strict=True)
            )
        )
    if pick.kind in ("found", "lost"):
        change = (pick.kind == "lost", pick.kind == "found")
        changed = {
            row.id
            for before, row in compared(evaluation, pick.method)
            if change in changes(before, row, k)
        }
        return lambda _, row: row.id in changed
    if pick.kind == "round":
        number = _number(pick.what)
        return lambda _, row: len(row.rounds) >= number
    return lambda *_: True


def _missed(rank: int | None, k: int) -> bool:
    return rank is None or rank > k


def _between(rank: int | None, low: int, high: int | None) -> bool:
    if high is None:
        return rank is None or rank > low
    return rank is not None and low < rank <= high


def _bin(name: str) -> tuple[int, int | None]:
    """The ranks of a bin: above the first and not above the second; None: in no ranking."""
    lows: Sequence[int] = (0, *RANK_BINS)
    for low, high in zip(lows, RANK_BINS, strict=False):
        if name == bin_name(low, high):
            return low, high
    if name == NOT_RANKED:
        return RANK_BINS[-1], None
    raise BadInput(f"{name!r} are no ranks of an evaluation")


def _number(text: str) -> int:
    if not text.isdecimal():
        raise BadInput(f"{text!r} is no number")
    return int(text)
