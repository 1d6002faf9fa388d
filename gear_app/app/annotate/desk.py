"""The desk of Annotate: filters, the run that is judged, the form with its keys, and the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from gear_app.annotation.codebook import code_book
from gear_app.annotation.queue import Filters, QueueItem, QueuePlace, queue
from gear_app.annotation.record import EMPTY, SEVERITIES, VERDICTS, Key, Label, SuggestedCause
from gear_app.app.annotate import run
from gear_app.app.shared import address, elements, session
from gear_app.core.errors import GearError
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import literal, method_name, step_label
from gear_app.store.rows import RunInfo
from gear_app.workspace.runs.annotations import case_of
from gear_app.workspace.workspace import Workspace

CASE = "case"  # in the address: the case that is judged
RUN_IDS, EVALUATION = "runs", "evaluation"  # in the address: a queue of these runs alone
ERROR, BEFORE = "annotate-error", "annotate-before"  # labels before the last changes
WINDOW, ABOVE = 60, 8  # places of the queue that are listed, and of these before the current one
FIELDS = ("note", "severity", "step")  # fields of a label that are widgets
ANY = "any"
RUNS = {
    "Runs that miss gold in the first 5": True,
    "Runs with all gold in the first 5": False,
    "All finished runs": None,
}
SIGNS = {"open": "○", "begun": "◐", "deferred": "◔", "done": "✓"}
SIGNS_WORDS = "○ to judge · ◐ begun · ◔ deferred · ✓ judged. Select a row to go there."
KEYS = "N writes the note, Esc leaves it. Changes are saved at once."
HIDDEN = "The suggested cause is shown once a category is chosen."
NO_VERDICT = "Choose a category or a verdict first."
NO_CATEGORY = "A failure needs a category."
NO_GOLD = (
    "No finished run of “{0}” has known gold passages. Mark gold passages in a run's ranking on"
    " Explore. Questions that came with gold only have to be run: gear-app eval --collection {0}"
)


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the filters, and the desk with what passes them."""
    items = workspace.annotations.items(collection)
    if not items:
        elements.message(NO_GOLD.format(collection))
        st.page_link(session.EXPLORE, label="Go to Explore", icon=":material/star:")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if cases := _linked_cases(workspace):
            filters = Filters(missed=None, cases=cases)
            st.page_link(session.ANNOTATE, label=f"All runs of “{literal(collection)}”")
        else:
            with st.popover("Filters", icon=":material/filter_list:"):
                filters = _filters(items)
    st.fragment(_desk)(workspace, collection, annotator, items, filters)


def _filters(items: Sequence[QueueItem]) -> Filters:
    """Draw the filters, which are in the address so that two people get the same queue."""
    runs = _choice("Runs", "show", list(RUNS))
    method = _choice("Method", "method", [ANY, *sorted({i.method for i in items})], method_name)
    kind = _choice("Question type", "type", [ANY, *sorted({i.type for i in items if i.type})])
    number = partial(st.number_input, bind="query-params")
    return Filters(
        method="" if method == ANY else method,
        type="" if kind == ANY else kind,
        missed=RUNS[runs],
        sample=int(number("Random sample (0: all runs)", 0, 100_000, 0, key="annotate-sample")),
        seed=int(number("Seed of the sample", 0, 10**6, 7, key="annotate-seed")),
    )


def _linked_cases(workspace: Workspace) -> frozenset[str]:
    """Cases of the runs in the address, or of those of an evaluation in it."""
    runs: list[RunInfo] = list(workspace.store.evaluations.runs(address.named(EVALUATION)).values())
    with elements.refusals():
        runs += map(workspace.runs.get, filter(None, address.named(RUN_IDS).split(",")))
    return frozenset(case_of(run).id for run in runs)


def _choice(label: str, name: str, options: list[str], words: Callable[[str], str] = str) -> str:
    key = f"annotate-{name}"
    return st.selectbox(label, options, format_func=words, key=key, bind="query-params")


