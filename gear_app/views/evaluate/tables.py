"""The tables of an evaluation: all measures, all configurations, and the questions behind a number;
and for every figure the table that says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.metrics import Interval
from gear_app.evaluate.breakdown import rounds, share_of_gap
from gear_app.evaluate.configurations import DiversityPair, Effect, SettingGrid, effects
from gear_app.evaluate.evaluation import Row
from gear_app.evaluate.question_set import BeforeAfter
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Behind, Pick
from gear_app.evaluate.service import PERFECT
from gear_app.text import count
from gear_app.views.evaluate.figures import Look, heat_of, order, picked, scrolling
from gear_app.views.evaluate.words import label, long_name, measure_name, percent
from gear_app.views.labels import dollars
from gear_app.views.markup import Html, tag

MARKS = {"above": "▲", "below": "▼", "same": "·", "": ""}
MARK_WORDS = {
    "above": "above the baseline",
    "below": "below the baseline",
    "same": "not told apart",
}
MINUS = "−"
NO_RUN = "A run file has no run that could be opened"
SHOWN = 40  # questions of a list
NEAR = 2  # times the cut-off: such a rank is near


def columns(results: Results) -> list[str]:
    """The measures of the main table: all but most of nDCG."""
    evaluation = results.evaluation
    deep = 10 if 10 in evaluation.ks else evaluation.ks[-1]
    names = [f"{name}@{k}" for name in ("recall", "all") for k in evaluation.ks]
    names += ["mrr", f"ndcg@{deep}"]
    return names + (["em", "f1"] if evaluation.answered else [])


def main(results: Results, look: Look) -> Html:
    """All measures of all methods; any number leads to the questions behind it."""
    names = columns(results)
    asks = any(row.calls for row in results.evaluation.rows)
    heads = ["Method", *map(measure_name, names), f"R@{look.k} over ◆", "p, Holm"]
    heads += [
        "of ceiling",
        "iterations",
        *(["calls", "tokens", "cost"] if asks else []),
        "ms p50",
        "p95",
    ]
    rows = [
        tag(
            "tr",
            tag("th", _name(results, words), scope="row", dir="auto"),
            *(_measure_cell(results, words, name) for name in names),
            *(tag("td", cell) for cell in _difference_cells(results, words, look.k)),
            *(tag("td", cell) for cell in _facts_cells(results, words, asks=asks)),
            class_=_kind(results, words, look),
        )
        for words in order(results)
    ]
    rows += _perfect_row(results, names, len(heads))
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="main")
    return tag("div", table, class_="scroll")


def main_rows(results: Results) -> list[dict[str, Any]]:
    """The same as rows, for a table to copy from."""
    evaluation = results.evaluation
    return [
        {"method": words}
        | {
            name: found.mean.value if (found := results.comparison.of(words, name)) else None
            for name in evaluation.metrics
        }
        | {"n": len(evaluation.of(words))}
        for words in order(results)
    ]


def _kind(results: Results, words: str, look: Look) -> str | None:
    if words == results.comparison.baseline:
        return "base"
    return "hot" if words == look.highlight else None


def _name(results: Results, words: str) -> str:
    missing = len(results.evaluation.unmeasured.get(words, ()))
    name = f"◆ {label(words)}" if words == results.comparison.baseline else label(words)
    return name + (f" ({missing} missing)" if missing else "")


def _measure_cell(results: Results, words: str, name: str) -> Html:
    found = results.comparison.of(words, name)
    if found is None:
        return tag("td", "")
    mark = MARKS[found.verdict]
    number = picked(Pick("measure", name, words), f"{found.mean.value:.3f}", title=long_name(name))
    kind = found.verdict or None
    return tag("td", number, tag("sup", mark, class_=kind, title=MARK_WORDS.get(found.verdict)))


def _difference_cells(results: Results, words: str, k: int) -> list[str]:
    found = results.comparison.of(words, f"recall@{k}")
    gap = share_of_gap(results.evaluation, words, results.comparison.baseline, k)
    if words == results.comparison.baseline:
        return ["baseline", "", ""]
    if found is None or found.difference is None or found.corrected is None:
        return ["", "", ""]
    share = "" if gap is None else percent(gap).replace("-", MINUS)
    return [_with_interval(found.difference), p_words(found.corrected), share]


def _facts_cells(results: Results, words: str, *, asks: bool) -> list[str]:
    found = results.evaluation.summary(words)
    if not found["n"] or found["iterations"] is None:
        return [""] * (6 if asks else 3)
    cells = [f"{found['iterations']:.1f}"]
    if asks:
        tokens = sum(found["tokens"].values()) / found["n"]
        cells += [f"{found['calls'] / found['n']:.1f}", f"{tokens:,.0f}", dollars(found["cost"])]
    return [*cells, f"{found['ms_p50']:.0f}", f"{found['ms_p95']:.0f}"]


def _perfect_row(results: Results, names: Sequence[str], width: int) -> list[Html]:
    """The ceiling, over the questions whose decomposition is known."""
    rows = results.evaluation.ceiling
    if not rows:
        return []
    known = len(rows) == len(results.evaluation.questions)
    name = PERFECT.capitalize() + ("" if known else f" ({count(len(rows), 'question')})")
    cells = []
    for metric in names:
        values = [_perfect_value(row, metric) for row in rows]
        kept = [value for value in values if value is not None]
        cells.append(tag("td", f"{sum(kept) / len(kept):.3f}" if len(kept) == len(rows) else ""))
    rest = [tag("td", "")] * (width - 1 - len(cells))
    return [tag("tr", tag("th", name, scope="row"), *cells, *rest, class_="perfect")]


def _perfect_value(row: Row, metric: str) -> float | None:
    name, _, k = metric.partition("@")
    by_k = {"recall": row.recall, "all": row.all_recall, "ndcg": row.ndcg}
    return row.reciprocal_rank if name == "mrr" else by_k.get(name, {}).get(int(k or 0))


# Before and after a fix


def before_after(found: Sequence[BeforeAfter], k: int) -> Html:
    """A row a method: recall when the questions were picked, and now; found and lost since."""
    heads = ["Method", f"R@{k} before", "now", "difference", "p", "found", "lost"]
    rows = [
        tag(
            "tr",
            tag("th", label(one.method), scope="row", dir="auto"),
            tag("td", f"{one.before:.3f}"),
            tag("td", f"{one.after:.3f}"),
            tag("td", _with_interval(one.difference)),
            tag("td", p_words(one.p)),
            tag("td", picked(Pick("found", "", one.method), f"{one.found:,}")),
            tag("td", picked(Pick("lost", "", one.method), f"{one.lost:,}")),
        )
        for one in found
    ]
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="main few")
    return tag("div", table, class_="scroll")


def _with_interval(difference: Interval) -> str:
    value, low, high = difference
    return f"{value:+.3f} ({low:+.2f} to {high:+.2f})".replace("-", MINUS)


def p_words(p: float) -> str:
    """A p-value as it is printed."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


