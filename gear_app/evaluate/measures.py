"""The measures of rankings, by ir_measures, which computes them with trec_eval's own code.

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

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
from ir_measures import RR, R, nDCG

from gear_app.exports.trec import judged_keys

Values = dict[tuple[str | None, int | None], float]
_ONE = "q"  # the question, where there is one


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
    return _measures({_ONE: dict.fromkeys(gold, 1)}, {_ONE: judged_keys(ranking, gold)}, ks)[_ONE]


def measures_of_ranks(
    ranks: Mapping[str, Sequence[int | None]], ks: Sequence[int]
) -> dict[str, Measures]:
    """The same of many questions at once, by id, from the ranks of the gold passages alone: what
    stands between them makes no difference. None: not in the ranking.
    """
    qrels = {id_: {f"g{n}": 1 for n in range(len(found))} for id_, found in ranks.items()}
    return _measures(qrels, {id_: _filled(found, max(ks)) for id_, found in ranks.items()}, ks)


def _filled(ranks: Sequence[int | None], depth: int) -> list[str]:
    """A ranking with the nth gold passage "g n" at its rank and others between: as deep as the
    cut-offs, or as the first gold passage where that is deeper.
    """
    there = {rank: f"g{n}" for n, rank in enumerate(ranks) if rank is not None}
    if not there:
        return []
    last = max(min(there), min(depth, max(there)))
    return [there.get(rank, f"o{rank}") for rank in range(1, last + 1)]


def _measures(
    qrels: Mapping[str, Mapping[str, int]],
    rankings: Mapping[str, Sequence[str]],
    ks: Sequence[int],
) -> dict[str, Measures]:
    run = {
        id_: {key: float(len(keys) - place) for place, key in enumerate(keys)}
        for id_, keys in rankings.items()
    }
    wanted = [RR, *(measure @ k for k in ks for measure in (R, nDCG))]
    values: dict[str, Values] = defaultdict(dict)
    for one in ir_measures.iter_calc(wanted, qrels, run) if qrels else ():
        # By name and cut-off: a measure as a key is written out for every look-up.
        values[one.query_id][one.measure.NAME, one.measure.params.get("cutoff")] = one.value
    return {id_: _of_one(values[id_], ks) for id_ in qrels}


def _of_one(values: Values, ks: Sequence[int]) -> Measures:
    recall = {k: values[R.NAME, k] for k in ks}
    return Measures(
        recall,
        {k: float(share == 1) for k, share in recall.items()},
        {k: values[nDCG.NAME, k] for k in ks},
        values[RR.NAME, None],
    )
