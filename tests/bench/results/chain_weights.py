"""`python -m tests.bench.results.chain_weights`: fit the weights of chain's terms, say how good they
are on packs of questions that they were not fitted to, and update the tables of chain in
docs/results.

The terms of all candidates are those of a run of chain with weights that nobody fitted (START).
The fit (conditional_logit.py) is made once on all packs, and once for each pack on all others; then
the whole chain is run anew on the pack that was left out.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import ChainConfig
from gear_app.core.protocols import Embedder, Index
from gear_app.core.types import Hop, Question
from gear_app.evaluation.definition import KS
from gear_app.evaluation.frames import oracle_searches
from gear_app.index.links import TERMS
from gear_app.methods.base import Base, BaseQuery, Hybrid
from gear_app.methods.chain import Chain
from gear_app.methods.lookup import DEPTH
from gear_app.models.embedders.local import MiniLM
from gear_app.store.evaluations import ORACLE
from gear_app.trace.metrics import Gold, found_at, gold_count
from gear_app.workspace.workspace import Workspace
from tests.bench.results.benchmark import QuestionSet
from tests.bench.results.conditional_logit import Candidates, Floats, fit
from tests.bench.results.measured_sets import Note, prepare
from tests.bench.results.misses_removed import misses_removed_interval
from tests.bench.results.tables import RESULTS, Line, interval, update
from tests.small import parts_over

ROOT = Path(__file__).parents[3]

EVERYDAY = ("operations", "minutes", "novel", "lab")
FITTED = (*(f"everyday/{name}" for name in EVERYDAY), "musique_train2hop", "2wiki_migres")
FITTED += ("musique_migres",)
UNSEEN = ("hotpot_migres", "musique_openie")  # run once with the shipped weights, and in no fit

# 1 / about the greatest value of each term: before any fit all count the same.
START = (0.5, 1.0, 1.0, 0.2, 1.0, 1.0, 0.25)
Found = NDArray[np.int64]
Weights = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A collection and those of its questions that have gold passages."""

    name: str
    passages: int
    index: Index
    embedder: Embedder
    questions: Sequence[Question]

    @property
    def everyday(self) -> bool:
        """Whether it is everyday text, not paragraphs of an encyclopaedia."""
        return self.name.startswith("everyday/")


class MeasuredPack(NamedTuple):
    """A pack of questions: (n,) their gold passages, and under every name (n, KS) of these found.

    `left_out` are the weights fitted on the other packs; None for a pack that is in no fit.
    """

    name: str
    everyday: bool
    passages: int
    gold: Found
    found: Mapping[str, Found]
    left_out: Weights | None


class ChainRuns(NamedTuple):
    """What chain did on a pack: (questions, KS) gold passages found, and what it chose among."""

    found: Found
    candidates: Sequence[Candidates]


def config_of(weights: Sequence[float]) -> ChainConfig:
    """Chain's settings with these weights of TERMS."""
    fields = {f"{term}_weight": float(w) for term, w in zip(TERMS, weights, strict=True)}
    return replace(ChainConfig(), **fields)  # type: ignore[arg-type]


def run_chain(pack: Pack, weights: Sequence[float]) -> ChainRuns:
    """The whole chain on every question of a pack."""
    method = Chain(parts_over(pack.index, pack.embedder), config_of(weights))
    rows, candidates = [], []
    for question in pack.questions:
        (result,) = method.search([BaseQuery(question.question, sys.maxsize)])
        ids = result.ranking.ids
        keys, gold = _keys(pack.index, ids), Gold(question.supporting_keys)
        rows.append([found_at(keys, gold, k) for k in KS])
        terms = np.array([[part.score for part in result.terms[id_]] for id_ in ids], np.float64)
        is_gold = np.array([key in gold for key in keys], np.bool_)
        candidates.append(Candidates(terms.reshape(-1, len(TERMS)), is_gold))
    return ChainRuns(np.array(rows, np.int64), candidates)


def run_hybrid(pack: Pack) -> Found:
    """(questions, KS) gold passages that hybrid alone finds."""
    base = Hybrid(parts_over(pack.index))
    found = base.search([BaseQuery(question.question, max(KS)) for question in pack.questions])
    return _found(pack, [one.ranking.ids for one in found])