# The questions behind a number


def picked_words(results: Results, pick: Pick, k: int) -> str:
    """What a number is, as the title of its list."""
    if pick.kind == "only":
        what = f"found in the first {k}, and not by {label(pick.what)}"
    else:
        what = {
            "measure": long_name(pick.what),
            "link": f"link {pick.what} missed in the first {k}",
            "ranks": f"gold passages at rank {pick.what}",
            "kind": pick.what,
            "round": f"iteration {pick.what}",
            "found": f"found now in the first {k}, and not before",
            "lost": f"lost since: no more in the first {k}",
        }[pick.kind]
    return f"{label(pick.method)}: {what}"


def behind(found: Sequence[Behind], k: int) -> Html:
    """Questions with the ranks of their gold passages, each leading to its run in Explore."""
    items = [
        tag(
            "li",
            tag(
                "a" if one.row.run else "div",
                tag("span", one.question.question, class_="question", dir="auto"),
                tag("span", *_ranks(one, k), class_="ranks"),
                tag(
                    "span",
                    f"{one.recall:.2f}",
                    tag(
                        "b",
                        f" {one.change:+.2f}".replace("-", MINUS),
                        class_="above" if one.change > 0 else "below",
                    )
                    if one.change
                    else "",
                    class_="value",
                ),
                class_="question-line",
                href=f"./?run={one.row.run}" if one.row.run else None,
                data_run=one.row.run or None,
                title=one.row.error or (None if one.row.run else NO_RUN),
            ),
        )
        for one in found[:SHOWN]
    ]
    more = f"{len(found) - SHOWN:,} more: see the CSV export" if len(found) > SHOWN else ""
    return tag(
        "div",
        tag("ol", *items) if items else tag("p", "No question.", class_="note"),
        tag("p", more, class_="note") if more else "",
        class_="behind",
    )


def _ranks(one: Behind, k: int) -> list[Html]:
    return [
        tag("i", "–" if rank is None else str(rank), class_=_rank_class(rank, k))
        for _, rank in one.ranks
    ]


def _rank_class(rank: int | None, k: int) -> str:
    if rank is None or rank > NEAR * k:
        return "far"
    return "first" if rank <= k else "near"


def behind_rows(found: Sequence[Behind]) -> list[dict[str, Any]]:
    """The same as rows."""
    return [
        {
            "question": one.question.question,
            "ranks": " ".join("–" if rank is None else str(rank) for _, rank in one.ranks),
            "recall": round(one.recall, 3),
            "over baseline": round(one.change, 3),
            "run": one.row.run,
        }
        for one in found
    ]


# All configurations


