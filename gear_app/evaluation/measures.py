"""The measures of rankings, for any cut-off and any column of ranks. Tests hold them against
ir_measures, which computes them with trec_eval's own code.

* R@k: the share of the gold passages among the first k.
* all@k (all-recall): 1 if every gold passage is among the first k. A chain with one missing link
  cannot be followed, and R@k does not show that.
* RR (its mean is MRR): 1 / rank of the first gold passage.
* nDCG@k: each gold passage among the first k counts its grade / log2(rank + 1), as a share of what
  the best ranking would have. The grade is 1 if nobody graded.

If we cut a document, its best part stands for it (judged_keys), so that any tool measures the same
of the exported files.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gear_app.core.errors import BadInput
from gear_app.store.evaluations import ORACLE
from gear_app.trace.metrics import document_key

PLACE = ["method", "question"]
FIRST = 20  # passages of a ranking that are stored by key; the oracle's rankings are so deep


def judged_keys(keys: Sequence[str], gold: Sequence[str]) -> list[str]:
    """The keys of a ranking as judgments name them: the first part of a gold document takes its
    id.
    """
    free = set(gold) - set(keys)
    judged: list[str] = []
    for key in keys:
        document = document_key(key)
        judged.append(document if document in free else key)
        free.discard(document)
    return judged


def ranks_of(ranking: Sequence[str], gold: Sequence[str]) -> dict[str, int | None]:
    """Rank of each gold passage in a ranking of keys; of a document that was cut, of its first
    part.
    """
    places = {key: rank for rank, key in enumerate(judged_keys(ranking, gold), start=1)}
    return {key: places.get(key) for key in gold}


def measure(gold: pd.DataFrame, metric: str, rank: str = "rank") -> pd.Series:
    """A measure (`recall@5`, `all@5`, `ndcg@5`, `mrr`) by method and question, from a column of
    ranks of gold passages, infinite for those not ranked; none of the oracle deeper than its
    rankings. Raises BadInput for another measure.
    """
    name, _, cut = metric.partition("@")
    if cut.isdecimal() and int(cut) > FIRST:
        gold = gold[gold["method"] != ORACLE]
    by_place = [gold[column] for column in PLACE]
    if metric == "mrr":
        return (1 / gold[rank]).groupby(by_place, sort=False).max()
    if name not in ("recall", "all", "ndcg") or not cut.isdecimal():
        raise BadInput(f"There is no measure {metric!r}")
    hits = gold[rank] <= int(cut)
    if name == "ndcg":
        best = gold.groupby(PLACE, sort=False)["grade"].rank(method="first", ascending=False)
        gains = (gold["grade"] / np.log2(gold[rank] + 1)).where(hits, 0.0)
        ideal = (gold["grade"] / np.log2(best + 1)).where(best <= int(cut), 0.0)
        gained, most = (part.groupby(by_place, sort=False).sum() for part in (gains, ideal))
        return gained / most
    share = hits.groupby(by_place, sort=False).mean()
    return share if name == "recall" else (share == 1).astype(float)
