"""The command `mcp`: answer programs that speak the Model Context Protocol, and tell them of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from gear_app.cli.options import Commands, add_command, app_option, collection_option, port
from gear_app.cli.output import note, open_workspace, write, write_file
from gear_app.errors import BadInput
from gear_app.frameworks import APP
from gear_app.mcp.clients import CLIENTS, SERVER, configuration, entry, file_of

PORT = 8765


def add_to(commands: Commands) -> None:
    """Add `mcp` with its action."""
    server = add_command(commands, "mcp", mcp)
    _options(server)
    server.add_argument(
        "--http",
        nargs="?",
        type=port,
        const=PORT,
        metavar="PORT",
        help=f"over HTTP, to programs of this machine alone; default {PORT}. Without it: over"
        " standard input and output",
    )
    actions = server.add_subparsers(metavar="ACTION")
    about = "write the server into the configuration of a program"
    added = add_command(actions, "install", install, about)
    added.add_argument("client", metavar="NAME", choices=[*CLIENTS], help=", ".join(CLIENTS))
    _options(added)
    added.add_argument("--dry-run", action="store_true", help="only print what would be written")


def _options(command: argparse.ArgumentParser) -> None:
    collection_option(command, required=False)
    app_option(command)


def mcp(arguments: argparse.Namespace) -> int:
    """Answer until the other side is gone."""
    from gear_app.mcp.server import serve
    from gear_app.mcp.tools import McpTools

    workspace = open_workspace(arguments)
    workspace.collections.all()  # a misspelt file is told now
    if arguments.collection:
        workspace.collections.get(arguments.collection)
    if arguments.http:
        note(f"Answering at http://127.0.0.1:{arguments.http}/mcp, programs of this machine alone.")
    serve(McpTools(workspace, arguments.collection or "", arguments.app), arguments.http)
    return 0


def install(arguments: argparse.Namespace) -> int:
    """Write the server into a program's file, whose other servers stay; or print it."""
    server = entry(*_arguments(arguments))
    path = file_of(arguments.client)
    if arguments.dry_run:
        note(f"To be added to {path}:")
        write(configuration(arguments.client, server).rstrip())
        return 0
    try:
        present = path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    write_file(path, [configuration(arguments.client, server, present)], force=True)
    write(f"{SERVER} is in {path}. Restart {arguments.client}, or have it look again.")
    return 0


def _arguments(arguments: argparse.Namespace) -> Iterator[str]:
    """Those of the server that are not usual; its file by its whole path."""
    yield from ("--workspace", str(open_workspace(arguments).path.absolute()))
    if arguments.collection:
        yield from ("--collection", arguments.collection)
    if arguments.app != APP:
        yield from ("--app", arguments.app)
