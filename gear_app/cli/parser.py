"""What can be typed: every command with its options, and the function that carries it out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from gear_app import __version__
from gear_app.cli import (
    build,
    clusters,
    collections,
    evaluate,
    export,
    judgements,
    prices,
    runs,
    serve,
    triples,
)
from gear_app.extract import LLM_EXTRACTORS
from gear_app.models import EXTRACTORS

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

CLUSTER = "the cluster's address, or its nodes' with commas between; default: GEAR_OPENSEARCH_URL"


def parser() -> argparse.ArgumentParser:
    """Every command with its options; `command` of what it parses is the function to call."""
    top = argparse.ArgumentParser(
        prog="gear-app",
        description="Explore multi-hop retrieval, step by step, with or without a browser.",
    )
    top.add_argument("--version", action="version", version=f"gear-app {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _processes(commands)
    _collections(commands)
    _triples(commands)
    _query(commands)
    _evaluate(commands)
    _runs(commands)
    _judgements(commands)
    _prices(commands)
    _clusters(commands)
    _build(commands)
    return top


def _processes(commands: Commands) -> None:
    web = _command(commands, "serve", serve.serve, "open the web application", creates=True)
    web.add_argument("--port", type=int, default=8501, help="default 8501")
    web.add_argument(
        "--address",
        help=(
            "who can reach it; default 127.0.0.1, this machine only; with --class 0.0.0.0, whoever"
            " is in the same network"
        ),
    )
    web.add_argument(
        "--class",
        action="store_true",
        dest="for_class",
        help=(
            "open for a class: learners join from their phones and can only answer; everything else"
            " is for who has the link that is printed"
        ),
    )
    web.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "a name that browsers call this server by, as behind a reverse proxy; repeatable."
            " Without it: this machine's own names and addresses"
        ),
    )
    web.add_argument(
        "--lessons",
        metavar="FOLDER",
        help="a folder of lessons of your own, which the page Learn shows besides those there are",
    )
    _index(web)
    web.add_argument("--no-browser", action="store_true", help="do not open a browser")
    about = "check the installation and the workspace"
    _command(commands, "doctor", serve.doctor, about, json=True)
    worker = _command(commands, "worker", serve.worker, None)
    worker.add_argument("--once", action="store_true", help="end when nothing waits")


def _collections(commands: Commands) -> None:
    about = "make the demo workspace: collections demo and garden"
    _command(commands, "demo", collections.demo, about, json=True, creates=True)
    about = "what is in a workspace"
    _index(_command(commands, "collections", collections.collections, about, json=True))
    about = "a collection's questions"
    questions = _command(commands, "questions", collections.questions, about, json=True)
    _collection(questions)
    questions.add_argument(
        "--suggested", action="store_true", help="those that it suggests of itself, unchecked"
    )
    about = "documents, data sets, packs, triples: recognised by content"
    files = _command(commands, "import", collections.import_, about, json=True, creates=True)
    files.add_argument("path", metavar="PATH", nargs="?", help="a file or a folder")
    _collection(files, required=False)
    files.add_argument("--finish", type=int, metavar="JOB", help="finish an interrupted import")
    files.add_argument("--undo", type=int, metavar="JOB", help="take out what an import stored")
    about = "make triples and vectors; resumes"
    made = _command(commands, "extract", collections.extract, about, json=True)
    _collection(made)
    _extractor(made)
    made.add_argument(
        "--retry-empty", action="store_true", help="try the passages again that gave no triples"
    )
    made.add_argument(
        "--triples", metavar="SET", help="the triple set to make; default: the extractor's name"
    )
    _budget(made)
    _dry_run(made)


def _triples(commands: Commands) -> None:
    about = "look at triples, and correct them by hand; every step can be undone"
    top = commands.add_parser("triples", help=about, description=about)
    actions = top.add_subparsers(required=True, metavar="ACTION")
    found = _set_of(_command(actions, "list", triples.listed, "triples with their ids", json=True))
    found.add_argument("--search", default="", metavar="WORDS", help="words that they contain")
    found.add_argument("--limit", type=_positive, default=100, metavar="N")
    new = _step(_command(actions, "add", triples.add, "add one to a passage", json=True))
    new.add_argument("passage", metavar="PASSAGE", help="its id in the collection")
    for name in ("subject", "predicate", "object"):
        new.add_argument(name, metavar=name.upper())
    _source(new)
    other = _step(_command(actions, "edit", triples.edit, "give one other words", json=True))
    other.add_argument("triple", metavar="TRIPLE", type=int, help="its id, as `list` shows it")
    for name in ("subject", "predicate", "object"):
        other.add_argument(f"--{name}", metavar="WORDS", help="default: as it is")
    _source(other)
    about = "take some out, or all that name an entity"
    gone = _step(_command(actions, "delete", triples.delete, about, json=True))
    gone.add_argument("triple", metavar="TRIPLE", type=int, nargs="*", help="ids")
    gone.add_argument("--entity", metavar="NAME", help="all that have this name on either side")
    gone.add_argument("--yes", action="store_true", help="with --entity: do not ask")
    about = "give every triple with one of these names another one"
    merged = _step(_command(actions, "merge", triples.merge, about, json=True))
    merged.add_argument("name", metavar="NAME", nargs="+", help="one name alone is renamed")
    merged.add_argument("--into", required=True, metavar="NAME")
    for word, function, about in (
        ("undo", triples.undo, "take a step back"),
        ("redo", triples.redo, "do a step again that was taken back"),
    ):
        turn = _step(_command(actions, word, function, about, json=True))
        turn.add_argument("step", metavar="STEP", type=int, nargs="?", help="default: the last")
    about = "what was changed by hand, the newest first"
    steps = _set_of(_command(actions, "history", triples.history, about, json=True))
    steps.add_argument("--limit", type=_positive, default=50, metavar="N")
    about = "what another extractor finds in a passage; nothing is stored in the set"
    beside = _set_of(_command(actions, "compare", triples.compare, about, json=True))
    beside.add_argument("passage", metavar="PASSAGE", help="its id in the collection")
    _extractor(beside)
    _budget(beside)


def _query(commands: Commands) -> None:
    ask = _command(commands, "query", runs.query, "ask a question", json=True)
    ask.add_argument("question", metavar="QUESTION")
    _index(ask)
    _collection(ask)
    ask.add_argument("--method", default="gear", help="method[:base]; default gear")
    ask.add_argument(
        "--k", type=int, default=15, help="passages of a single-step method; default 15"
    )
    _triples_and_reader(ask)
    _lazy(
        ask,
        "extract triples of the passages the run touches and that have none; they stay. Default"
        " local",
    )
    _answer(
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
    about = "retrieval methods and their settings"
    _command(commands, "methods", runs.methods, about, json=True)


def _evaluate(commands: Commands) -> None:
    about = "measure methods on a collection's questions; resumes"
    measure = _command(commands, "eval", evaluate.evaluate, about, json=True)
    _index(measure)
    _collection(measure, required=False)
    measure.add_argument(
        "--methods",
        help=(
            "with commas between, settings after a space, as in 'hybrid,gear width=5'; default"
            " hybrid,sync_ge,gear. With --resume: methods to add"
        ),
    )
    measure.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="every method that has the setting with each of these values; repeatable: a grid",
    )
    measure.add_argument("--k", default="5,10,15", help="cut-offs; default 5,10,15")
    chosen = measure.add_mutually_exclusive_group()
    chosen.add_argument("--limit", type=_positive, metavar="N", help="only the first N questions")
    chosen.add_argument(
        "--sample", type=_positive, metavar="N", help="N questions, drawn by --seed"
    )
    chosen.add_argument(
        "--questions", metavar="ID,ID", help="only these, or @FILE with an id on each line"
    )
    measure.add_argument("--seed", type=int, default=0, help="of --sample; default 0")
    measure.add_argument("--resume", metavar="ID", help="go on with an evaluation, or show it")
    measure.add_argument("--list", action="store_true", help="the evaluations that are there")
    measure.add_argument(
        "--run-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a TREC run file of another program, measured beside the methods; repeatable",
    )
    measure.add_argument(
        "--drop-run-file",
        action="append",
        default=[],
        metavar="TAG",
        help="measure the run file with this tag no more; repeatable",
    )
    measure.add_argument("--baseline", metavar="METHOD", help="default: the first of the methods")
    measure.add_argument(
        "--fail-below",
        action="append",
        default=[],
        metavar="MEASURE=VALUE",
        help="exit 1 where a method has less, as in recall@5=0.6 (all@5, mrr, ndcg@10, em, f1);"
        " repeatable",
    )
    measure.add_argument("--trec", metavar="FOLDER", help="write qrels.txt and a run file a method")
    measure.add_argument("--csv", metavar="FILE", help="write a line for every question and method")
    measure.add_argument("--html", metavar="FILE", help="write a report that needs no other file")
    measure.add_argument("--force", action="store_true", help="overwrite files that are there")
    _triples_and_reader(measure)
    _lazy(measure, argparse.SUPPRESS)
    _answer(measure, "measure answers too: EM and F1 of each method and of the bounds")
    _dry_run(measure)


def _runs(commands: Commands) -> None:
    newest = _command(commands, "runs", runs.runs, "the newest runs", json=True)
    newest.add_argument("--collection", metavar="NAME")
    newest.add_argument("--limit", type=_positive, default=20, metavar="N")
    _run(_command(commands, "show", runs.show, "a run with its events", json=True))
    about = "let a run's collection open with it"
    _run(_command(commands, "pin", runs.pin, about, json=True))
    about = "let a collection open with its latest run again"
    _run(_command(commands, "unpin", runs.unpin, about, json=True))
    about = "why a run does not have a passage, and what would have helped"
    why = _command(commands, "why", runs.why, about, json=True)
    _run(why)
    why.add_argument("passage", metavar="PASSAGE", help="its id, or its whole title")
    why.add_argument(
        "--k", type=_positive, default=5, help="how many of the first are found; default 5"
    )
    why.add_argument("--no-trials", action="store_true", help="run nothing again")
    about = "make a run again on its own revision"
    replay = _command(commands, "replay", runs.replay, about, json=True)
    _run(replay)
    replay.add_argument(
        "--check", action="store_true", help="exit 1 unless the ranking is identical"
    )
    _export(commands)


def _export(commands: Commands) -> None:
    about = "runs as files to hand on, or a collection for other tools"
    out = _command(commands, "export", export.export, about, json=True)
    out.add_argument(
        "run",
        metavar="RUN",
        nargs="*",
        help="its id, or the first characters of it; several for a page that compares them",
    )
    out.add_argument(
        "--html",
        metavar="FILE",
        help="a page to make, which opens anywhere without network; the runs can be imported from"
        " it",
    )
    out.add_argument(
        "--html-folder",
        metavar="FOLDER",
        help="a page for each run, and an index, for any static host: of RUN …, else of"
        " --evaluation ID, else of all finished runs of --collection NAME",
    )
    out.add_argument("--evaluation", metavar="ID", help="the runs of an evaluation")
    out.add_argument(
        "--licence", metavar="WORDS", default="", help="whose the texts are, said on each page"
    )
    out.add_argument(
        "--without-bundle", action="store_true", help="pages that are for looking at alone"
    )
    out.add_argument(
        "--otlp",
        metavar="FILE",
        help="a trace to make for Langfuse and others: OpenInference spans as OTLP JSON; as"
        " protobuf, for Phoenix, where FILE ends in .pb",
    )
    out.add_argument(
        "--bundle",
        metavar="FILE",
        help="a workspace file to make, with this run and its collection",
    )
    _collection(out, required=False)
    out.add_argument(
        "--beir",
        metavar="FOLDER",
        help="a BEIR data set to make: corpus.jsonl, queries.jsonl, qrels/test.tsv",
    )
    out.add_argument(
        "--openie", metavar="FILE", help="an OpenIE file of HippoRAG 2 to make, with the triples"
    )
    out.add_argument(
        "--graphml", metavar="FILE", help="the graph of entities to make, for Gephi or networkx"
    )
    out.add_argument(
        "--graph-csv", metavar="FOLDER", help="the same as two tables: nodes.csv and edges.csv"
    )
    out.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    out.add_argument("--force", action="store_true", help="overwrite files that are there")


def _judgements(commands: Commands) -> None:
    about = "what people judged of a collection's runs, to a file and from one"
    judged = _command(commands, "annotations", judgements.judgements, about, json=True)
    _collection(judged)
    judged.add_argument(
        "--export", metavar="FILE", help="JSON lines: the history with the runs and own categories"
    )
    judged.add_argument("--csv", action="store_true", help="export a table of what is said now")
    judged.add_argument(
        "--import", metavar="FILE", dest="import_", help="add what is not there yet, by content"
    )
    judged.add_argument("--force", action="store_true", help="overwrite a file that is there")


def _prices(commands: Commands) -> None:
    about = "what models cost, and what was spent on them"
    table = _command(commands, "prices", prices.prices, about, json=True)
    table.add_argument(
        "model", metavar="MODEL", nargs="?", help="as its server calls it; without it, all of them"
    )
    dollars = "dollars for a million tokens; sets the price"
    for name in ("input", "output"):
        table.add_argument(f"--{name}", type=float, metavar="D", help=dollars)
    table.add_argument("--forget", action="store_true", help="take MODEL off the table")


def _build(commands: Commands) -> None:
    about = "a collection in a cluster from files, without a workspace; run again, it goes on"
    made = commands.add_parser("build", help=about, description=about)
    made.set_defaults(command=build.build, creates=False)
    made.add_argument("files", metavar="FILE", nargs="+", help="JSONL, Parquet, text, CSV")
    _collection(made)
    made.add_argument("--to", dest="index", metavar="URL", help=CLUSTER)
    made.add_argument(
        "--engine",
        choices=("ray", "local"),
        default="ray",
        help="ray (default): several processes or machines; local: this process alone",
    )
    made.add_argument(
        "--address", metavar="HOST:PORT", help="of a Ray cluster; without it this machine is used"
    )
    _number(made, "--cpus", "processors of this machine that Ray uses; default: all")
    _number(made, "--actors", "processes that hold a model at once; default: one a processor")
    _extractor(made)
    made.add_argument("--triples", metavar="SET", help="the set's name; default: the extractor's")
    _stored(made)
    made.add_argument("--json", action="store_true", help="JSON on standard output")


def _number(command: argparse.ArgumentParser, name: str, help_: str) -> None:
    command.add_argument(name, type=_positive, default=0, metavar="N", help=help_)


def _stored(command: argparse.ArgumentParser) -> None:
    """How a collection is stored in a cluster."""
    command.add_argument("--shards", type=int, default=1, metavar="N", help="default 1")
    command.add_argument(
        "--replicas", type=int, default=0, metavar="N", help="copies beside the first; default 0"
    )
    command.add_argument(
        "--hnsw", action="store_true", help="also for approximate search over all triples"
    )


def _clusters(commands: Commands) -> None:
    about = "collections in an OpenSearch cluster"
    actions = commands.add_parser("index", help=about, description=about).add_subparsers(
        required=True, metavar="ACTION"
    )
    about = "load a collection into a cluster; run again, it goes on where it was"
    push = _command(actions, "push", clusters.push, about, json=True)
    _collection(push)
    push.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    push.add_argument("--to", dest="index", metavar="URL", help=CLUSTER)
    _stored(push)
    about = "what a cluster has"
    _index(_command(actions, "status", clusters.status, about, json=True))
    about = "check every copy of what is open; exit 1 where something is missing"
    verify = _command(actions, "verify", clusters.verify, about, json=True)
    _index(verify)
    _collection(verify, required=False)
    about = "delete a collection's indices from a cluster"
    drop = _command(actions, "drop", clusters.drop, about, json=True)
    _index(drop)
    _collection(drop)
    drop.add_argument("--triples", metavar="SET", help="default: with all triple sets")
    drop.add_argument(
        "--closed",
        action="store_true",
        help="only half-loaded and earlier ones, which nobody opens",
    )


def _command(
    commands: Commands,
    name: str,
    function: Callable[[argparse.Namespace], int],
    help_: str | None,
    *,
    json: bool = False,
    creates: bool = False,
) -> argparse.ArgumentParser:
    """A command; without help it is not listed. `creates`: it makes a workspace where none is."""
    if help_:
        command = commands.add_parser(name, help=help_, description=help_)
    else:
        command = commands.add_parser(name)
    missing = "made if it is not there" if creates else "import, demo and serve make one"
    command.add_argument(
        "--workspace",
        metavar="FILE",
        help=f"default: GEAR_WORKSPACE, else the user's data folder; {missing}",
    )
    if json:
        command.add_argument("--json", action="store_true", help="JSON on standard output")
    command.set_defaults(command=function, creates=creates)
    return command


def _collection(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    command.add_argument("--collection", metavar="NAME", required=required)


def _index(command: argparse.ArgumentParser) -> None:
    command.add_argument("--index", metavar="URL", help=CLUSTER)


def _set_of(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """With a collection and one of its triple sets; the command."""
    _collection(command)
    command.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    return command


def _step(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """One that changes a set by hand; the command."""
    command.add_argument("--author", default="", metavar="NAME", help="who is written beside it")
    return _set_of(command)


def _source(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--source",
        default="",
        metavar="WORDS",
        help="words of the passage that say so; default: the closest sentence",
    )


def _extractor(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--extractor",
        default="local",
        help=(
            "local (default), or llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and"
            " GEAR_MODEL; llm:two asks it for the entities first (HippoRAG's two steps)"
        ),
    )


def _run(command: argparse.ArgumentParser) -> None:
    command.add_argument("run", metavar="RUN", help="its id, or the first characters of it")


def _triples_and_reader(command: argparse.ArgumentParser) -> None:
    command.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    command.add_argument(
        "--reader",
        default="local",
        help=(
            "local (default), or llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and"
            " GEAR_MODEL"
        ),
    )
    _budget(command)


def _lazy(command: argparse.ArgumentParser, help_: str) -> None:
    command.add_argument(
        "--lazy",
        nargs="?",
        const="local",
        default="",
        choices=[*EXTRACTORS, *LLM_EXTRACTORS],
        metavar="EXTRACTOR",
        help=help_,
    )


def _answer(command: argparse.ArgumentParser, help_: str) -> None:
    command.add_argument("--answer", action="store_true", help=help_)


def _budget(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--budget",
        type=prices.token_count,
        metavar="TOKENS",
        help="how many tokens a language model may take, as in 250k or 2m",
    )


def _dry_run(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--dry-run", action="store_true", help="say what a language model would take, and stop"
    )


def _positive(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)
