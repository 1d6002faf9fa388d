"""The command `mcp`: answer programs that speak the Model Context Protocol."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gear_app.cli.options import ANY_COLLECTION, APPLICATION, command, flag, option, port
from gear_app.cli.output import note, open_workspace, write
from gear_app.core.launch import launch

PORT = 8765


@command(
    "mcp",
    ANY_COLLECTION,
    APPLICATION,
    option(
        "--http",
        nargs="?",
        type=port,
        const=PORT,
        metavar="PORT",
        help=f"over HTTP, to programs of this machine alone; default {PORT}. Without it: over"
        " standard input and output",
    ),
    flag("--print", "print the entry that other programs need in their configuration, and stop"),
)
def mcp(arguments: argparse.Namespace) -> int:
    """Answer until the other side is gone, or print how other programs start the server."""
    workspace, collection = open_workspace(arguments), arguments.collection or ""
    workspace.collections.all()  # reports a wrong file before the first request
    if collection:
        workspace.collections.get(collection)
    if arguments.print:
        options = ["--workspace", str(workspace.path.absolute()), "--app", arguments.app]
        options += ["--collection", collection] if collection else []
        write(json.dumps({"mcpServers": {"gear-app": entry(*options)}}, indent=2))
        return 0
    from gear_app.integrations.mcp.server import serve
    from gear_app.integrations.mcp.tools import McpTools

    if arguments.http:
        note(f"Answering at http://127.0.0.1:{arguments.http}/mcp, programs of this machine alone.")
    serve(McpTools(workspace, collection, arguments.app), arguments.http)
    return 0


def entry(*arguments: str) -> dict[str, Any]:
    """Command, arguments and environment that start the server from any folder."""
    words, environment = launch("gear_app", "mcp", *arguments)
    paths = {name: environment[name] for name in ("PYTHONPATH",) if name in environment}
    return {"command": words[0], "args": words[1:], "env": paths}
