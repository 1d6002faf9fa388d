"""The measures of rankings, by ir_measures, which computes them with trec_eval's own code.

* R@k: the share of the gold passages among the first k.
* all@k (all-recall): 1 where every gold passage is among the first k. Beside R@k everywhere, as a
  chain with one link missing cannot be followed, and R@k does not tell.
* RR (its mean is MRR): 1 / rank of the first gold passage.
* nDCG@k: each gold passage among the first k counts its grade / log2(rank + 1), as a share of what
  the best ranking would have. The grade is 1 where nobody graded.

Where a document was cut by us, its best part stands for it (exports.trec), so that what is measured
here is what any tool measures of the exported files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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


def measures(ranking: Sequence[str], gold: Mapping[str, int], ks: Sequence[int]) -> Measures:
    """What a ranking of keys, best first, has of the gold keys, each with its grade. Raises
    ValueError without gold.
    """
    if not gold:
        raise ValueError("a ranking can only be measured against gold passages")
    keys = judged_keys(ranking, list(gold))
    return _measures({_ONE: gold}, {_ONE: keys}, ks)[_ONE]


def measures_of_ranks(
    ranks: Mapping[str, Sequence[int | None]],
    grades: Mapping[str, Sequence[int]],
    ks: Sequence[int],
) -> dict[str, Measures]:
    """The same of many questions at once, by id, from the ranks of the gold passages and their
    grades alone: what stands between them makes no difference. None: not in the ranking.

    Of ten thousand rankings most have their gold at the same few ranks, and each is measured once.
    """
    alike = {id_: _alike(found, grades[id_], max(ks)) for id_, found in ranks.items()}
    names = {one: str(number) for number, one in enumerate(dict.fromkeys(alike.values()))}
    qrels = {
        name: {f"g{n}": grade for n, grade in enumerate(one.grades)} for one, name in names.items()
    }
    measured = _measures(qrels, {name: _filled(one) for one, name in names.items()}, ks)
    return {id_: measured[names[one]] for id_, one in alike.items()}


class GoldRanks(NamedTuple):
    """All that the measures depend on: the grades of the gold passages, and the ranks of the first
    of these, which are within the cut-offs; where none is, that of the first below them.
    """

    grades: tuple[int, ...]
    ranks: tuple[int, ...]


def _alike(ranks: Sequence[int | None], grades: Sequence[int], depth: int) -> GoldRanks:
    graded = list(zip(ranks, grades, strict=True))
    found = sorted((rank, grade) for rank, grade in graded if rank is not None)
    within = [one for one in found if one[0] <= max(depth, found[0][0])]
    others = sorted((Counter(grades) - Counter(grade for _, grade in within)).elements())
    return GoldRanks((*(grade for _, grade in within), *others), tuple(rank for rank, _ in within))


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
