"""The command `prices`, and estimates, budgets and costs as every command writes them."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from gear_app.cli.options import JSON, command, flag, option
from gear_app.cli.output import emit, note, open_workspace, table
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display.labels import dollars

if TYPE_CHECKING:
    from gear_app.store.rows import Spent
    from gear_app.workspace.runs.costs import Estimate

HEADS = ("calls", "kept", "not fully usable", "tokens in", "tokens out", "cost")
DOLLARS = "dollars for a million tokens; sets the price"


def budget_in_force(
    estimate: Estimate, budget_option: int | None, previous: int | None = None
) -> int:
    """The given budget, else the `previous` one, else the estimate's cap; printed as a note."""
    if budget_option is not None:
        budget, origin = budget_option, "given by --budget"
    elif previous is not None:
        budget, origin = previous, "as before; --budget sets another"
    else:
        budget, origin = estimate.cap, "set by the estimate; --budget sets another"
    note(_sentence(estimate))
    note(f"At most {budget:,} tokens will be taken ({origin}).")
    return budget


def write_estimate(arguments: argparse.Namespace, estimate: Estimate | None) -> int:
    """Write an estimate, for --dry-run; None: no language model would be asked. The exit status."""
    if estimate is None:
        return emit(arguments, None, "No language model would be asked: it costs nothing.")
    cap = f"Without --budget at most {estimate.cap:,} tokens would be taken."
    value = {**asdict(estimate), "budget": estimate.cap}
    return emit(arguments, value, _sentence(estimate), cap)


def _sentence(estimate: Estimate) -> str:
    return (
        f"Estimate: {count(estimate.calls, 'call')}; about {estimate.input_tokens:,} +"
        f" {estimate.output_tokens:,} tokens, {dollars(estimate.dollars)}. From {estimate.basis}."
    )


def _cells(total: Spent) -> list[object]:
    counts = total.calls, total.kept, total.unusable, total.input_tokens, total.output_tokens
    return [*counts, dollars(total.cost)]


def spent(total: Spent, model: str) -> str:
    """Calls, tokens and cost, to follow other numbers; "" without calls."""
    if not total.calls:
        return ""
    cached = f" ({total.kept} kept from before)" if total.kept else ""
    unusable = f", {total.unusable} not fully usable" if total.unusable else ""
    tokens = f"{total.input_tokens:,} + {total.output_tokens:,} tokens, {dollars(total.cost)}"
    return f", {count(total.calls, 'call')}{cached} of {model}{unusable}, {tokens}"


@command(
    "prices",
    JSON,
    option(
        "model", metavar="MODEL", nargs="?", help="as its server calls it; without it, all of them"
    ),
    option("--input", type=float, metavar="D", help=DOLLARS),
    option("--output", type=float, metavar="D", help=DOLLARS),
    flag("--forget", "take MODEL off the table"),
)
def prices(arguments: argparse.Namespace) -> int:
    """List prices and what was spent, or set or forget a price."""
    workspace, model = open_workspace(arguments), arguments.model
    stated = [number is not None for number in (arguments.input, arguments.output)]
    if any(stated) != all(stated) or ((any(stated) or arguments.forget) and not model):
        raise BadInput(
            "Name the model, as its server calls it, and both prices: gear-app prices MODEL"
            " --input 0.5 --output 1.5"
        )
    if any(stated):
        workspace.store.prices.put(model, arguments.input, arguments.output)
    elif arguments.forget:
        workspace.store.prices.forget(model)
    store = workspace.store
    listed = {name: price for name, price in store.prices.all().items() if model in (None, name)}
    totals = [spending for spending in store.totals.by_model() if model in (None, spending.model)]
    lines = ["No price is stored, so no cost is known: gear-app prices MODEL --input D --output D"]
    if listed:
        rows = [[name, f"{price.input:g}", f"{price.output:g}"] for name, price in listed.items()]
        lines = [table(["model", "in, $ per million tokens", "out"], rows)]
    if totals:
        heads = ["spent on", "server", "runs", "extractions", *HEADS]
        usage = [
            [total.model, total.server, total.runs, total.jobs, *_cells(total.spent)]
            for total in totals
        ]
        lines.append("\n" + table(heads, usage))
    value = {
        "prices": {name: price._asdict() for name, price in listed.items()},
        "spending": [{**total._asdict(), "spent": asdict(total.spent)} for total in totals],
    }
    return emit(arguments, value, *lines)
