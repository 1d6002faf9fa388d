"""What can be typed: every command, in the order in which help lists them.

A module of commands adds them itself, each with its options and the function that carries it out.
"""

from __future__ import annotations

import argparse

from gear_app import __version__
from gear_app.cli import (
    clusters,
    collections,
    demo,
    evaluate,
    export,
    judgements,
    prices,
    query,
    runs,
    serve,
    triples,
)

COMMANDS = (
    serve,
    demo,
    collections,
    triples,
    query,
    evaluate,
    runs,
    export,
    judgements,
    prices,
    clusters,
)


def parser() -> argparse.ArgumentParser:
    """Every command with its options; `command` of what it parses is the function to call."""
    top = argparse.ArgumentParser(
        prog="gear-app",
        description="Explore multi-hop retrieval, step by step, with or without a browser.",
    )
    top.add_argument("--version", action="version", version=f"gear-app {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for one in COMMANDS:
        one.add_to(commands)
    return top
