"""What is behind an evaluation's means: by iteration, kind of question, place in the chain, rank.

Pure functions of its rows. "Missed" is a gold passage that is not among the first k.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, quantiles
from typing import Any, NamedTuple

from gear_app.analysis.rankings import within
from gear_app.evaluate.evaluation import Evaluation, Row, value_of
from gear_app.evaluate.run_facts import NO_TOKENS, Ranks, TokensTaken
from gear_app.types import Question

# The last rank of each bin of the histogram of ranks.
RANK_BINS = (5, 10, 15, 20, 50, 100, 200)
NOT_RANKED = "not ranked"

RecallGroups = tuple[tuple[float, ...], ...]  # of the questions of each group


class IterationMeans(NamedTuple):
    """After one iteration: the mean recall of all questions, those that had stopped with what they
    had; how many of them made this iteration; mean tokens so far, of which so many were written.
    """

    recall: float
    asking: int
    tokens: float
    output_tokens: float


class Share(NamedTuple):
    """So many missed of so many."""

    missed: int
    of: int

    @property
    def value(self) -> float:
        """As a fraction; 0 of none."""
        return self.missed / self.of if self.of else 0.0


class QuestionGroup(NamedTuple):
    """Questions of a kind: how many, the mean recall of each method on them, and that of a perfect
    reader on the `ceiling_n` of them whose decomposition is known; None of none. `all_recall` and
    `ceiling_all` are the shares of questions with all their gold.
    """

    name: str
    n: int
    recall: Mapping[str, float]
    ceiling: float | None = None
    ceiling_n: int = 0
    all_recall: Mapping[str, float] = {}
    ceiling_all: float | None = None


class Spread(NamedTuple):
    """How a number is spread over the questions of a group: how many these are, its mean, and its
    quartiles.
    """

    n: int
    mean: float
    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of at least one value."""
        cuts = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
        return cls(len(values), fmean(values), *cuts)


Spreads = Mapping[str, Mapping[str, Spread]]  # by group of questions, then by method


class Overlap(NamedTuple):
    """Gold passages by which of two methods has them among its first k; `ceiling`: how many a
    perfect reader has of the `ceiling_of` that neither has and whose question it is known of, None
    where that is not known of any question.
    """

    both: int
    first: int
    second: int
    neither: int
    ceiling: int | None = None
    ceiling_of: int = 0


class Common(NamedTuple):
    """How many questions every method is measured on, and whether none is measured on others."""

    questions: int
    whole: bool


def common(evaluation: Evaluation) -> Common:
    """The questions that all methods have rows of: while an evaluation goes on, after a budget was
    reached and where runs failed, one method may be on questions that another is not, and their
    means say nothing of each other.
    """
    measured: dict[str, set[str]] = {method: set() for method in evaluation.methods}
    for row in evaluation.rows:
        measured[row.method].add(row.id)
    sets = list(measured.values())
    shared = set.intersection(*sets) if sets else set()
    return Common(len(shared), not evaluation.failed and all(one == shared for one in sets))


def rounds(evaluation: Evaluation, method: str, k: int) -> list[IterationMeans]:
    """Recall after every iteration (GEAR Fig. 2), to the last that any question has."""
    rows = evaluation.of(method)
    last = max((len(row.rounds) for row in rows), default=0)
    return [
        IterationMeans(
            fmean(recall(ranks_after(row, n), k) for row in rows),
            sum(len(row.rounds) >= n for row in rows),
            fmean(tokens_after(row, n).total for row in rows),
            fmean(tokens_after(row, n).output for row in rows),
        )
        for n in range(1, last + 1)
    ]


def ranks_after(row: Row, n: int) -> Ranks:
    """The ranks after an iteration; of one that had stopped before, those it stopped with."""
    return row.rounds[min(n, len(row.rounds)) - 1] if row.rounds else row.ranks


def tokens_after(row: Row, n: int) -> TokensTaken:
    """What was taken until the end of an iteration."""
    return row.tokens[min(n, len(row.tokens)) - 1] if row.tokens else NO_TOKENS


