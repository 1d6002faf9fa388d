"""What was found, above all else of a run that is over; where rare names in it lead on, a click
each; and, small, that a reader could not phrase an answer and what else can be tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.analysis.evidence import evidence_of, leads_from, trail_of
from gear_app.events import Event, EvidenceFound, NameLead
from gear_app.text import cut
from gear_app.ui.explore import ways_on
from gear_app.ui.shared import elements
from gear_app.views import evidence, markup
from gear_app.views.labels import literal
from gear_app.workspace import RunInfo, Workspace

AT = "found-at"  # in the session: the run and step at which it was drawn last
LONGEST = 90  # characters of a lead's words on its button


def show(
    workspace: Workspace,
    run: RunInfo,
    events: Sequence[Event],
    number: int,
    *,
    last: bool,
    markable: bool,
) -> None:
    """Draw it open at the `last` step of a run whose gold passages nobody knows, until somebody
    steps through the run.
    """
    found = evidence_of(events)
    if found is None:
        _unanswered(workspace, run, events, markable=markable)
        return
    state, key = st.session_state, f"found-{run.id}"
    before = state.get(AT)
    state[AT] = run.id, number
    if before and before[0] == run.id and before[1] != number:
        state[key] = False
    state.setdefault(key, last and not run.gold)
    fold = st.expander(_summary(found), key=key, on_change="rerun")
    if not fold.open:
        return
    trail = trail_of(events)
    with fold:
        fixed = workspace.read_only or not run.ended
        leads = [] if fixed else leads_from(found, trail)
        beside = bool(leads or trail) and not fixed
        left, right = st.columns([2.4, 1], gap="small") if beside else (st.container(),) * 2
        with left:
            st.html(evidence.card(found, run.gold, trail))
            _unanswered(workspace, run, events, markable=markable)
        if beside:
            with right, st.container(key="leads"):
                _leads(workspace, run, leads, trail)


def _summary(found: EvidenceFound) -> str:
    names = [f"**{literal(cut(one.name, 60))}**" for one in found.passages[:2]]
    if not found.mention:
        return f"Found: {names[0]}"
    return f"Found: {names[0]} and {names[1]}, joined by **{literal(found.mention)}**"


def _unanswered(
    workspace: Workspace, run: RunInfo, events: Sequence[Event], *, markable: bool
) -> None:
    sentence = evidence.no_answer(events)
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(markup.tag("p", sentence, class_="gear-note"), width="content")
        ways_on.offer(workspace, run, events, markable=markable)


def _leads(
    workspace: Workspace, run: RunInfo, leads: Sequence[NameLead], trail: Sequence[NameLead]
) -> None:
    st.html(markup.title("Where it leads on", "rare names, and where else they stand"))
    taken = [lead.id for lead in trail]
    for lead in leads:
        name, there = evidence.leads_words(lead)
        st.button(
            f"**{literal(name)}** → {literal(cut(there, LONGEST))}",
            key=f"lead-{run.id}-{len(trail)}-{lead.id}",
            width="stretch",
            on_click=_go_on,
            args=(workspace, run.id, [*taken, lead.id]),
        )
    if trail:
        st.button(
            "Take the last one back",
            key=f"lead-back-{run.id}",
            type="tertiary",
            icon=":material/undo:",
            on_click=_go_on,
            args=(workspace, run.id, taken[:-1]),
        )


def _go_on(workspace: Workspace, run_id: str, trail: Sequence[int]) -> None:
    with elements.refusals("ask_error"):
        workspace.runs.go_on(run_id, trail)
