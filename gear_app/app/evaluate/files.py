"""The tab Files: an evaluation for other tools, and runs of other programs as methods of it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import streamlit as st

from gear_app.app.shared import elements
from gear_app.display import markup
from gear_app.display.evaluate import sections
from gear_app.display.evaluate.words import facts_line
from gear_app.display.labels import literal
from gear_app.evaluation.exports import table_csv, trec_files
from gear_app.evaluation.results import Results
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.variants import tag_of
from gear_app.workspace.workspace import Workspace

ERROR, RUN_FILE = "evaluate-run-file-error", "evaluate-run-file"


def show(workspace: Workspace, results: Results) -> None:
    """Exports, run files and the command."""
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        st.html(markup.title("Export", "for other tools"))
        _exports(workspace, results)
    if not workspace.read_only:
        with right, st.container(border=True, height="stretch"):
            _run_files(workspace, results)
    elements.message("The same on the command line:")
    st.code(results.command, language=None, wrap_lines=True)
    st.caption(literal(facts_line(results.facts)))


def _exports(workspace: Workspace, results: Results) -> None:
    formats: dict[str, tuple[str, str, Callable[[], str | bytes]]] = {
        "Report (HTML)": ("html", "text/html", lambda: sections.report(results)),
        "Questions (CSV)": ("csv", "text/csv", lambda: table_csv(results)),
        "Everything (JSON)": (
            "json",
            "application/json",
            lambda: json.dumps(results.to_json(), ensure_ascii=False, indent=2),
        ),
        "TREC runs and judgments (ZIP)": (
            "zip",
            "application/zip",
            lambda: _zip(workspace, results),
        ),
    }
    with st.container(horizontal=True):
        for label, (end, mime, make) in formats.items():
            name = f"evaluation-{results.evaluation.id}.{end}"
            st.download_button(label, make, name, mime, on_click="ignore")


def _run_files(workspace: Workspace, results: Results) -> None:
    """Run files that are measured, and a field for another."""
    st.html(markup.title("A run of another program", "a TREC run file over the same questions"))
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    id_ = results.evaluation.id
    for file in results.evaluation.files:
        tag = tag_of(file.words)
        with st.container(horizontal=True, vertical_alignment="center"):
            elements.message(file.sentence(results.facts.k))
            st.button(
                literal(f"Remove {tag}"),
                key=f"evaluate-drop-{file.words}",
                on_click=elements.attempt,  # somebody else may have been quicker
                args=(ERROR, workspace.store.run_files.drop, id_, tag),
            )
    chosen = st.file_uploader(
        "Lines of question, Q0, passage, rank, score and tag, with the ids of exported judgments",
        type=["txt", "run", "trec", "gz"],
        key=RUN_FILE,
    )
    if chosen is not None:
        st.button(
            "Measure it",
            key="evaluate-bring",
            type="primary",
            on_click=elements.attempt,
            args=(ERROR, _measure, workspace, id_),
        )


def _measure(workspace: Workspace, id_: str) -> None:
    file = st.session_state[RUN_FILE]
    EvaluationService(workspace).add_file(id_, file.getvalue(), file.name)


def _zip(workspace: Workspace, results: Results) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, lines in trec_files(workspace, results).items():
            file.writestr(name, "".join(lines))
    return packed.getvalue()
