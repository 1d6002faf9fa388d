"""What the page Compare is drawn from."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from gear_app.analysis.comparison import ComparedRun, NumberedGold


@dataclass(frozen=True)
class Comparison:
    """The columns in order, the gold passages, and what the controls chose; `settings` are one line
    a column.
    """

    columns: list[ComparedRun]
    gold: list[NumberedGold]
    disagree: bool
    settings: list[str]
    base: str = ""
    k: int = 5
    highlight: str = ""

    def settled(self, base: str, k: int, highlight: str) -> Comparison:
        """With the choices of the controls."""
        return dataclasses.replace(self, base=base, k=k, highlight=highlight)

    @property
    def keys(self) -> list[str]:
        """The gold passages' keys."""
        return [row.key for row in self.gold]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking to compare."""
        return [column for column in self.columns if column.digest]
