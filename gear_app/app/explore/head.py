"""The head of a run: question, facts, figures and state, with buttons to cancel it, to ask again
and to share it; below it the answer with its evidence, or what else can be tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.shared import address, elements, session, share
from gear_app.display import calls, evidence, extraction, header, labels, markup, settings
from gear_app.display.labels import LLM
from gear_app.language.english import looks_english
from gear_app.methods import bases
from gear_app.models.reader.rules import ENGLISH_ONLY
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.evidence import evidence_of, unanswered
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
    sentence = header.state_sentence(run, workspace.store.tasks.worker())
    tone, owner = TONES.get(run.state, "info"), session.owner()
    if run.going and workspace.runs.may_cancel(run, owner):
        elements.message_with_button(
            sentence, tone, "Cancel", "cancel-run", workspace.runs.cancel, run.id, owner
        )
        return
    detached = run.recorded or session.collection_gone(run, workspace.collections.all())
    if run.recorded:
        sentence += " This run was imported: what you see is what it recorded elsewhere."
    elif detached:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.stale and not run.going:
        since = workspace.store.triples.since(run.set_id or 0, run.revision)
        changed = extraction.changed_since(since, run.triple_set or "")
        sentence += (
            f" The collection changed after this run{changed}. What you see is what it saw then."
        )
    if sentence and not run.going and not detached:
        elements.message_with_button(
            sentence.strip(), tone, "Run again", "again", again, workspace, run.id
        )
    else:
        elements.message(sentence.strip(), tone)


def again(workspace: Workspace, run_id: str, method: str = "") -> None:
    """Ask a run's question once more, maybe by another method, and show that run."""
    with elements.refusals("ask_error"):
        address.open_run(session.run_again(workspace, run_id, method), fresh=True)


LINKS = "chain"  # follows what passages name, where no triple leads on


def evidence_found(workspace: Workspace, run: RunInfo, trace: RunTrace) -> None:
    """Draw the answer and its evidence, or that there is none."""
    detached = run.recorded or session.collection_gone(run, workspace.collections.all())
    evident = evidence_of(trace) is not None
    with st.container(border=evident, key="found", gap="small"):
        if evident:
            st.html(evidence.card(trace, run.gold, run.answers))
        elif unanswered(trace):
            st.html(markup.tag("p", evidence.no_answer(trace), class_="gear-note"))
        elif trace.final and not detached and not workspace.runner.is_read(run):
            st.html(markup.tag("p", evidence.NOT_READ, class_="gear-note"))
        if unanswered(trace) and not detached:
            _other_ways(workspace, run, trace)


def _other_ways(workspace: Workspace, run: RunInfo, trace: RunTrace) -> None:
    """Other methods, a missing triple, and a language model."""
    local = run.reader != LLM
    with st.popover("Other ways on", key="ways-on"):
        if local and not looks_english(run.question):
            elements.message(ENGLISH_ONLY)
        for method in other_methods(run.method):
            st.button(
                f"Ask {labels.method_name(method)}",
                key=f"way-{method}",
                on_click=again,
                args=(workspace, run.id, method),
            )
        for passage in trace.final[:1]:  # it may hold a fact that no triple states
            session.curate_link(workspace, run, "Passages", passage.key, "Add a missing triple")
        if local and not workspace.read_only:
            st.page_link(
                session.SETTINGS, label="Let a language model read", icon=":material/tune:"
            )


def other_methods(method: str) -> list[str]:
    """Methods that may find more than this one did: chain alone, and this one over chain."""
    name = method.partition(":")[0]
    over = f"{name}:{LINKS}"
    if name == LINKS:
        return []
    return [LINKS, over] if LINKS in bases(name) and over != method else [LINKS]
