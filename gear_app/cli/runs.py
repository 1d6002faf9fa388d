"""The commands `query`, `methods`, `runs`, `show` and `replay`: ask a question, and look at stored
runs.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gear_app import retrievers
from gear_app.analysis.metrics import scored_answers
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.cli import clusters, prices
from gear_app.cli.output import (
    exit_status,
    open_workspace,
    public,
    write,
    write_json,
    write_table,
)
from gear_app.errors import BadInput
from gear_app.events import Called, Chained, Event, Reasoned, Remembered, Stopped, Thought, to_row
from gear_app.overrides import settings
from gear_app.views import answers
from gear_app.views import why_not as why_words
from gear_app.views.labels import dollars, run_state
from gear_app.workspace import Answer, Options, RunInfo, Workspace

HEADS = ("run", "state", "method", "collection", "triples", "ms", "tokens", "cost", "question")
LOADING_S = 0.1  # loading models and arrays that took less is not worth a word
NO_ANSWER = "answer: none found; the passages may still have it"


def query(arguments: argparse.Namespace) -> int:
    """Ask a question in this process; 1 where a model failed, with what was found until then."""
    workspace = open_workspace(arguments)
    answer = workspace.ask(
        arguments.question,
        clusters.name_here(arguments, workspace),
        arguments.method,
        triples=arguments.triples,
        reader=arguments.reader,
        k=arguments.k,
        settings=_settings(arguments.settings),
        options=Options(answer=arguments.answer, lazy=arguments.lazy),
        budget=arguments.budget,
    )
    answer = _told_apart(workspace, answer)
    if arguments.json:
        write_json(to_json(answer))
    else:
        write_report(answer, arguments.k)
    return exit_status(answer.failure)


def _settings(pairs: Sequence[str]) -> Mapping[str, str]:
    """`width=5` and the like, by name. Raises BadInput."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadInput(f"--set takes NAME=VALUE, not {pair!r}")
        values[name.strip()] = value.strip()
    return values


