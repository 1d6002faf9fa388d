"""“Why not this passage?” on Explore: for a missed gold passage, or any passage that is looked for.

The answer comes from stored events and the collection. Other settings are tried by the worker.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.shared import address, elements, session, visitors
from gear_app.core.errors import GearError
from gear_app.display import markup
from gear_app.display import why_not as words
from gear_app.display.settings import label
from gear_app.store.rows import RunInfo
from gear_app.trace import gold
from gear_app.trace.events import Event
from gear_app.trace.evidence import distinct_names
from gear_app.trace.lost import Cause, WhyNot
from gear_app.trace.rankings import CUTS
from gear_app.workspace.runs.rerun import RunChange, Trial
from gear_app.workspace.workspace import Workspace

ANOTHER = "Another passage"
FOUND_AT_MOST = 20
REFRESH_S = 1.0  # while settings are tried


def panel(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    """A choice among the missed gold passages, and of any other; below it the answer. Nothing for a
    run that has not ended, was imported, or whose collection was deleted; for one of a cluster, of
    which this cannot be said, only where the address asks.
    """
    collections = workspace.collections.all()
    if run.going or run.recorded or session.collection_gone(run, collections):
        return
    target, k = _addressed(run)
    if not target and any(info.cluster for info in collections if info.name == run.collection):
        return
    missed = gold.missed(events, run.gold, k)
    offered = list(dict.fromkeys([*missed, *([target] if target else [])]))
    titles = distinct_names(elements.passage_titles(workspace, run.collection, offered))
    if target and f"why-{run.id}" not in st.session_state:
        st.session_state[f"why-{run.id}"] = target
    with st.container(key="why", gap="small"):
        chosen = st.pills(
            "Why not?",
            [*offered, ANOTHER],
            key=f"why-{run.id}",
            format_func=lambda key: titles.get(key) or key,
            help="The first step of this run that lost a passage, and what would have helped",
        )
        key = _looked_for(workspace, run) if chosen == ANOTHER else chosen
        if key:
            with elements.refusals():
                _answer(workspace, run, workspace.reruns.explain(run.id, key, k))


def _addressed(run: RunInfo) -> tuple[str, int]:
    """The key of the passage that the address asks about, "" for none, and its cut-off."""
    k = address.named(address.CUT)
    cut = int(k) if k.isdecimal() and len(k) < 4 and int(k) else CUTS[0]
    return address.named(address.CAUSE) if address.names(run.id) else "", cut


def lost_or_found_step(workspace: Workspace, run: RunInfo) -> int | None:
    """The step that lost the passage of the address, or that brought it in; None for no such."""
    key, k = _addressed(run)
    if not key:
        return None
    try:
        return workspace.reruns.explain(run.id, key, k).lost_or_found_step
    except GearError:  # it goes on, or its collection is gone
        return None


def _looked_for(workspace: Workspace, run: RunInfo) -> str:
    """The key of a passage whose title or text has the words that are typed; "" for none yet."""
    typed = st.text_input("Passage", key=f"why-words-{run.id}", placeholder="Words of its title")
    if not typed:
        return ""
    passages = workspace.collections[run.collection].passages(typed, limit=FOUND_AT_MOST)
    if not passages:
        elements.message(f"No passage of “{run.collection}” has these words.")
        return ""
    titles = distinct_names({passage.key: passage.name for passage in passages})
    picked: str | None = st.selectbox(
        "Which one", list(titles), key=f"why-picked-{run.id}", format_func=titles.__getitem__
    )
    return picked or ""


def _answer(workspace: Workspace, run: RunInfo, answer: WhyNot) -> None:
    """Cause, steps, and the settings that would have found it."""
    st.html(markup.title(words.heading(answer), words.sentence(answer)))
    if answer.cause is Cause.FOUND:
        return
    left, right = st.columns(2, gap="medium")
    trail = [
        (f"{words.sign(answer, step)} {words.place(step)}", words.evidence_words(step))
        for step in answer.trail
    ]
    left.html(markup.title("Step by step") + markup.facts(trail))
    with right:
        st.html(markup.title("Other settings"))
        _trials(workspace, run, answer)


def _trials(workspace: Workspace, run: RunInfo, answer: WhyNot) -> None:
    """A button that has the worker run the question with every other setting, one at a time; then
    the settings with which the passage is among the first.
    """
    if run.model:
        elements.message("Another setting would ask the language model again: run it yourself.")
        return
    state = f"why-tried-{run.id}-{answer.key}"
    if not st.session_state.get(state):
        st.button(
            "Try other settings",
            key="why-try",
            icon=":material/tune:",
            help="The question is run with every other setting, one at a time; nothing is stored.",
            on_click=st.session_state.__setitem__,
            args=(state, True),
        )
        return
    with elements.refusals():
        total = len(workspace.reruns.changes(run.id, answer.k))
        trials = _made_trials(workspace, run, answer)
        named = [t._replace(setting=label(run.method, t.setting)) for t in trials]
        for line in words.trial_lines(named, answer.k):
            st.html(markup.tag("p", line, dir="auto"))
        if len(trials) < total:
            elements.message(f"{total - len(trials)} more are being tried.", "busy")
            st.fragment(_look_again, run_every=REFRESH_S)(workspace, run, answer, len(trials))


def _made_trials(workspace: Workspace, run: RunInfo, answer: WhyNot) -> list[Trial]:
    """The trials that the worker has made by now, as drafts."""

    def rerun(run_id: str, change: RunChange) -> Sequence[Event] | None:
        draft = workspace.reruns.enqueue_draft(run_id, change, visitors.rights())
        return draft.events if draft else None

    return workspace.reruns.trials(run.id, answer.key, answer.k, rerun)


def _look_again(workspace: Workspace, run: RunInfo, answer: WhyNot, count: int) -> None:
    """Draw the page anew as soon as another setting was tried."""
    if len(_made_trials(workspace, run, answer)) > count:
        st.rerun()
