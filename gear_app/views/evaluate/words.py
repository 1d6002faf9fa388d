"""What an evaluation is told in: names of methods and measures, the line of facts, and headings.

A heading states what was found, by rules from the numbers, so that it changes with them. Where a
corrected test cannot tell a method from the baseline no heading says that it is better, and until
all methods are measured on the same questions every heading only says what is below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from gear_app.evaluate import breakdown
from gear_app.evaluate.configurations import DiversityPair
from gear_app.evaluate.definition import variant
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.question_set import BeforeAfter
from gear_app.evaluate.results import Facts, Results
from gear_app.evaluate.run_files import is_brought, tag_of
from gear_app.evaluate.significance import LEVEL, trend_p_value
from gear_app.text import count
from gear_app.views.labels import PAPER, as_sentence, method_name, reader_name

STILL_ADDS = 0.005  # of recall: less is called nothing
MUCH_MORE = 1.5  # times as many
REASONS = 3  # why runs failed, that are told


def label(words: str) -> str:
    """A method as an evaluation names it: "GEAR, width 5"; a run file by its tag."""
    if words == PERFECT:
        return PERFECT.capitalize()
    if is_brought(words):
        return f"{tag_of(words)} (run file)"
    found = variant(words)
    settings = [PAPER] if found.as_paper else []
    settings += [f"{name} {value}" for name, value in found.settings.items()]
    return ", ".join([method_name(found.method), *settings])


MEASURES: Mapping[str, str] = {  # the glossary's term for a measure, by the measure's own name
    "recall": "R@k",
    "all": "all@k",
    "mrr": "MRR",
    "ndcg": "NDCG",
    "em": "EM",
    "f1": "F1",
}


def measure_name(metric: str) -> str:
    """A measure's name over a column: "R@5"."""
    name, at, k = metric.partition("@")
    return {"recall": "R", "mrr": "MRR", "ndcg": "nDCG", "em": "EM", "f1": "F1"}.get(name, name) + (
        f"{at}{k}"
    )


def long_name(metric: str) -> str:
    """The same over a figure: "Recall@5", "All gold in the first 5"."""
    name, _, k = metric.partition("@")
    if name == "recall":
        return f"Recall@{k}"
    return f"All gold in the first {k}" if name == "all" else measure_name(metric)


def facts_line(facts: Facts) -> str:
    """What every number rests on, in one line."""
    triples = (
        f"triples: {facts.triple_set}, {facts.triples:,}" if facts.triple_set else "no triples"
    )
    chosen = f" ({facts.choice})" if facts.choice else ""
    stale = f"{count(facts.stale, 'run')} of before the collection changed" if facts.stale else ""
    parts = [
        facts.collection,
        count(facts.passages, "passage"),
        f"{count(facts.questions, 'question')}{chosen}, {count(facts.gold, 'gold passage')}",
        triples,
        facts.embedder,
        reader_name(facts.reader),
        f"one run at k = {facts.k}",
        f"gear-app {facts.version}, commit {facts.commit}",
        stale,
    ]
    return " · ".join(part for part in parts if part)


def mean_words(value: float) -> str:
    """A mean as all figures and tables print it, so that one number reads alike in each."""
    return f"{value:.3f}"


def percent(value: float) -> str:
    """A fraction in whole percent."""
    return f"{100 * value:.0f} %"


def best_method(results: Results, k: int) -> str:
    """The method with the highest recall, the first of several; "" where nothing is measured."""
    measured = {
        words: found.mean.value
        for words in results.evaluation.methods
        if (found := results.comparison.of(words, f"recall@{k}"))
    }
    return max(measured, key=lambda one: measured[one]) if measured else ""


def failed_sentence(failures: Counter[str]) -> str:
    """How many runs failed and why, the most frequent reasons; "" where none did."""
    if not failures:
        return ""
    several = failures.total() > 1
    reasons = [f"{number:,} × {why}" for why, number in failures.most_common(REASONS)]
    more = len(failures) - REASONS
    return " ".join(
        [
            f"{count(failures.total(), 'run')} failed.",
            f"{'They are' if several else 'It is'} in no number, and there is no verdict on"
            f" {'their methods' if several else 'its method'} until"
            f" {'they have' if several else 'it has'} been made again. Why:",
            *map(as_sentence, reasons),
            *([f"And {count(more, 'other reason')}."] if more > 0 else []),
        ]
    )


def main_heading(results: Results, k: int) -> str:
    """Which method finds most, beside the baseline."""
    shared = breakdown.common(results.evaluation)
    if not shared.whole:
        asked = count(len(results.evaluation.questions), "question")
        return f"No verdict yet: {shared.questions} of {asked} measured with every method"
    best, baseline = best_method(results, k), results.comparison.baseline
    found = results.comparison.of(best, f"recall@{k}") if best else None
    usual = results.comparison.of(baseline, f"recall@{k}")
    if not found or not usual:
        return "Nothing is measured yet"
    if best == baseline or found.verdict == "same":
        return f"No method is surely above {label(baseline)} in the first {k}"
    return (
        f"{label(best)} has {percent(found.mean.value)} of a question’s gold in its first {k},"
        f" {label(baseline)} {percent(usual.mean.value)}"
    )


