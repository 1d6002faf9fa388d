"""The head of a run: question, facts, figures and state, and buttons to end it or ask again."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.analysis.entities import names_of, triple_ids
from gear_app.analysis.progress import RunProgress
from gear_app.errors import GearError
from gear_app.events import Event
from gear_app.ui.shared import elements, session
from gear_app.views import calls, curation, dials, header, markup
from gear_app.workspace import RunInfo, Workspace

TONES: dict[str, elements.Tone] = {"queued": "busy", "running": "busy", "failed": "bad"}


def head(run: RunInfo, shown: RunProgress) -> None:
    """The question with what is known of the run at the step that is shown."""
    events = shown.events
    line = header.facts_of(run, events, ahead=shown.ahead)
    figures = header.figures(events, run.gold, run.answers, over=shown.over)
    question = markup.named(run.question, names_of(events), focus=True)
    st.html(header.head(question, line, figures, dials.set_to(run), calls.spent(events)))


def state(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    """Where the run stands, if there is anything to say, and what can be done about it."""
    sentence = header.state_sentence(
        run.state,
        message=run.message,
        position=run.queue_position,
        worker=workspace.jobs.worker_status(),
        doing=workspace.jobs.worker_doing(),
        waited_s=workspace.runs.age_s(run),
    )
    tone = TONES.get(run.state, "info")
    if not run.ended:
        left, right = st.columns([8, 1], vertical_alignment="center")
        with left:
            elements.message(sentence, tone)
        right.button(
            "Cancel",
            key="cancel-run",
            on_click=workspace.runs.cancel,
            args=(run.id,),
            width="stretch",
        )
        return
    gone = session.collection_gone(run, workspace.collections.all())
    if gone:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.stale:
        changed = curation.changed_since(
            workspace.curation.since(run), triple_ids(events), run.triple_set or ""
        )
        sentence += f" The collection changed after this run{changed}."
        sentence += " What you see is what it saw then."
    if not sentence:
        return
    if gone:
        elements.message(sentence.strip(), tone)
        return
    left, right = st.columns([8, 1], vertical_alignment="center")
    with left:
        elements.message(sentence.strip(), tone)
    right.button(
        "Run again", key="again", on_click=_again, args=(workspace, run.id), width="stretch"
    )


def _again(workspace: Workspace, run_id: str) -> None:
    try:
        session.open_run(session.run_again(workspace, run_id), fresh=True)
    except GearError as error:
        st.session_state["ask_error"] = str(error)
