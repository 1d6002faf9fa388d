"""Commands that set things up: the web application, the demo workspace, the worker, the doctor."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path

import gear_app
from gear_app.cli.output import Patience, as_json, note, opened, say
from gear_app.errors import BadInput
from gear_app.workspace.places import environment


def serve(called: argparse.Namespace) -> int:
    """Run the web application in place of this process. Its settings lie beside it in the
    package.
    """
    workspace = opened(called)
    workspace.collections()  # a file that cannot be used is told here, not in the browser
    workspace.close()
    if not 0 < called.port < 65536:
        raise BadInput(f"--port takes 1 to 65535, not {called.port}")
    page = Path(gear_app.__file__).parent / "ui" / "main.py"
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(page),
        f"--server.port={called.port}",
        f"--server.address={called.address}",
        f"--server.headless={'true' if called.no_browser else 'false'}",
        "--server.showEmailPrompt=false",  # Streamlit would ask a new user for an address
    ]
    note(f"Opening {workspace.path} at http://{called.address}:{called.port} (Ctrl+C ends it)")
    # In place of this process, so that signals reach it.
    os.execve(sys.executable, command, environment() | {"GEAR_WORKSPACE": str(workspace.path)})  # noqa: S606


def demo(called: argparse.Namespace) -> int:
    """Make the collection demo, or finish making it."""
    from gear_app.workspace.demo import make_demo

    workspace = opened(called)
    run = make_demo(workspace, note, Patience().job)
    if called.json:
        as_json(
            {
                "workspace": str(workspace.path),
                "collection": asdict(workspace.collection("demo")),
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
    """Be the worker of a workspace."""
    from gear_app.worker import main

    main(opened(called), once=called.once)
    return 0