def methods(arguments: argparse.Namespace) -> int:
    """List methods with their bases and their default settings."""
    listed = [
        (name, method.summary, retrievers.bases(name), settings(method.config))
        for name, method in retrievers.METHODS.items()
    ]
    if arguments.json:
        keys = ("method", "summary", "bases", "settings")
        write_json([dict(zip(keys, one, strict=True)) for one in listed])
        return 0
    for name, summary, bases, values in listed:
        write(f"{name}: {summary}")
        if bases:
            write(f"    over {', '.join(bases)}")
        write("    " + ", ".join(f"{key}={value}" for key, value in values.items()))
    write(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid."
    )
    write("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0


def runs(arguments: argparse.Namespace) -> int:
    """List the newest runs."""
    listed = open_workspace(arguments).runs.recent(arguments.collection, arguments.limit)
    if arguments.json:
        write_json([public(run) for run in listed])
    else:
        write_table(HEADS, [_row(run) for run in listed])
    return 0


def _row(run: RunInfo) -> list[str]:
    """The columns of HEADS. Tokens and cost are empty where no language model was asked."""
    spent = run.spent
    took = [f"{spent.tokens:,}", dollars(spent.cost)] if spent.calls else ["", ""]
    ms = "" if run.ms is None else f"{run.ms:,.0f}"
    about = [run.id, run_state(run), run.method, run.collection, run.triple_set or ""]
    return [*about, ms, *took, run.question]


def _told_apart(workspace: Workspace, answer: Answer) -> Answer:
    """The answer with passages of one document told apart in its ranking."""
    labels = workspace.collections.labels(sorted(named_passages(answer.ranking)))
    return dataclasses.replace(answer, ranking=tuple(labelled(answer.ranking, labels)))


def show(arguments: argparse.Namespace) -> int:
    """Print a stored run with its events."""
    workspace = open_workspace(arguments)
    run = workspace.runs.get(workspace.runs.find_id(arguments.run))
    answer = _told_apart(workspace, workspace.runs.answer(run.id))
    if arguments.json:
        write_json(to_json(answer))
        return 0
    write(f"{run.state}{': ' if run.message else ''}{run.message}")
    write_report(answer, run.k)
    write()
    rows = [[event.iteration, type(event).__name__, event.summary] for event in answer.events]
    write_table(["iteration", "event", ""], rows)
    return 0


def pin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with it."""
    runs_ = open_workspace(arguments).runs
    run = runs_.pin(runs_.find_id(arguments.run))
    return _pinned(run, f"{run.collection} opens with: {run.question} (run {run.id})", arguments)


def unpin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with its latest run again."""
    runs_ = open_workspace(arguments).runs
    run = runs_.unpin(runs_.find_id(arguments.run))
    latest = runs_.featured(run.collection) if run.collection_id is not None else None
    words = f"{run.collection} opens with run {latest.id}." if latest else "Nothing was pinned."
    return _pinned(run, words, arguments)


def _pinned(run: RunInfo, sentence: str, arguments: argparse.Namespace) -> int:
    if arguments.json:
        write_json({"run": run.id, "collection": run.collection, "pinned": run.pinned})
    else:
        write(sentence)
    return 0


def why(arguments: argparse.Namespace) -> int:
    """Say why a run does not have a passage among its first k, and what would have helped."""
    workspace = open_workspace(arguments)
    run_id = workspace.runs.find_id(arguments.run)
    key = workspace.why_not.passage(run_id, arguments.passage)
    answer = workspace.why_not.explain(run_id, key, arguments.k)
    trials = () if arguments.no_trials else workspace.why_not.trials(run_id, key, arguments.k)
    if arguments.json:
        write_json({"run": run_id, **why_words.to_json(answer, trials)})
    else:
        for line in why_words.text(answer, trials):
            write(line)
    return 0


def replay(arguments: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking, or its failure, differs."""
    workspace = open_workspace(arguments)
    again = workspace.runs.replay(workspace.runs.find_id(arguments.run))
    if arguments.json:
        result = {"run": again.run, "identical": not again.difference}
        write_json({**result, "difference": again.difference, "failure": again.failure})
    else:
        same = f"the ranking of {len(again.ranking)} passages is identical."
        if again.failure:
            same = f"it failed again, as it did then: {again.failure}"
        write(f"Run {again.run}: {again.difference or same}")
    return 1 if arguments.check and again.difference else 0


def write_report(answer: Answer, k: int) -> None:
    """The ranking down to rank k, what the reader concluded, the answers, and what it took."""
    write(f"{answer.question}\n")
    rows = [
        [rank, f"{passage.score:.4f}", passage.key, passage.title]
        for rank, passage in enumerate(answer.ranking[:k], start=1)
    ]
    write_table(["rank", "score", "passage", "title"], rows)
    for lines in (conclusion(answer.events), _answers(answer.events, answer.known)):
        if text := "\n".join(lines):
            write(f"\n{text}")
    for event in answer.events:
        if isinstance(event, Stopped) and event.why == "budget":
            write(f"\nstopped: {event.sentence}")
    write(f"\nrun {answer.run}: {answer.method}, {_took(answer)}")


def _took(answer: Answer) -> str:
    """Iterations, time and, where a language model was asked, tokens and cost."""
    iterations = "1 iteration" if answer.iterations == 1 else f"{answer.iterations} iterations"
    seconds = answer.loading_ms / 1000
    loading = f" after {seconds:,.1f} s of loading" if seconds >= LOADING_S else ""
    model = next((event.model for event in answer.events if isinstance(event, Called)), "")
    return f"{iterations}, {answer.ms:,.0f} ms{loading}{prices.spent(answer.spent, model)}"


def conclusion(events: Sequence[Event]) -> Iterator[str]:
    """The answer of the last verdict or thought, the gist memory by iteration, and the chain."""
    verdicts = [event for event in events if isinstance(event, Reasoned | Thought)]
    if verdicts:
        yield f"answer: {verdicts[-1].answer}" if verdicts[-1].answer else NO_ANSWER
    for event in events:
        if isinstance(event, Remembered):
            for triple in event.added:
                words = f"{triple.subject} | {triple.predicate} | {triple.object}"
                yield f"gist {event.iteration}: {words}"
        if isinstance(event, Chained) and event.nodes:
            yield f"chain: {' → '.join(event.nodes)}"


def _answers(events: Sequence[Event], known: Sequence[str]) -> Iterator[str]:
    """The written answers, with EM and F1 where an answer is known, and the known answers."""
    written = scored_answers(events, known)
    for one in written:
        source, measures = answers.heading(one, events), answers.measures(one)
        beside = f" ({measures})" if measures else ""
        yield f"answer {source[0].lower()}{source[1:]}: {one.answer or 'none'}{beside}"
    if written and known:
        yield f"known answer: {', or '.join(known)}"


def to_json(answer: Answer) -> dict[str, Any]:
    """A run as `query --json` and `show --json` print it. `passage_id` is the passage's key.

    `answers` are there where the run wrote any: EM and F1 are null where no answer is known.
    """
    written = [
        {
            "source": one.source,
            "answer": one.answer,
            "em": one.em,
            "f1": one.f1,
            "passages": [passage.key for passage in one.passages],
        }
        for one in scored_answers(answer.events, answer.known)
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
        "ms": round(answer.ms, 3),
        "loading_ms": round(answer.loading_ms, 3),
        **({"answers": written, "known_answers": list(answer.known)} if written else {}),
        "events": [to_row(event) for event in answer.events],
    }
