"""The measures of one ranking, by ir_measures, which computes them with trec_eval's own code.

* R@k: the share of the gold passages among the first k.
* all@k (all-recall): 1 where every gold passage is among the first k. Beside R@k everywhere, as a
  chain with one link missing cannot be followed, and R@k does not tell.
* RR (its mean is MRR): 1 / rank of the first gold passage.
* nDCG@k: each gold passage among the first k counts 1 / log2(rank + 1), as a share of what the best
  ranking would have; relevance is 0 or 1.

Where a document was cut by us, its best part stands for it (exports.trec), so that what is measured
here is what any tool measures of the exported files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, R, nDCG

from gear_app.exports.trec import judged_keys

_QUESTION = "q"  # one at a time


@dataclass(frozen=True, slots=True)
class Measures:
    """Of one ranking, by cut-off where there is one."""

    recall: dict[int, float]
    all_recall: dict[int, float]
    ndcg: dict[int, float]
    reciprocal_rank: float


def measures(ranking: Sequence[str], gold: Sequence[str], ks: Sequence[int]) -> Measures:
    """What a ranking of keys, best first, has of the gold keys. Raises ValueError without gold."""
    if not gold:
        raise ValueError("a ranking can only be measured against gold passages")
    keys = judged_keys(ranking, gold)
    qrels = {_QUESTION: dict.fromkeys(gold, 1)}
    run = {_QUESTION: {key: float(len(keys) - place) for place, key in enumerate(keys)}}
    wanted = [RR, *(measure @ k for k in ks for measure in (R, nDCG))]
    values = {one.measure: one.value for one in ir_measures.iter_calc(wanted, qrels, run)}
    recall = {k: values[R @ k] for k in ks}
    return Measures(
        recall,
        {k: float(share == 1) for k, share in recall.items()},
        {k: values[nDCG @ k] for k in ks},
        values[RR],
    )
