"""Handing runs on from the screen, and taking in pages of runs that are dropped with documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import streamlit as st

from gear_app.errors import GearError
from gear_app.exports import otlp
from gear_app.runs.bundle_import import carries_bundle, told
from gear_app.ui.shared import elements, session
from gear_app.views.header import FINISHED
from gear_app.views.share import pages
from gear_app.workspace import RunInfo, Workspace

LICENCE = "share-licence"
WHAT = (
    "One file that opens without network and server, and can be imported into another workspace:"
    " drop it there on Collections, or gear-app import FILE. The address of this page leads back to"
    " what you see."
)


def of_runs(workspace: Workspace, runs: Sequence[RunInfo], *, quiet: bool = False) -> None:
    """A menu with the runs as a page, as a bundle and as a trace; nothing while one of them goes
    on. A file is made when it is asked for. `quiet`: its button has no border.
    """
    if not runs or any(run.state not in FINISHED for run in runs):
        return
    ids = [run.id for run in runs]
    look: Literal["tertiary", "secondary"] = "tertiary" if quiet else "secondary"
    with st.popover("Share", icon=":material/ios_share:", width="content", type=look):
        elements.message(WHAT)
        licence = st.text_input(
            "Licence of the texts",
            key=LICENCE,
            placeholder="Said on the page; for example: CC BY 4.0",
            persist_state="session",
        )
        name = f"run-{ids[0]}" if len(ids) == 1 else f"compare-{ids[0]}"
        files: list[tuple[str, str, str, Callable[[], bytes]]] = [
            ("As a page", "html", "text/html", lambda: _page(workspace, ids, licence)),
            (
                "As a trace for Phoenix or Langfuse",
                "otlp.json",
                "application/json",
                lambda: _trace(workspace, ids),
            ),
            (
                "As a workspace file",
                "db",
                "application/vnd.sqlite3",
                lambda: _bundle(workspace, ids),
            ),
        ]
        for words, ending, mime, made in files:
            st.download_button(
                words,
                partial(_on_a_thread, workspace, made),
                f"{name}.{ending}",
                mime,
                key=f"share-{ending}",
                on_click="ignore",
                width="stretch",
            )


def _on_a_thread(workspace: Workspace, made: Callable[[], bytes]) -> bytes:
    """Make a file, on a thread of Streamlit's: its connection to the workspace ends with it."""
    try:
        return made()
    finally:
        workspace.close()


def _page(workspace: Workspace, ids: Sequence[str], licence: str) -> bytes:
    return pages.page(workspace, ids, licence=" ".join(licence.split())).html.encode()


def _trace(workspace: Workspace, ids: Sequence[str]) -> bytes:
    return otlp.to_json([pages.trace(workspace, run_id) for run_id in ids]).encode()


def _bundle(workspace: Workspace, ids: Sequence[str]) -> bytes:
    with TemporaryDirectory(prefix="gear-app-") as folder:
        return workspace.runs.export_bundle(ids, Path(folder) / "run.db").path.read_bytes()


def without_runs(
    workspace: Workspace, files: Sequence[tuple[str, bytes]]
) -> list[tuple[str, bytes]]:
    """The uploads, (name, content), that are documents. Where one is a page of runs these are taken
    in, and where nothing else was uploaded they are opened.
    """
    documents, opened = list[tuple[str, bytes]](), list[str]()
    for name, content in files:
        with TemporaryDirectory(prefix="gear-app-") as folder:
            path = Path(folder) / "upload"
            path.write_bytes(content)
            if not carries_bundle(path):
                documents.append((name, content))
                continue
            try:
                found = workspace.runs.import_bundle(path, replay=False)
            except GearError as error:
                elements.message(f"{name}: {error}", "bad")
                continue
        elements.message(f"{name}: {told(found)}", "good")
        opened = [*found.runs]
    if opened and not documents:
        _open(opened)
    return documents


def _open(run_ids: Sequence[str]) -> None:
    if len(run_ids) == 1:
        session.explore(run_ids[0])
    st.session_state["compared"] = list(run_ids)
    st.switch_page(session.COMPARE, query_params={"runs": ",".join(run_ids)})
