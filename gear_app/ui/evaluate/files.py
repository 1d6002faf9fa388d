"""The tab Files: an evaluation for other tools, and runs of other programs measured beside it."""

from __future__ import annotations

import io
import json
import zipfile

import streamlit as st

from gear_app.evaluate.exports import table_csv, trec_files
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import opened, tag_of
from gear_app.evaluate.service import EvaluationService
from gear_app.ui.shared import elements
from gear_app.views import markup
from gear_app.views.evaluate import sections, tables
from gear_app.views.labels import literal
from gear_app.workspace import Workspace

ERROR, SAID = "evaluate-run-file-error", "evaluate-run-file-said"


def show(workspace: Workspace, results: Results) -> None:
    """What goes out, and what comes in."""
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        _export(workspace, results)
    with right, st.container(border=True, height="stretch"):
        if not workspace.read_only:
            _brought(workspace, results)
    elements.message("The same on the command line:")
    st.code(results.command, language=None, wrap_lines=True)
    elements.folded_table("All measures", lambda: tables.main_rows(results), "evaluate-all")


def _export(workspace: Workspace, results: Results) -> None:
    """Files for other tools."""
    name = f"evaluation-{results.evaluation.id}"
    st.html(markup.title("Export", "for other tools"))
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: sections.report(results),
            f"{name}.html",
            "text/html",
            on_click="ignore",
        )
        st.download_button(
            "Questions (CSV)",
            lambda: table_csv(results),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Everything (JSON)",
            lambda: json.dumps(results.to_json(), ensure_ascii=False, indent=2),
            f"{name}.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button(
            "TREC runs and judgments (ZIP)",
            lambda: _zip(workspace, results),
            f"{name}.zip",
            "application/zip",
            on_click="ignore",
        )


def _brought(workspace: Workspace, results: Results) -> None:
    """Run files that are measured beside the methods, and a field for another."""
    st.html(markup.title("A run of another program", "a TREC run file over the same questions"))
    elements.message(st.session_state.pop(SAID, ""), "good")
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    id_ = results.evaluation.id
    for one in results.evaluation.files:
        with st.container(horizontal=True, vertical_alignment="center"):
            elements.message(one.sentence(results.facts.k))
            st.button(
                literal(f"Remove {tag_of(one.words)}"),
                key=f"evaluate-drop-{one.words}",
                on_click=elements.attempt,  # somebody else may have been quicker
                args=(ERROR, EvaluationService(workspace).drop_file, id_, tag_of(one.words)),
            )
    file = st.file_uploader(
        "Lines of question, Q0, passage, rank, score and tag, with the ids that the export of"
        " judgments has",
        type=["txt", "run", "trec", "gz"],
        key="evaluate-run-file",
    )
    if file is not None:
        st.button(
            "Measure it",
            key="evaluate-bring",
            type="primary",
            on_click=_bring,
            args=(workspace, id_),
        )


def _bring(workspace: Workspace, id_: str) -> None:
    file, state = st.session_state["evaluate-run-file"], st.session_state
    with elements.refusals(ERROR):
        with opened(io.BytesIO(file.getvalue()), file.name) as lines:
            brought = EvaluationService(workspace).add_file(id_, lines, file.name)
        state[SAID] = f"{tag_of(brought.words)} stands beside the methods in every table."


def _zip(workspace: Workspace, results: Results) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, lines in trec_files(workspace, results).items():
            file.writestr(name, "".join(lines))
    return packed.getvalue()
