"""The commands `query` and `methods`: ask a question, and what can be asked by."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gear_app import retrievers
from gear_app.analysis.answer_source import conclusions
from gear_app.analysis.evidence import evidence_of
from gear_app.analysis.metrics import scored_answers
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.cli import clusters, prices
from gear_app.cli.options import (
    Commands,
    add_command,
    answer_option,
    as_paper_option,
    collection_option,
    index_option,
    lazy_option,
    model_asked,
    triples_and_reader_options,
)
from gear_app.cli.output import exit_status, note, open_workspace, write, write_json, write_table
from gear_app.errors import BadInput
from gear_app.events import Called, Event, Stopped, to_row
from gear_app.overrides import settings
from gear_app.retrievers import AS_PAPER, is_as_paper
from gear_app.step_views import answers
from gear_app.step_views.gear import gist_facts
from gear_app.step_views.retrieval import weighed_as_in_lucene
from gear_app.views import evidence
from gear_app.views.collections import first_method
from gear_app.views.labels import PAPER, took
from gear_app.views.rankings import WEIGHED_AS_IN_LUCENE
from gear_app.views.settings import paper_words
from gear_app.workspace import Answer, Options, Workspace

NO_ANSWER = "answer: none found; the passages may still have one"


def add_to(commands: Commands) -> None:
    """Add `query` and `methods`."""
    ask = add_command(commands, "query", query, json=True)
    ask.add_argument("question", metavar="QUESTION")
    index_option(ask, adopts=True)
    collection_option(ask)
    ask.add_argument(
        "--method",
        help="method[:base]; default gear where triples were imported or made by a language model,"
        " else chain",
    )
    ask.add_argument(
        "--k", type=int, default=15, help="passages of a single-step method; default 15"
    )
    triples_and_reader_options(ask)
    lazy_option(
        ask,
        "extract triples of the passages the run touches and that have none; they stay. Default"
        " local",
    )
    answer_option(
        ask,
        "write an answer from what was retrieved, and its bounds: from the gold passages, and from"
        " none",
    )
    ask.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the method or of its parts, such as width=5; repeatable",
    )
    as_paper_option(
        ask,
        "the method as its paper has it, where our defaults are others; --set"
        " changes what is named",
    )
    add_command(commands, "methods", methods, json=True)


def query(arguments: argparse.Namespace) -> int:
    """Ask a question in this process; 1 where a model failed, with what was found until then."""
    workspace = open_workspace(arguments)
    collection = clusters.name_here(arguments, workspace)
    method = arguments.method or first_method(workspace.collections.get(collection)) or "gear"
    answer = workspace.ask(
        arguments.question,
        collection,
        method,
        triples=arguments.triples,
        reader=arguments.reader,
        k=arguments.k,
        settings=_settings(arguments.settings),
        as_paper=arguments.as_paper,
        options=Options(answer=arguments.answer, lazy=arguments.lazy),
        budget=arguments.budget,
        model=model_asked(arguments),
    )
    answer = told_apart(workspace, answer)
    if arguments.as_paper and not retrievers.as_paper(method):
        note(f"{method} {PAPER}: {paper_words(method)}")
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
        (
            name,
            method.summary,
            retrievers.bases(name),
            settings(method.config),
            retrievers.as_paper(name),
        )
        for name, method in retrievers.METHODS.items()
    ]
    if arguments.json:
        keys = ("method", "summary", "bases", "settings", "as_paper")
        write_json([dict(zip(keys, one, strict=True)) for one in listed])
        return 0
    for name, summary, bases, values, paper in listed:
        write(f"{name}: {summary}")
        if bases:
            write(f"    over {', '.join(bases)}")
        write("    " + ", ".join(f"{key}={value}" for key, value in values.items()))
        changes = ", ".join(f"{key}={value}" for key, value in paper.items())
        write(f"    {PAPER}: {changes or paper_words(name)}")
    write(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid."
    )
    write("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0


def told_apart(workspace: Workspace, answer: Answer) -> Answer:
    """The answer with passages of one document told apart in its ranking."""
    labels = workspace.collections.labels(sorted(named_passages(answer.ranking)))
    return dataclasses.replace(answer, ranking=tuple(labelled(answer.ranking, labels)))


def write_report(answer: Answer, k: int) -> None:
    """The ranking down to rank k, what the reader concluded, the answers, and what it took."""
    write(f"{answer.question}\n")
    if found := evidence_of(answer.events):
        write("\n".join(evidence.lines(found)) + "\n")
    rows = [
        [rank, f"{passage.score:.4f}", passage.key, passage.title]
        for rank, passage in enumerate(answer.ranking[:k], start=1)
    ]
    write_table(["rank", "score", "passage", "title"], rows)
    if weighed_as_in_lucene(answer.events):
        write(f"\n{WEIGHED_AS_IN_LUCENE}")
    written = list(_answers(answer.events, answer.known))
    told = [line for line in conclusion(answer.events) if line != NO_ANSWER or not written]
    for lines in (told, written):
        if text := "\n".join(lines):
            write(f"\n{text}")
    for event in answer.events:
        if isinstance(event, Stopped) and event.why == "budget":
            write(f"\nstopped: {event.sentence}")
    write(f"\nrun {answer.run}: {method_words(answer.method, answer.config)}, {_took(answer)}")


def method_words(method: str, config: Mapping[str, Any]) -> str:
    """A method as `eval` takes it, with `as-paper` behind it where its settings are its paper's."""
    return f"{method} {AS_PAPER}" if is_as_paper(method, config) else method


def _took(answer: Answer) -> str:
    """Iterations, time and, where a language model was asked, tokens and cost."""
    iterations = "1 iteration" if answer.iterations == 1 else f"{answer.iterations} iterations"
    model = next((event.model for event in answer.events if isinstance(event, Called)), "")
    return f"{iterations}, {took(answer.ms, answer.loading_ms)}{prices.spent(answer.spent, model)}"


def conclusion(events: Sequence[Event]) -> Iterator[str]:
    """The answer of the last verdict or thought, the gist memory by iteration, and the chain."""
    concluded = conclusions(events)
    if concluded:
        yield f"answer: {concluded[-1].answer}" if concluded[-1].answer else NO_ANSWER
    for iteration, triple in gist_facts(events):
        yield f"gist {iteration}: {triple.subject} | {triple.predicate} | {triple.object}"
    chains = [event for event in events if event.is_of("chain") and list(event.names_told)]
    yield from (f"chain: {event.summary}" for event in chains)


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
