"""An evaluation with its facts and its comparison with a baseline, for the page and the command
line: their numbers are the same because they come from here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gear_app
from gear_app.core.paths import UNKNOWN, commit
from gear_app.evaluation import tables
from gear_app.evaluation.comparison import Comparison, compare
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.evaluation import Evaluation, means
from gear_app.evaluation.frames import FIRST
from gear_app.evaluation.service import EvaluationService
from gear_app.store.evaluations import ORACLE
from gear_app.trace.metrics import gold_count
from gear_app.workspace.collections.service import missing_gold, missing_words
from gear_app.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Facts:
    """Conditions of every number. `embedder`, `version` and `commit` are those of the runs, several
    as "mixed: " and each; before the first run, those of now.
    """

    collection: str
    passages: int
    questions: int
    gold: int
    choice: str  # how the questions were chosen, "" for all that have gold
    triple_set: str
    triples: int
    embedder: str
    reader: str
    k: int
    version: str
    commit: str
    stale: int = 0  # runs made before passages, triples or gold changed
    gold_missing: int = 0  # gold passages that are not in the collection
    recall_cap: float = 1.0  # the most that mean recall can be without them
    questions_in_it: int = 0  # questions that are passages of the collection

    @property
    def remarks(self) -> list[str]:
        """Sentences on gold and questions."""
        sentences = [missing_words(self.gold_missing, self.gold, self.recall_cap)]
        if self.questions_in_it:
            are = "question is a passage" if self.questions_in_it == 1 else "questions are passages"
            sentences.append(
                f"{self.questions_in_it:,} {are} of the collection by id: found for itself, such a"
                " passage is left out of the ranking, as BEIR does"
            )
        return [f"{sentence}." for sentence in sentences if sentence]


@dataclass(frozen=True, slots=True)
class Results:
    """An evaluation against one baseline."""

    evaluation: Evaluation
    comparison: Comparison
    facts: Facts
    definition: Definition

    @property
    def command(self) -> str:
        """The command that measures the same again, in the environment of its language model."""
        defined, baseline = self.definition, self.comparison.baseline
        choice = defined.choice
        options = {
            "--collection": self.facts.collection,
            "--methods": ",".join(defined.methods),
            "--k": ",".join(map(str, defined.ks)),
            "--triples": defined.triples,
            "--reader": None if defined.reader == "local" else defined.reader,
            "--limit": choice.limit,
            "--questions": ",".join(defined.questions) if choice.ids else None,
            "--sample": choice.sample,
            "--seed": choice.seed or None,
            "--baseline": None if baseline == defined.methods[0] else baseline,
        }
        pairs = [[name, str(value)] for name, value in options.items() if value is not None]
        words = [word for pair in pairs for word in pair]
        return shlex.join(["gear-app", "eval", *words, *(["--answer"] if defined.answer else [])])

    def to_json(self) -> dict[str, Any]:
        """The result of `eval --json`."""
        evaluation, oracle = self.evaluation, self.evaluation.runs_of(ORACLE)
        ks = [k for k in evaluation.ks if k <= FIRST and len(oracle)]
        return evaluation.to_json() | {
            "evaluation": evaluation.id,
            "facts": asdict(self.facts),
            "command": self.command,
            "compared": self.comparison.to_json(),
            "ceiling": {"n": len(oracle), **means(oracle, ks)},
            "tables": {
                str(k): tables.to_json(evaluation, self.comparison.baseline, k)
                for k in evaluation.ks
            },
            "run_files": [
                {
                    "method": file.words,
                    "file": file.file,
                    "depth": file.depth,
                    "missing": list(file.missing),
                }
                for file in evaluation.files
            ],
        }


def load(workspace: Workspace, id_: str, baseline: str = "") -> Results:
    """An evaluation as far as it is, against a baseline, by default its first method. Raises
    Unknown.
    """
    service = EvaluationService(workspace)
    definition, evaluation = service.definition(id_), service.load(id_)
    links = workspace.store.evaluations.runs(id_).values()
    versions = [link.versions for link in links if link.state == "done"]
    collection = workspace.collections.get(definition.collection)
    sets = {triple_set.name: triple_set.triples for triple_set in collection.triple_sets}
    ids = {question.id for question in evaluation.questions}
    missing, _, cap = missing_gold(workspace.store, collection, ids)
    in_corpus = workspace.store.questions.passages_themselves(collection.id)
    facts = Facts(
        collection=collection.name,
        passages=collection.passages,
        questions=len(evaluation.questions),
        gold=sum(gold_count(question.supporting_keys) for question in evaluation.questions),
        choice=definition.choice.words,
        triple_set=definition.triples or "",
        triples=sets.get(definition.triples or "", 0),
        embedder=_common(versions, "embedder") or workspace.models.embedder.fingerprint,
        reader=definition.spec.model if definition.spec else definition.reader,
        k=max(definition.ks),
        version=_common(versions, "gear_app") or gear_app.__version__,
        commit=_common(versions, "commit") or commit(),
        stale=int(evaluation.runs["stale"].sum()),
        gold_missing=missing,
        recall_cap=round(cap, 6),
        questions_in_it=len(ids & in_corpus),
    )
    return Results(evaluation, compare(evaluation, baseline), facts, definition)


def _common(versions: Sequence[Mapping[str, str]], part: str) -> str:
    """The version of a part that runs were made with; "" without runs."""
    names = sorted({of_run.get(part, UNKNOWN) for of_run in versions})
    return f"mixed: {', '.join(names)}" if len(names) > 1 else "".join(names)
