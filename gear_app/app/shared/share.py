"""Handing runs on from the screen, and taking in pages of runs that are dropped with documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from gear_app.app.shared import address, elements, session
from gear_app.display import share_pages
from gear_app.integrations.exports.runs import otlp_json
from gear_app.store.rows import RunInfo
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.share import carries_runs
from gear_app.workspace.workspace import Workspace

LICENCE = "share-licence"
ABOUT = (
    "One file that opens without network and server, and can be imported into another workspace:"
    " drop it there on Collections, or gear-app import FILE. The address of this page leads back to"
    " what you see."
)


def of_runs(workspace: Workspace, runs: Sequence[RunInfo]) -> None:
    """A menu with the runs as a page and as a trace; nothing while one of them goes on. A file is
    made when it is asked for. A run that ended before its first step makes no page.
    """
    if not runs or any(run.going for run in runs):
        return
    ids = [run.id for run in runs]
    with st.popover("Share", icon=":material/ios_share:", width="content", type="tertiary"):
        elements.message(ABOUT)
        licence = st.text_input(
            "Licence of the texts",
            key=LICENCE,
            placeholder="Said on the page; for example: CC BY 4.0",
            persist_state="session",
        )
        name = f"run-{ids[0]}" if len(ids) == 1 else f"compare-{ids[0]}"
        files: list[tuple[str, str, str, Callable[[], bytes]]] = []
        if all(RunTrace.of(session.events(workspace, run)).steps for run in runs):
            page = partial(_page, workspace, ids, licence)
            files.append(("As a page", "html", "text/html", page))
        words = "As a trace for Langfuse and others"
        files.append((words, "otlp.json", "application/json", partial(_traces, workspace, ids)))
        for words, ending, mime, content in files:
            st.download_button(
                words,
                partial(_on_a_thread, workspace, content),
                f"{name}.{ending}",
                mime,
                key=f"share-{ending}",
                on_click="ignore",
                width="stretch",
            )


def _on_a_thread(workspace: Workspace, content: Callable[[], bytes]) -> bytes:
    """Make a file, on a thread of Streamlit's: its connection to the workspace ends with it."""
    try:
        return content()
    finally:
        workspace.close()


def _page(workspace: Workspace, ids: Sequence[str], licence: str) -> bytes:
    return share_pages.page(workspace, ids, licence=" ".join(licence.split())).html.encode()


def _traces(workspace: Workspace, ids: Sequence[str]) -> bytes:
    return otlp_json(workspace, ids).encode()


def without_runs(
    workspace: Workspace, files: Sequence[tuple[str, bytes]]
) -> list[tuple[str, bytes]]:
    """The uploads, (name, content), that are documents. Runs of the other ones, which are pages of
    runs, are imported, and opened where nothing else was uploaded.
    """
    documents: list[tuple[str, bytes]] = []
    runs: list[str] = []
    for name, content in files:
        with TemporaryDirectory(prefix="gear-app-") as folder, elements.refusals():
            path = Path(folder) / "this file"
            path.write_bytes(content)
            if carries_runs(path):
                imported = share_pages.import_runs(workspace, path)
                elements.message(f"{name}: {imported.sentence}", "good")
                runs += imported.runs
            else:
                documents.append((name, content))
    if len(runs) == 1 and not documents:
        address.explore(runs[0])
    if runs and not documents:
        session.open_comparison(runs)
    return documents
