"""Words of an evaluation: names of methods and measures, the line of facts, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gear_app.core.text import count
from gear_app.display.labels import PAPER, as_sentence, method_name, reader_name
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.results import Facts, Results
from gear_app.evaluation.variants import is_file, tag_of, variant
from gear_app.store.evaluations import ORACLE

REASONS = 3  # of failures, that are shown
MINUS = "−"


@lru_cache(maxsize=1024)
def label(words: str) -> str:
    """A method as a screen names it: "GEAR, width 5"; a run file by its tag."""
    if words == ORACLE:
        return ORACLE.capitalize()
    if is_file(words):
        return f"{tag_of(words)} (run file)"
    parsed = variant(words)
    paper = [PAPER] if parsed.as_paper else []
    settings = [f"{name.split('.')[-1]} {value}" for name, value in parsed.settings.items()]
    return ", ".join([method_name(parsed.method), *paper, *settings])


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


def facts_line(facts: Facts, *, brief: bool = False) -> str:
    """Conditions of every number, in one line."""
    triples = (
        f"triples: {facts.triple_set}, {facts.triples:,}" if facts.triple_set else "no triples"
    )
    chosen = f" ({facts.choice})" if facts.choice else ""
    parts = [
        facts.collection,
        count(facts.passages, "passage"),
        f"{count(facts.questions, 'question')}{chosen}, {count(facts.gold, 'gold passage')}",
        triples,
        reader_name(facts.reader),
    ]
    if not brief:
        parts += [facts.embedder, f"one run at k = {facts.k}"]
        parts += [f"gear-app {facts.version}, commit {facts.commit}"]
    if facts.stale:
        parts.append(f"{count(facts.stale, 'run')} from before passages, triples or gold changed")
    return " · ".join(parts)


def failed_sentence(failures: Counter[str]) -> str:
    """How many runs failed, and the most frequent reasons; "" without failures."""
    if not failures:
        return ""
    reasons = [f"{number:,} × {reason}" for reason, number in failures.most_common(REASONS)]
    return " ".join(
        [
            f"{count(failures.total(), 'run')} failed. Failed runs are in no number, and there is"
            " no verdict on their methods until they have been made again. Why:",
            *map(as_sentence, reasons),
        ]
    )


def verdict(results: Results, k: int) -> str:
    """The best method against the baseline, with the p-value of the corrected test."""
    evaluation, baseline = results.evaluation, results.comparison.baseline
    if not evaluation.complete:
        questions = count(len(evaluation.questions), "question")
        return f"No verdict yet: {len(evaluation.common)} of {questions} measured with every method"
    best, name = methods_by_recall(results, k)[0], label(baseline)
    row = results.comparison.row(best, f"recall@{k}")
    if not row:
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
    if evaluation.oracle_is_complete:
        return ""
    return f" ({len(evaluation.runs_of(ORACLE))} of {count(len(evaluation.questions), 'question')})"


def share_words(share: float) -> str:
    """How much of the way to the oracle a method goes; more than all of it is no share."""
    return "above it" if share > 1 else f"{100 * share:.0f} %".replace("-", MINUS)


def with_interval(value: float, low: float, high: float) -> str:
    """A difference with its 95 % interval."""
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})".replace("-", MINUS)


def shown_measures(evaluation: Evaluation, k: int) -> list[str]:
    """The measures of the table: recall at every cut-off, all-recall at k and the others once."""
    deep = 10 if 10 in evaluation.ks else evaluation.ks[-1]
    names = [*(f"recall@{cut}" for cut in evaluation.ks), f"all@{k}", "mrr", f"ndcg@{deep}"]
    return [*names, "em", "f1"] if evaluation.answered else names


def methods_by_recall(results: Results, k: int | None = None) -> list[str]:
    """Methods by recall at k, else at the first cut-off, the highest first."""
    means = results.evaluation.means(f"recall@{k or results.evaluation.ks[0]}")
    return sorted(results.evaluation.methods, key=lambda words: -means.get(words, -1.0))


def with_missing(results: Results, words: str) -> str:
    """A method's name, with how many questions it is not measured on: "GEAR (3 failed, 14
    missing)".
    """
    failed = int((results.evaluation.failed["method"] == words).sum())
    missing = len(results.evaluation.unmeasured.get(words, ()))
    numbers = [f"{failed} failed"] if failed else []
    numbers += [f"{missing} missing"] if missing else []
    return label(words) + (f" ({', '.join(numbers)})" if numbers else "")


def tests_note(results: Results) -> str:
    """Meaning of the marks of the table and of its figure."""
    baseline, tests = label(results.comparison.baseline), results.comparison.tests
    note = (
        f"▲ ▼ filled: significantly above or below {baseline} (◆), Holm’s correction for"
        f" {count(tests, 'test')} a measure; hollow: not significant"
    )
    if results.evaluation.runs_of(ORACLE).empty:
        return note
    note += "; thin line: oracle decomposition over hybrid, which is no limit"
    if results.evaluation.oracle_is_complete:
        return note
    return f"{note}; its questions are fewer, so its row is not to be compared"


def before_notes(results: Results, changed: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Which questions before and after is of, if that is not every question with every method."""
    size, sentences = len(results.evaluation.questions), []
    if any(row["picked"] < size for row in changed.values()):
        sentences.append(
            "Each method has only the questions that were picked with it, so rows are not to be"
            f" compared with each other; all other tables are of all {count(size, 'question')}"
        )
    if any(row["n"] < row["picked"] for row in changed.values()):
        sentences.append("Questions are left out if they have no run yet or other gold than then")
    return sentences


def remarks(results: Results) -> list[str]:
    """Sentences on failed runs, gold, questions and run files."""
    evaluation = results.evaluation
    files = [file.sentence(results.facts.k) for file in evaluation.files]
    failed = failed_sentence(Counter(evaluation.failed["failure"]))
    return [*filter(None, [failed]), *results.facts.remarks, *files]