def configurations(results: Results, look: Look) -> Html:
    """A row a configuration, darker: better; with the mean effect of every setting under it."""
    names = columns(results)
    heads = tag("tr", *(tag("th", name, scope="col") for name in ["", *map(measure_name, names)]))
    values = {
        name: {
            words: found.mean.value
            for words in results.evaluation.methods
            if (found := results.comparison.of(words, name))
        }
        for name in names
    }
    rows = [
        tag(
            "tr",
            tag("th", _name(results, words), scope="row", dir="auto"),
            *(
                tag(
                    "td",
                    picked(Pick("measure", name, words), f"{values[name][words]:.3f}"),
                    style=f"--share:{heat_of(values[name][words], values[name])}",
                )
                if words in values[name]
                else tag("td", "")
                for name in names
            ),
            class_=_kind(results, words, look),
        )
        for words in results.evaluation.methods
    ]
    table = tag("table", tag("thead", heads), tag("tbody", *rows), class_="heat")
    return tag("div", table, class_="scroll")


def setting_effects(found: Sequence[Effect], unit: str) -> Html:
    """The mean over all configurations with each value of a setting."""
    rows = [
        tag(
            "tr",
            tag("th", f"{one.setting} {one.value}", scope="row"),
            tag(
                "td",
                tag("span", tag("i", style=f"width:{100 * one.mean:.1f}%"), class_="bar"),
                tag("span", f"{one.mean:.3f}", class_="number"),
            ),
            tag("td", count(one.configurations, "configuration")),
        )
        for one in found
    ]
    heads = tag("tr", tag("th", "setting"), tag("th", f"mean {unit}"), tag("th", "over"))
    return tag("table", tag("thead", heads), tag("tbody", *rows), class_="bars")


def grid(results: Results, found: SettingGrid, k: int) -> Html:
    """Two settings against each other (GEAR Table 9): R@k of every pair; darker: better."""
    metric = f"recall@{k}"
    values = {
        words: cell.mean.value
        for words in found.words.values()
        if (cell := results.comparison.of(words, metric))
    }
    first, second = found.names
    rows = []
    for value in found.rows:
        cells = []
        for other in found.columns:
            words = found.words[value, other]
            if words in values:
                share = f"--share:{heat_of(values[words], values)}"
                number = picked(Pick("measure", metric, words), f"{values[words]:.3f}")
                cells.append(tag("td", number, style=share))
            else:
                cells.append(tag("td", ""))
        rows.append(tag("tr", tag("th", f"{first} {value}", scope="row"), *cells))
    heads = [tag("th", f"{second} {other}", scope="col") for other in found.columns]
    return scrolling([tag("th", ""), *heads], rows, "heat")


def diversity(found: Sequence[DiversityPair]) -> Html:
    """Beams with and without weights for diversity (GEAR Table 4), by cut-off."""
    rows = [
        tag(
            "tr",
            tag("th", label(one.on), scope="row", dir="auto"),
            tag("td", f"R@{k}"),
            tag("td", picked(Pick("measure", f"recall@{k}", one.on), f"{on:.3f}")),
            tag("td", picked(Pick("measure", f"recall@{k}", one.off), f"{off:.3f}")),
            tag("td", _with_interval(one.difference[k])),
            tag("td", p_words(one.p[k])),
        )
        for one in found
        for k, (on, off) in one.recall.items()
    ]
    names = ["Method", "measure", "with diversity", "without", "difference", "p"]
    return scrolling([tag("th", name, scope="col") for name in names], rows, "main few")


def token_rows(results: Results, k: int) -> list[dict[str, Any]]:
    """Mean tokens given to a model and written by it until each iteration (GEAR Fig. 4), of methods
    that ask one.
    """
    rows = []
    for words in order(results):
        found = rounds(results.evaluation, words, k)
        if found and found[-1].tokens:
            given = [one.tokens - one.output_tokens for one in found]
            written = [one.output_tokens for one in found]
            for what, numbers in (("given", given), ("written", written)):
                cells = {f"iteration {n}": f"{taken:,.0f}" for n, taken in enumerate(numbers, 1)}
                rows.append({"method": words, "tokens": what} | cells)
    return rows


def swept(results: Results, k: int) -> list[Effect]:
    """The effects of settings with several values, on recall."""
    return effects(results.evaluation, f"recall@{k}")


def round_rows(results: Results, k: int) -> list[dict[str, Any]]:
    """Recall per iteration as a table, and how many questions make each."""
    rows = []
    for words in order(results):
        found = rounds(results.evaluation, words, k)
        cells = {f"iteration {n}": f"{one.recall:.3f}" for n, one in enumerate(found, start=1)}
        asks = {f"asking {n}": one.asking for n, one in enumerate(found, start=1)}
        rows.append({"method": words} | cells | asks)
    return rows


def small_table(rows: Sequence[dict[str, Any]], title: str = "As a table") -> Html:
    """Rows folded away under a figure."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    body = [tag("tr", *(tag("td", row.get(name, "")) for name in heads)) for row in rows]
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    table = tag("table", tag("thead", head), tag("tbody", *body), class_="plain")
    inside = tag("div", table, class_="scroll")
    return tag("details", tag("summary", title), inside)
