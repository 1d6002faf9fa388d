"""The head of a run: question, facts, figures and state, and buttons to end it, to ask again, to
hand it on, and to pin it, so that its collection opens with it, here and on the start screen.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.shared import address, elements, fold, language_models, session, share
from gear_app.app.shared.pickers import LOCAL
from gear_app.display import calls, curation, dials, header, markup
from gear_app.display.compare.entries import reads
from gear_app.display.labels import LLM
from gear_app.store.rows import RunInfo
from gear_app.trace.entities import triple_ids
from gear_app.trace.events import Event
from gear_app.trace.trace import RunProgress, RunTrace
from gear_app.workspace.workspace import Workspace

TONES: dict[str, elements.Tone] = {"queued": "busy", "running": "busy", "failed": "bad"}
PIN = "Pin as this collection’s first run"
UNPIN = "This collection opens with this run. Unpin it"


def head(workspace: Workspace, run: RunInfo, revealed: RunProgress) -> None:
    """The question with what is known of the run at the step that is shown, and beside it buttons
    that ask again, hand the run on and pin it.
    """
    events = revealed.events
    line = header.facts(run, events, ahead=revealed.ahead)
    figures = header.figures(events, run.gold, run.answers, over=revealed.over)
    question = markup.named(run.question, RunTrace.of(events).names, focus=True)
    with st.container(horizontal=True, gap="small", key="run-head"):
        st.html(header.head(question, line, figures, dials.set_to(run), calls.spent(events)))
        with st.container(horizontal=True, gap="small", width="content", key="run-buttons"):
            if "collection" in st.session_state:  # there is one, and so a bar
                fold.button("explore", "Ask")
            _buttons(workspace, run)


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
        owner = session.owner()
        if workspace.runs.may_cancel(run, owner):
            elements.message_with_button(
                sentence, tone, "Cancel", "cancel-run", workspace.runs.cancel, run.id, owner
            )
        else:
            elements.message(sentence, tone)
        return
    deleted = session.collection_gone(run, workspace.collections.all())
    if deleted:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.recorded:
        sentence += " This run was imported: what you see is what it recorded elsewhere."
    elif run.stale:
        changed = curation.changed_since(
            workspace.curation.since(run), triple_ids(events), run.triple_set or ""
        )
        sentence += f" The collection changed after this run{changed}."
        sentence += " What you see is what it saw then."
    if not sentence:
        return
    if deleted or run.recorded:
        elements.message(sentence.strip(), tone)
        return
    elements.message_with_button(
        sentence.strip(), tone, "Run again", "again", again, workspace, run.id
    )


def again(workspace: Workspace, run_id: str, method: str = "", *, told: str = "ask_error") -> None:
    """Ask a run's question once more, maybe by another method, and show that run; a refusal is kept
    under `told`.
    """
    with elements.refusals(told):
        address.open_run(session.run_again(workspace, run_id, method), fresh=True)


def _other_reader(workspace: Workspace, run: RunInfo) -> None:
    """A button that puts the run beside the same one by the language model, or by the local reader;
    none where nothing is read, or there is no model.
    """
    other = LOCAL if run.reader == LLM else LLM
    repeatable = run.state == "done" and run.repeatable and not workspace.read_only
    if not (repeatable and reads(run.method) and (other == LOCAL or language_models.chosen())):
        return
    words = "local reader" if other == LOCAL else "language model"
    if st.button(
        f"Compare with the {words}",
        key="other-reader",
        type="tertiary",
        help=f"The same question, method and settings, read by the {words}, side by side.",
    ):
        with elements.refusals():
            session.open_comparison([run.id, session.read_by(workspace, run, other)])


def _buttons(workspace: Workspace, run: RunInfo) -> None:
    """Draw quiet buttons that hand a run on and pin it, or unpin it.

    None for a run that goes on; none that pins for one that is not done, or whose collection was
    deleted.
    """
    if not run.ended:
        return
    _other_reader(workspace, run)
    share.of_runs(workspace, [run], quiet=True)
    if workspace.read_only or run.state != "done" or run.collection_id is None:
        return
    if st.button(
        "Unpin" if run.pinned else "Pin",
        icon=":material/keep_off:" if run.pinned else ":material/keep:",
        key="pin",
        help=UNPIN if run.pinned else PIN,
        type="tertiary",
        on_click=elements.attempt,
        args=("ask_error", workspace.runs.unpin if run.pinned else workspace.runs.pin, run.id),
    ):
        st.rerun()  # a refusal is told outside of what is drawn again as a run goes on