def _desk(
    workspace: Workspace,
    collection: str,
    annotator: str,
    items: Sequence[QueueItem],
    filters: Filters,
) -> None:
    places = queue(items, filters, annotator, workspace.annotations.labels(collection))
    current = _current(places)
    left, right = st.columns([2, 1], gap="small")
    with left:
        judged = sum(place.state in ("done", "deferred") for place in places)
        remaining = len(places) - judged
        st.html(
            markup.title(f"{judged} of {count(len(places), 'run')} judged, {remaining} remaining")
        )
        if current is None:
            elements.message("No run is left to judge here. Choose other filters.")
            return
        run.show(workspace, workspace.runs.get(current.item.run))
    with right:
        with st.container(border=True, key="judgement", gap="small"):
            _form(workspace, annotator, places, places.index(current))
        _queue(places, places.index(current))


def _current(places: Sequence[QueuePlace]) -> QueuePlace | None:
    """The place of the address, else the first that is not judged; it goes into the address."""
    case = address.named(CASE)
    named = (place for place in places if place.item.case == case)
    current = next(iter([*named, *filter(_is_open, places), *places]), None)
    address.hold(CASE, current.item.case if current else "")
    return current


def _is_open(place: QueuePlace) -> bool:
    return place.state in ("open", "begun")


def _form(workspace: Workspace, annotator: str, places: Sequence[QueuePlace], place: int) -> None:
    """Draw note, category, verdict, severity, step and suggested cause, each saved at once."""
    item, state, service = places[place].item, st.session_state, workspace.annotations
    case, info = item.case, workspace.runs.get(item.run)
    record = service.labels(info.collection).get(Key(case, annotator))
    label = record.label if record else EMPTY
    following = next(filter(_is_open, [*places[place + 1 :], *places[:place]]), None)
    change = partial(_change, workspace, annotator, item, following.item.case if following else "")
    if f"note-{case}" not in state:
        _fill(case, label)
    st.html(markup.title("Judgement", f"run {place + 1} of {len(places)}"))
    elements.message(state.pop(ERROR, ""), "bad")
    st.text_area(
        "What went wrong",
        key=f"note-{case}",
        height=76,
        max_chars=10_000,
        help=KEYS,
        on_change=change,
    )
    _categories(workspace, item, label, change)
    st.segmented_control("Severity", SEVERITIES, key=f"severity-{case}", on_change=change)
    steps = session.events(workspace, info).steps
    st.selectbox(
        "Step at fault",
        ["", *dict.fromkeys(map(step_label, steps))],
        key=f"step-{case}",
        format_func=lambda name: name or "whole run",
        on_change=change,
    )
    if label.category:
        missed = run.missed(workspace, info)
        titles = elements.passage_titles(workspace, info.collection, missed)
        causes = zip(missed, service.causes(item.run), strict=False)
        rows = [(titles.get(key, key), cause) for key, cause in causes]
        st.html(markup.title("Suggested cause") + markup.facts(rows or [("", "none")]))
    else:
        st.caption(HIDDEN)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Complete, next",
            key=f"complete-{case}",
            type="primary",
            shortcut="Ctrl+Enter",
            on_click=change,
            kwargs={"complete": True},
        )
        undo = partial(_undo, workspace, annotator)
        st.button("Undo", key="undo", shortcut="Z", disabled=not state.get(BEFORE), on_click=undo)
        if st.button("Open in Explore", key="annotate-explore", shortcut="O"):
            at = (step.number for step in steps if step_label(step) == label.step)
            address.explore(item.run, next(at, None))
    with st.container(horizontal=True, gap="small"):
        for words, shortcut, near in (
            ("Previous", "Left", place - 1),
            ("Next", "Right", place + 1),
        ):
            st.button(
                words,
                key=f"annotate-{words.lower()}",
                shortcut=shortcut,
                disabled=not 0 <= near < len(places),
                on_click=address.hold,
                args=(
                    CASE,
                    places[near % len(places)].item.case,
                ),
            )