def run_oracle(pack: Pack) -> Found | None:
    """(questions, KS) gold passages that the oracle decomposition finds over hybrid; None where not every
    question has its steps published.
    """
    if not all(question.decomposition for question in pack.questions):
        return None
    base = Hybrid(parts_over(pack.index))
    return _found(pack, [oracle_ranking(base, q.decomposition) for q in pack.questions])


def oracle_ranking(base: Base, decomposition: Sequence[Hop]) -> list[int]:
    """The ids of the passages that a reader would have seen, knowing all answers: the first of
    every search, then the second of every one.
    """
    results = base.search([BaseQuery(text, DEPTH) for text in oracle_searches(decomposition)])
    turns = zip_longest(*(result.ranking.ids for result in results))
    return list(dict.fromkeys(id_ for turn in turns for id_ in turn if id_ is not None))


def fitted_weights(packs: Sequence[Sequence[Candidates]], removed: str = "") -> Weights:
    """The weights fitted on the candidates of some packs, to three digits; of the term `removed`
    the weight is 0.
    """
    used = [place for place, term in enumerate(TERMS) if term != removed]
    found: Floats = fit(packs, used)
    return tuple(float(f"{weight:.3g}") for weight in found)


def cross_validate(packs: Sequence[Pack], note: Note) -> tuple[Weights, list[MeasuredPack]]:
    """The weights fitted on all packs, and every pack under the shipped weights, under these, and
    under those fitted without it, with all terms and with each of them removed.
    """
    candidates = {}
    for pack in packs:
        note(f"{pack.name}: the terms of all candidates")
        candidates[pack.name] = run_chain(pack, START).candidates
    whole = fitted_weights(list(candidates.values()))
    measured = []
    for pack in packs:
        note(f"{pack.name}: left out")
        others = [of for name, of in candidates.items() if name != pack.name]
        fold = fitted_weights(others)
        found = {"shipped": run_chain(pack, ChainConfig().weights).found}
        found["fitted"] = run_chain(pack, whole).found
        found["left out"] = run_chain(pack, fold).found
        for term in TERMS:
            found[f"left out, without {term}"] = run_chain(pack, fitted_weights(others, term)).found
        measured.append(_measured(pack, found, fold))
    return whole, measured


def pack_rows(packs: Sequence[MeasuredPack]) -> Iterator[Line]:
    """A row for each pack, with what hybrid misses there."""
    for pack in packs:
        missed = pack.gold.sum() - pack.found["hybrid"].sum(axis=0)
        line: Line = {"pack": pack.name, "in_fit": "no" if pack.left_out is None else "yes"}
        line |= {"questions": len(pack.gold), "passages": pack.passages, "gold": pack.gold.sum()}
        yield line | {f"missed_{k}": one for k, one in zip(KS, missed, strict=True)}


def weight_rows(whole: Weights, packs: Sequence[MeasuredPack]) -> Iterator[Line]:
    """A row for each term: the shipped weight, the one fitted on all packs, and the range of those
    that were fitted without one of them.
    """
    folds = np.array([pack.left_out for pack in packs])
    shipped = ChainConfig().weights
    for place, term in enumerate(TERMS):
        line: Line = {
            "term": term,
            "shipped": f"{shipped[place]:g}",
            "fitted": f"{whole[place]:.2f}",
        }
        low, high = folds[:, place].min(), folds[:, place].max()
        yield line | {"left_out_low": f"{low:.2f}", "left_out_high": f"{high:.2f}"}


