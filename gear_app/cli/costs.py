"""What language models cost, on the command line: estimates before, caps, prices, and what was
spent.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict

from gear_app.cli.output import as_json, note, opened, say, table
from gear_app.errors import BadInput
from gear_app.text import count
from gear_app.views.spending import dollars
from gear_app.workspace import Estimate, Spending, Spent

_TOKENS = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([km]?)", re.IGNORECASE)


def tokens(text: str) -> int:
    """`250000`, `250k` or `2m` as a number."""
    found = _TOKENS.fullmatch(text.strip().replace(",", "").replace("_", ""))
    value = float(found[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[found[2].lower()] if found else 0
    if value < 1 or value != int(value):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of tokens, such as 250000, 250k or 2m"
        )
    return int(value)


def cap(estimate: Estimate, given: int | None) -> int:
    """The budget in force; it is told with the estimate, out of the way of the result."""
    budget = estimate.cap if given is None else given
    note(sentence(estimate))
    given_by = (
        "given by --budget" if given is not None else "set by the estimate; --budget sets another"
    )
    note(f"At most {budget:,} tokens will be taken ({given_by}).")
    return budget


def sentence(estimate: Estimate) -> str:
    """An estimate in words."""
    kept = f", {estimate.kept:,} of them kept from before at no cost" if estimate.kept else ""
    return (
        f"Estimate: {count(estimate.calls, 'call')}{kept}; about {estimate.input_tokens:,} +"
        f" {estimate.output_tokens:,} tokens, {dollars(estimate.dollars)}. From {estimate.basis}."
    )


def dry(estimate: Estimate | None, *, json: bool) -> int:
    """Print an estimate instead of what it is of; None: no language model would be asked."""
    if json:
        as_json(None if estimate is None else {**asdict(estimate), "budget": estimate.cap})
    elif estimate is None:
        say("No language model would be asked: it costs nothing.")
    else:
        say(sentence(estimate))
        say(f"Without --budget at most {estimate.cap:,} tokens would be taken.")
    return 0


def spent(found: Spent, model: str) -> str:
    """What a run took, to follow its other numbers; nothing where no model was asked."""
    if not found.calls:
        return ""
    kept = f" ({found.kept} kept from before)" if found.kept else ""
    unusable = f", {found.unusable} not fully usable" if found.unusable else ""
    took = f"{found.input_tokens:,} + {found.output_tokens:,} tokens, {dollars(found.cost)}"
    return f", {count(found.calls, 'call')}{kept} of {model}{unusable}, {took}"


def prices(called: argparse.Namespace) -> int:
    """List prices and what was spent, or set or forget a price."""
    workspace = opened(called)
    both = called.input is not None and called.output is not None
    if (called.input is None) != (called.output is None) or (called.forget and both):
        raise BadInput(
            "A price has --input and --output, in dollars for a million tokens; --forget stands"
            " alone"
        )
    if (both or called.forget) and not called.model:
        raise BadInput(
            "Name the model, as its server calls it: gear-app prices MODEL --input 0.5 --output 1.5"
        )
    if both:
        workspace.set_price(called.model, called.input, called.output)
    elif called.forget:
        workspace.forget_price(called.model)
    known = {
        name: price for name, price in workspace.prices().items() if called.model in (None, name)
    }
    took = [one for one in workspace.spending() if called.model in (None, one.model)]
    if called.json:
        totals = [{**one._asdict(), "spent": asdict(one.spent)} for one in took]
        as_json(
            {"prices": {name: price._asdict() for name, price in known.items()}, "spending": totals}
        )
        return 0
    if not known:
        say(
            "No price is written down, so no cost is known. Run: gear-app prices MODEL --input D"
            " --output D"
        )
    else:
        rows = [[name, f"{price.input:g}", f"{price.output:g}"] for name, price in known.items()]
        table(["model", "in, $ per million tokens", "out"], rows)
    if took:
        say()
        table(["spent on", "server", "runs", "extractions", *HEADS], [_total(one) for one in took])
    return 0


HEADS = ("calls", "kept", "not fully usable", "tokens in", "tokens out", "cost")


def _total(one: Spending) -> list[object]:
    return [one.model, one.server, one.runs, one.jobs, *cells(one.spent)]


def cells(found: Spent) -> Sequence[object]:
    """The columns of HEADS."""
    took = found.calls, found.kept, found.unusable, found.input_tokens, found.output_tokens
    return [*took, dollars(found.cost)]