def dots_heading(results: Results, k: int) -> str:
    """How many methods can be told from the baseline."""
    if not breakdown.common(results.evaluation).whole:
        return "Recall, and questions with all their gold"
    baseline = results.comparison.baseline
    verdicts = {
        words: found.verdict
        for words in results.evaluation.methods
        if words != baseline and (found := results.comparison.of(words, f"recall@{k}"))
    }
    if not verdicts:
        return f"{label(baseline)} alone is measured"
    above = [words for words, verdict in verdicts.items() if verdict == "above"]
    below = sum(verdict == "below" for verdict in verdicts.values())
    others = [words for words in verdicts if words not in above]
    if not above:
        heading = f"No method is surely above {label(baseline)} at {k}"
    elif not others:
        heading = f"Every method is above {label(baseline)} at {k}"
    elif len(others) == 1 and len(above) > 1:
        heading = f"Every method but {label(others[0])} is above {label(baseline)} at {k}"
    else:
        heading = f"{len(above)} of {len(verdicts)} methods are above {label(baseline)} at {k}"
        if len(above) == 1:
            heading = f"Only {label(above[0])} is surely above {label(baseline)} at {k}"
    return heading + (f"; {below} below" if below else "")


def known_of(results: Results) -> str:
    """How many questions the perfect reader is known of, in brackets after its name; "" where these
    are all that are measured.
    """
    evaluation = results.evaluation
    if breakdown.ceiling_is_whole(evaluation):
        return ""
    return f" ({len(evaluation.ceiling)} of {count(len(evaluation.questions), 'question')})"


def share_words(share: float) -> str:
    """How much of the way to the perfect reader a method goes; more than all of it is no share."""
    return "above it" if share > 1 else percent(share)


def table_heading(results: Results, k: int) -> str:
    """How far the best method is on the way to the perfect reader, where it is surely above the
    baseline: on the questions that both are known of. Said of recall.
    """
    best, baseline = best_method(results, k), results.comparison.baseline
    gap = breakdown.share_of_gap(results.evaluation, best, baseline, k) if best else None
    found = results.comparison.of(best, f"recall@{k}")
    sure = found is not None and found.verdict == "above"
    if gap is None or not sure or not breakdown.common(results.evaluation).whole:
        return "All measures"
    there = f"R@{k}{known_of(results)}"
    if gap > 1:
        return f"{label(best)} finds more than the perfect reader, one simple way, in {there}"
    return f"{label(best)} goes {share_words(gap)} of the way to the perfect reader in {there}"


def rounds_heading(results: Results, highlight: str, k: int) -> str:
    """Until which iteration the highlighted method still finds more."""
    if is_brought(highlight):
        return f"What {label(highlight)} finds when is not known"
    if not breakdown.common(results.evaluation).whole:
        return "Recall after every iteration"
    found = breakdown.rounds(results.evaluation, highlight, k)
    if len(found) < 2:
        return f"{label(highlight)} searches once"
    gains = _gains(found)
    last = max((n for n, gain in enumerate(gains, start=2) if gain >= STILL_ADDS), default=1)
    if last == 1:
        return f"{label(highlight)}’s later iterations add nothing"
    if last == len(found):
        return f"{label(highlight)}’s iteration {last} still adds"
    return f"{label(highlight)}’s iteration {last} still adds, later ones hardly"


def positions_heading(results: Results, highlight: str, k: int) -> str:
    """Which link of the chain is missed most, as far as so many passages can tell."""
    shares = enumerate(_positions(results, highlight, k), start=1)
    found = {place: share for place, share in shares if share.of}
    if len(found) < 2 or not breakdown.common(results.evaluation).whole:
        return "Which link of the chain is missed"
    if not any(share.missed for share in found.values()):
        return f"{label(highlight)} misses no link"
    worst = max(found, key=lambda place: found[place].value)
    (start, first), *later = found.items()
    sure = [place for place, share in later if len(later) * _p_of_shares(first, share) < LEVEL]
    more = [place for place in sure if found[place].value >= MUCH_MORE * first.value]
    if more:
        place = max(more, key=lambda one: found[one].value)
        told = f"link {place} {'most' if place == worst else f'more than link {start}'}"
        return f"{label(highlight)} misses {told}, {percent(found[place].value)}"
    if start == worst == 1 and len(sure) == len(later):
        return f"{label(highlight)} misses the first link most, {percent(first.value)}"
    return f"{label(highlight)} misses no link surely more than the others"


