"""The head of a run: question, facts, figures and state, with buttons to cancel it, to ask again
and to share it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.shared import address, elements, session, share
from gear_app.display import calls, extraction, header, markup, settings
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.trace import RunProgress, RunTrace
from gear_app.workspace.workspace import Workspace

TONES: dict[str, elements.Tone] = {"queued": "busy", "running": "busy", "failed": "bad"}


def head(workspace: Workspace, run: RunInfo, revealed: RunProgress) -> None:
    """The question with what is known of the run at the step that is shown."""
    events = revealed.events
    line = header.facts(run, events, ahead=revealed.ahead)
    figures = header.figures(events, run.gold, run.answers, over=revealed.over)
    question = markup.named(run.question, RunTrace.of(events).names, focus=True)
    with st.container(horizontal=True, gap="small", key="run-head"):
        st.html(header.head(question, line, figures, settings.run_words(run), calls.spent(events)))
        with st.container(horizontal=True, gap="small", width="content", key="run-buttons"):
            share.of_runs(workspace, [run])
            if run.state == "done" and run.gold:
                session.annotate_link("Annotate this", runs=run.id)


def state(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    """State of the run, if there is anything to say, and what can be done about it."""
    sentence = header.state_sentence(run, workspace.store.processes.worker().state)
    tone, owner = TONES.get(run.state, "info"), session.owner()
    if not run.ended and workspace.runs.may_cancel(run, owner):
        elements.message_with_button(
            sentence, tone, "Cancel", "cancel-run", workspace.runs.cancel, run.id, owner
        )
        return
    detached = run.recorded or session.collection_gone(run, workspace.collections.all())
    if run.recorded:
        sentence += " This run was imported: what you see is what it recorded elsewhere."
    elif detached:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.stale and run.ended:
        since = workspace.store.triples.since(run.set_id or 0, run.revision)
        changed = extraction.changed_since(since, run.triple_set or "")
        sentence += (
            f" The collection changed after this run{changed}. What you see is what it saw then."
        )
    if sentence and run.ended and not detached:
        elements.message_with_button(
            sentence.strip(), tone, "Run again", "again", again, workspace, run.id
        )
    else:
        elements.message(sentence.strip(), tone)


def again(workspace: Workspace, run_id: str, method: str = "") -> None:
    """Ask a run's question once more, maybe by another method, and show that run."""
    with elements.refusals("ask_error"):
        address.open_run(session.run_again(workspace, run_id, method), fresh=True)
