"""The questions behind a number of an evaluation, and the runs that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis.rankings import within
from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import (
    NOT_RANKED,
    RANK_BINS,
    all_recall,
    bin_name,
    density_groups,
    links,
    ranks_after,
    recall,
    tokens_after,
)
from gear_app.evaluate.configurations import with_values
from gear_app.evaluate.evaluation import PERFECT, Evaluation, Row
from gear_app.evaluate.question_set import changes, compared
from gear_app.evaluate.run_facts import FIRST, Ranks
from gear_app.text import cut, whole_number
from gear_app.types import Question

OF_PASSAGES = ("cause", "missed", "pair", "fate")  # lists of passages (evaluate.causes)
TOOK = ("took", "tokens")  # what a run took: the most first
KINDS = (
    *("measure", "over", "share", "setting", "round", "asking", *TOOK),
    *("link", "ranks", "kind", "only", "both", "neither"),
    *("before", "after", "found", "lost", *OF_PASSAGES),
)
ALL_METHODS = ""


class Pick(NamedTuple):
    """A number: its kind, what of it, and the method, which may be the perfect reader.

    `measure` with a measure's name; `over` with a cut-off and the method that it is compared with;
    `share` of the way to the perfect reader; `setting`, as "width=5", of all methods that have it.
    `round`, `asking` and `tokens` with an iteration: recall after it, who makes it, what was taken
    until then, in all or "given" or "written". `took` with a field of a summary. `link` with a
    place in the chain, `ranks` with a bin, `kind` with a type, "3 hops" or how many triples.
    `only`, `both` and `neither` with another method. `before` and `after` (with "all": of questions
    with all their gold), `found` and `lost`: of a set of questions since it was made. Of passages:
    `cause` and `group` with what lost them, all `missed`, `pair` with two steps, `fate` with a
    cause, what became of it and the other method.
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
    """A question behind a number. `value` is its own part in the number, `change` how far that is
    above the baseline's, or above what the number is compared with. `ranks` are those of its gold
    passages by key, at that time; `missed`: not all were among the first k. `decided_by` is the
    gold passage that decided about it: the first that is missed, else the one that came in lowest.
    """

    question: Question
    row: Row
    value: float
    change: float
    missed: bool
    ranks: tuple[tuple[str, int | None], ...]
    decided_by: str

    def run_of(self, key: str) -> str:
        """The run that found or missed a gold passage; a perfect reader has one for every link."""
        links = [hop.supporting_key for hop in self.question.decomposition]
        if self.row.searches and key in links:
            return self.row.searches[links.index(key)]
        return self.row.run


def behind(evaluation: Evaluation, pick: Pick, baseline: str, k: int) -> list[Behind]:
    """The questions that a number is over, the worst first, of what was taken the most. Raises
    BadInput where the evaluation has no such number.
    """
    questions = {one.id: one for one in evaluation.questions}
    source = _source(evaluation, pick, baseline, k)
    found = []
    for row in source.rows:
        value, ranks = source.value(row), source.ranks(row)
        if value is not None:
            change = value - source.against.get(row.id, value)
            keys = dict.fromkeys(questions[row.id].supporting_keys)
            by_key = tuple(zip(keys, ranks, strict=True))
            missing = [key for key, rank in by_key if not within(rank, source.k)]
            lowest = max(by_key, key=lambda one: one[1] or 0)[0]
            decided = missing[0] if missing else lowest
            found.append(
                Behind(questions[row.id], row, value, change, bool(missing), by_key, decided)
            )
    sign = -1 if pick.kind in TOOK else 1
    return sorted(found, key=lambda one: (sign * one.value, one.change))


# What a number is made of

Value = Callable[[Row], float | None]


class _Source(NamedTuple):
    """The rows of a number and the part that each has in it (None: it is not defined for it), by
    question what that is compared with, the ranks at that time, and the cut-off.
    """

    rows: Sequence[Row]
    value: Value
    against: Mapping[str, float]
    k: int
    ranks: Callable[[Row], Ranks] = lambda row: row.ranks


def _source(evaluation: Evaluation, pick: Pick, baseline: str, k: int) -> _Source:
    if pick.kind in TOOK:
        return _Source(_rows(evaluation, pick), _taken(pick), {}, k)
    if pick.kind in ("before", "after"):
        return _of_set(evaluation, pick, k)
    if pick.kind == "measure":
        value, cut = _measure(pick, k)
        return _Source(_rows(evaluation, pick), value, _values(evaluation.of(baseline), value), cut)
    if pick.kind == "over":
        first, _, other = pick.what.partition(" ")
        cut = _number(first)
        against = _values(evaluation.of(other), _recall(cut))
        rows = [row for row in _rows(evaluation, pick) if row.id in against]
        return _Source(rows, _recall(cut), against, cut)
    usual = evaluation.of(baseline)
    if pick.kind in ("round", "asking"):
        n = _number(pick.what)
        rows = [
            row for row in _rows(evaluation, pick) if pick.kind == "round" or len(row.rounds) >= n
        ]

        def after(row: Row) -> float:
            return recall(ranks_after(row, n), k)

        return _Source(rows, after, _values(usual, after), k, lambda row: ranks_after(row, n))
    questions = {one.id: one for one in evaluation.questions}
    chosen = _chosen(evaluation, pick, k)
    rows = [row for row in _rows(evaluation, pick) if chosen(questions[row.id], row)]
    return _Source(rows, _recall(k), _values(usual, _recall(k)), k)


