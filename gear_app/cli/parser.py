"""What can be typed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gear_app import __version__
from gear_app.cli import asking, content, costs, exporting, measuring, serving
from gear_app.extract import LLM_EXTRACTORS
from gear_app.models import EXTRACTORS

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def parser() -> argparse.ArgumentParser:
    """Every command with its options; `command` of what it parses is the function to call."""
    top = argparse.ArgumentParser(
        prog="gear-app",
        description="Explore multi-hop retrieval, step by step, with or without a browser.",
    )
    top.add_argument("--version", action="version", version=f"gear-app {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _serving(commands)
    _content(commands)
    _asking(commands)
    _dollars(commands)
    return top


def _serving(commands: Commands) -> None:
    serve = _command(commands, "serve", serving.serve, "open the web application", creates=True)
    serve.add_argument("--port", type=int, default=8501, help="default 8501")
    serve.add_argument(
        "--address",
        default="127.0.0.1",
        help="who can reach it; default 127.0.0.1, this machine only",
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "a name that browsers call this server by, as behind a reverse proxy; repeatable."
            " Without it: this machine's own names and addresses"
        ),
    )
    serve.add_argument("--no-browser", action="store_true", help="do not open a browser")
    _command(
        commands,
        "demo",
        serving.demo,
        "make the demo workspace: collection demo",
        json=True,
        creates=True,
    )
    _command(
        commands, "doctor", serving.doctor, "check the installation and the workspace", json=True
    )
    worker = _command(commands, "worker", serving.worker, None)
    worker.add_argument("--once", action="store_true", help="end when nothing waits")


def _content(commands: Commands) -> None:
    _command(commands, "collections", content.collections, "what is in a workspace", json=True)
    questions = _command(
        commands, "questions", content.questions, "a collection's questions", json=True
    )
    _collection(questions)
    read = _command(
        commands,
        "import",
        content.import_,
        "documents, data sets, packs, triples: recognised by content",
        json=True,
        creates=True,
    )
    read.add_argument("path", metavar="PATH", nargs="?", help="a file or a folder")
    _collection(read, required=False)
    read.add_argument("--finish", type=int, metavar="JOB", help="finish an interrupted import")
    read.add_argument("--undo", type=int, metavar="JOB", help="take out what an import stored")
    extract = _command(
        commands, "extract", content.extract, "make triples and vectors; resumes", json=True
    )
    _collection(extract)
    extract.add_argument(
        "--extractor",
        default="local",
        help=(
            "local (default), or llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and"
            " GEAR_MODEL; llm:two asks it for the entities first (HippoRAG's two steps)"
        ),
    )
    extract.add_argument(
        "--retry-empty", action="store_true", help="try the passages again that gave no triples"
    )
    extract.add_argument(
        "--triples", metavar="SET", help="the triple set to make; default: the extractor's name"
    )
    _budget(extract)
    _dry_run(extract)


def _asking(commands: Commands) -> None:
    query = _command(commands, "query", asking.query, "ask a question", json=True)
    query.add_argument("question", metavar="QUESTION")
    _collection(query)
    query.add_argument("--method", default="gear", help="method[:base]; default gear")
    query.add_argument(
        "--k", type=int, default=15, help="passages of a single-step method; default 15"
    )
    _how(query)
    _lazy(
        query,
        "extract triples of the passages the run touches and that have none; they stay. Default"
        " local",
    )
    _answer(
        query,
        "write an answer from what was retrieved, and its bounds: from the gold passages, and from"
        " none",
    )
    query.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the method or of its parts, such as width=5; repeatable",
    )
    measure = _command(
        commands,
        "eval",
        measuring.evaluate,
        "measure methods on a collection's questions",
        json=True,
    )
    _collection(measure)
    measure.add_argument(
        "--methods",
        default="hybrid,sync_ge,gear",
        help=(
            "with commas between, settings after a space, as in 'hybrid,gear width=5'; default"
            " hybrid,sync_ge,gear"
        ),
    )
    measure.add_argument("--k", default="5,10,15", help="cut-offs; default 5,10,15")
    measure.add_argument("--limit", type=_positive, metavar="N", help="only the first N questions")
    _how(measure)
    _lazy(measure, argparse.SUPPRESS)
    _answer(measure, "measure answers too: EM and F1 of each method and of the bounds")
    _dry_run(measure)
    runs = _command(commands, "runs", asking.runs, "the newest runs", json=True)
    runs.add_argument("--collection", metavar="NAME")
    runs.add_argument("--limit", type=_positive, default=20, metavar="N")
    show = _command(commands, "show", asking.show, "a run with its events", json=True)
    _run(show)
    replay = _command(
        commands, "replay", asking.replay, "make a run again on its own revision", json=True
    )
    _run(replay)
    replay.add_argument(
        "--check", action="store_true", help="exit 1 unless the ranking is identical"
    )
    export = _command(
        commands,
        "export",
        exporting.export,
        "a run with all that a replay needs, as a file",
        json=True,
    )
    _run(export)
    export.add_argument(
        "--bundle",
        metavar="FILE",
        required=True,
        help="a workspace file to make, with this run and its collection",
    )
    export.add_argument("--force", action="store_true", help="overwrite FILE")
    _command(commands, "methods", asking.methods, "retrieval methods and their settings", json=True)


def _command(
    commands: Commands,
    name: str,
    function: object,
    help_: str | None,
    *,
    json: bool = False,
    creates: bool = False,
) -> argparse.ArgumentParser:
    """A command; without help it is not listed. `creates`: it makes a workspace where none is."""
    made = (
        commands.add_parser(name, help=help_, description=help_)
        if help_
        else commands.add_parser(name)
    )
    there = "made if it is not there" if creates else "import, demo and serve make one"
    made.add_argument(
        "--workspace",
        metavar="FILE",
        help=f"default: GEAR_WORKSPACE, else the user's data folder; {there}",
    )
    if json:
        made.add_argument("--json", action="store_true", help="JSON on standard output")
    made.set_defaults(command=function, creates=creates)
    return made


def _collection(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    command.add_argument("--collection", metavar="NAME", required=required)


def _run(command: argparse.ArgumentParser) -> None:
    command.add_argument("run", metavar="RUN", help="its id, or the first characters of it")


def _how(command: argparse.ArgumentParser) -> None:
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
        type=costs.tokens,
        metavar="TOKENS",
        help="how many tokens a language model may take, as in 250k or 2m",
    )


def _dry_run(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--dry-run", action="store_true", help="say what a language model would take, and stop"
    )


def _dollars(commands: Commands) -> None:
    prices = _command(
        commands, "prices", costs.prices, "what models cost, and what was spent on them", json=True
    )
    prices.add_argument(
        "model", metavar="MODEL", nargs="?", help="as its server calls it; without it, all of them"
    )
    for name in ("input", "output"):
        prices.add_argument(
            f"--{name}",
            type=float,
            metavar="D",
            help="dollars for a million tokens; sets the price",
        )
    prices.add_argument("--forget", action="store_true", help="take MODEL off the table")


def _positive(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)
