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
from typing import NamedTuple

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

    Of ten thousand rankings most have their gold at the same few ranks, and each is measured once.
    """
    alike = {id_: _alike(found, max(ks)) for id_, found in ranks.items()}
    names = {one: str(number) for number, one in enumerate(dict.fromkeys(alike.values()))}
    qrels = {name: {f"g{n}": 1 for n in range(one.gold)} for one, name in names.items()}
    measured = _measures(qrels, {name: _filled(one) for one, name in names.items()}, ks)
    return {id_: measured[names[one]] for id_, one in alike.items()}


class GoldRanks(NamedTuple):
    """All that the measures depend on: how many gold passages there are, and the ranks of those
    within the cut-offs; where there is none, that of the first below them.
    """

    gold: int
    ranks: tuple[int, ...]


def _alike(ranks: Sequence[int | None], depth: int) -> GoldRanks:
    found = sorted(rank for rank in ranks if rank is not None)
    return GoldRanks(len(ranks), tuple(rank for rank in found if rank <= max(depth, found[0])))


def _filled(found: GoldRanks) -> list[str]:
    """A ranking with the nth gold passage "g n" at its rank and others between."""
    there = {rank: f"g{n}" for n, rank in enumerate(found.ranks)}
    return [there.get(rank, f"o{rank}") for rank in range(1, max(there, default=0) + 1)]


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
