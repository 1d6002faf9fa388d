"""The command `fetch`: download a model of the hub, after a confirmation."""

from __future__ import annotations

import argparse
import sys

from gear_app.cli.options import command, flag, option
from gear_app.cli.output import note, write
from gear_app.core.errors import BadInput
from gear_app.core.text import count


@command(
    "fetch",
    option("model", metavar="MODEL", help="its name on the hub, as owner/name"),
    flag("--yes", "download it without asking"),
    creates=None,
)
def fetch(arguments: argparse.Namespace) -> int:
    """Print the size of a download, ask, and download."""
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