def ceiling_mean(evaluation: Evaluation, metric: str) -> float | None:
    """The perfect reader's mean of a measure, over the questions whose decomposition is known; None
    where there is none, and deeper than its searches are kept.
    """
    name, _, k = metric.partition("@")
    deep = k and all(int(k) not in row.recall for row in evaluation.ceiling)
    if not evaluation.ceiling or deep or name in ("em", "f1"):
        return None
    return fmean(value for row in evaluation.ceiling if (value := row.value(metric)) is not None)


def ceiling_is_whole(evaluation: Evaluation) -> bool:
    """Whether the perfect reader is measured on the questions that every method is measured on, so
    that its means stand beside theirs.
    """
    known = {row.id for row in evaluation.ceiling}
    measured = ({row.id for row in evaluation.of(method)} for method in evaluation.methods)
    return bool(known) and all(ids == known for ids in measured)


def recall(ranks: Ranks, k: int) -> float:
    """R@k of the ranks of all gold passages."""
    return sum(within(rank, k) for rank in ranks) / len(ranks)


def recall_caps(rows: Sequence[Row], ks: Sequence[int]) -> dict[int, float]:
    """The most that mean R@k can be, by those cut-offs that some question has more gold than."""
    caps = {k: sum(min(k, row.gold) / row.gold for row in rows) / max(1, len(rows)) for k in ks}
    return {k: cap for k, cap in caps.items() if rows and cap < 1}


def all_recall(ranks: Ranks, k: int) -> float:
    """1 where all gold passages are among the first k, else 0."""
    return float(recall(ranks, k) == 1)


def by_hops(evaluation: Evaluation, k: int) -> list[QuestionGroup]:
    """By how many hops a question has (GEAR Fig. 3), where that is known."""
    return _groups(evaluation, k, lambda one: f"{one.hops} hops" if one.hops else "")


def recall_by_hops(evaluation: Evaluation, method: str, k: int) -> RecallGroups:
    """A method's recall on each question, grouped by hops, fewest first."""
    hops = {one.id: one.hops for one in evaluation.questions if one.hops}
    return _recall_groups(evaluation, method, k, hops, sorted(set(hops.values())))


def recall_by_density(evaluation: Evaluation, method: str, k: int) -> RecallGroups:
    """The same, grouped by triple density, fewest triples first."""
    groups = density_groups(evaluation)
    return _recall_groups(evaluation, method, k, groups, dict.fromkeys(groups.values()))


def _recall_groups(
    evaluation: Evaluation,
    method: str,
    k: int,
    group_of: Mapping[str, object],
    groups: Iterable[object],
) -> RecallGroups:
    """By group in this order; without those that the method has no question of."""
    rows = evaluation.of(method)
    found = (tuple(r.recall[k] for r in rows if group_of.get(r.id) == group) for group in groups)
    return tuple(one for one in found if one)


def by_type(evaluation: Evaluation, k: int) -> list[QuestionGroup]:
    """By the data set's own word for a question's type, where there is one."""
    return _groups(evaluation, k, lambda one: one.type or "")


def em_by_type(evaluation: Evaluation) -> list[QuestionGroup]:
    """The same of exact match with the known answers (BDTR Fig. 6), where answers were written."""
    kinds = _groups(evaluation, evaluation.ks[0], lambda one: one.type or "", "em")
    return [group for group in kinds if group.recall]


def spread_by_hops(evaluation: Evaluation, of: Callable[[Row], float]) -> Spreads:
    """A number of every row by how many hops its question has, fewest first."""
    hops = {one.id: one.hops for one in evaluation.questions if one.hops}
    values: dict[int, dict[str, list[float]]] = {n: {} for n in sorted(set(hops.values()))}
    for row in evaluation.rows:
        if row.id in hops:
            values[hops[row.id]].setdefault(row.method, []).append(of(row))
    return {
        f"{n} hops": {method: Spread.of(found) for method, found in methods.items()}
        for n, methods in values.items()
    }


