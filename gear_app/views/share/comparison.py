"""Runs of one question side by side as data for a page of its own, at every cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.rankings import CUTS
from gear_app.runs import comparison as compare
from gear_app.runs.comparison import ComparedRun, NumberedGold
from gear_app.text import count
from gear_app.types import Question
from gear_app.views import header, markup
from gear_app.views.compare import aligned_rankings, charts, entries
from gear_app.views.compare import tables as grids
from gear_app.views.markup import tag
from gear_app.views.share.cards import Block, RunShown, picture, table
from gear_app.views.share.recall_chart import RecallLine, recall_chart
from gear_app.views.share.run import StoredRun

RESTS = "Dotted: the method had stopped, its ranking stays."


def comparison_data(
    runs: Sequence[StoredRun], question: Question | None, limit: int | None
) -> dict[str, Any]:
    """The comparison as page.js draws it. `question` and `limit` are the collection's: its question
    as it stands there, and how many iterations its runs may have.
    """
    infos = [one.run for one in runs]
    gold, _ = compare.known_gold(infos)
    names = entries.run_labels(infos, limit)
    columns = [
        ComparedRun(one.run, label, compare.digest(one.events, gold, one.run.answers))
        if one.run.state == "done"
        else ComparedRun(one.run, label, None)
        for one, label in zip(runs, names, strict=True)
    ]
    titles = {key: title for one in runs for key, title in one.titles.items()}
    numbered = compare.number_gold(gold, question, titles | compare.titles(columns))
    base = compare.baseline(columns, None)
    told = RunShown(infos[0], (), {id_: text for one in runs for id_, text in one.passages.items()})
    changed = [entries.settings_words(run, limit) for run in infos]
    cuts = {str(k): _sections(columns, numbered, base, k, told, changed) for k in CUTS}
    return {"head": _head(columns, numbered), "cuts": cuts, "details": told.details}


def _head(columns: Sequence[ComparedRun], gold: Sequence[NumberedGold]) -> str:
    run = columns[0].run
    sets = list(dict.fromkeys(c.run.triple_set for c in columns if c.run.triple_set))
    facts = [
        count(len(columns), "method"),
        run.collection,
        f"triples: {', '.join(sets)}" if sets else "",
        count(len(gold), "gold passage") if gold else "",
    ]
    return header.head(run.question, " · ".join(filter(None, facts)), [])


def _sections(
    columns: Sequence[ComparedRun],
    gold: Sequence[NumberedGold],
    base: str | None,
    k: int,
    told: RunShown,
    changed: Sequence[str],
) -> list[list[Block]]:
    """The cards of a cut-off, from the top; the first is the rankings."""
    keys = [row.key for row in gold]
    lines = aligned_rankings.component_data(columns, gold, base, k)
    details = {one["key"]: told.passage(one["id"]) for one in lines["passages"] if one["id"]}
    first = compare.first_selected(columns, keys, base or "", k)
    sections = [
        [
            _title("Rankings", "one passage is one line; select it to read it"),
            picture("aligned", lines, first, details),
            table("As a table", aligned_rankings.rows(columns, gold, k)),
        ]
    ]
    if gold:
        sections.append(
            [
                _title("Gold passages", f"when each method first had them in its first {k}"),
                picture("grid", grids.hop_grid(columns, gold, k), None, {}),
            ]
        )
        rows = charts.recall_rows(columns, keys, k)
        chosen = compare.best(columns, keys)
        drawn = recall_chart(
            [
                RecallLine(line.label, line.ys, strong=line.label == chosen)
                for line in charts.lines(columns, keys, k)
            ],
            k,
        )
        told_by = {"html": drawn + tag("p", RESTS, class_="gear-note")}
        recall = [told_by, table("As a table", rows)] if rows else []
        sections.append([_title("Recall per iteration", f"R@{k}"), *recall])
    against = next((column for column in columns if column.run.id == base), None)
    if against is not None and against.digest and len(columns) > 1:
        found = grids.difference_grid(columns, gold, against, k)
        sections.append(
            [
                _title(f"Against {against.label}", f"the first {k} passages"),
                picture("grid", found, None, {}),
            ]
        )
    methods = grids.method_grid(columns, gold, changed)
    sections.append([_title("Methods", "a name opens its run"), picture("grid", methods, None, {})])
    return sections


def _title(words: str, aside: str) -> Block:
    return {"html": markup.title(words, aside)}
