"""Runs of one question side by side, told once: what the page Compare and a shared page are drawn
from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.runs import comparison as compare
from gear_app.runs.comparison import ComparedRun, Digest, NumberedGold
from gear_app.store.rows import RunInfo
from gear_app.text import count
from gear_app.types import Question
from gear_app.views import evidence
from gear_app.views.compare import entries, tables
from gear_app.views.compare.tables import Grid
from gear_app.views.markup import Html


class GridCard(NamedTuple):
    """A table of a comparison with its title and a quiet remark; `key` is its name on the page."""

    key: str
    title: str
    aside: str
    grid: Grid


@dataclass(frozen=True)
class Comparison:
    """Columns in order, gold passages, and what is looked at: the baseline's id, the cut-off and
    the highlighted label.

    `settings` are one line a column; `disagree`: the runs know different gold.
    """

    columns: list[ComparedRun]
    gold: list[NumberedGold]
    disagree: bool
    settings: list[str]
    base: str = ""
    k: int = 5
    highlight: str = ""

    def settled(self, base: str, k: int, highlight: str) -> Comparison:
        """The same comparison, looked at so."""
        return dataclasses.replace(self, base=base, k=k, highlight=highlight)

    @property
    def keys(self) -> list[str]:
        """The gold passages' keys."""
        return [row.key for row in self.gold]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking to compare."""
        return [column for column in self.columns if column.digest]

    @property
    def facts(self) -> str:
        """What all runs share, in a line."""
        sets = dict.fromkeys(one.run.triple_set for one in self.columns if one.run.triple_set)
        facts = [
            count(len(self.columns), "method"),
            self.columns[0].run.collection,
            f"triples: {', '.join(sets)}" if sets else "",
            count(len(self.gold), "gold passage") if self.gold else "",
        ]
        return " · ".join(filter(None, facts))

    @property
    def found(self) -> Html:
        """What each method found; nothing where none told."""
        told = [(one.label, one.digest and one.digest.evidence) for one in self.columns]
        return evidence.compared([(name, found) for name, found in told if found])

    def gold_card(self) -> GridCard:
        """When each method had each gold passage."""
        aside = f"when each method first had them in its first {self.k}"
        grid = tables.hop_grid(self.columns, self.gold, self.k)
        return GridCard("hops", "Gold passages", aside, grid)

    def method_cards(self) -> Iterator[GridCard]:
        """What each method has that the baseline has not; all methods with figures and settings."""
        base = next((column for column in self.done if column.run.id == self.base), None)
        if base and len(self.done) > 1:
            grid = tables.difference_grid(self.columns, self.gold, base, self.k)
            aside = f"the first {self.k} passages"
            yield GridCard("differences", f"Against {base.label}", aside, grid)
        notes = tables.note_grid(self.columns, self.gold, self.k)
        if notes:
            yield GridCard("notes", "Gist memory and thoughts", "what each iteration noted", notes)
        grid = tables.method_grid(self.columns, self.gold, self.settings)
        yield GridCard("methods", "Methods", "a name opens its run", grid)


def comparison(
    runs: Sequence[RunInfo],
    digest_of: Callable[[RunInfo, tuple[str, ...]], Digest],
    titles_of: Callable[[Sequence[str]], Mapping[str, str]],
    question: Question | None,
    limit: int | None,
) -> Comparison:
    """The runs with what is known of them, measured by the gold that was marked last. `titles_of`
    knows passages that no run ranks; `question` and `limit` are the collection's: its question as
    it stands there, and how many iterations its runs may have.
    """
    gold, disagree = compare.known_gold(runs)
    columns = [
        ComparedRun(run, label, digest_of(run, gold) if run.state == "done" else None)
        for run, label in zip(runs, entries.run_labels(runs, limit), strict=True)
    ]
    known = compare.titles(columns)
    missing = [key for key in gold if key not in known]
    known |= titles_of(missing) if missing else {}
    settings = [entries.settings_words(run, limit) for run in runs]
    return Comparison(columns, compare.number_gold(gold, question, known), disagree, settings)
