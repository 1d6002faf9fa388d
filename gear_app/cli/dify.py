"""The command `dify`: answer Dify, which asks for passages as external knowledge."""

from __future__ import annotations

import argparse
import os
import socket

from gear_app.cli.options import Commands, add_command, app_option, port
from gear_app.cli.output import note, open_workspace
from gear_app.errors import BadInput

TOKEN, PORT = "GEAR_DIFY_TOKEN", 8766
LOOPBACK = "127.0.0.1"


def add_to(commands: Commands) -> None:
    """Add `dify`."""
    server = add_command(commands, "dify", dify)
    server.add_argument("--port", type=port, default=PORT, help=f"default {PORT}")
    server.add_argument(
        "--token-from-environment",
        default=TOKEN,
        metavar="VARIABLE",
        help=f"the environment variable that has the token, Dify's API key; default {TOKEN}",
    )
    server.add_argument("--method", default="", help="default: each collection's usual one")
    app_option(server)


def dify(arguments: argparse.Namespace) -> int:
    """Answer programs of this machine until somebody ends it."""
    import uvicorn

    from gear_app import retrievers
    from gear_app.frameworks.dify import Dify

    workspace = open_workspace(arguments)
    workspace.collections.all()  # a misspelt file or method is told now
    if arguments.method:
        retrievers.config_for(arguments.method)
    token = os.environ.get(arguments.token_from_environment, "")
    if not token:
        raise BadInput(
            f"{arguments.token_from_environment} is not set. Give it a long random word, and Dify"
            " the same as its API key."
        )
    application = Dify(workspace, token, arguments.method, app=arguments.app).application()
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, arguments.port))
        except OSError as error:
            raise BadInput(
                f"Port {arguments.port} cannot be used: {error.strerror}. Give another: --port"
            ) from error
        note(
            f"Answering at http://{LOOPBACK}:{arguments.port}, programs of this machine alone. The"
            " external knowledge ID is a collection's name."
        )
        uvicorn.Server(uvicorn.Config(application, log_level="warning")).run([listening])
    return 0
