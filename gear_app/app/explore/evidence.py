"""What a run that is over found: the answer and the passages it rests on, and, where a reader could
not phrase an answer, what else can be tried.
"""

from __future__ import annotations

import streamlit as st

from gear_app.app.explore import head
from gear_app.app.shared import elements, session
from gear_app.display import evidence, labels, markup
from gear_app.display.labels import LLM
from gear_app.language.english import looks_english
from gear_app.methods import bases
from gear_app.models.reader.rules import ENGLISH_ONLY
from gear_app.store.rows import RunInfo
from gear_app.trace.evidence import evidence_of, unanswered
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

LINKS = "chain"  # follows what passages name, where no triple leads on


def show(workspace: Workspace, run: RunInfo, trace: RunTrace) -> None:
    """Draw the answer and its evidence, or that there is none."""
    detached = run.recorded or session.collection_gone(run, workspace.collections.all())
    evident = evidence_of(trace) is not None
    with st.container(border=evident, key="found", gap="small"):
        if evident:
            st.html(evidence.card(trace, run.gold, run.answers))
        elif unanswered(trace):
            st.html(markup.tag("p", evidence.no_answer(trace), class_="gear-note"))
        elif trace.final and not detached and not workspace.runner.is_read(run.collection):
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
                on_click=head.again,
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
