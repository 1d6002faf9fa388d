"""The command `prices`, and estimates, budgets and costs as every command writes them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from gear_app.cli.options import Commands, add_command
from gear_app.cli.output import note, open_workspace, write, write_json, write_table
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display.labels import dollars

if TYPE_CHECKING:
    from gear_app.store.rows import Spent
    from gear_app.workspace.runs.costs import Estimate


def add_to(commands: Commands) -> None:
    """Add `prices`."""
    table = add_command(commands, "prices", prices, json=True)
    table.add_argument(
        "model", metavar="MODEL", nargs="?", help="as its server calls it; without it, all of them"
    )
    dollars = "dollars for a million tokens; sets the price"
    for name in ("input", "output"):
        table.add_argument(f"--{name}", type=float, metavar="D", help=dollars)
    table.add_argument("--forget", action="store_true", help="take MODEL off the table")


def budget_in_force(
    estimate: Estimate, budget_option: int | None, previous: int | None = None
) -> int:
    """The given budget, else the one `kept` from before, else the estimate's cap; all are told with
    a note.
    """
    if budget_option is not None:
        budget, origin = budget_option, "given by --budget"
    elif previous is not None:
        budget, origin = previous, "as before; --budget sets another"
    else:
        budget, origin = estimate.cap, "set by the estimate; --budget sets another"
    note(_sentence(estimate))
    note(f"At most {budget:,} tokens will be taken ({origin}).")
    return budget


def write_estimate(estimate: Estimate | None, *, json: bool) -> int:
    """Write an estimate, for --dry-run; None: no language model would be asked. The exit status."""
    if json:
        write_json(None if estimate is None else {**asdict(estimate), "budget": estimate.cap})
    elif estimate is None:
        write("No language model would be asked: it costs nothing.")
    else:
        write(_sentence(estimate))
        write(f"Without --budget at most {estimate.cap:,} tokens would be taken.")
    return 0


def _sentence(estimate: Estimate) -> str:
    return (
        f"Estimate: {count(estimate.calls, 'call')}; about {estimate.input_tokens:,} +"
        f" {estimate.output_tokens:,} tokens, {dollars(estimate.dollars)}. From {estimate.basis}."
    )


def spent(total: Spent, model: str) -> str:
    """Calls, tokens and cost, to follow other numbers; "" where no model was asked."""
    if not total.calls:
        return ""
    cached = f" ({total.kept} kept from before)" if total.kept else ""
    unusable = f", {total.unusable} not fully usable" if total.unusable else ""
    tokens = f"{total.input_tokens:,} + {total.output_tokens:,} tokens, {dollars(total.cost)}"
    return f", {count(total.calls, 'call')}{cached} of {model}{unusable}, {tokens}"


def prices(arguments: argparse.Namespace) -> int:
    """List prices and what was spent, or set or forget a price."""
    workspace, model = open_workspace(arguments), arguments.model
    _check(arguments)
    if arguments.input is not None:
        workspace.costs.set_price(model, arguments.input, arguments.output)
    elif arguments.forget:
        workspace.costs.forget_price(model)
    prices = {
        name: price for name, price in workspace.costs.prices().items() if model in (None, name)
    }
    totals = [
        spending for spending in workspace.costs.spending() if model in (None, spending.model)
    ]
    if arguments.json:
        spending = [{**total._asdict(), "spent": asdict(total.spent)} for total in totals]
        listed = {name: price._asdict() for name, price in prices.items()}
        write_json({"prices": listed, "spending": spending})
        return 0
    if not prices:
        write(
            "No price is written down, so no cost is known. Run: gear-app prices MODEL --input D"
            " --output D"
        )
    else:
        rows = [[name, f"{price.input:g}", f"{price.output:g}"] for name, price in prices.items()]
        write_table(["model", "in, $ per million tokens", "out"], rows)
    if totals:
        write()
        heads = ["spent on", "server", "runs", "extractions", *HEADS]
        taken = [
            [total.model, total.server, total.runs, total.jobs, *cells(total.spent)]
            for total in totals
        ]
        write_table(heads, taken)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise BadInput unless a price is whole, names its model, and is not set and forgotten."""
    options = [arguments.input is not None, arguments.output is not None]
    if any(options) and (not all(options) or arguments.forget):
        raise BadInput(
            "A price has --input and --output, in dollars for a million tokens; --forget stands"
            " alone"
        )
    if (any(options) or arguments.forget) and not arguments.model:
        raise BadInput(
            "Name the model, as its server calls it: gear-app prices MODEL --input 0.5 --output 1.5"
        )


HEADS = ("calls", "kept", "not fully usable", "tokens in", "tokens out", "cost")


def cells(total: Spent) -> Sequence[object]:
    """The columns of HEADS."""
    counts = total.calls, total.kept, total.unusable, total.input_tokens, total.output_tokens
    return [*counts, dollars(total.cost)]
