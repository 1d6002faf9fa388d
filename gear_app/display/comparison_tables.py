"""Entries of a comparison, and its tables, a dict a row: gold passages by method, methods, notes,
and costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from gear_app.core.overrides import settings
from gear_app.core.text import count, cut
from gear_app.display import labels
from gear_app.display.comparison import ComparedRun, Comparison
from gear_app.display.comparison_lines import ROWS, failure_words
from gear_app.display.evidence import joined
from gear_app.display.labels import LLM, dollars, duration, method_name, readable_time
from gear_app.display.settings import all_words
from gear_app.methods import METHODS, config_for
from gear_app.store.rows import RunInfo
from gear_app.trace.evidence import evidence_of
from gear_app.trace.metrics import retrieved_answer, stands_for
from gear_app.trace.rankings import CUTS, rank_of
from gear_app.trace.trace import RunTrace

Row = dict[str, Any]
RECALLS = {k: f"R@{k}" for k in CUTS}
GOLD = "Gold passage"
GOLD_ABOUT = (
    "Rank when a passage first was in the first {}, the iteration (it.) of methods that have"
    " several, and → the final rank where it differs."
)
TIME, TOKENS, CALLS, COST = "Time", "Tokens", "Calls", "Cost"
AXES = {TIME: "Time (ms)", TOKENS: "Tokens, in and out", CALLS: CALLS, COST: "Cost ($)"}


def facts(comparison: Comparison) -> str:
    """Facts that all runs share, in a line."""
    sets = dict.fromkeys(
        column.run.triple_set for column in comparison.columns if column.run.triple_set
    )
    words = [
        count(len(comparison.columns), "method"),
        comparison.columns[0].run.collection,
        f"triples: {', '.join(sets)}" if sets else "",
        count(len(comparison.gold), "gold passage") if comparison.gold else "",
    ]
    return " · ".join(filter(None, words))


def verdict(comparison: Comparison) -> str:
    """The runs with the best recall, in a sentence; "" without a difference."""
    best = comparison.best
    if not best or not comparison.gold:
        return ""
    names, number = ", ".join(column.label for column in best), comparison.hits(best[0])
    needed = count(len(comparison.gold), "gold passage")
    return f"Best recall@{comparison.k}: {names} with {number} of {needed}"


def evidence_rows(comparison: Comparison) -> list[Row]:
    """The pair of each method and its name; methods with one pair share a row."""
    methods: dict[tuple[str, str], list[str]] = {}
    for column in comparison.columns:
        if evidence := evidence_of(column.trace):
            pair = " and ".join(passage.name for passage in evidence.pair)
            methods.setdefault((pair, joined(evidence)), []).append(column.label)
    return [
        {"Method": ", ".join(names), "Most likely": pair, "Because": words}
        for (pair, words), names in methods.items()
    ]


def ranking_rows(comparison: Comparison) -> list[Row]:
    """The first ranks of all runs; gold passages have a star and their number."""
    depth = max((len(column.trace.final) for column in comparison.done), default=0)
    return [
        {"rank": rank}
        | {column.label: _title(comparison, column, rank) for column in comparison.done}
        for rank in range(1, min(ROWS, depth) + 1)
    ]


def _title(comparison: Comparison, column: ComparedRun, rank: int) -> str:
    if rank > len(column.trace.final):
        return ""
    passage, gold = column.trace.final[rank - 1], enumerate(comparison.gold, start=1)
    stars = (f"★{number} " for number, key in gold if stands_for(passage.key, key))
    return next(stars, "") + passage.name


def gold_rows(comparison: Comparison) -> list[Row]:
    """When and at which rank each method first had each gold passage in its first k."""
    return [
        {GOLD: f"★{number} {title}"}
        | {column.label: _rank_words(column, key, comparison.k) for column in comparison.done}
        for number, (key, title) in enumerate(comparison.gold.items(), start=1)
    ]


def _rank_words(column: ComparedRun, key: str, k: int) -> str:
    """Rank and iteration when the passage first was in the first k, → the final rank."""
    first, final = column.first_within(key, k), rank_of(key, column.trace.final)
    last = str(final) if final else "–"
    if first is None:
        return last
    iteration, rank = first
    words = f" · it. {iteration}" if column.trace.iterates else ""
    change = f" → {last}" if rank != final else ""
    return f"{rank}{words}{change}"


def method_rows(comparison: Comparison, settings: Sequence[str]) -> list[Row]:
    """Recall, answer, iterations, time and cost of every run, without columns that are empty."""
    rows = [
        _method_row(column, comparison, words)
        for column, words in zip(comparison.columns, settings, strict=True)
    ]
    names = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    return [{name: row[name] for name in names} for row in rows]


def _method_row(column: ComparedRun, comparison: Comparison, settings: str) -> Row:
    run, trace = column.run, column.trace
    recalls = {name: comparison.recall(column, k) for k, name in RECALLS.items()}
    answer = retrieved_answer(trace, run.answers) if trace else None
    has_calls = trace and run.spent.calls > 0
    return {
        "Method": column.label,
        **recalls,
        "Answer": (answer.answer or "no answer") if answer else "",
        "EM": answer.em if answer else None,
        "F1": answer.f1 if answer else None,
        "Iterations": _iterations(trace),
        "Time": duration(run.ms) if trace else "",
        "Calls": run.spent.calls if has_calls else None,
        "Tokens": run.spent.tokens if has_calls else None,
        "Cost": dollars(run.spent.cost) if has_calls else "",
        "Ended": failure_words(column) or _end(column),
        "Settings": settings,
        "Made": readable_time(run.created),
    }


def _iterations(trace: RunTrace) -> str:
    if not trace:
        return ""
    return str(trace.iterations) if trace.iterates else "one step"


def _end(column: ComparedRun) -> str:
    if not column.trace:
        return f"{column.run.state}: {column.run.message}".removesuffix(": ")
    return column.trace.end.sentence if column.trace.end else ""


def note_rows(comparison: Comparison) -> list[Row]:
    """Facts of the gist memory or thoughts by iteration, with the recall of the run (GEAR,
    Table 13).
    """
    noting = [(column, column.notes) for column in comparison.columns if column.notes]
    iterations = sorted({number for _, notes in noting for number in notes})
    return [
        {"Method": column.label, RECALLS[comparison.k]: comparison.recall(column)}
        | {_iteration(number): "\n".join(notes.get(number, ())) for number in iterations}
        for column, notes in noting
    ]


def _iteration(number: int) -> str:
    return f"Iteration {number}" if number else "Before any search"


def axes(comparison: Comparison) -> list[str]:
    """Costs that recall can be drawn against; those of language models where one was asked."""
    spent = [column.run.spent for column in comparison.done]
    model_columns = [TOKENS, CALLS] if any(spending.calls for spending in spent) else []
    return [TIME, *model_columns, *([COST] if any(spending.cost for spending in spent) else [])]


def cost_rows(comparison: Comparison, axis: str) -> list[Row]:
    """Cost and recall of every measured run; without runs of unknown cost."""
    rows = []
    for column in comparison.columns:
        run, spent = column.run, column.run.spent
        costs = {TIME: run.ms, TOKENS: spent.tokens, CALLS: spent.calls, COST: spent.cost}
        recall = comparison.recall(column)
        if recall is not None and costs[axis] is not None:
            rows.append(
                {"Method": column.label, AXES[axis]: costs[axis], RECALLS[comparison.k]: recall}
            )
    return rows


MOST = 8  # columns that can still be read side by side
USUAL_K = 15
LONGEST = 33  # characters of a model’s name in a label


@dataclass(frozen=True, slots=True)
class Entry:
    """Request for one column: a method as `method[:base]`, with settings and the rest.

    `settings` are those that differ from its defaults. `triples` None is the collection's active
    set.
    """

    method: str
    settings: tuple[tuple[str, str], ...] = ()
    triples: str | None = None
    k: int = USUAL_K
    reader: str = "local"


def usual(*, triples: bool) -> list[Entry]:
    """The entries a visitor begins with; without triples only the methods that need none."""
    when = ("always", "with triples" if triples else "without triples")
    return [Entry(name) for name, method in METHODS.items() if method.compared in when]


def reads(method: str) -> bool:
    """Whether a method asks a reader; one this program does not know may."""
    spec = METHODS.get(method.partition(":")[0])
    return spec is None or spec.reads()


def defaults(method: str, limit: int | None) -> dict[str, Any]:
    """A method's settings where nobody changed any.

    `limit` is the collection's own iteration limit. A method this program does not know, of a run
    made elsewhere, has none.
    """
    registered = method.partition(":")[0] in METHODS
    fields = settings(config_for(method)) if registered else {}
    limited = limit is not None and "max_iterations" in fields
    return fields | ({"max_iterations": limit} if limited else {})


def of_run(run: RunInfo, limit: int | None) -> Entry:
    """The entry that asks for a run like this one."""
    usual_ = defaults(run.method, limit)
    changed = {name: v for name, v in run.config.items() if usual_.get(name, v) != v}
    settings_ = tuple((name, str(value)) for name, value in changed.items())
    return Entry(run.method, settings_, run.triple_set, run.k, run.reader)


def _changed(entry: Entry, limit: int | None) -> list[str]:
    config = defaults(entry.method, limit) | dict(entry.settings)
    return all_words(entry.method, config, list(dict(entry.settings)))


def entry_words(entry: Entry, model: str = "", limit: int | None = None) -> str:
    """An entry in words: "GEAR, Width b 5, triples local".

    `model` is the one that a language model's entry asks, `limit` the collection's own.
    """
    triples = [f"triples {entry.triples}"] if entry.triples else []
    rest = settings_words(entry, model, limit)
    return ", ".join(filter(None, [method_name(entry.method), rest, *triples]))


def settings_words(entry: Entry, model: str, limit: int | None) -> str:
    """The settings of an entry that are not the defaults, k and model among them; "" for none."""
    by = f"read by {cut(model, LONGEST) or 'a language model'}"
    has_model = entry.reader == LLM and reads(entry.method)
    k = [f"k {entry.k}"] * (entry.k != USUAL_K)
    return ", ".join([*_changed(entry, limit), *k, *[by] * has_model])


def run_settings(run: RunInfo, limit: int | None) -> str:
    """A run's settings that are not the defaults; "" for none."""
    return settings_words(of_run(run, limit), labels.model_of(run), limit)


def run_labels(runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    """A label for every run, all different: its method, the settings that are not the defaults, and
    triple set, k and reader where these differ among the runs; the id of runs that are alike.
    """
    facts = [
        (f"triples {run.triple_set}" if run.triple_set else "", f"k {run.k}", _reader(run))
        for run in runs
    ]
    differing = [len({fact for fact in column if fact}) > 1 for column in zip(*facts, strict=True)]
    labels_ = [
        ", ".join(filter(None, [method_name(run.method), *settings, *compress(facts_, differing)]))
        for run, facts_ in zip(runs, facts, strict=True)
        for settings in [_changed(of_run(run, limit), limit)]
    ]
    times = Counter(labels_)
    return [
        label if times[label] == 1 else f"{label}, run {run.id[:5]}"
        for label, run in zip(labels_, runs, strict=True)
    ]


def _reader(run: RunInfo) -> str:
    reader = labels.reader_name(run.reader, labels.model_of(run))
    return cut(reader, LONGEST) if reads(run.method) else ""