def burial_heading(results: Results, highlight: str, k: int) -> str:
    """How near the missed passages are."""
    if not breakdown.common(results.evaluation).whole:
        return "How near the missed passages are"
    ranks = breakdown.burial(results.evaluation.of(highlight))
    total = sum(ranks.values())
    missed = {name: n for name, n in ranks.items() if _first(name) is None or _first(name) > k}  # type: ignore[operator]
    lost = sum(missed.values())
    near = sum(n for name, n in missed.items() if (_first(name) or 1_000) <= 50)
    if not lost:
        return f"{label(highlight)} misses none of {total:,}"
    if near == lost:
        return f"All that {label(highlight)} misses is within its first 50"
    return f"{percent(near / lost)} of what {label(highlight)} misses is within its first 50"


def deep_heading(results: Results, highlight: str, k: int) -> str:
    """How much of what is missed is only further down."""
    found = breakdown.deep_recall(results.evaluation.of(highlight))
    if not found or not breakdown.common(results.evaluation).whole:
        return "Recall further down"
    last, first = max(found), recall_at(results, highlight, k)
    return (
        f"On average {label(highlight)} has {percent(first)} of a question’s gold in its first {k},"
        f" {percent(found[last])} in its first {last}"
    )


def recall_at(results: Results, method: str, k: int) -> float:
    """A method's mean recall."""
    cell = results.comparison.of(method, f"recall@{k}")
    return cell.mean.value if cell else 0.0


def density_heading(results: Results, method: str, k: int) -> str:
    """How far apart the groups with few and many triples are, where that is no chance."""
    groups = breakdown.recall_by_density(results.evaluation, method, k)
    means = [fmean(one) for one in groups]
    measured = len(means) > 1 and breakdown.common(results.evaluation).whole
    if not measured or trend_p_value(groups) >= LEVEL:
        return "Recall by triples of the gold passages"
    spread = max(means) - min(means)
    return f"{label(method)}’s recall differs by {percent(spread)} with the number of triples"


def diversity_heading(found: Sequence[DiversityPair]) -> str:
    """What diversity does to the first method, where that is sure."""
    one = found[0]
    k = next(iter(one.recall))
    if k not in one.p:
        return f"{label(one.on)} with diversity and without"
    if one.p[k] >= LEVEL:
        return f"Diversity makes no sure difference to {label(one.on)} at {k}"
    better = "more" if one.difference[k].value > 0 else "less"
    return f"With diversity {label(one.on)} finds {better} at {k}"


def overlap_heading(results: Results, found: breakdown.Overlap, first: str, second: str) -> str:
    """Whether two methods would help each other."""
    total = sum(found[:4])
    if not total:
        return "Nothing is measured with both"
    if not breakdown.common(results.evaluation).whole:
        return f"What {label(first)} and {label(second)} find"
    together = (found.both + found.first + found.second) / total
    best = (found.both + max(found.first, found.second)) / total
    if together - best < 0.01:
        better = first if found.first >= found.second else second
        return f"{label(better)} finds nearly all that either finds"
    return (
        f"Together they would have {percent(together)} of all gold passages, the better alone"
        f" {percent(best)}"
    )


def groups_heading(results: Results, method: str, k: int) -> str:
    """Whether more hops are harder, as far as so many questions can tell."""
    groups = breakdown.recall_by_hops(results.evaluation, method, k)
    less = all(a > b for a, b in pairwise(map(fmean, groups)))
    if len(groups) < 2 or not less or not breakdown.common(results.evaluation).whole:
        return "Recall by number of hops"
    if trend_p_value(groups) >= LEVEL:
        return f"{label(method)} does not surely find less with more hops"
    return f"{label(method)} finds less with every hop more"


def before_after_heading(results: Results, found: Sequence[BeforeAfter], k: int) -> str:
    """How many gold passages were found and lost since the questions were picked."""
    if not breakdown.common(results.evaluation).whole:
        return "Before and now"
    gained, lost = sum(one.found for one in found), sum(one.lost for one in found)
    if not gained and not lost:
        return f"Nothing is found or lost in the first {k} since these questions were picked"
    return f"{count(gained, 'gold passage')} found since these questions were picked, {lost} lost"


def _positions(results: Results, method: str, k: int) -> list[breakdown.Share]:
    return breakdown.positions(results.evaluation, results.evaluation.of(method), k)


def _p_of_shares(first: breakdown.Share, second: breakdown.Share) -> float:
    """How easily two shares would differ as much by chance."""
    return trend_p_value(
        tuple((1.0,) * one.missed + (0.0,) * (one.of - one.missed) for one in (first, second))
    )


def _gains(found: Sequence[breakdown.IterationMeans]) -> list[float]:
    return [after.recall - before.recall for before, after in pairwise(found)]


def _first(name: str) -> int | None:
    """The first rank of a bin; None for what is not ranked."""
    start = name.partition("–")[0]
    return int(start) if start.isdecimal() else None