def _rows(evaluation: Evaluation, pick: Pick) -> Sequence[Row]:
    """Of the perfect reader, of all methods with a setting, or of the method. Raises BadInput."""
    if pick.method == PERFECT:
        return evaluation.ceiling
    if pick.kind == "setting" and pick.method == ALL_METHODS:
        name, _, value = pick.what.partition("=")
        having = with_values(evaluation).get((name, value), [])
        return [row for row in evaluation.rows if row.method in having]
    if pick.method not in evaluation.methods:
        raise BadInput(f"{pick.method!r} was not measured here")
    return evaluation.of(pick.method)


def _values(rows: Sequence[Row], value: Value) -> dict[str, float]:
    found = {row.id: value(row) for row in rows}
    return {id_: one for id_, one in found.items() if one is not None}


def _recall(k: int, name: str = "") -> Value:
    """Recall, or with "all" whether all gold is there."""
    of = all_recall if name == "all" else recall
    return lambda row: of(row.ranks, k)


def _measure(pick: Pick, k: int) -> tuple[Value, int]:
    """What takes a measure out of a row, with the cut-off that it has, else k."""
    name, _, cut = pick.what.partition("@")
    number = _number(cut) if cut else k
    if pick.method == PERFECT and number > FIRST:
        raise BadInput(f"The perfect reader is not known below rank {FIRST}")
    if name in ("recall", "all"):  # at any cut-off, also one that is in no table of measures
        return _recall(number, name), number
    return lambda row: row.value(pick.what), number


def _taken(pick: Pick) -> Value:
    """What a run took, by the name of the figure or until an iteration."""
    if pick.kind == "tokens":
        n, _, part = pick.what.partition(" ")
        number = _number(n)
        field = {"given": "input", "written": "output", "": "total"}.get(part)
        if field is None:
            raise BadInput(f"{pick.what!r} names no tokens of an evaluation")
        return lambda row: getattr(tokens_after(row, number), field)
    amounts: dict[str, Value] = {
        "iterations": lambda row: row.iterations,
        "calls": lambda row: row.spent.calls,
        "tokens": lambda row: row.spent.tokens,
        "cost": lambda row: row.spent.cost,
        "ms": lambda row: row.ms,
    }
    if pick.what not in amounts:
        raise BadInput(f"{pick.what!r} is nothing that a run takes")
    return amounts[pick.what]


def _of_set(evaluation: Evaluation, pick: Pick, k: int) -> _Source:
    """Recall when a set's questions were picked, and now, of the questions that have both."""
    pairs = compared(evaluation, pick.method)
    before = {row.id: ranks for ranks, row in pairs}
    rows = [row for _, row in pairs]
    of = all_recall if pick.what == "all" else recall
    if pick.kind == "before":
        return _Source(rows, lambda row: of(before[row.id], k), {}, k, lambda row: before[row.id])
    was = {id_: of(ranks, k) for id_, ranks in before.items()}
    return _Source(rows, _recall(k, pick.what), was, k)


# Which questions


def _chosen(evaluation: Evaluation, pick: Pick, k: int) -> Callable[[Question, Row], bool]:
    """Whether a question is one of those that a number is about."""
    if pick.kind == "link":
        place = _number(pick.what)
        return lambda question, row: not within(links(question, row).get(place, 0), k)
    if pick.kind == "ranks":
        low, high = _bin(pick.what)
        return lambda _, row: any(_between(rank, low, high) for rank in row.ranks)
    if pick.kind == "kind":
        groups = density_groups(evaluation)
        return lambda question, _: (
            pick.what in (question.type, f"{question.hops} hops", groups.get(question.id))
        )
    if pick.kind in ("only", "both", "neither"):
        others = {row.id: row.ranks for row in _rows(evaluation, pick._replace(method=pick.what))}
        wanted = {"only": (True, False), "both": (True, True), "neither": (False, False)}[pick.kind]
        return lambda _, row: any(
            wanted == (within(mine, k), within(theirs, k))
            for mine, theirs in zip(row.ranks, others.get(row.id, ()), strict=False)
        )
    if pick.kind in ("found", "lost"):
        change = (pick.kind == "lost", pick.kind == "found")
        changed = {
            row.id
            for before, row in compared(evaluation, pick.method)
            if change in changes(before, row, k)
        }
        return lambda _, row: row.id in changed
    if pick.kind == "share":
        known = {row.id for row in evaluation.ceiling}
        return lambda _, row: row.id in known
    return lambda *_: True


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
    number = whole_number(text)
    if number is None:
        raise BadInput(f"{cut(text, 40)!r} is no number")
    return number