def removed_rows(packs: Sequence[MeasuredPack], which: str) -> Iterator[Line]:
    """Misses removed, for each pack and for the everyday packs and the others together, called by
    `which` they are.
    """
    kinds = {
        f"everyday, pooled ({which})": [pack for pack in packs if pack.everyday],
        f"others, pooled ({which})": [pack for pack in packs if not pack.everyday],
    }
    for name, some in ({pack.name: [pack] for pack in packs} | kinds).items():
        shared = (
            [of for of in some[0].found if all(of in one.found for one in some)] if some else []
        )
        for weights in shared:
            if weights == "hybrid":
                continue
            gold = np.concatenate([one.gold for one in some]).tolist()
            found, base = (
                np.concatenate([one.found[of] for one in some]).T.tolist()
                for of in (weights, "hybrid")
            )
            for k, counts, before in zip(KS, found, base, strict=True):
                removed = misses_removed_interval(counts, before, gold)
                yield {"pack": name, "weights": weights, "k": k} | interval("removed", removed)


def _measured(pack: Pack, found: dict[str, Found], fold: Weights | None) -> MeasuredPack:
    """A pack with what hybrid and the oracle decomposition find there."""
    found = {"hybrid": run_hybrid(pack), **found}
    oracle = run_oracle(pack)
    if oracle is not None:
        found[ORACLE] = oracle
    gold = np.array([gold_count(question.supporting_keys) for question in pack.questions])
    return MeasuredPack(pack.name, pack.everyday, pack.passages, gold, found, fold)


def _found(pack: Pack, rankings: Sequence[Sequence[int]]) -> Found:
    rows = [
        [found_at(keys, question.supporting_keys, k) for k in KS]
        for question, ids in zip(pack.questions, rankings, strict=True)
        for keys in [_keys(pack.index, ids)]
    ]
    return np.array(rows, np.int64)


def _keys(index: Index, ids: Sequence[int]) -> list[str]:
    passages = index.rows(ids, ()).passages
    return [passages[id_].key for id_ in ids]


def load(
    folder: Path, name: str, workspaces: Path, note: Note, embedder: Embedder | None = None
) -> Pack:
    """A pack whose passages and sentences have vectors, which are kept in `workspaces`; by the
    bundled model or the one given.
    """
    workspace = Workspace(workspaces / f"{folder.name}.db", embedder=embedder or MiniLM())
    prepare(workspace, QuestionSet(folder, "", ()), note)
    row = workspace.store.collections.get(folder.name)
    corpus = workspace.corpora.get(row, None, row.revision)
    questions = workspace.collections[folder.name].questions()
    asked = [question for question in questions if question.supporting_keys]
    passages = workspace.collections.get(folder.name).passages
    return Pack(name, passages, corpus.index, workspace.models.embedder, asked)


def main() -> int:
    """Fit the weights of chain's terms on the question packs that are present, and update the
    tables.
    The packs are read from the folder that GEAR_SHARED_DATA names.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.results.chain_weights", description=main.__doc__
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "eval-workspace")
    parser.add_argument("--out", type=Path, default=RESULTS)
    called = parser.parse_args()
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if sum((shared / name).is_dir() for name in FITTED) < 2:
        _note(
            f"Fewer than two of the packs {', '.join(FITTED)} are in {shared.name}/. Say where they"
            " are: GEAR_SHARED_DATA=FOLDER python -m tests.bench.results.chain_weights"
        )
        return 1
    called.folder.mkdir(parents=True, exist_ok=True)

    def loaded(names: Sequence[str]) -> list[Pack]:
        present = [name for name in names if (shared / name).is_dir()]
        return [load(shared / name, name, called.folder, _note) for name in present]

    whole, measured = cross_validate(loaded(FITTED), _note)
    unseen = [
        _measured(pack, {"shipped": run_chain(pack, ChainConfig().weights).found}, None)
        for pack in loaded(UNSEEN)
    ]
    known = [pack for pack in (*measured, *unseen) if ORACLE in pack.found]
    lines = [
        *removed_rows(measured, "packs in the fit"),
        *removed_rows(unseen, "packs in no fit"),
        *removed_rows(known, "packs with known sub-questions"),
    ]
    called.out.mkdir(parents=True, exist_ok=True)
    update(called.out / "chain_packs.csv", list(pack_rows([*measured, *unseen])), ["pack"])
    update(called.out / "chain_weights.csv", list(weight_rows(whole, measured)), ["term"])
    update(called.out / "chain.csv", lines, ["pack", "weights", "k"])
    _note(f"updated: {called.out}")
    return 0


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
