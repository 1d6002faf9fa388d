"""The command `mcp`: answer programs that speak the Model Context Protocol."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gear_app.cli.options import Commands, add_command, app_option, collection_option, port
from gear_app.cli.output import note, open_workspace, write
from gear_app.core.launch import launch
from gear_app.integrations import APP

PORT = 8765


def add_to(commands: Commands) -> None:
    """Add `mcp`."""
    server = add_command(commands, "mcp", mcp)
    collection_option(server, required=False)
    app_option(server)
    server.add_argument(
        "--http",
        nargs="?",
        type=port,
        const=PORT,
        metavar="PORT",
        help=f"over HTTP, to programs of this machine alone; default {PORT}. Without it: over"
        " standard input and output",
    )
    server.add_argument(
        "--print",
        action="store_true",
        help="print the entry that other programs need in their configuration, and stop",
    )


def mcp(arguments: argparse.Namespace) -> int:
    """Answer until the other side is gone, or print how other programs start the server."""
    workspace = open_workspace(arguments)
    workspace.collections.all()  # reports a wrong file before the first request
    if arguments.collection:
        workspace.collections.get(arguments.collection)
    if arguments.print:
        options = ["--workspace", str(workspace.path.absolute())]
        if arguments.app != APP:
            options += ["--app", arguments.app]
        if arguments.collection:
            options += ["--collection", arguments.collection]
        write(json.dumps({"mcpServers": {"gear-app": entry(*options)}}, indent=2))
        return 0
    from gear_app.integrations.mcp.server import serve
    from gear_app.integrations.mcp.tools import McpTools

    if arguments.http:
        note(f"Answering at http://127.0.0.1:{arguments.http}/mcp, programs of this machine alone.")
    serve(McpTools(workspace, arguments.collection or "", arguments.app), arguments.http)
    return 0


def entry(*arguments: str) -> dict[str, Any]:
    """Command, arguments and environment that start the server from any folder."""
    command, environment = launch("gear_app", "mcp", *arguments)
    paths = {name: environment[name] for name in ("PYTHONPATH",) if name in environment}
    return {"command": command[0], "args": command[1:], "env": paths}
