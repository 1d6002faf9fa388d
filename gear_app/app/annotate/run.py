"""The run that is judged: its header, evidence, missed passages, memory and ranking."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from gear_app.app.shared import elements, session
from gear_app.core.errors import GearError
from gear_app.core.text import cut
from gear_app.core.types import Passage
from gear_app.display import draw, evidence, gold_strip, header, markup, memory
from gear_app.display.labels import base_name
from gear_app.display.markup import Html, join, tag
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace.events import RankedPassage
from gear_app.trace.rankings import CUTS, rank_of
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

SHOWN = 15


def missed(workspace: Workspace, run: RunInfo) -> list[str]:
    """Keys of the gold passages that are not among the first five."""
    return golds.missed(session.events(workspace, run), run.gold)


def show(workspace: Workspace, run: RunInfo) -> None:
    """Header, gold strip, the passages that were missed, memory or thoughts, and the ranking."""
    events = session.events(workspace, run)
    line = header.facts(run, events, keys=False)
    figures = header.figures(events, run.gold, run.answers)
    question = markup.named(run.question, RunTrace.of(events).names)
    with st.container(border=True, gap="small"):
        st.html(header.head(question, line, figures))
        if run.answers:
            st.html(markup.tag("p", f"Expected: {' or '.join(run.answers)}", class_="gear-note"))
        if card := evidence.card(events, run.gold, run.answers):
            st.html(card)
        _gold(workspace, run)
    _missed(workspace, run)
    gathered = memory.memory(events)
    if gathered:
        with st.container(border=True):
            st.html(markup.title(*memory.title(events)[:2]))
            st.html(draw.columns(gathered, RunTrace.of(events).names))
    with st.container(border=True):
        st.html(markup.title("Final ranking", f"the first {SHOWN}"))
        st.html(ranked(RunTrace.of(events).final, run.gold, CUTS[0], SHOWN))


def _gold(workspace: Workspace, run: RunInfo) -> None:
    events = session.events(workspace, run)
    base = golds.base(events)
    if base is None or not run.gold:
        return
    titles = elements.passage_titles(workspace, run.collection, run.gold)
    passages = golds.gold_passages(events, run.gold, titles)
    now = gold_strip.newest(passages, over=True)
    at = gold_strip.Position(now, 0, over=True)
    iterates = RunTrace.of(events).iterates
    st.html(
        gold_strip.strip(passages, base_name(base.base), run.question, iterates=iterates, at=at)
    )


def _missed(workspace: Workspace, run: RunInfo) -> None:
    keys = missed(workspace, run)
    ranking = RunTrace.of(session.events(workspace, run)).final
    passages = []
    for key in keys:
        with contextlib.suppress(GearError):
            passages.append(workspace.collections.passage_by_key(run.collection, key))
    labels = workspace.collections.labels([passage.id for passage in passages])
    passages = [
        replace(passage, title=labels.get(passage.id, passage.title)) for passage in passages
    ]
    if passages:
        with st.container(border=True):
            st.html(markup.title("What was missed", "gold that is not among the first 5"))
            ranks = {key: rank_of(key, ranking) for key in keys}
            st.html(missed_texts(passages, ranks))


def ranked(ranking: Sequence[RankedPassage], gold: Sequence[str], k: int, count: int) -> Html:
    """The first passages of a ranking, gold with a star, with a dotted line below rank k."""
    lines = [
        tag(
            "li",
            tag("i", str(rank)),
            tag("span", "★" if passage.key in gold else "", class_="gear-star"),
            tag("span", passage.name, dir="auto"),
            class_="gear-cut-here" if rank == k + 1 else None,
        )
        for rank, passage in enumerate(ranking[:count], start=1)
    ]
    return tag("ol", join(lines), class_="gear-list-ranked")


def missed_texts(passages: Sequence[Passage], ranks: Mapping[str, int | None]) -> Html:
    """Missed gold passages with their texts."""
    items = [
        tag(
            "div",
            tag("b", f"★ {passage.name}", class_="gear-star"),
            f" is at rank {rank}" if (rank := ranks.get(passage.key)) else " is not in the ranking",
            tag("p", cut(passage.text, 600), dir="auto"),
            class_="gear-missed-text",
        )
        for passage in passages
    ]
    return join(items)