def by_density(evaluation: Evaluation, k: int) -> list[QuestionGroup]:
    """By how many triples their gold passages have on average (GEAR Table 12), fewest first."""
    groups = density_groups(evaluation)
    found = {one.name: one for one in _groups(evaluation, k, lambda one: groups.get(one.id, ""))}
    return [found[name] for name in dict.fromkeys(groups.values())]


def density_groups(evaluation: Evaluation) -> dict[str, str]:
    """The group of each question by its triple density, fewest triples first: up to four of about
    as many questions, where the paper has fixed numbers. {} where all would be in one.
    """
    found = sorted(evaluation.densities.items(), key=lambda pair: pair[1])
    numbers = [number for _, number in found]
    bounds = {round(bound, 1) for bound in quantiles(numbers, n=4)} if len(numbers) > 1 else set()
    cuts = sorted(bound for bound in bounds if numbers[0] < bound <= numbers[-1])
    return {id_: _density_name(number, cuts) for id_, number in found} if cuts else {}


def _density_name(number: float, cuts: Sequence[float]) -> str:
    """The group of a number between cuts: "triples < 3", "3 ≤ triples < 4.5", "4.5 ≤ triples"."""
    at = bisect(cuts, number)
    low = f"{cuts[at - 1]:g} ≤ " if at else ""
    high = f" < {cuts[at]:g}" if at < len(cuts) else ""
    return f"{low}triples{high}"


def deep_recall(
    rows: Sequence[Row], deepest: int = RANK_BINS[-1], of: Callable[[Ranks, int], float] = recall
) -> dict[int, float]:
    """Mean recall as far down as rankings go (BDTR Fig. 4), by cut-off; {} of no rows. `of`: of
    `all_recall`, the share of questions with all their gold.
    """
    cuts = [k for k in RANK_BINS if k <= deepest]
    return {k: fmean(of(row.ranks, k) for row in rows) for k in cuts} if rows else {}


def positions(evaluation: Evaluation, rows: Sequence[Row], k: int) -> list[Share]:
    """Missed passages by the link of the chain they belong to, the first first, 0 of 0 for a link
    that is gold of no question; [] where no question's decomposition names its passages.
    """
    questions = {one.id: one for one in evaluation.questions}
    counts: dict[int, list[bool]] = {}
    for row in rows:
        for place, rank in links(questions[row.id], row).items():
            counts.setdefault(place, []).append(not within(rank, k))
    every = (counts.get(place, []) for place in range(1, max(counts, default=0) + 1))
    return [Share(sum(missed), len(missed)) for missed in every]


def repeated_links(evaluation: Evaluation) -> int:
    """How many questions have a gold passage that is more than one link of their chain: there are
    more links than gold passages then.
    """
    chains = [
        [hop.supporting_key for hop in one.decomposition if hop.supporting_key]
        for one in evaluation.questions
    ]
    return sum(len(set(chain)) < len(chain) for chain in chains)


def links(question: Question, row: Row) -> dict[int, int | None]:
    """The rank of each link's passage, by its place in the chain from 1."""
    ranks = dict(zip(dict.fromkeys(question.supporting_keys), row.ranks, strict=True))
    return {
        place: ranks[hop.supporting_key]
        for place, hop in enumerate(question.decomposition, start=1)
        if hop.supporting_key in ranks
    }


def burial(rows: Sequence[Row]) -> dict[str, int]:
    """How many gold passages are at which ranks (BDTR Fig. 4), and how many in no ranking."""
    ranks = [rank for row in rows for rank in row.ranks]
    found, above = {}, 0
    for last in RANK_BINS:
        found[bin_name(above, last)] = sum(
            rank is not None and above < rank <= last for rank in ranks
        )
        above = last
    found[NOT_RANKED] = sum(rank is None or rank > above for rank in ranks)
    return found


def bin_name(above: int, last: int) -> str:
    """Ranks above one, to another: "6–10"."""
    return f"{above + 1}–{last}"


