"""Declarations of commands, and options that several of them have."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gear_app.core.text import whole_number
from gear_app.integrations import APP
from gear_app.models.server import REPLY_TOKENS

if TYPE_CHECKING:
    from gear_app.models.server import Spec

Function: TypeAlias = Callable[[argparse.Namespace], int]
_TOKENS = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([km]?)", re.IGNORECASE)
MOST_PORT = 65535


class Option(NamedTuple):
    """An option or argument, as argparse takes it."""

    names: tuple[str, ...]
    settings: dict[str, Any]


def option(*names: str, **settings: Any) -> Option:  # noqa: ANN401
    """An option (`--name`) or an argument (`name`)."""
    return Option(names, settings)


def flag(name: str, help_: str, **settings: Any) -> Option:  # noqa: ANN401
    """An option without a value."""
    return Option((name,), {"action": "store_true", "help": help_, **settings})


def several(name: str, metavar: str, help_: str, **settings: Any) -> Option:  # noqa: ANN401
    """An option that can be repeated."""
    usual = {"action": "append", "default": [], "metavar": metavar}
    return Option((name,), {**usual, "help": f"{help_}; repeatable", **settings})


class Command(NamedTuple):
    """A declared command. Options in a list exclude each other. `creates`: it makes a missing
    workspace; None: it needs none.
    """

    function: Function
    options: tuple[Option | list[Option], ...]
    creates: bool | None
    help: str

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to the parser of the command."""
        creation = "made if it is not there" if self.creates else "import, demo and serve make one"
        default = f"default: GEAR_WORKSPACE, else the user's data folder; {creation}"
        workspace = [option("--workspace", metavar="FILE", help=default)]
        for options in (*([] if self.creates is None else [workspace]), *self.options):
            group = parser.add_mutually_exclusive_group() if isinstance(options, list) else parser
            for names, settings in options if isinstance(options, list) else [options]:
                group.add_argument(*names, **settings)
        parser.set_defaults(command=self.function, creates=self.creates)


DECLARED: dict[str, Command] = {}  # by name; actions of a command by both names: "index push"


def command(
    name: str, *options: Option | list[Option], creates: bool | None = False, help_: str = ""
) -> Callable[[Function], Function]:
    """Declare a function as a command. `help_` is for an action of another command."""

    def declare(function: Function) -> Function:
        DECLARED[name] = Command(function, options, creates, help_)
        return function

    return declare


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


JSON = flag("--json", "JSON on standard output")
FORCE = flag("--force", "overwrite files that are there")
RUN = option("run", metavar="RUN", help="its id, or the first characters of it")
ANY_COLLECTION = option("--collection", metavar="NAME")
COLLECTION = option("--collection", metavar="NAME", required=True)
SET = option("--triples", metavar="SET", help="default: the collection's active set")
APPLICATION = option(
    "--app",
    default=APP,
    metavar="URL",
    help=f"where people open the application, for addresses in replies; default {APP}",
)
CLUSTER = "the cluster's address, or its nodes' with commas between; default: GEAR_OPENSEARCH_URL"
INDEX = option("--index", metavar="URL", help=CLUSTER)
ADOPTED = option(
    "--index",
    dest="adopted",
    metavar="URL",
    help=f"{CLUSTER}; where it is named, a workspace that is missing is made",
)
LLM = "llm: a language model, set by OPENAI_API_KEY, OPENAI_BASE_URL and GEAR_MODEL"
READER = option("--reader", default="local", help=f"local (default), or {LLM}")
BUDGET = option(
    "--budget",
    type=token_count,
    metavar="TOKENS",
    help="how many tokens a language model may take, as in 250k or 2m",
)
REPLY = option(
    "--reply-tokens",
    type=token_count,
    metavar="TOKENS",
    help=f"how many tokens one reply of it may have, its thinking included; default {REPLY_TOKENS}",
)
DRY_RUN = flag("--dry-run", "say what a language model would take, and stop")


def requested_model(arguments: argparse.Namespace) -> Spec | None:
    """The environment's model with the given limit of a reply; None without a limit. Raises
    NotReady where the environment names no model.
    """
    if arguments.reply_tokens is None:
        return None
    from gear_app.models.server import spec_from_environment

    return replace(spec_from_environment(), max_tokens=arguments.reply_tokens)
