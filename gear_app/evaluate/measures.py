"""The measures of rankings, by ir_measures, which computes them with trec_eval's own code.

* R@k: the share of the gold passages among the first k.
* all@k (all-recall): 1 if every gold passage is among the first k. A chain with one missing link
  cannot be followed, and R@k does not show that.
* RR (its mean is MRR): 1 / rank of the first gold passage.
* nDCG@k: each gold passage among the first k counts its grade / log2(rank + 1), as a share of what
  the best ranking would have. The grade is 1 if nobody graded.

If we cut a document, its best part stands for it (exports.trec), so that any tool measures the same
of the exported files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import ir_measures
from ir_measures import RR, R, nDCG

from gear_app.exports.trec import judged_keys

Pattern = tuple[tuple[int, ...], tuple[int, ...]]  # grades, ranks of the first of these


def ranks_of(ranking: Sequence[str], gold: Sequence[str]) -> dict[str, int | None]:
    """Rank of each gold passage in a ranking of keys; of a document that was cut, of its first
    part.
    """
    places = {key: rank for rank, key in enumerate(judged_keys(ranking, gold), start=1)}
    return {key: places.get(key) for key in gold}


def measures(
    rankings: Sequence[Mapping[str, int | None]],
    grades: Sequence[Mapping[str, int]],
    ks: Sequence[int],
) -> list[dict[str, float]]:
    """Values by measure (`recall@5`, `all@5`, `ndcg@5`, `mrr`), a dict a ranking, from the ranks of
    the gold passages and their grades, both by key. Rankings with the same ranks and grades are
    measured once: of ten thousand most are alike. Raises ValueError for a ranking without gold.
    """
    if not all(rankings):
        raise ValueError("a ranking can only be measured against gold passages")
    pairs = zip(rankings, grades, strict=True)
    patterns = [_pattern(ranks, grade, max(ks, default=1)) for ranks, grade in pairs]
    names = {pattern: str(number) for number, pattern in enumerate(dict.fromkeys(patterns))}
    qrels = {name: _gold(pattern) for pattern, name in names.items()}
    run = {name: _scores(pattern) for pattern, name in names.items()}
    values: dict[str, dict[str, float]] = defaultdict(dict)
    by_name = {RR: "mrr"} | {R @ k: f"recall@{k}" for k in ks} | {nDCG @ k: f"ndcg@{k}" for k in ks}
    for metric in ir_measures.iter_calc(list(by_name), qrels, run) if qrels else ():
        cut = metric.measure.params.get("cutoff")
        name = {"R": f"recall@{cut}", "nDCG": f"ndcg@{cut}"}.get(str(metric.measure.NAME), "mrr")
        values[metric.query_id][name] = metric.value
    for of_pattern in values.values():
        of_pattern |= {f"all@{k}": float(of_pattern[f"recall@{k}"] == 1) for k in ks}
    return [values[names[pattern]] for pattern in patterns]


def _pattern(ranks: Mapping[str, int | None], grades: Mapping[str, int], depth: int) -> Pattern:
    """All that the measures depend on: grades of the gold passages, and ranks of the first of
    these, which are within the depth; if none is, the rank of the first below it.
    """
    graded = sorted((rank, grades.get(key, 1)) for key, rank in ranks.items() if rank is not None)
    listed = [pair for pair in graded if pair[0] <= max(depth, graded[0][0])]
    every = Counter(grades.get(key, 1) for key in ranks)
    others = sorted((every - Counter(grade for _, grade in listed)).elements())
    return (*(grade for _, grade in listed), *others), tuple(rank for rank, _ in listed)


def _gold(pattern: Pattern) -> dict[str, int]:
    return {f"g{number}": grade for number, grade in enumerate(pattern[0])}


def _scores(pattern: Pattern) -> dict[str, float]:
    """A ranking with the nth gold passage "g n" at its rank, and other passages between."""
    gold = {rank: f"g{number}" for number, rank in enumerate(pattern[1])}
    ranks = range(1, max(gold, default=0) + 1)
    return {gold.get(rank, f"o{rank}"): -float(rank) for rank in ranks}
