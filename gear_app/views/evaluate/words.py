"""Words of an evaluation: names of methods and measures, the line of facts, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from gear_app.evaluate import breakdown
from gear_app.evaluate.definition import variant
from gear_app.evaluate.results import Facts, Results
from gear_app.evaluate.run_files import is_file, tag_of
from gear_app.store.evaluations import ORACLE
from gear_app.text import count
from gear_app.views.labels import PAPER, as_sentence, method_name, reader_name

REASONS = 3  # of failures, that are shown


@lru_cache(maxsize=1024)
def label(words: str) -> str:
    """A method as a screen names it: "GEAR, width 5"; a run file by its tag."""
    if words == ORACLE:
        return ORACLE.capitalize()
    if is_file(words):
        return f"{tag_of(words)} (run file)"
    parsed = variant(words)
    settings = [PAPER] if parsed.as_paper else []
    settings += [f"{name} {value}" for name, value in parsed.settings.items()]
    return ", ".join([method_name(parsed.method), *settings])


MEASURES: Mapping[str, str] = {  # the glossary's term for a measure, by the measure's name
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
    names = {"recall": "R", "mrr": "MRR", "ndcg": "nDCG", "em": "EM", "f1": "F1"}
    return f"{names.get(name, name)}{at}{k}"


def long_name(metric: str) -> str:
    """A measure's name over a figure: "Recall@5", "All gold in the first 5"."""
    name, _, k = metric.partition("@")
    if name == "recall":
        return f"Recall@{k}"
    return f"All gold in the first {k}" if name == "all" else measure_name(metric)


def facts_line(facts: Facts) -> str:
    """Conditions of every number, in one line."""
    triples = (
        f"triples: {facts.triple_set}, {facts.triples:,}" if facts.triple_set else "no triples"
    )
    chosen = f" ({facts.choice})" if facts.choice else ""
    changed = f"{count(facts.stale, 'run')} from before passages, triples or gold changed"
    parts = [
        facts.collection,
        count(facts.passages, "passage"),
        f"{count(facts.questions, 'question')}{chosen}, {count(facts.gold, 'gold passage')}",
        triples,
        facts.embedder,
        reader_name(facts.reader),
        f"one run at k = {facts.k}",
        f"gear-app {facts.version}, commit {facts.commit}",
        changed if facts.stale else "",
    ]
    return " · ".join(part for part in parts if part)


def mean_words(value: float) -> str:
    """A mean as all figures and tables print it, so that a number is the same in each."""
    return f"{value:.3f}"


def percent(value: float) -> str:
    """A fraction in whole percent."""
    return f"{100 * value:.0f} %"


def best_method(results: Results, k: int) -> str:
    """The method with the highest recall, the first of several."""
    means = {
        words: results.comparison.mean(words, f"recall@{k}") for words in results.evaluation.methods
    }
    measured = {words: mean for words, mean in means.items() if mean is not None}
    return max(measured, key=lambda words: measured[words], default=results.comparison.baseline)


def failed_sentence(failures: Counter[str]) -> str:
    """How many runs failed, and the most frequent reasons; "" without failures."""
    if not failures:
        return ""
    several = failures.total() > 1
    reasons = [f"{number:,} × {reason}" for reason, number in failures.most_common(REASONS)]
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


def verdict(results: Results, k: int) -> str:
    """The best method against the baseline, with the p-value of the corrected test."""
    evaluation, baseline = results.evaluation, results.comparison.baseline
    if not evaluation.complete:
        questions = count(len(evaluation.questions), "question")
        return f"No verdict yet: {len(evaluation.common)} of {questions} measured with every method"
    best, name = best_method(results, k), label(baseline)
    row = results.comparison.of(best, f"recall@{k}")
    if row is None:
        return "Nothing is measured yet"
    if best == baseline:
        return f"R@{k}: no method is better than {name}"
    sure = "significantly" if row["verdict"] == "above" else "not significantly"
    return f"R@{k}: {label(best)} is {sure} better than {name} (p {p_words(row['p_holm'], '= ')})"


def p_words(p: float | None, equals: str = "") -> str:
    """A p-value as it is printed; "no verdict" without a test, since runs failed."""
    if p is None:
        return "no verdict"
    return f"{equals}{p:.3f}" if p >= 0.001 else "< 0.001"


def oracle_questions(results: Results) -> str:
    """How many questions the oracle is known for, in brackets after its name; "" if these are all
    that are measured.
    """
    evaluation = results.evaluation
    if breakdown.oracle_is_complete(evaluation):
        return ""
    return f" ({len(evaluation.oracle)} of {count(len(evaluation.questions), 'question')})"


def share_words(share: float) -> str:
    """How much of the way to the oracle a method goes; more than all of it is no share."""
    return "above it" if share > 1 else percent(share)
