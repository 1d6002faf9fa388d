"""Runs of one question side by side: what each column knows, the gold they share, and how two
rankings differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis import gold as golds
from gear_app.analysis.digest import Digest
from gear_app.analysis.gold_keys import stands_for
from gear_app.events import RankedPassage
from gear_app.types import Hop, Question
from gear_app.views import rankings
from gear_app.views.header import FINISHED, ended
from gear_app.workspace import RunInfo

SHOWN = 10  # ranks that are drawn, unless the cut-off is lower down


@dataclass(frozen=True, slots=True)
class Column:
    """A run and its name; `digest` is None until it is done, and where it never will be."""

    run: RunInfo
    label: str
    digest: Digest | None = None

    @property
    def ranking(self) -> tuple[RankedPassage, ...]:
        """The final ranking; none yet is an empty one."""
        return self.digest.ranking if self.digest else ()


class GoldRow(NamedTuple):
    """A gold passage as a row: its number on the page, and the sub-question it answers where that
    is known.
    """

    number: int
    key: str
    title: str
    question: str = ""
    answer: str = ""


class Difference(NamedTuple):
    """What a ranking has that the baseline's has not within the first k. `moves` are gold ranks
    (before, after).
    """

    gold: int
    gained: tuple[RankedPassage, ...]
    lost: tuple[RankedPassage, ...]
    moves: tuple[tuple[str, int | None, int | None], ...]


def known_gold(runs: Sequence[RunInfo]) -> tuple[tuple[str, ...], bool]:
    """The gold to measure all runs by, and whether they disagree: the snapshot that was taken or
    marked last.
    """
    if not runs:
        return (), False
    last = max(
        runs,
        key=lambda run: (run.gold_marked or run.created, run.gold_marked is not None, run.number),
    )
    return last.gold, any(set(run.gold) != set(last.gold) for run in runs)


def hops(
    gold: Sequence[str], question: Question | None, titles: Mapping[str, str]
) -> list[GoldRow]:
    """The gold passages in the order of the question's decomposition, then those it does not
    name.
    """
    steps: dict[str, Hop] = {}
    for hop in question.decomposition if question else ():
        if hop.supporting_key in gold:
            steps.setdefault(hop.supporting_key, hop)
    order = [*steps, *(key for key in gold if key not in steps)]
    return [
        GoldRow(
            number,
            key,
            titles.get(key) or key,
            steps[key].question if key in steps else "",
            steps[key].answer if key in steps else "",
        )
        for number, key in enumerate(order, start=1)
    ]


def titles(columns: Sequence[Column]) -> dict[str, str]:
    """Titles by key, of every passage that any column ranks."""
    return {
        passage.key: passage.title or passage.key
        for column in columns
        for passage in column.ranking
    }


def found_within(k: int, ranking: Sequence[RankedPassage], gold: Sequence[str]) -> int:
    """How many gold passages are among the first k."""
    return round(golds.recall_at(k, ranking, gold) * len(gold))


def difference(
    base: Sequence[RankedPassage], ranking: Sequence[RankedPassage], gold: Sequence[str], k: int
) -> Difference:
    """What changed from the baseline's first k to this ranking's, and every gold passage whose rank
    changed.
    """
    before, after = {passage.key for passage in base[:k]}, {passage.key for passage in ranking[:k]}
    ranks = [(key, rankings.rank_of(key, base), rankings.rank_of(key, ranking)) for key in gold]
    return Difference(
        found_within(k, ranking, gold) - found_within(k, base, gold),
        tuple(passage for passage in ranking[:k] if passage.key not in before),
        tuple(passage for passage in base[:k] if passage.key not in after),
        tuple(move for move in ranks if move[1] != move[2]),
    )


def baseline(columns: Sequence[Column], wanted: str | None) -> str | None:
    """The id of the run to measure against: the one wanted, else the first that is done, else the
    first.
    """
    ids = [column.run.id for column in columns]
    if wanted in ids:
        return wanted
    return next((column.run.id for column in columns if column.digest), ids[0] if ids else None)


def telling(columns: Sequence[Column], gold: Sequence[str], base: str | None, k: int) -> str | None:
    """The gold passage to begin with: the first that another has within its first k and the
    baseline has not.

    Without such the first; None without gold.
    """
    against = next((column for column in columns if column.run.id == base), None)
    before = against.ranking[:k] if against else ()
    missed = [key for key in gold if not any(stands_for(passage.key, key) for passage in before)]
    found = [
        key
        for key in missed
        if any(stands_for(p.key, key) for column in columns for p in column.ranking[:k])
    ]
    return found[0] if found else gold[0] if gold else None


def comparable(runs: Sequence[RunInfo]) -> tuple[list[RunInfo], list[RunInfo]]:
    """The runs that ask what the first one asks of the same collection, and those that do not."""
    if not runs:
        return [], []
    first = runs[0].question, runs[0].collection, runs[0].collection_id
    alike = [run for run in runs if (run.question, run.collection, run.collection_id) == first]
    return alike, [run for run in runs if run not in alike]


def going_on(runs: Sequence[RunInfo]) -> bool:
    """Whether any of them waits or runs."""
    return any(run.state not in FINISHED for run in runs)


def state_words(run: RunInfo) -> str:
    """Why a column has no ranking, in a few words; empty for a run that is done."""
    match run.state:
        case "queued":
            before = (run.queue_position or 1) - 1
            return f"Waiting, {before} before it" if before else "Next in the queue"
        case "running":
            return run.message or "Running …"
        case "failed":
            return f"It failed: {ended(run.message or 'no reason was given')}"
        case "cancelled":
            return "It was cancelled."
        case "interrupted":
            return f"It was interrupted. {ended(run.message)}".strip()
        case _:
            return ""