def overlap(evaluation: Evaluation, first: str, second: str, k: int) -> Overlap:
    """Which gold passages two methods find, of the questions both were asked (BDTR Fig. 3)."""
    others = {row.id: row.ranks for row in evaluation.of(second)}
    best = {row.id: row.ranks for row in evaluation.ceiling if k in row.recall}
    found: Counter[tuple[bool, bool]] = Counter()
    more = known = 0
    for row in evaluation.of(first):
        perfect = best.get(row.id, (None,) * len(row.ranks))
        for mine, its, top in zip(row.ranks, others.get(row.id, ()), perfect, strict=False):
            pair = within(mine, k), within(its, k)
            found[pair] += 1
            more += not any(pair) and within(top, k)
            known += not any(pair) and row.id in best
    return Overlap(
        found[True, True],
        found[True, False],
        found[False, True],
        found[False, False],
        more if best else None,
        known,
    )


def share_of_gap(evaluation: Evaluation, method: str, baseline: str, k: int) -> float | None:
    """How much of the way from the baseline to the perfect reader a method goes at k, on the
    questions whose decomposition is known; above 1 where it finds more than that procedure does,
    None where there is no such way.
    """
    best = {row.id: row.recall[k] for row in evaluation.ceiling if k in row.recall}
    means = []
    for name in (method, baseline):
        values = {row.id: row.recall[k] for row in evaluation.of(name) if row.id in best}
        if not values or set(values) != set(best):
            return None
        means.append(fmean(values.values()))
    top = fmean(best.values())
    return (means[0] - means[1]) / (top - means[1]) if top > means[1] else None


def _groups(
    evaluation: Evaluation, k: int, kind: Callable[[Question], str], metric: str = "recall"
) -> list[QuestionGroup]:
    value = value_of(f"recall@{k}" if metric == "recall" else metric)
    kinds = {one.id: kind(one) for one in evaluation.questions}
    found = []
    for name in sorted(set(kinds.values()) - {""}):
        rows: dict[str, list[Row]] = {}
        for row in evaluation.rows:
            if kinds[row.id] == name:
                rows.setdefault(row.method, []).append(row)
        best = [row for row in evaluation.ceiling if kinds[row.id] == name and k in row.recall]
        best, whole = (best, rows) if metric == "recall" else ([], {})
        values = {
            method: [one for row in of if (one := value(row)) is not None]
            for method, of in rows.items()
        }
        found.append(
            QuestionGroup(
                name,
                sum(one == name for one in kinds.values()),
                {method: fmean(of) for method, of in values.items() if of},
                fmean(row.recall[k] for row in best) if best else None,
                len(best),
                {method: fmean(row.all_recall[k] for row in of) for method, of in whole.items()},
                fmean(row.all_recall[k] for row in best) if best else None,
            )
        )
    return found


def to_json(evaluation: Evaluation, baseline: str) -> dict[str, Any]:
    """All of it, as `eval --json` prints it: at the first cut-off, and `at` each of them."""
    first, *_ = evaluation.ks
    rows = {name: evaluation.of(name) for name in evaluation.methods}
    return {
        "k": first,
        **_at(evaluation, baseline, first),
        "ranks": {name: burial(of) for name, of in rows.items()},
        "deep_recall": {name: deep_recall(of) for name, of in rows.items()},
        "deep_all_recall": {name: deep_recall(of, of=all_recall) for name, of in rows.items()},
        "at": {str(k): _at(evaluation, baseline, k) for k in evaluation.ks},
    }


def _at(evaluation: Evaluation, baseline: str, k: int) -> dict[str, Any]:
    """What depends on a cut-off."""
    return {
        "rounds": {
            name: [one._asdict() for one in rounds(evaluation, name, k)]
            for name in evaluation.methods
        },
        "hops": [group._asdict() for group in by_hops(evaluation, k)],
        "triple_density": [group._asdict() for group in by_density(evaluation, k)],
        "types": [group._asdict() for group in by_type(evaluation, k)],
        "positions": {
            name: [one._asdict() for one in positions(evaluation, evaluation.of(name), k)]
            for name in evaluation.methods
        },
        "of_ceiling": {
            name: share_of_gap(evaluation, name, baseline, k) for name in evaluation.methods
        },
        "overlap": {
            name: overlap(evaluation, name, baseline, k)._asdict()
            for name in evaluation.methods
            if name != baseline
        },
    }
