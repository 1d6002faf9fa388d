"""The command `mcp`: answer programs that speak the Model Context Protocol, and tell them of it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gear_app.cli.options import Commands, add_command, app_option, collection_option, port
from gear_app.cli.output import note, open_workspace, write, write_file
from gear_app.errors import BadInput
from gear_app.frameworks import APP
from gear_app.launch import launch

PORT = 8765
SERVER = "gear-app"  # its name in the files of programs


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


class ClientFile(NamedTuple):
    """A program's file, in the user's home or, with a dot before it, in the folder one is in; and
    the word in it under which servers stand.
    """

    path: str
    servers: str = "mcpServers"


CLIENTS = {
    "claude-code": ClientFile("./.mcp.json"),
    "claude-desktop": ClientFile("Claude/claude_desktop_config.json"),
    "cursor": ClientFile(".cursor/mcp.json"),
    "gemini-cli": ClientFile(".gemini/settings.json"),
    "lm-studio": ClientFile(".lmstudio/mcp.json"),
    "vscode": ClientFile("./.vscode/mcp.json", "servers"),
    "windsurf": ClientFile(".codeium/windsurf/mcp_config.json"),
}


def file_of(client: str) -> Path:
    """Where the program has its file on this machine."""
    path = CLIENTS[client].path
    if path.startswith("./"):
        return Path(path)
    return (_settings() if client == "claude-desktop" else Path.home()) / path


def _settings() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home()))
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def entry(*arguments: str) -> dict[str, Any]:
    """What starts the server with these arguments, from any folder."""
    command, environment = launch("gear_app", "mcp", *arguments)
    paths = {name: environment[name] for name in ("PYTHONPATH",) if name in environment}
    return {"command": command[0], "args": command[1:], "env": paths}


def configuration(client: str, server: dict[str, Any], present: str = "") -> str:
    """The file with the server in it; what is in it at `present` stays. Raises BadInput where that
    cannot be read.
    """
    try:
        whole = json.loads(present) if present.strip() else {}
        servers = whole.setdefault(CLIENTS[client].servers, {})
        servers[SERVER] = server
    except (ValueError, AttributeError, TypeError) as error:
        raise BadInput(
            f"{file_of(client)} is no JSON that can be added to. Add the server by hand, as"
            f" `gear-app mcp install {client} --dry-run` prints it."
        ) from error
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
