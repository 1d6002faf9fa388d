"""The commands `serve`, `worker` and `doctor`: the application's processes, and what they need."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import gear_app
from gear_app.cli import clusters
from gear_app.cli.output import note, open_workspace, write, write_json
from gear_app.errors import BadInput
from gear_app.launch import launch

APP = Path(gear_app.__file__).parent / "ui" / "app.py"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - to be compared with
_NAME = re.compile(r"(\*\.)?[a-z0-9._-]+")


def serve(arguments: argparse.Namespace) -> int:
    """Run the web application in place of this process.

    Streamlit reads its settings beside the file it runs, in gear_app/ui/.streamlit.
    """
    workspace = open_workspace(arguments)
    workspace.collections.all()  # a file that cannot be used is told here, not in the browser
    addresses = clusters.address(arguments)
    if addresses:  # and so is a cluster
        workspace.clusters.adopt(addresses)
    workspace.close()
    if not 0 < arguments.port < 65536:
        raise BadInput(f"--port takes 1 to 65535, not {arguments.port}")
    names = [_host(name) for name in arguments.allow_host]
    address = _host(arguments.address)
    shown = f"[{address}]" if ":" in address else address
    if address in EVERYWHERE:
        shown = "localhost"
    program = launch(
        "gear_app.ui",
        "run",
        str(APP),
        f"--server.port={arguments.port}",
        f"--server.address={address}",
        *(f"--server.allowedHosts={name}" for name in hosts(address, names)),
        # Else Streamlit would ask a host on the internet for this machine's public address.
        f"--browser.serverAddress={shown}",
        # Not those of the current folder: Streamlit puts what they say into the environment.
        f"--secrets.files={Path.home() / '.streamlit' / 'secrets.toml'}",
        f"--server.headless={'true' if arguments.no_browser else 'false'}",
        "--server.showEmailPrompt=false",  # Streamlit would ask a new user for an address
        GEAR_WORKSPACE=str(workspace.path),
    )
    note(f"Opening {workspace.path} at http://{shown}:{arguments.port} (Ctrl+C ends it)")
    # In place of this process, so that signals reach it.
    os.execve(program.command[0], program.command, program.environment)  # noqa: S606


def hosts(address: str, names: Sequence[str]) -> list[str]:
    """The names that a server at an address answers to, as `ui.app.known` takes them.

    They are this machine's own names and those given; where it listens everywhere, every IP
    address as well.
    """
    own = [socket.gethostname(), "*"] if address in EVERYWHERE else [address]
    return list(dict.fromkeys([*LOOPBACK, *own, *names]))


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
    from gear_app.doctor import examine

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
    open_workspace(arguments).worker(once=arguments.once).work()
    return 0
