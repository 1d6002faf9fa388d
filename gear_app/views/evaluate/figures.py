"""The figures of an evaluation as HTML: bars and shaded cells, one row a method, and what all
figures have in common. The same in the page and in a report. Dots and lines have files of their
own.

Colours are the palette's variables, and shape always says the same: the baseline is a diamond with
a dotted line, a hollow dot cannot be told from it, a thin line is the perfect reader. What can be
chosen has `data-pick` (evaluate.selection).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gear_app.evaluate.breakdown import (
    NOT_RANKED,
    Overlap,
    QuestionGroup,
    Share,
    burial,
    deep_all_recall,
    deep_recall,
    positions,
)
from gear_app.evaluate.evaluation import PERFECT, Row
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_facts import FIRST
from gear_app.evaluate.selection import Pick
from gear_app.text import count
from gear_app.views.evaluate.words import known_of, label, mean_words
from gear_app.views.markup import Html, explained, tag, term

ALL_GOLD = "the share of questions with all their gold"
LINKS = 80  # per cent of the width: all links have as much, and the numbers stand alike in all
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


class Look(NamedTuple):
    """What a visitor looks at: the highlighted method and the cut-off."""

    highlight: str
    k: int


def card_head(heading: str, aside: str) -> Html:
    """The head of a card: what was found, and a quiet remark with its terms explained."""
    return tag("h2", heading, tag("span", explained(aside)), dir="auto")


def picked(pick: Pick, *children: object, class_: str = "", title: str = "") -> Html:
    """Something that can be chosen."""
    return tag(
        "button",
        *children,
        type="button",
        class_=class_ or None,
        data_pick=str(pick),
        title=title or None,
        aria_label=None if children else title,
    )


def order(results: Results) -> list[str]:
    """The methods, that with the highest recall first."""
    evaluation = results.evaluation
    first = f"recall@{evaluation.ks[0]}"
    means = {
        words: found.mean.value if (found := results.comparison.of(words, first)) else -1.0
        for words in evaluation.methods
    }
    return sorted(evaluation.methods, key=lambda words: -means[words])


def kind_of(results: Results, words: str, look: Look) -> str:
    """The class of a row: the baseline, the highlighted method, or another."""
    if words == results.comparison.baseline:
        return "base"
    return "hot" if words == look.highlight else ""


def chain_positions(results: Results, look: Look) -> Html:
    """The share of every link's passages that each method misses."""
    evaluation = results.evaluation
    shares = {
        words: positions(evaluation, evaluation.of(words), look.k) for words in order(results)
    }
    perfect = (
        positions(evaluation, evaluation.ceiling, look.k)
        if evaluation.ceiling and look.k in evaluation.ceiling[0].recall
        else []
    )
    longest = max((len(found) for found in shares.values()), default=0)
    sizes = next((found for found in shares.values() if len(found) == longest), [])
    heads = [
        tag(
            "th",
            tag("b", str(n)),
            tag("small", f"link {n}, {count(size.of, 'passage')}"),
            scope="col",
            class_="link",
            style=f"width:{LINKS / longest:.1f}%",
        )
        for n, size in enumerate(sizes, start=1)
    ]
    rows = [
        method_row(
            results,
            words,
            look,
            [_share(Pick("link", str(n), words), one) for n, one in enumerate(found, start=1)],
        )
        for words, found in shares.items()
    ]
    if perfect:
        cells = [_share(Pick("link", str(n), PERFECT), one) for n, one in enumerate(perfect, 1)]
        rows.append(perfect_row(results, cells))
    return scrolling([tag("th", ""), *heads], rows)


def _share(pick: Pick, share: Share) -> Html:
    title = f"{share.missed} of {share.of} missed"
    return tag("td", _bar(share.value), picked(pick, _missed_words(share), title=title))


def _missed_words(share: Share) -> Html:
    return tag("span", f"{100 * share.value:.0f} %" if share.of else "", class_="number")


def _bar(value: float) -> Html:
    return tag("span", tag("i", style=f"width:{100 * value:.1f}%"), class_="bar")


def scrolling(heads: Sequence[Html], rows: Sequence[Html], kind: str = "bars") -> Html:
    """A table of this kind, which scrolls sideways where there is no room for it."""
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_=kind)
    return tag("div", table, class_="scroll")


def method_row(results: Results, words: str, look: Look, cells: Iterable[Html]) -> Html:
    """A method's row of a table; its class says whether it is the baseline or the one picked."""
    name = tag("th", with_missing(results, words), scope="row", dir="auto")
    return tag("tr", name, *cells, class_=kind_of(results, words, look) or None)


def with_missing(results: Results, words: str) -> str:
    """A method's name, with how many questions it is not measured on: "GEAR (3 failed, 14
    missing)".
    """
    failed = len(results.evaluation.failed_of(words))
    missing = len(results.evaluation.unmeasured.get(words, ()))
    told = [f"{failed} failed"] if failed else []
    told += [f"{missing} missing"] if missing else []
    return label(words) + (f" ({', '.join(told)})" if told else "")


def perfect_row(results: Results, cells: Sequence[Html]) -> Html:
    """The last row of a table, of the ceiling; it says where that is not of all questions."""
    name = tag("th", term(PERFECT.capitalize(), PERFECT), known_of(results), scope="row")
    return tag("tr", name, *cells, class_="perfect")


