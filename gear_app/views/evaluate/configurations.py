"""What settings do: all configurations, two settings against each other, the mean with each value,
and beams with and without diversity.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.evaluate.breakdown import ceiling_mean
from gear_app.evaluate.configurations import DiversityPair, Effect, SettingGrid, effects
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import ALL_METHODS, Pick
from gear_app.text import count
from gear_app.views.evaluate.figures import (
    Look,
    heat_of,
    kind_of,
    perfect_row,
    picked,
    scrolling,
)
from gear_app.views.evaluate.tables import (
    columns,
    p_words,
    perfect_cells,
    row_name,
    with_interval,
)
from gear_app.views.evaluate.words import known_of, label, measure_name
from gear_app.views.markup import Html, tag


def configurations(results: Results, look: Look) -> Html:
    """A row a configuration, darker: better; with the mean effect of every setting under it."""
    names = columns(results)
    heads = [tag("th", name, scope="col") for name in ["", *map(measure_name, names)]]
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
            tag("th", row_name(results, words), scope="row", dir="auto"),
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
            class_=kind_of(results, words, look) or None,
        )
        for words in results.evaluation.methods
    ]
    if results.evaluation.ceiling:
        rows.append(perfect_row(results, perfect_cells(results, names)))
    return scrolling(heads, rows, "heat")


def setting_effects(results: Results, found: Sequence[Effect], k: int) -> Html:
    """The mean R@k over all configurations with each value of a setting."""
    rows = [
        tag(
            "tr",
            tag("th", f"{one.setting} {one.value}", scope="row"),
            tag(
                "td",
                tag("span", tag("i", style=f"width:{100 * one.mean:.1f}%"), class_="bar"),
                picked(
                    Pick("setting", f"{one.setting}={one.value}", ALL_METHODS), f"{one.mean:.3f}"
                ),
            ),
            tag("td", count(one.configurations, "configuration")),
        )
        for one in found
    ]
    best = ceiling_mean(results.evaluation, f"recall@{k}")
    if best is not None:
        bar = tag("span", tag("i", style=f"width:{100 * best:.1f}%"), class_="bar")
        number = picked(Pick("measure", f"recall@{k}", PERFECT), f"{best:.3f}")
        rows.append(perfect_row(results, [tag("td", bar, number), tag("td", "")]))
    heads = [tag("th", name, scope="col") for name in ("setting", f"mean R@{k}", "over")]
    return scrolling(heads, rows)


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
    if results.evaluation.ceiling:
        (best,) = perfect_cells(results, [metric])
        rows.append(perfect_row(results, [best, *[tag("td", "")] * (len(found.columns) - 1)]))
    heads = [tag("th", f"{second} {other}", scope="col") for other in found.columns]
    return scrolling([tag("th", ""), *heads], rows, "heat")


def diversity(results: Results, found: Sequence[DiversityPair]) -> Html:
    """Beams with and without weights for diversity (GEAR Table 4), by cut-off."""
    rows = [
        tag(
            "tr",
            tag("th", label(one.on), scope="row", dir="auto"),
            tag("td", f"R@{k}"),
            tag("td", picked(Pick("measure", f"recall@{k}", one.on), f"{on:.3f}")),
            tag("td", picked(Pick("measure", f"recall@{k}", one.off), f"{off:.3f}")),
            tag(
                "td",
                picked(Pick("over", f"{k} {one.off}", one.on), with_interval(one.difference[k])),
            ),
            tag("td", picked(Pick("over", f"{k} {one.off}", one.on), p_words(one.p.get(k)))),
            *perfect_cells(results, [f"recall@{k}"] if results.evaluation.ceiling else []),
        )
        for one in found
        for k, (on, off) in one.recall.items()
    ]
    rows += [
        tag(
            "tr",
            tag("th", label(one.on), scope="row", dir="auto"),
            tag("td", f"all@{k}"),
            tag("td", picked(Pick("measure", f"all@{k}", one.on), f"{on:.3f}")),
            tag("td", picked(Pick("measure", f"all@{k}", one.off), f"{off:.3f}")),
            tag("td", ""),
            tag("td", ""),
            *perfect_cells(results, [f"all@{k}"] if results.evaluation.ceiling else []),
        )
        for one in found
        for k, (on, off) in one.all_recall.items()
    ]
    names = ["Method", "measure", "with diversity", "without", "difference", "p"]
    names += [PERFECT + known_of(results)] if results.evaluation.ceiling else []
    return scrolling([tag("th", name, scope="col") for name in names], rows, "main few")


def swept(results: Results, k: int) -> list[Effect]:
    """The effects of settings with several values, on recall."""
    return effects(results.evaluation, f"recall@{k}")
