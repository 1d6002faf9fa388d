"""The commands `serve`, `worker` and `doctor`: the application's processes, and what they need."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import logging
import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import gear_app
from gear_app.cli import clusters
from gear_app.cli.options import Commands, add_command, index_option
from gear_app.cli.output import note, open_workspace, write, write_json
from gear_app.core.errors import BadInput, ClusterFailed, NotReady
from gear_app.core.launch import launch

APP = Path(gear_app.__file__).parent / "app" / "app.py"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - to be compared with
_NAME = re.compile(r"(\*\.)?[a-z0-9._-]+")


def add_to(commands: Commands) -> None:
    """Add `serve`, `doctor` and `worker`."""
    web = add_command(commands, "serve", serve, creates=True)
    web.add_argument("--port", type=int, default=8501, help="default 8501")
    web.add_argument(
        "--address",
        default=LOOPBACK[1],
        help=(
            "who can reach it; default 127.0.0.1, this machine only; 0.0.0.0: whoever is in the"
            " same network"
        ),
    )
    web.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "a name that browsers call this server by, as behind a reverse proxy; repeatable."
            " Without it: this machine's own names and addresses"
        ),
    )
    web.add_argument(
        "--lessons",
        metavar="FOLDER",
        help="a folder of lessons of your own, which the page Learn shows besides those there are",
    )
    index_option(web)
    web.add_argument("--no-browser", action="store_true", help="do not open a browser")
    add_command(commands, "doctor", doctor, json=True)
    work = add_command(commands, "worker", worker)
    work.add_argument("--once", action="store_true", help="end when nothing waits")
    work.add_argument(
        "--attached",
        action="store_true",
        help="end with standard input, on which `serve` sends the keys typed in browsers",
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
            workspace.clusters.adopt(addresses, tell=note)
        except (ClusterFailed, NotReady) as error:
            note(f"{error} Opening without its collections.")
    workspace.close()
    if not 0 < arguments.port < 65536:
        raise BadInput(f"--port takes 1 to 65535, not {arguments.port}")
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
    _require_free(address, arguments.port)
    note(f"Opening {workspace.path} at http://{host}:{arguments.port} (Ctrl+C ends it)")
    # In place of this process, so that signals reach it.
    os.execve(program.command[0], program.command, program.environment)  # noqa: S606


def _require_free(address: str, port: int) -> None:
    """Raises BadInput where another program listens at the port, with a port that is free now."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            tried.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return  # an address that is not this machine's: the server says so itself
            tried.bind((address, 0))
            free = tried.getsockname()[1]
            raise BadInput(
                f"Another program uses port {port}; perhaps the application is open already, at"
                f" http://localhost:{port}. To use another port: --port {free}"
                f" (or: make run ARGS='--port {free}')"
            ) from None


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
    """The names that a server at an address answers to, as `app.app.known` takes them.

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


def doctor(arguments: argparse.Namespace) -> int:
    """Check what is needed; 1 if something is missing."""
    from gear_app.workspace.doctor import examine

    findings = examine(open_workspace(arguments))
    if arguments.json:
        write_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            good = "note" if finding.note else "ok"
            mark = good if finding.ok else "PROBLEM"
            write(f"{mark:7}  {finding.what}: {finding.found}")
    return 0 if all(finding.ok for finding in findings) else 1


def worker(arguments: argparse.Namespace) -> int:
    """Run the worker of a workspace in this process; its log goes to standard error."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=form)
    if arguments.attached:
        from gear_app.models.keys import KEYS

        KEYS.follow(sys.stdin.buffer)
    open_workspace(arguments).worker(once=arguments.once).work()
    return 0