def groups(results: Results, found: Sequence[QuestionGroup], look: Look) -> Html:
    """Recall of every method on every kind of question, and of the perfect reader."""
    heads = [
        tag("th", group.name, tag("small", count(group.n, "question")), scope="col")
        for group in found
    ]
    rows = [
        method_row(results, words, look, [_group_cell(group, words) for group in found])
        for words in order(results)
    ]
    if any(group.ceiling_n for group in found):
        rows.append(perfect_row(results, [_group_cell(group, PERFECT) for group in found]))
    return scrolling([tag("th", ""), *heads], rows)


def _group_cell(group: QuestionGroup, words: str) -> Html:
    value = group.ceiling if words == PERFECT else group.recall.get(words)
    if value is None:
        return tag("td", "")
    some = words == PERFECT and group.ceiling_n < group.n
    number = picked(
        Pick("kind", group.name, words),
        tag("span", mean_words(value), class_="number"),
        title=f"of {group.ceiling_n} of {group.n} questions" if some else "",
    )
    whole = group.ceiling_all if words == PERFECT else group.all_recall.get(words)
    quiet = "" if whole is None else tag("small", f" all {mean_words(whole)}", title=ALL_GOLD)
    return tag("td", _bar(value), number, quiet)


def buried(results: Results, look: Look) -> Html:
    """At which ranks every method has the gold passages; darker: more of them."""
    evaluation = results.evaluation
    found = {words: burial(evaluation.of(words)) for words in order(results)}
    names = list(next(iter(found.values()), {}))
    heads = [tag("th", name, scope="col") for name in names]
    rows = [
        method_row(
            results,
            words,
            look,
            [_heat(Pick("ranks", name, words), n, sum(bins.values())) for name, n in bins.items()],
        )
        for words, bins in found.items()
    ]
    if evaluation.ceiling:
        rows.append(perfect_row(results, _perfect_bins(burial(evaluation.ceiling))))
    return scrolling([tag("th", "rank"), *heads], rows, "heat")


def _perfect_bins(bins: Mapping[str, int]) -> list[Html]:
    """The bins as deep as the perfect reader's ranking goes, and what it does not have there."""
    known = [name for name in bins if name != NOT_RANKED and int(name.split("–")[1]) <= FIRST]
    total, below = sum(bins.values()), bins[NOT_RANKED]
    rest = picked(Pick("ranks", NOT_RANKED, PERFECT), f"{below:,} below {FIRST}")
    return [
        *(_heat(Pick("ranks", name, PERFECT), bins[name], total) for name in known),
        tag("td", rest, colspan=len(bins) - len(known)),
    ]


def deep(results: Results, look: Look) -> Html:
    """Recall as far down as rankings go (BDTR Fig. 4); darker: more."""
    found = {words: deep_recall(results.evaluation.of(words)) for words in order(results)}
    names = list(next((cells for cells in found.values() if cells), {}))
    rows = [
        method_row(results, words, look, _deep_cells(words, cells, results.evaluation.of(words)))
        for words, cells in found.items()
        if cells
    ]
    if best := deep_recall(results.evaluation.ceiling, FIRST):
        known = _deep_cells(PERFECT, best, results.evaluation.ceiling)
        rows.append(perfect_row(results, [*known, *[tag("td", "")] * (len(names) - len(known))]))
    heads = [tag("th", f"R@{k}", scope="col") for k in names]
    return scrolling([tag("th", ""), *heads], rows, "heat")


def _deep_cells(words: str, found: Mapping[int, float], rows: Sequence[Row]) -> list[Html]:
    """R@k, and below it the share of questions with all their gold."""
    whole = deep_all_recall(rows)
    return [
        tag(
            "td",
            picked(Pick("measure", f"recall@{k}", words), mean_words(value)),
            tag(
                "small",
                " all ",
                picked(Pick("measure", f"all@{k}", words), mean_words(whole[k])),
                title=ALL_GOLD,
            ),
            style=f"--share:{100 * value:.0f}%",
        )
        for k, value in found.items()
    ]


def _heat(pick: Pick, number: int, total: int) -> Html:
    share = number / total if total else 0.0
    return tag("td", picked(pick, f"{number:,}"), style=f"--share:{100 * math.sqrt(share):.0f}%")


def overlapping(found: Overlap, first: str, second: str) -> Html:
    """Four parts of all gold passages: found by both, by one alone, by neither; and how many of the
    last a perfect reader finds.
    """
    total = sum(found[:4])
    parts = [
        ("both", found.both, "both find", Pick("both", second, first)),
        ("one", found.first, f"only {label(first)}", Pick("only", second, first)),
        ("other", found.second, f"only {label(second)}", Pick("only", first, second)),
        ("none", found.neither, "neither", Pick("neither", second, first)),
    ]
    bars = [
        tag("i", class_=kind, style=f"flex-grow:{number}", title=f"{words}: {number}")
        for kind, number, words, _ in parts
        if number
    ]
    rows = [
        tag(
            "li",
            tag("i", class_=kind),
            words,
            " ",
            picked(pick, f"{number:,}"),
            f" ({100 * number / total:.0f} %)" if total else "",
        )
        for kind, number, words, pick in parts
    ]
    if found.ceiling is not None:
        those = f"{found.neither:,} that neither finds"
        if found.ceiling_of < found.neither:
            those = f"{found.ceiling_of:,} of these whose question has known steps"
        best = f"A {PERFECT} finds {found.ceiling:,} of the {those}."
        rows.append(tag("li", best, class_="note"))
    return tag("div", tag("div", *bars, class_="parts"), tag("ul", *rows), class_="overlap")


def heat_of(value: float, values: Mapping[str, float]) -> str:
    """How dark a cell is among others, as a percentage."""
    low, high = min(values.values()), max(values.values())
    return f"{100 * (value - low) / (high - low):.0f}%" if high > low else "0%"
