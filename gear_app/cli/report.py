"""A run as it is printed: its ranking, what was concluded, its answers, and what it took."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gear_app.cli.options import JSON, command, flag, option
from gear_app.cli.output import emit, note, open_workspace, table
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display import answers, evidence
from gear_app.display.gear import gist_facts
from gear_app.display.labels import dollars, method_words, run_time
from gear_app.trace.events import Called, Chained, Event, Stopped, to_row
from gear_app.trace.evidence import conclusions, labelled, named_passages
from gear_app.trace.metrics import scored_answers

if TYPE_CHECKING:
    from gear_app.store.rows import Spent
    from gear_app.workspace.runs.costs import Estimate
    from gear_app.workspace.runs.service import Answer
    from gear_app.workspace.workspace import Workspace


NO_ANSWER = "answer: none found; the passages may still have one"


def labelled_answer(workspace: Workspace, answer: Answer) -> Answer:
    """The answer with different titles for passages of one document."""
    labels = workspace.store.passages.labels(sorted(named_passages(answer.events)))
    return dataclasses.replace(answer, events=tuple(labelled(answer.events, labels)))


def report(answer: Answer, k: int) -> Iterator[str]:
    """The ranking down to rank k, what the reader concluded, the answers, and what it took."""
    yield f"{answer.question}\n"
    if evidence_lines := [*evidence.lines(answer.events, answer.answers)]:
        yield "\n".join(evidence_lines) + "\n"
    rows = [
        [rank, f"{passage.score:.4f}", passage.key, passage.title]
        for rank, passage in enumerate(answer.ranking[:k], start=1)
    ]
    yield table(["rank", "score", "passage", "title"], rows)
    written = list(_answers(answer.events, answer.answers))
    concluded = [line for line in conclusion(answer.events) if line != NO_ANSWER or not written]
    yield from ("\n" + "\n".join(lines) for lines in (concluded, written) if lines)
    for event in answer.events:
        if isinstance(event, Stopped) and event.why == "budget":
            yield f"\nstopped: {event.sentence}"
    model = next((event.model for event in answer.events if isinstance(event, Called)), "")
    iterations = count(answer.iterations, "iteration")
    cost = f"{run_time(answer.ms, answer.loading_ms)}{spent(answer.spent, model)}"
    yield f"\nrun {answer.run}: {method_words(answer.method, answer.config)}, {iterations}, {cost}"


def conclusion(events: Sequence[Event]) -> Iterator[str]:
    """The answer of the last verdict or thought, the gist memory by iteration, and the chain."""
    concluded = conclusions(events)
    if concluded:
        answer = concluded[-1].answer
        yield f"answer: {answer}" if answer else NO_ANSWER
    for iteration, triple in gist_facts(events):
        yield f"gist {iteration}: {triple.subject} | {triple.predicate} | {triple.object}"
    chains = [event for event in events if isinstance(event, Chained) and event.nodes]
    yield from (f"chain: {event.summary}" for event in chains)


def _answers(events: Sequence[Event], gold: Sequence[str]) -> Iterator[str]:
    """The written answers, with EM and F1 if an answer is known, and the known answers."""
    written = scored_answers(events, gold)
    for answer in written:
        source, measures = answers.heading(answer, events), answers.measures(answer)
        scores = f" ({measures})" if measures else ""
        yield f"answer {source[0].lower()}{source[1:]}: {answer.answer or 'none'}{scores}"
    if written and gold:
        yield f"known answer: {', or '.join(gold)}"


def answer_json(answer: Answer) -> dict[str, Any]:
    """A run as `query --json` and `show --json` print it. `passage_id` is the passage's key.

    `answers` are there if the run wrote any: EM and F1 are null if no answer is known.
    """
    written = [
        {
            "source": scored.source,
            "answer": scored.answer,
            "em": scored.em,
            "f1": scored.f1,
            "passages": [passage.key for passage in scored.passages],
        }
        for scored in scored_answers(answer.events, answer.answers)
    ]
    return {
        "run": answer.run,
        "question": answer.question,
        "method": answer.method,
        "config": dict(answer.config),
        "ranking": [
            {"passage_id": line.key, "title": line.title, "rank": rank, "score": line.score}
            for rank, line in enumerate(answer.ranking, start=1)
        ],
        "iterations": answer.iterations,
        "tokens": {"input": answer.spent.input_tokens, "output": answer.spent.output_tokens},
        "calls": answer.spent.calls,
        "kept": answer.spent.kept,
        "unusable": answer.spent.unusable,
        "cost": answer.spent.cost,
        "ms": round(answer.ms or 0.0, 3),
        "loading_ms": round(answer.loading_ms or 0.0, 3),
        **({"answers": written, "known_answers": list(answer.answers)} if written else {}),
        "events": [to_row(event) for event in answer.events],
    }


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
    totals = [spending for spending in store.tasks.spending() if model in (None, spending.model)]
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
