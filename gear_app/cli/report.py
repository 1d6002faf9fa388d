"""A run as it is printed: its ranking, what was concluded, its answers, and what it took."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.cli import prices
from gear_app.cli.output import table
from gear_app.core.text import count
from gear_app.display import answers, evidence
from gear_app.display.gear import gist_facts
from gear_app.display.labels import method_words, run_time
from gear_app.trace.events import Called, Chained, Event, Stopped, to_row
from gear_app.trace.evidence import conclusions
from gear_app.trace.metrics import scored_answers
from gear_app.trace.passage_labels import labelled, named_passages

if TYPE_CHECKING:
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
    cost = f"{run_time(answer.ms, answer.loading_ms)}{prices.spent(answer.spent, model)}"
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
