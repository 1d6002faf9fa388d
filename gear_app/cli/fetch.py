"""The command `fetch`: a model of the hub comes to this machine, and never without a yes."""

from __future__ import annotations

import argparse
import sys

from gear_app.cli.options import Commands, add_command
from gear_app.cli.output import note, write
from gear_app.core.errors import BadInput
from gear_app.core.text import count


def add_to(commands: Commands) -> None:
    """Add `fetch`."""
    command = add_command(commands, "fetch", fetch, creates=None)
    command.add_argument("model", metavar="MODEL", help="its name on the hub, as owner/name")
    command.add_argument("--yes", action="store_true", help="download it without asking")


def fetch(arguments: argparse.Namespace) -> int:
    """Say what a download would be, ask, and download."""
    from gear_app.models.embedders import hub

    model = hub.look_up(arguments.model)
    folder = hub.cached_folder(model.name)
    if folder and all((folder / file).exists() for file in model.files):
        write(f"{model.name} is here already.")
        return 0
    size = sum(model.files.values()) / 1e6
    note(f"{model.name}: {size:,.0f} MB in {count(len(model.files), 'file')}, from the hub.")
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise BadInput("Nothing was downloaded. Say --yes to download it.")
        if input("Download it? [y/N] ").strip().lower() not in ("y", "yes"):
            return 1
    hub.fetch(model)
    write(
        f"{model.name} is here. Name it as embedder=sentence-transformers:{model.name}, a ColBERT"
        f" model as embedder=colbert:{model.name}, a cross-encoder as cross_encoder={model.name}."
    )
    return 0
