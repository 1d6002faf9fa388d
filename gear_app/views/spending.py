"""What language models cost and took, as rows and sentences.

And what somebody changed in the table of prices.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gear_app.llm.prices import Price
from gear_app.text import count

if TYPE_CHECKING:
    from gear_app.workspace import CacheSize, Spending

MODEL, INPUT, OUTPUT = "model", "input", "output"  # columns of the table of prices
Row = dict[str, Any]


class PriceEdits(NamedTuple):
    """Prices to write down, models to take off the table, and whether a row is not whole yet."""

    written: dict[str, Price]
    gone: list[str]
    unfinished: bool = False


def prices(table: Mapping[str, Price], used: Collection[str]) -> list[Row]:
    """A row for every price, and one to fill in for every model that was used and has none."""
    known = [
        {MODEL: model, INPUT: price.input, OUTPUT: price.output}
        for model, price in sorted(table.items())
    ]
    return known + [
        {MODEL: model, INPUT: None, OUTPUT: None} for model in sorted(set(used) - set(table))
    ]


def missing_prices(rows: Sequence[Row], edits: Mapping[str, Any]) -> str:
    """What to do where a cost is not known, or a row is not whole yet.

    "" where every model has a price.
    """
    if edited(rows, edits).unfinished:
        return "A row counts once it has a model's name and both prices."
    if not rows:
        return (
            "No price is written down, so no cost is known. Add a row: a model's name and its two"
            " prices."
        )
    without = [row[MODEL] for row in rows if row[INPUT] is None]
    return f"What {', '.join(without)} costs is not known. Fill in both prices." if without else ""


def edited(rows: Sequence[Row], edits: Mapping[str, Any]) -> PriceEdits:
    """What the edits of `st.data_editor` mean for these rows.

    A row counts once it has a name and both prices.
    """
    removed = set(edits.get("deleted_rows", ()))
    gone = [rows[place][MODEL] for place in removed if rows[place][INPUT] is not None]
    changed = [
        (rows[int(place)], rows[int(place)] | cells)
        for place, cells in edits.get("edited_rows", {}).items()
    ]
    changed += [({}, row) for row in edits.get("added_rows", ())]
    written: dict[str, Price] = {}
    unfinished = False
    for before, after in changed:
        name = str(after.get(MODEL) or "").strip()
        if not name or after.get(INPUT) is None or after.get(OUTPUT) is None:
            unfinished = True
            continue
        written[name] = Price(float(after[INPUT]), float(after[OUTPUT]))
        if before.get(INPUT) is not None and before[MODEL] != name:
            gone.append(before[MODEL])
    return PriceEdits(written, gone, unfinished)


def spent(found: Sequence[Spending]) -> list[Row]:
    """A row for every model that was asked."""
    return [
        {
            "model": one.model,
            "server": one.server,
            "runs": one.runs,
            "extractions": one.jobs,
            "calls": one.spent.calls,
            "of these kept": one.spent.kept,
            "not usable": one.spent.unusable,
            "tokens in": one.spent.input_tokens,
            "tokens out": one.spent.output_tokens,
            "cost": dollars(one.spent.cost),
        }
        for one in found
    ]


def dollars(cost: float | None) -> str:
    """A cost for the screen; one that is not known says so."""
    if cost is None:
        return "price not known"
    if cost >= 1 or not cost:
        return f"${cost:,.2f}"
    return f"${cost:.4f}" if cost >= 0.0001 else "under $0.0001"


def kept(found: CacheSize) -> str:
    """How many replies are kept, and what for."""
    if not found.replies:
        return (
            "None yet. What a model says is kept, so that asking it the same again costs nothing."
        )
    replies = count(found.replies, "reply", "replies")
    size = (
        f"{found.bytes / 1e6:,.1f} MB"
        if found.bytes >= 1e6
        else f"{math.ceil(found.bytes / 1000)} kB"
    )
    return f"{replies}, {size}. Asking the same again costs nothing."
