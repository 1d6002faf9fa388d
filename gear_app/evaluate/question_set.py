"""Questions that somebody picked, to be asked again after a fix, and what the fix made of them.

A set is an evaluation of these questions that remembers the ranks of their gold passages from the
time when it was made. Its runs are made again where passages, triples or a method's version have
changed since; what it finds then is compared with what was found before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from gear_app.analysis.metrics import Interval, without_itself
from gear_app.analysis.rankings import within
from gear_app.annotate.record import Case
from gear_app.errors import NotReady
from gear_app.evaluate.breakdown import all_recall, recall
from gear_app.evaluate.comparison import DIGITS, mean_interval
from gear_app.evaluate.definition import Definition
from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.run_facts import Ranks, ranks_of
from gear_app.evaluate.run_files import is_brought
from gear_app.evaluate.service import EvaluationService
from gear_app.evaluate.significance import p_value
from gear_app.runs.annotations import case_of
from gear_app.store.rows import RunInfo
from gear_app.text import count, normalise_entity
from gear_app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A method's recall at k over `n` questions when the set was made, and now; of `picked`
    questions, for which the set remembers its ranks: less than the set's where other questions were
    picked with other methods, and `n` less than that before all are measured. The questions' mean
    difference with its interval, and the p-value of the paired test, None where runs failed. Of the
    gold passages that were missed `found` are among the first k now, of the others `lost` are no
    more. `all_before` and `all_after` are the shares of questions with all their gold.
    """

    method: str
    n: int
    before: float
    after: float
    difference: Interval
    p: float | None
    found: int
    lost: int
    all_before: float
    all_after: float
    picked: int

    def to_json(self) -> dict[str, Any]:
        """The same for scripts."""
        low_high = [*self.difference[1:]]
        return asdict(self) | {"difference": self.difference.value, "difference_interval": low_high}


def before_after(evaluation: Evaluation, k: int) -> list[BeforeAfter]:
    """What became of a set's questions, by method; [] of an evaluation that is no set. Questions
    whose gold was changed since cannot be compared and are left out.
    """
    found = []
    for method in evaluation.methods:
        pairs = compared(evaluation, method)
        if pairs:
            before = [recall(ranks, k) for ranks, _ in pairs]
            after = [recall(row.ranks, k) for _, row in pairs]
            gained = [(was, now) for ranks, row in pairs for was, now in changes(ranks, row, k)]
            differences = [new - old for old, new in zip(before, after, strict=True)]
            found.append(
                BeforeAfter(
                    method,
                    len(pairs),
                    round(sum(before) / len(before), DIGITS),
                    round(sum(after) / len(after), DIGITS),
                    mean_interval(differences),
                    None if evaluation.failed_of(method) else round(p_value(after, before), DIGITS),
                    gained.count((False, True)),
                    gained.count((True, False)),
                    round(fmean(all_recall(ranks, k) for ranks, _ in pairs), DIGITS),
                    round(fmean(all_recall(row.ranks, k) for _, row in pairs), DIGITS),
                    len(evaluation.before[method]),
                )
            )
    return found


def compared(evaluation: Evaluation, method: str) -> list[tuple[Ranks, Row]]:
    """The ranks of before with the row of now, of every question that has both."""
    before = evaluation.before.get(method, {})
    rows = [row for row in evaluation.of(method) if len(before.get(row.id, ())) == len(row.ranks)]
    return [(before[row.id], row) for row in rows]


def changes(before: Ranks, row: Row, k: int) -> list[tuple[bool, bool]]:
    """Of every gold passage whether it was among the first k, and whether it is."""
    return [(within(was, k), within(now, k)) for was, now in zip(before, row.ranks, strict=True)]


def of_evaluation(workspace: Workspace, id_: str, questions: Sequence[str]) -> Definition:
    """Some questions of an evaluation as a set, with its methods and settings."""
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    kept = [one for one in definition.questions if one in set(questions)]
    before: dict[str, dict[str, Ranks]] = {}
    for row in evaluation.rows:
        if row.id in kept and not is_brought(row.method):
            before.setdefault(row.method, {})[row.id] = row.ranks
    choice = f"{count(len(kept), 'question')} picked from evaluation {id_}"
    return replace(definition, questions=tuple(kept), choice=choice, before=before)


def of_runs(workspace: Workspace, collection: str, runs: Sequence[RunInfo]) -> Definition:
    """The questions of runs as a set, with their methods and settings. Triples, reader and model
    are theirs where all have the same, else the active triples and the local reader. Raises
    NotReady where none of the questions is in the collection's question set.
    """
    asked = {
        normalise_entity(one.question): one
        for one in workspace.collections.questions(collection)
        if one.supporting_keys
    }
    known = [run for run in runs if normalise_entity(run.question) in asked]
    if not known:
        raise NotReady(
            f"None of these questions is in the question set of {collection!r}. Add them on the"
            " page Collections, with their gold."
        )
    before: dict[str, dict[str, Ranks]] = {}
    themselves = EvaluationService(workspace).themselves(collection)
    for run in known:
        question = asked[normalise_entity(run.question)]
        itself = question.id if question.id in themselves else ""
        keys = without_itself(workspace.store.events.ranked_keys(run.number), itself)
        ranks = ranks_of(keys, question.supporting_keys)
        before.setdefault(method_words(case_of(run)), {})[question.id] = ranks
    ids = {asked[normalise_entity(run.question)].id for run in known}
    kept = tuple(one.id for one in asked.values() if one.id in ids)
    return Definition(
        collection,
        kept,
        tuple(before),
        choice=f"{count(len(kept), 'question')} picked on Annotate",
        before=before,
        **_alike(known),
    )


def _alike(runs: Sequence[RunInfo]) -> Mapping[str, Any]:
    """What all of these runs have in common."""
    sets = {run.triple_set for run in runs if run.triple_set}
    found: dict[str, Any] = {"triples": sets.pop() if len(sets) == 1 else None}
    asked = {(run.reader, run.model, run.key_from) for run in runs}
    if len(asked) == 1:
        found |= dict(zip(("reader", "model", "key_from"), asked.pop(), strict=True))
    return found


def method_words(case: Case) -> str:
    """A case's method as an evaluation names it, with its settings."""
    return " ".join([case.method, *(f"{name}={value}" for name, value in case.settings)])
