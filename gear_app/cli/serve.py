"""The commands `serve`, `worker`, `doctor` and `mcp`: the processes, and what they need."""

from __future__ import annotations

import argparse
import ipaddress
import json
import logging
import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import gear_app
from gear_app.cli import clusters
from gear_app.cli.options import (
    ANY_COLLECTION,
    APPLICATION,
    INDEX,
    JSON,
    command,
    flag,
    option,
    port,
    several,
)
from gear_app.cli.output import emit, note, open_workspace, write
from gear_app.core.errors import BadInput, ClusterFailed, NotReady
from gear_app.core.launch import launch

APP = Path(gear_app.__file__).parent / "app" / "app.py"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - to be compared with
_NAME = re.compile(r"(\*\.)?[a-z0-9._-]+")


@command(
    "serve",
    option("--port", type=port, default=8501, help="default 8501"),
    option(
        "--address",
        default=LOOPBACK[1],
        help="who can reach it; default 127.0.0.1, this machine only; 0.0.0.0: whoever is in the"
        " same network",
    ),
    several(
        "--allow-host",
        "NAME",
        "a name that browsers call this server by, as behind a reverse proxy; without it: this"
        " machine's own names and addresses",
    ),
    option(
        "--lessons",
        metavar="FOLDER",
        help="a folder of lessons of your own, which the page Learn shows besides those there are",
    ),
    INDEX,
    flag("--no-browser", "do not open a browser"),
    creates=True,
)
def serve(arguments: argparse.Namespace) -> int:
    """Run the web application in place of this process.

    Streamlit reads its settings beside the file it runs, in gear_app/app/.streamlit.
    """
    workspace = open_workspace(arguments)
    workspace.collections.all()  # a file that cannot be used is told here, not in the browser
    addresses = clusters.address(arguments)
    if addresses:  # and so is a cluster; what is stored can be read without it
        try:
            workspace.remote().adopt(addresses, report=note)
        except (ClusterFailed, NotReady) as error:
            note(f"{error} Opening without its collections.")
    workspace.close()
    names = [_host(name) for name in arguments.allow_host]
    lessons = _lessons(arguments.lessons)
    address = _host(arguments.address)
    host = f"[{address}]" if ":" in address else address
    if address in EVERYWHERE:
        host = "localhost"
    program = launch(
        "gear_app.app",
        "run",
        str(APP),
        f"--server.port={arguments.port}",
        f"--server.address={address}",
        *(f"--server.allowedHosts={name}" for name in hosts(address, names)),
        # Else Streamlit would ask a host on the internet for this machine's public address.
        f"--browser.serverAddress={host}",
        # Not those of the current folder: Streamlit puts what they say into the environment.
        f"--secrets.files={Path.home() / '.streamlit' / 'secrets.toml'}",
        f"--server.headless={'true' if arguments.no_browser else 'false'}",
        "--server.showEmailPrompt=false",  # Streamlit would ask a new user for an address
        GEAR_WORKSPACE=str(workspace.path),
        **lessons,
    )
    note(f"Opening {workspace.path} at http://{host}:{arguments.port} (Ctrl+C ends it)")
    # In place of this process, so that signals reach it.
    os.execve(program.command[0], program.command, program.environment)  # noqa: S606


def _lessons(folder: str | None) -> dict[str, str]:
    """Environment with the folder of own lessons. Prints files that are none. Raises BadInput for a
    missing folder.
    """
    if folder is None:
        return {}
    from gear_app.lessons.lesson import FOLDER, read_folders

    path = Path(folder).expanduser().resolve()
    if not path.is_dir():
        raise BadInput(f"There is no folder {path}. Give --lessons one with lessons (*.toml).")
    for problem in read_folders([path])[1]:
        note(f"No lesson: {problem}")
    return {FOLDER: str(path)}


def hosts(address: str, names: Sequence[str]) -> list[str]:
    """The names that a server at an address answers to, as `app.app.is_name` takes them.

    They are this machine's own names and those given; where it listens everywhere, every IP
    address as well.
    """
    hosts = [socket.gethostname(), "*"] if address in EVERYWHERE else [address]
    return list(dict.fromkeys([*LOOPBACK, *hosts, *names]))


def _host(name: str) -> str:
    """A name as browsers have it between http:// and the port. Raises BadInput."""
    bare = name.strip("[]").lower()
    with suppress(ValueError):
        return str(ipaddress.ip_address(bare))
    if not _NAME.fullmatch(bare):
        raise BadInput(
            f"{name!r} is no host name. Give it as it stands in the browser's address, without"
            " http:// and port, such as gear.example.org or *.example.org"
        )
    return bare


@command("doctor", JSON)
def doctor(arguments: argparse.Namespace) -> int:
    """Check what is needed; 1 if something is missing."""
    from gear_app.workspace.doctor import examine

    findings = list(examine(open_workspace(arguments)))
    lines = []
    for finding in findings:
        good = "note" if finding.note else "ok"
        mark = good if finding.ok else "PROBLEM"
        lines.append(f"{mark:7}  {finding.subject}: {finding.state}")
    emit(arguments, [finding._asdict() for finding in findings], *lines)
    return 0 if all(finding.ok for finding in findings) else 1


@command(
    "worker",
    flag("--once", "end when nothing waits"),
    flag(
        "--attached",
        "end with standard input, on which `serve` sends the keys typed in browsers",
    ),
)
def worker(arguments: argparse.Namespace) -> int:
    """Run the worker of a workspace in this process; its log goes to standard error."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=form)
    if arguments.attached:
        from gear_app.models.server import KEYS

        KEYS.receive_from(sys.stdin.buffer)
    open_workspace(arguments).worker().work(once=arguments.once)
    return 0


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
