"""The run that is judged: its header, evidence, missed passages, memory and ranking."""

from __future__ import annotations

import contextlib

import streamlit as st

from gear_app.app.shared import session
from gear_app.core.errors import GearError
from gear_app.core.text import cut
from gear_app.core.types import Passage
from gear_app.display import draw, evidence, header, markup, memory
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace.rankings import rank_of
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

LISTED, LONGEST = 15, 600  # passages of the ranking, characters of a missed one


def missed(workspace: Workspace, run: RunInfo) -> list[str]:
    """Keys of the gold passages that are not among the first five."""
    return golds.missed(session.events(workspace, run), run.gold)


def show(workspace: Workspace, run: RunInfo) -> None:
    """Draw header, evidence, the passages that were missed, memory or thoughts, and the ranking."""
    events = session.events(workspace, run)
    trace = RunTrace.of(events)
    line = header.facts(run, events)
    figures = header.figures(events, run.gold, run.answers)
    with st.container(border=True, gap="small"):
        st.html(header.head(markup.named(run.question, trace.names), line, figures))
        if run.answers:
            st.html(markup.tag("p", f"Expected: {' or '.join(run.answers)}", class_="gear-note"))
        if card := evidence.card(events, run.gold, run.answers):
            st.html(card)
    if passages := _missed_passages(workspace, run):
        labels = workspace.store.passages.labels([passage.id for passage in passages])
        with st.container(border=True):
            st.html(markup.title("What was missed", "gold that is not among the first 5"))
            for passage in passages:
                rank = rank_of(passage.key, trace.final)
                place = f"at rank {rank}" if rank else "not in the ranking"
                st.html(markup.title(f"★ {labels.get(passage.id, passage.name)}", place))
                st.html(markup.passage(cut(passage.text, LONGEST), None))
    if gathered := memory.memory(events):
        with st.container(border=True):
            st.html(markup.title(*memory.title(events, run)))
            st.html(draw.columns(gathered, trace.names))
    rows = [
        {"rank": rank, "gold": "★" if passage.key in run.gold else "", "passage": passage.name}
        for rank, passage in enumerate(trace.final[:LISTED], start=1)
    ]
    with st.container(border=True):
        st.html(markup.title("Final ranking", f"the first {LISTED}"))
        st.dataframe(rows, hide_index=True, height="content")


def _missed_passages(workspace: Workspace, run: RunInfo) -> list[Passage]:
    """The missed gold passages that are in the collection."""
    passages = []
    for key in missed(workspace, run):
        with contextlib.suppress(GearError):
            passages.append(workspace.collections[run.collection].passage_by_key(key))
    return passages
