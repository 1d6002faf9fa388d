"""Options that several commands have, each said once."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from gear_app.core.text import whole_number
from gear_app.integrations import APP
from gear_app.models.server import REPLY_TOKENS

if TYPE_CHECKING:
    from gear_app.models.server import Spec

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_TOKENS = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([km]?)", re.IGNORECASE)
MOST_PORT = 65535
CLUSTER = "the cluster's address, or its nodes' with commas between; default: GEAR_OPENSEARCH_URL"


def add_command(
    commands: Commands,
    name: str,
    function: Callable[[argparse.Namespace], int],
    help_: str = "",
    *,
    json: bool = False,
    creates: bool | None = False,
) -> argparse.ArgumentParser:
    """A command: one of the list in gear_app.cli, or within one of these, where it brings its help.
    `creates`: it makes a workspace where none is; None: it needs no workspace.
    """
    command = commands.choices.get(name) or commands.add_parser(name, help=help_, description=help_)
    missing = "made if it is not there" if creates else "import, demo and serve make one"
    if creates is not None:
        command.add_argument(
            "--workspace",
            metavar="FILE",
            help=f"default: GEAR_WORKSPACE, else the user's data folder; {missing}",
        )
    if json:
        command.add_argument("--json", action="store_true", help="JSON on standard output")
    command.set_defaults(command=function, creates=creates)
    return command


def collection_option(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Which collection the command is about."""
    command.add_argument("--collection", metavar="NAME", required=required)


def app_option(command: argparse.ArgumentParser) -> None:
    """Where the application is open, for who answers other programs."""
    command.add_argument(
        "--app",
        default=APP,
        metavar="URL",
        help=f"where people open the application, for addresses in replies; default {APP}",
    )


def index_option(command: argparse.ArgumentParser, *, adopts: bool = False) -> None:
    """Which cluster, where it is not the environment's. `adopts`: its collections appear in the
    command's workspace, which is made where none is: what is asked is in the cluster.
    """
    also = "; where it is named, a workspace that is missing is made" if adopts else ""
    command.add_argument("--index", metavar="URL", help=CLUSTER + also)
    command.set_defaults(adopts=adopts)


def extractor_option(command: argparse.ArgumentParser) -> None:
    """Who makes triples."""
    command.add_argument(
        "--extractor",
        default="local",
        help=(
            "local (default), or llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and"
            " GEAR_MODEL; llm:two asks it for the entities first (HippoRAG's two steps)"
        ),
    )


def run_argument(command: argparse.ArgumentParser) -> None:
    """Which run, by its id."""
    command.add_argument("run", metavar="RUN", help="its id, or the first characters of it")


def triples_and_reader_options(command: argparse.ArgumentParser) -> None:
    """Which triples a run uses, who reads, and how much a language model may take."""
    command.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    command.add_argument(
        "--reader",
        default="local",
        help=(
            "local (default), or llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and"
            " GEAR_MODEL"
        ),
    )
    budget_option(command)


def answer_option(command: argparse.ArgumentParser, help_: str) -> None:
    """An answer is written."""
    command.add_argument("--answer", action="store_true", help=help_)


def as_paper_option(command: argparse.ArgumentParser, help_: str) -> None:
    """Settings are those of the method's paper."""
    command.add_argument("--as-paper", action="store_true", help=help_)


def budget_option(command: argparse.ArgumentParser) -> None:
    """How many tokens a language model may take, in all and for one reply."""
    command.add_argument(
        "--budget",
        type=token_count,
        metavar="TOKENS",
        help="how many tokens a language model may take, as in 250k or 2m",
    )
    command.add_argument(
        "--reply-tokens",
        type=token_count,
        metavar="TOKENS",
        help=f"how many tokens one reply of it may have, its thinking included; default"
        f" {REPLY_TOKENS}",
    )


def model_asked(arguments: argparse.Namespace) -> Spec | None:
    """The environment's model with the limit of a reply that was given; None where none was.
    Raises NotReady where the environment names no model.
    """
    if arguments.reply_tokens is None:
        return None
    from gear_app.models.environment import spec_from_environment

    return replace(spec_from_environment(), max_tokens=arguments.reply_tokens)


def dry_run_option(command: argparse.ArgumentParser) -> None:
    """Nothing is done but an estimate."""
    command.add_argument(
        "--dry-run", action="store_true", help="say what a language model would take, and stop"
    )


def storage_options(command: argparse.ArgumentParser) -> None:
    """How a collection is stored in a cluster."""
    command.add_argument("--shards", type=int, default=1, metavar="N", help="default 1")
    command.add_argument(
        "--replicas", type=int, default=0, metavar="N", help="copies beside the first; default 0"
    )
    command.add_argument(
        "--hnsw", action="store_true", help="also for approximate search over all triples"
    )


def positive(text: str) -> int:
    """A whole number from 1. Raises ArgumentTypeError."""
    number = whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return number


def port(text: str) -> int:
    """A port. Raises ArgumentTypeError."""
    number = positive(text)
    if number > MOST_PORT:
        raise argparse.ArgumentTypeError(f"a port is 1 to {MOST_PORT}, not {text}")
    return number


def token_count(text: str) -> int:
    """`250000`, `250k` or `2m` as a number. Raises ArgumentTypeError."""
    match = _TOKENS.fullmatch(text.strip().replace(",", "").replace("_", ""))
    value = float(match[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()] if match else 0
    if value < 1 or value != int(value):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of tokens, such as 250000, 250k or 2m"
        )
    return int(value)
