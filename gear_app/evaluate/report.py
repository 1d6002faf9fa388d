"""The page docs/results/methods.md, made by `make eval` with notes written by hand."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Sequence
from pathlib import Path

import gear_app
from gear_app.evaluate.benchmark import FAMILIES
from gear_app.evaluate.row_cache import of_method
from gear_app.evaluate.tables import MeasuredSet, ablation, case, facts, losses, overview, section

PACKAGE = Path(gear_app.__file__).parent


def report(
    measured: Sequence[MeasuredSet],
    methods: Sequence[str],
    command: str,
    embedder: str,
    notes: str = "",
) -> str:
    """The whole page. `methods` are the rows of the tables.

    `notes` stand after the first table as they are.
    """
    pooled = [one for one in measured if not one.cases]
    parts = ["# Retrieval methods without a language model\n", _made(command, embedder)]
    parts += [_versions(measured, embedder), _defined()]
    if pooled:
        parts += ["## All methods, all sets: R@5 / R@10 / R@15\n", overview(pooled, methods)]
    parts += [notes.strip() + "\n"] if notes.strip() else []
    parts += ["## Set by set\n"] if pooled else []
    parts += [
        section(one, [name for name in methods if name in one.evaluation.methods]) for one in pooled
    ]
    parts += _cases([one for one in measured if one.cases])
    parts += _ablations(pooled)
    parts += _losses([one for one in pooled if "gear" in one.evaluation.methods])
    return "\n".join(parts)


def _made(command: str, embedder: str) -> str:
    return (
        f"Made by `{command}` on {datetime.datetime.now(datetime.UTC).date()} at commit"
        f" {_commit()}, gear_app {gear_app.__version__}, embedding model `{embedder}`, local"
        " reader, local extractor unless another triple set is named. The question sets are"
        " described, with their sources and licences, in [sets.md](sets.md); every set holds only"
        " the passages of its own questions, so numbers are higher than on the full corpora of the"
        " papers and are for comparing methods with each other. What each method is, and its"
        " settings: [methods.md](../methods.md).\n"
    )


def _versions(measured: Sequence[MeasuredSet], embedder: str) -> str:
    found: dict[str, int] = {}
    for words in dict.fromkeys(words for one in measured for words in one.evaluation.methods):
        found |= of_method(words, embedder)["versions"]
    numbers = ", ".join(f"`{name}` {found[name]}" for name in found if name != "embedder")
    return (
        f"Versions of what was measured: {numbers}. The figures are those of the program as it is"
        " while these are the versions in it"
        " ([decision 14](../decisions/0014-results.md)).\n"
    )


def _defined() -> str:
    return (
        "R@k is the mean fraction of a question's gold passages among the first k of one run at k ="
        " 15, in percent; all@5 the share of questions with all of them; MRR the mean reciprocal"
        " rank of the first. *Misses removed* is the net share of the gold passages missed by"
        " `hybrid` that the method finds, pooled over the set, with a paired bootstrap interval of"
        " 95 % (2,000 samples of questions). A star marks a recall that differs from `hybrid`'s"
        " significantly by the same test. ms is the median of a question that is asked a second"
        " time on the machine at hand: models are loaded, and the vectors of its queries and"
        " sequences of triples, which some methods share, are there. A run that failed has recall"
        " 0.\n"
    )


def _cases(measured: Sequence[MeasuredSet]) -> list[str]:
    parts: list[str] = []
    for one in measured:
        parts.append("## The case studies, one by one\n")
        parts.append(
            f"Path-finding questions of the HippoRAG paper (its §5.3 and App. E), {facts(one)}.\n"
        )
        parts += [case(one, shown) for shown in one.cases]
    return parts


def _ablations(measured: Sequence[MeasuredSet]) -> list[str]:
    parts: list[str] = []
    for family in FAMILIES:
        among = [one for one in measured if set(family.variants) <= set(one.evaluation.methods)]
        parts += [ablation(among, family)] if among else []
    note = (
        "A star marks a recall that differs significantly from the whole method's, by the test"
        " above.\n"
    )
    return ["## Ablations\n", note, *parts] if parts else []


def _losses(measured: Sequence[MeasuredSet]) -> list[str]:
    lost = [
        f"{one.name}, {one.triple_set}:\n\n{losses(one, 'gear') or 'nowhere'}\n" for one in measured
    ]
    return ["## Where GEAR has less than hybrid at rank 5\n", *lost] if lost else []


def _commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],  # noqa: S607
            cwd=PACKAGE,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
