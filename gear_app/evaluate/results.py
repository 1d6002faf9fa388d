"""An evaluation with all that is shown of it: facts, comparison, breakdown. The page draws it, the
command line prints it, and their numbers are the same because they come from here.
"""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import gear_app
from gear_app.analysis.metrics import gold_count
from gear_app.evaluate import breakdown, configurations
from gear_app.evaluate.comparison import BaselineComparison, compare
from gear_app.evaluate.definition import Definition
from gear_app.evaluate.evaluation import Evaluation, means
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.service import EvaluationService
from gear_app.llm.server import Spec
from gear_app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Facts:
    """What every number rests on. `choice` says how the questions were chosen, "" for all that have
    gold; `stale` how many runs were made before passages or triples changed.
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


@dataclass(frozen=True, slots=True)
class Results:
    """All of one evaluation, against one baseline."""

    evaluation: Evaluation
    comparison: BaselineComparison
    facts: Facts
    definition: Definition

    @property
    def command(self) -> str:
        """What measures the same again on the command line."""
        one, words = self.definition, ["gear-app", "eval", "--collection", self.facts.collection]
        words += ["--methods", ",".join(one.methods), "--k", ",".join(map(str, one.ks))]
        words += ["--triples", one.triples] if one.triples else []
        words += ["--reader", one.reader] if one.reader != "local" else []
        words += ["--answer"] if one.answer else []
        if one.choice.startswith("the first "):
            words += ["--limit", str(len(one.questions))]
        elif one.is_set:
            words += ["--questions", ",".join(one.questions)]
        elif one.choice:
            words += ["--sample", str(len(one.questions)), "--seed", one.choice.split()[-1]]
        for brought in self.evaluation.brought:
            words += ["--run-file", brought.file]
        if self.comparison.baseline != one.methods[0]:
            words += ["--baseline", self.comparison.baseline]
        return shlex.join(words)

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
            "before_after": [
                found.to_json() for found in before_after(evaluation, evaluation.ks[0])
            ],
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


def load(workspace: Workspace, id_: str, baseline: str = "") -> Results:
    """An evaluation as far as it is, against a baseline, by default its first method. Raises
    Unknown.
    """
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    comparison = compare(evaluation, baseline)
    return Results(evaluation, comparison, _facts(workspace, definition, evaluation), definition)


def _facts(workspace: Workspace, definition: Definition, evaluation: Evaluation) -> Facts:
    collection = workspace.collections.get(definition.collection)
    sets = {one.name: one.triples for one in collection.triple_sets}
    reader = Spec.from_json(definition.model).model if definition.model else definition.reader
    return Facts(
        collection=collection.name,
        passages=collection.passages,
        questions=len(evaluation.questions),
        gold=sum(gold_count(one.supporting_keys) for one in evaluation.questions),
        choice=definition.choice,
        triple_set=definition.triples or "",
        triples=sets.get(definition.triples or "", 0),
        embedder=workspace.models.embedder.fingerprint,
        reader=reader,
        k=max(definition.ks),
        version=gear_app.__version__,
        commit=commit(),
        stale=sum(row.stale for row in evaluation.rows),
    )


@cache
def commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],  # noqa: S607
            cwd=Path(gear_app.__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
