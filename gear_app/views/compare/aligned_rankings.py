"""Rankings side by side as component data and as a table: a column a run, a row a rank."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.analysis.metrics import found_at, recall_at, stands_for
from gear_app.analysis.rankings import keys, rank_of
from gear_app.runs.comparison import ComparedRun, Difference, Digest, NumberedGold, difference
from gear_app.store.rows import RunInfo
from gear_app.views.labels import as_sentence, duration, gave_up

SHOWN = 10  # ranks that are drawn, unless the cut-off is lower down


def depth(k: int) -> int:
    """How many ranks are drawn for a cut-off."""
    return max(SHOWN, k)


def component_data(
    columns: Sequence[ComparedRun],
    gold: Sequence[NumberedGold],
    base: str | None,
    k: int,
    kept: Collection[str] = (),
) -> dict[str, Any]:
    """Component data: the columns' heads, and every passage of their first ranks, one line each.

    A passage's `ranks` has one entry a column: its final rank however deep, None where the ranking
    does not have it or there is none. Gold passages are there even where no column shows them;
    `gold` is their number, 0 for others. Others come in the order of their best rank, ties in the
    order of the columns. `kept` are the ids of runs that were there before they were asked for.
    """
    rows = depth(k)
    numbers = {row.key: row.number for row in gold}
    ranks = [_ranks(column) for column in columns]
    shown: dict[str, tuple[int, int, str]] = {}  # key: best rank, passage id, title
    for column in columns:
        for rank, passage in enumerate(column.ranking[:rows], start=1):
            best, id_, title = shown.get(passage.key, (rank, passage.id, passage.name))
            shown[passage.key] = min(best, rank), id_, title
    for row in gold:
        shown.setdefault(row.key, (_best(ranks, row.key), _id(columns, row.key), row.title))
    order = sorted(shown.items(), key=lambda item: (numbers.get(item[0], 0), item[1][0]))
    return {
        "columns": [
            _head(column, columns, gold, base, k, column.run.id in kept) for column in columns
        ],
        "passages": [
            {
                "key": key,
                "id": id_,
                "title": title,
                "gold": numbers.get(key, 0),
                "ranks": [of.get(key) for of in ranks],
            }
            for key, (_, id_, title) in order
        ],
        "rows": rows,
        "cut": k,
    }


def rows(
    columns: Sequence[ComparedRun], gold: Sequence[NumberedGold], k: int
) -> list[dict[str, Any]]:
    """The same as a table: a line a rank, a column a run; gold has a star and its number."""
    numbers = {row.key: row.number for row in gold}
    done = [column for column in columns if column.digest]
    deepest = min(depth(k), max((len(column.ranking) for column in done), default=0))
    return [
        {"rank": rank} | {column.label: _title(column, rank, numbers) for column in done}
        for rank in range(1, deepest + 1)
    ]


def change_words(change: Difference) -> str:
    """By how many gold passages a ranking differs from the baseline's, in a word or two."""
    if not change.gold:
        return "same gold"
    return f"{'+' if change.gold > 0 else '−'}{abs(change.gold)} gold"


def change_tone(change: Difference) -> str:
    """The tone of that: "yes" for more gold, "no" for less, "" for as much."""
    if not change.gold:
        return ""
    return "yes" if change.gold > 0 else "no"


def gave_up_words(digest: Digest) -> str:
    """Which step of a run gave up last, and why; "" where none did."""
    failed = digest.gave_up
    return f"{gave_up(failed.step)}: {as_sentence(failed.message)}" if failed else ""


def state_words(run: RunInfo) -> str:
    """Why a column has no ranking, in a few words; empty for a run that is done."""
    match run.state:
        case "queued":
            before = (run.queue_position or 1) - 1
            return f"Waiting, {before} before it" if before else "Next in the queue"
        case "running":
            return run.message or "Running …"
        case "failed":
            return f"It failed: {as_sentence(run.message or 'no reason was given')}"
        case "cancelled":
            return "It was cancelled."
        case "interrupted":
            return f"It was interrupted. {as_sentence(run.message)}".strip()
        case _:
            return ""


