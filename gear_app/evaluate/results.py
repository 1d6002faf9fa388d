"""An evaluation with all that is shown of it: facts, comparison, breakdown. The page draws it, the
command line prints it, and their numbers are the same because they come from here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gear_app
from gear_app.analysis.metrics import gold_count
from gear_app.checkout import UNKNOWN
from gear_app.checkout import commit as commit
from gear_app.collections.overview import MissingGold
from gear_app.evaluate import breakdown, configurations
from gear_app.evaluate.comparison import BaselineComparison, compare
from gear_app.evaluate.definition import Definition, listed
from gear_app.evaluate.evaluation import Evaluation, means
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.service import EvaluationService
from gear_app.llm.environment import ADDRESS, MODEL
from gear_app.llm.server import REPLY_TOKENS, Spec
from gear_app.paths import usual_path
from gear_app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Facts:
    """What every number rests on. `choice` says how the questions were chosen, "" for all that have
    gold; `stale` how many runs were made before passages or triples changed. `embedder`, `version`
    and `commit` are those of the runs, of several "mixed: " and each; with no run yet, those of
    now. `gold_missing` gold passages are not in the collection, which holds mean recall at
    `recall_cap`; `questions_in_it` questions are passages of the collection.
    """

    collection: str
    passages: int
    questions: int
    gold: int
    choice: str
    triple_set: str
    triples: int
    embedder: str
    reader: str
    k: int
    version: str
    commit: str
    stale: int = 0
    gold_missing: int = 0
    recall_cap: float = 1.0
    questions_in_it: int = 0

    @property
    def remarks(self) -> list[str]:
        """What is to be said of gold and questions beside the numbers."""
        told = [MissingGold(self.gold_missing, self.gold, self.recall_cap).words]
        if self.questions_in_it:
            are = "question is a passage" if self.questions_in_it == 1 else "questions are passages"
            told.append(
                f"{self.questions_in_it:,} {are} of the collection by id: found for itself, such a"
                " passage is left out of the ranking, as BEIR does"
            )
        return [f"{sentence}." for sentence in told if sentence]


@dataclass(frozen=True, slots=True)
class Results:
    """All of one evaluation, against one baseline."""

    evaluation: Evaluation
    comparison: BaselineComparison
    facts: Facts
    definition: Definition
    workspace: str = ""

    @property
    def command(self) -> str:
        """What measures the same again on the command line: with the server and the name of the
        language model, but no key, and with the workspace where it is not the usual one.
        """
        one, words = self.definition, ["gear-app", "eval", "--collection", self.facts.collection]
        words += ["--methods", ",".join(one.methods), "--k", ",".join(map(str, one.ks))]
        words += ["--triples", one.triples] if one.triples else []
        words += ["--reader", one.reader] if one.reader != "local" else []
        limit = Spec.from_json(one.model).max_tokens if one.model else REPLY_TOKENS
        words += ["--reply-tokens", str(limit)] if limit != REPLY_TOKENS else []
        words += ["--answer"] if one.answer else []
        if one.choice.startswith("the first "):
            words += ["--limit", str(len(one.questions))]
        elif one.is_set:
            words += ["--questions", listed(one.questions)]
        elif one.choice:
            words += ["--sample", str(len(one.questions)), "--seed", one.choice.split()[-1]]
        for brought in self.evaluation.brought:
            words += ["--run-file", brought.path]
        if self.comparison.baseline != one.methods[0]:
            words += ["--baseline", self.comparison.baseline]
        words += ["--workspace", self.workspace] if self.workspace else []
        return " ".join([*self._environment(), shlex.join(words)])

    def _environment(self) -> list[str]:
        """The variables that name the language model, before the command."""
        if not self.definition.model:
            return []
        spec = Spec.from_json(self.definition.model)
        named = {ADDRESS: spec.base_url, MODEL: spec.model}
        return [f"{name}={shlex.quote(value)}" for name, value in named.items()]

    def to_json(self) -> dict[str, Any]:
        """What `eval --json` prints."""
        evaluation = self.evaluation
        ks = [k for k in evaluation.ks if evaluation.ceiling and k in evaluation.ceiling[0].recall]
        return evaluation.to_json() | {
            "evaluation": evaluation.id,
            "facts": asdict(self.facts),
            "command": self.command,
            "compared": self.comparison.to_json(),
            "ceiling": {"n": len(evaluation.ceiling), **means(evaluation.ceiling, ks)},
            "breakdown": breakdown.to_json(evaluation, self.comparison.baseline),
            "settings": configurations.to_json(evaluation),
            "before_after": _before_after(evaluation),
            "run_files": [
                {
                    "method": one.words,
                    "file": one.file,
                    "depth": one.depth,
                    "missing": list(one.missing),
                }
                for one in evaluation.brought
            ],
        }


def _before_after(evaluation: Evaluation) -> list[dict[str, Any]]:
    """By method at the first cut-off, and `at` each of them."""
    by_k = {
        str(k): {one.method: one.to_json() for one in before_after(evaluation, k)}
        for k in evaluation.ks
    }
    first = by_k[str(evaluation.ks[0])]
    return [
        {**one, "at": {k: of[method] for k, of in by_k.items()}} for method, one in first.items()
    ]


def load(workspace: Workspace, id_: str, baseline: str = "") -> Results:
    """An evaluation as far as it is, against a baseline, by default its first method. Raises
    Unknown.
    """
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    comparison = compare(evaluation, baseline)
    made = [
        link.versions
        for link in workspace.store.evaluations.links(id_).values()
        if link.state == "done"
    ]
    facts = _facts(workspace, definition, evaluation, made)
    usual = workspace.path.absolute() == usual_path().absolute()
    where = "" if usual else str(workspace.path.absolute())
    return Results(evaluation, comparison, facts, definition, where)


def _facts(
    workspace: Workspace,
    definition: Definition,
    evaluation: Evaluation,
    made: Sequence[Mapping[str, str]],
) -> Facts:
    collection = workspace.collections.get(definition.collection)
    sets = {one.name: one.triples for one in collection.triple_sets}
    ids = {one.id for one in evaluation.questions}
    missing = workspace.collections.missing_gold(collection.name, ids)
    themselves = workspace.collections.passages_themselves(collection.name)
    reader = Spec.from_json(definition.model).model if definition.model else definition.reader
    return Facts(
        collection=collection.name,
        passages=collection.passages,
        questions=len(evaluation.questions),
        gold=sum(gold_count(one.supporting_keys) for one in evaluation.questions),
        choice=definition.choice,
        triple_set=definition.triples or "",
        triples=sets.get(definition.triples or "", 0),
        embedder=_of_runs(made, "embedder") or workspace.models.embedder.fingerprint,
        reader=reader,
        k=max(definition.ks),
        version=_of_runs(made, "gear_app") or gear_app.__version__,
        commit=_of_runs(made, "commit") or commit(),
        stale=sum(row.stale for row in evaluation.rows),
        gold_missing=missing.passages,
        recall_cap=round(missing.cap, 6),
        questions_in_it=len(ids & themselves),
    )


def _of_runs(made: Sequence[Mapping[str, str]], part: str) -> str:
    """What runs were made with; "" of none."""
    found = sorted({one.get(part, UNKNOWN) for one in made})
    return f"mixed: {', '.join(found)}" if len(found) > 1 else "".join(found)