def _categories(
    workspace: Workspace, item: QueueItem, label: Label, change: Callable[..., None]
) -> None:
    """Draw a button for each category, by its number key, and for each verdict."""
    service = workspace.annotations
    numbers = {
        category.key: str(number)
        for number, category in enumerate(code_book(workspace.store.labels.categories()), start=1)
    }
    with st.container(gap="xxsmall"):
        for category in service.offered(item.method, {label.category}):
            number = numbers[category.key]
            st.button(
                literal(category.name),
                key=f"category-{number}-{item.case}",
                type="primary" if label.category == category.key else "secondary",
                shortcut=number if len(number) == 1 else None,
                help=literal(category.definition),
                width="stretch",
                on_click=change,
                kwargs={"category": category.key, "verdict": "fail"},
            )
    with st.container(horizontal=True, gap="small"):
        for verdict in VERDICTS:
            st.button(
                verdict.capitalize(),
                key=f"{verdict}-{item.case}",
                type="primary" if label.verdict == verdict else "secondary",
                shortcut=verdict[0].upper(),
                on_click=change,
                kwargs={"verdict": verdict, **({"category": ""} if verdict == "pass" else {})},
            )


def _fill(case: str, label: Label) -> None:
    """Fill the fields in from a label."""
    for name in FIELDS:
        empty = None if name == "severity" else ""
        st.session_state[f"{name}-{case}"] = getattr(label, name) or empty


def _change(
    workspace: Workspace,
    annotator: str,
    item: QueueItem,
    following: str,
    *,
    complete: bool = False,
    **fields: str,
) -> None:
    """Save a label with the form's fields and these; a complete one leads to the following case."""
    service, state = workspace.annotations, st.session_state
    info = workspace.runs.get(item.run)
    record = service.labels(info.collection).get(Key(item.case, annotator))
    before = record.label if record else EMPTY
    changes: dict[str, Any] = {
        name: state.get(f"{name}-{item.case}", getattr(before, name)) or "" for name in FIELDS
    }
    label = replace(before, **(changes | fields), complete=complete)
    if complete and not label.verdict:
        state[ERROR] = NO_VERDICT
        return
    if complete and label.verdict == "fail" and not label.category:
        state[ERROR] = NO_CATEGORY
        return
    causes = ", ".join(dict.fromkeys(service.causes(item.run)))[:200]
    if causes and label.category and not label.suggestion.shown:
        label = replace(label, suggestion=SuggestedCause(causes, "after"))
    try:
        if service.commit(item.run, annotator, label):
            state.setdefault(BEFORE, []).append((item.run, item.case, before))
    except GearError as error:
        state[ERROR] = f"This was not saved: {error}"
        return
    if complete:
        address.hold(CASE, following)


def _undo(workspace: Workspace, annotator: str) -> None:
    """Save the label of before the last change, and go to its case."""
    run_id, case, label = st.session_state[BEFORE].pop()
    with elements.refusals(ERROR):
        workspace.annotations.commit(run_id, annotator, label)
    _fill(case, label)
    address.hold(CASE, case)


def _queue(places: Sequence[QueuePlace], current: int) -> None:
    """List the places around the current one; a selected one becomes current."""
    start = max(0, min(current - ABOVE, len(places) - WINDOW))
    window = places[start : start + WINDOW]
    rows = [
        {
            "": ("▶ " if start + at == current else "") + SIGNS[place.state],
            "question": place.item.question,
            "method": method_name(place.item.method),
            "gold found": f"{place.item.found} of {place.item.gold}",
        }
        for at, place in enumerate(window)
    ]
    table: Any = st.dataframe(
        rows,
        hide_index=True,
        key=f"queue-{places[current].item.case}",
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption(SIGNS_WORDS)
    for row in table.selection.rows:
        address.hold(CASE, window[row].item.case)
        st.rerun(scope="fragment")
