"""Commands that set things up: the web application, the demo workspace, the worker, the doctor."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import gear_app
from gear_app.cli.output import Patience, as_json, note, opened, say
from gear_app.errors import BadInput
from gear_app.launch import launch

APP = Path(gear_app.__file__).parent / "ui" / "app.py"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - to be compared with
_NAME = re.compile(r"(\*\.)?[a-z0-9._-]+")


def serve(called: argparse.Namespace) -> int:
    """Run the web application in place of this process. Its settings lie beside it in the
    package.
    """
    workspace = opened(called)
    workspace.collections.all()  # a file that cannot be used is told here, not in the browser
    workspace.close()
    if not 0 < called.port < 65536:
        raise BadInput(f"--port takes 1 to 65535, not {called.port}")
    names = [_host(name) for name in called.allow_host]
    address = _host(called.address)
    anywhere = address in EVERYWHERE
    shown = "localhost" if anywhere else f"[{address}]" if ":" in address else address
    program = launch(
        "gear_app.ui",
        "run",
        str(APP),
        f"--server.port={called.port}",
        f"--server.address={address}",
        *(f"--server.allowedHosts={name}" for name in hosts(address, names)),
        # Else Streamlit would ask a host on the internet for this machine's public address.
        f"--browser.serverAddress={shown}",
        # Not those of the current folder: Streamlit puts what they say into the environment.
        f"--secrets.files={Path.home() / '.streamlit' / 'secrets.toml'}",
        f"--server.headless={'true' if called.no_browser else 'false'}",
        "--server.showEmailPrompt=false",  # Streamlit would ask a new user for an address
        GEAR_WORKSPACE=str(workspace.path),
    )
    note(f"Opening {workspace.path} at http://{shown}:{called.port} (Ctrl+C ends it)")
    # In place of this process, so that signals reach it.
    os.execve(program.command[0], program.command, program.environment)  # noqa: S606


def hosts(address: str, names: Sequence[str]) -> list[str]:
    """What a server at an address may be called by, as ui.middleware takes it: by this machine's
    own names and those given; where it listens everywhere, by every IP address as well.
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


def demo(called: argparse.Namespace) -> int:
    """Make the collection demo, or finish making it."""
    from gear_app.workspace.demo import make_demo

    workspace = opened(called)
    run = make_demo(workspace, note, Patience().job)
    if called.json:
        as_json(
            {
                "workspace": str(workspace.path),
                "collection": asdict(workspace.collections.get("demo")),
                "run": run,
            }
        )
    else:
        say(f"The collection demo is ready in {workspace.path}. Next: gear-app serve")
    return 0


def doctor(called: argparse.Namespace) -> int:
    """Check what is needed; 1 if something is missing."""
    from gear_app.doctor import examine

    findings = examine(opened(called))
    if called.json:
        as_json([finding._asdict() for finding in findings])
    else:
        for finding in findings:
            mark = "PROBLEM" if not finding.ok else "note" if finding.note else "ok"
            say(f"{mark:7}  {finding.what}: {finding.found}")
    return 0 if all(finding.ok for finding in findings) else 1


def worker(called: argparse.Namespace) -> int:
    """Be the worker of a workspace; its log goes to standard error."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=form)
    opened(called).worker(once=called.once).work()
    return 0