def _head(
    column: ComparedRun,
    columns: Sequence[ComparedRun],
    gold: Sequence[NumberedGold],
    base: str | None,
    k: int,
    kept: bool,
) -> dict[str, Any]:
    gold_keys = [row.key for row in gold]
    head = {
        "run": column.run.id,
        "label": column.label,
        "recall": "",
        "counted": "",
        "change": _change(column, columns, gold_keys, base, k),
        "baseline": column.run.id == base,
        "length": len(column.ranking),
        "kept": kept,
    }
    return head | _outcome(column, gold_keys, k)


def _outcome(column: ComparedRun, gold: Sequence[str], k: int) -> dict[str, str]:
    """The part of a head that depends on whether the run is done."""
    run, digest = column.run, column.digest
    if digest is None:
        state = "busy" if run.going else "bad"
        return {"state": state, "words": state_words(run), "facts": "", "warning": ""}
    several = digest.iterates and run.iterations > 1
    facts = [f"{run.iterations} iterations" if several else "", duration(run.ms)]
    outcome = {
        "state": "done",
        "words": "" if column.ranking else "No passage was found.",
        "facts": " · ".join(filter(None, facts)),
        "warning": gave_up_words(digest),
    }
    if gold and column.measured:
        ranked = keys(column.ranking)
        outcome["recall"] = f"{recall_at(ranked, gold, k):.2f}"
        outcome["counted"] = f"{found_at(ranked, gold, k)} of {len(gold)} gold"
    return outcome


def _change(
    column: ComparedRun,
    columns: Sequence[ComparedRun],
    gold: Sequence[str],
    base: str | None,
    k: int,
) -> dict[str, str] | None:
    against = _baseline(columns, base)
    if against is None or against is column or not column.measured:
        return None
    change = difference(against.ranking, column.ranking, gold, k)
    if not gold:
        return {"words": f"{len(change.gained)} new in {k}", "tone": ""}
    return {"words": change_words(change), "tone": change_tone(change)}


def _baseline(columns: Sequence[ComparedRun], base: str | None) -> ComparedRun | None:
    """The baseline's column, where it is measured."""
    return next((column for column in columns if column.run.id == base and column.measured), None)


def _ranks(column: ComparedRun) -> Mapping[str, int]:
    return {passage.key: rank for rank, passage in enumerate(column.ranking, start=1)}


def _best(ranks: Sequence[Mapping[str, int]], key: str) -> int:
    return min((of[key] for of in ranks if key in of), default=0)


def _id(columns: Sequence[ComparedRun], key: str) -> int:
    passages = (passage for column in columns for passage in column.ranking)
    return next((one.id for one in passages if stands_for(one.key, key)), 0)


def _title(column: ComparedRun, rank: int, numbers: Mapping[str, int]) -> str:
    if rank > len(column.ranking):
        return ""
    passage = column.ranking[rank - 1]
    star = f"★{numbers[passage.key]} " if passage.key in numbers else ""
    return star + passage.name


def places(
    columns: Sequence[ComparedRun], key: str, base: str | None
) -> list[tuple[ComparedRun, int | None, str]]:
    """Where each finished run ranks a passage, and how that differs from the baseline, in words."""
    against = _baseline(columns, base)
    before = rank_of(key, against.ranking) if against else None
    lines = []
    for column in columns:
        if column.digest:
            rank = rank_of(key, column.ranking)
            words = _moved(before, rank) if against else ""
            lines.append((column, rank, "baseline" if column is against else words))
    return lines


def _moved(before: int | None, after: int | None) -> str:
    if before == after:
        return "same rank" if after else ""
    if before is None:
        return "the baseline does not have it"
    if after is None:
        return f"the baseline has it at {before}"
    return f"{before - after} higher" if after < before else f"{after - before} lower"
