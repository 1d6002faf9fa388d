"""The queue, the run that is judged, and the form: one fragment, drawn anew with every commit, and
the component that draws queue and form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import streamlit as st

from gear_app.analysis.trace import RunTrace
from gear_app.annotate.codebook import Category, code_book
from gear_app.annotate.queue import (
    Filters,
    QueueItem,
    QueuePlace,
    chosen,
    queue,
    with_causes,
)
from gear_app.annotate.record import EMPTY, Key, Label, Labels, SuggestedCause, label_from
from gear_app.errors import BadInput, GearError
from gear_app.evaluate.question_set import of_runs
from gear_app.runs.annotations import AnnotationService
from gear_app.ui.annotate import desk_data, filters, run
from gear_app.ui.shared import address, elements, question_sets, session
from gear_app.views import markup
from gear_app.workspace import Workspace

HERE = "annotate-here"
CASE = "case"  # in the address: what is judged
ADDRESSED = "annotate-addressed"  # what the address said last
SENT = "annotate-sent"  # whether the desk sent something in this run
SHOW = "annotate-show-causes"
CAUSES_AT_MOST = 300  # runs whose causes are looked up for a filter
When = Literal["before", "after"]


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Filters, and under them queue, run and form."""
    items = workspace.annotations.items(collection)
    if not items:
        elements.message(desk_data.no_gold_words(collection))
        st.page_link(session.EXPLORE, label="Go to Explore", icon=":material/star:")
        return
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        wanted = filters.pick(workspace, collection, items)
        st.toggle(
            "Show suggested causes",
            key=SHOW,
            help="Off: a cause is shown after you have chosen a category, so that it does not"
            " lead you. The record says which it was.",
            persist_state="session",
        )
    if wanted.cause:
        items = _caused(workspace, items, wanted)
    with bar:
        _set_of(workspace, collection, _places(workspace, collection, annotator, items, wanted))
    st.fragment(_body)(workspace, collection, annotator, items, wanted)


def _set_of(workspace: Workspace, collection: str, places: Sequence[QueuePlace]) -> None:
    """A question set of the queue."""
    runs = [place.item.run for place in places]
    question_sets.offer(
        workspace,
        "queue-set",
        desk_data.questions(places),
        lambda: of_runs(workspace, collection, [workspace.runs.get(run) for run in runs]),
    )


def _caused(workspace: Workspace, items: Sequence[QueueItem], wanted: Filters) -> list[QueueItem]:
    """The items with their causes, as far as they are looked up."""
    looked = [item for item in items if wanted.missed is not True or item.missed]
    with st.spinner("Looking up suggested causes"):
        causes = {
            item.run: workspace.annotations.causes(item.run) for item in looked[:CAUSES_AT_MOST]
        }
    if len(looked) > CAUSES_AT_MOST:
        elements.message(
            f"Causes are looked up for the first {CAUSES_AT_MOST} of {len(looked):,} runs. Choose a"
            " method or a type to narrow them down."
        )
    return with_causes(looked[:CAUSES_AT_MOST], causes)


def _places(
    workspace: Workspace,
    collection: str,
    annotator: str,
    items: Sequence[QueueItem],
    wanted: Filters,
) -> list[QueuePlace]:
    return queue(items, wanted, annotator, workspace.annotations.labels(collection))


def _body(
    workspace: Workspace,
    collection: str,
    annotator: str,
    items: Sequence[QueueItem],
    wanted: Filters,
) -> None:
    elements.message(st.session_state.pop("annotate-error", ""), "bad")
    if "annotate-opened" in st.session_state:
        address.explore(*st.session_state.pop("annotate-opened"))
    places = _places(workspace, collection, annotator, items, wanted)
    here = _settle(places)
    left_out = len(chosen(items, wanted)) - len(places)
    line = desk_data.queue_line(places, wanted, annotator, left_out)
    st.html(markup.title(desk_data.heading(places), line))
    labels = workspace.annotations.labels(collection)
    with st.container(key="desk"):
        draw_desk(
            _data(workspace, collection, annotator, places, here, labels),
            partial(_commit, workspace, collection, annotator, bool(wanted.cause)),
            partial(_open, workspace),
        )
        with st.container(key="judged", gap="small"):
            if here:
                run.show(workspace, workspace.runs.get(here.item.run))


def _settle(places: Sequence[QueuePlace]) -> QueuePlace | None:
    """The place that is shown: that of an address that is new to this session, the one gone to,
    else the first that is not done.

    What the desk sends comes with the address as the browser has it, which may be the one before.
    """
    state, asked = st.session_state, address.named(CASE)
    new = asked != state.get(ADDRESSED, "") and not state.get(SENT)
    wanted = asked if new else state.get(HERE)
    found = next((place for place in places if place.item.case == wanted), None)
    todo = (place for place in places if place.state in ("open", "begun"))
    here = found or next(todo, None) or next(iter(places), None)
    state[HERE] = here.item.case if here else None
    state.pop(SENT, None)
    state[ADDRESSED] = here.item.case if here else ""
    address.hold(CASE, state[ADDRESSED])
    return here


def _data(
    workspace: Workspace,
    collection: str,
    annotator: str,
    places: Sequence[QueuePlace],
    here: QueuePlace | None,
    labels: Labels,
) -> dict[str, Any]:
    service = workspace.annotations
    book = code_book(service.categories())
    numbers = {one.key: number for number, one in enumerate(book, start=1)}
    mine = {
        key.case: record.label
        for key, record in labels.items()
        if key.annotator == annotator and not key.adjudicates
    }
    data = desk_data.queue_data(places, here.item.case if here else "", mine)
    data |= desk_data.field_data(_offered(service, places, mine), numbers)
    data |= {"steps": {}, "suggested": {}, "hidden": desk_data.HIDDEN}
    data["empty"] = "Nothing is left to judge here. Choose other filters, or see Agreement."
    if here is None:
        return data
    case, label = here.item.case, mine.get(here.item.case, EMPTY)
    shown = workspace.runs.get(here.item.run)
    steps = RunTrace.of(session.events(workspace, shown)).steps
    data["steps"] = {case: desk_data.step_data(steps)}
    if label.category or st.session_state.get(SHOW):
        causes = suggested(workspace, here.item)
        data["suggested"] = {case: causes} if causes else {}
        data["hidden"] = desk_data.NO_CAUSE
    return data


def _offered(
    service: AnnotationService, places: Sequence[QueuePlace], mine: Mapping[str, Label]
) -> dict[str, list[Category]]:
    """The categories to choose among, by method; what she has said stays among them."""
    said: dict[str, set[str]] = {}
    for place in places:
        label = mine.get(place.item.case, EMPTY)
        said.setdefault(place.item.method, set()).add(label.category)
    return {method: service.offered(method, keys) for method, keys in sorted(said.items())}


def suggested(workspace: Workspace, item: QueueItem) -> list[str]:
    """What why-not suggests, a line for each missed passage."""
    shown = workspace.runs.get(item.run)
    missed = run.missed(workspace, shown)
    titles = elements.passage_titles(workspace, shown.collection, missed)
    causes = workspace.annotations.causes(item.run)
    return [f"{titles.get(key, key)}: {cause}" for key, cause in zip(missed, causes, strict=False)]


def _commit(
    workspace: Workspace,
    collection: str,
    annotator: str,
    filtered: bool,
    entry: Mapping[str, Any],
) -> None:
    """Carry out what was said in the component. What cannot be stored is told, not lost: it stays
    in the form. `filtered`: the queue is of one suggested cause, which everybody knows then.
    """
    st.session_state[SENT] = True
    try:
        if entry["kind"] == "go":
            st.session_state[HERE] = str(entry["case"])
        else:
            told = filtered or bool(st.session_state.get(SHOW))
            _label(workspace, collection, annotator, entry, "before" if told else "after")
    except GearError as error:
        st.session_state["annotate-error"] = f"This was not saved: {error}"


def _label(
    workspace: Workspace, collection: str, annotator: str, entry: Mapping[str, Any], when: When
) -> None:
    """Save what the form says. `when` the cause is seen: "before" a category is chosen, by a
    switch or a filter, or "after".
    """
    service, run_id = workspace.annotations, str(entry["run"])
    row = {name: value for name, value in entry["label"].items() if name != "suggestion"}
    confirmed = row.pop("confirmed", None)
    label = label_from(row)
    run_of = workspace.runs.get(run_id)
    before = service.labels(collection).get(Key(str(entry["case"]), annotator))
    said = {before.label.category} if before else set[str]()
    known = {one.key for one in service.offered(run_of.method, said)}
    if label.category and label.category not in known:
        raise BadInput(f"{label.category!r} is no category")
    told = before.label.suggestion if before else SuggestedCause()
    if not told.shown and (when == "before" or label.category):
        causes = tuple(dict.fromkeys(service.causes(run_id)))
        told = SuggestedCause(", ".join(causes)[:200], when) if causes else told
    if told.shown:
        told = replace(told, confirmed=confirmed if isinstance(confirmed, bool) else None)
    service.commit(run_id, annotator, replace(label, suggestion=told))
    if label.complete:  # "": none of those the browser knows is open
        st.session_state[HERE] = str(entry.get("next") or "")


def _open(workspace: Workspace, run_id: str, step: str) -> None:
    """Remember to go to Explore: a callback cannot."""
    shown = workspace.runs.get(run_id)
    steps = RunTrace.of(session.events(workspace, shown)).steps
    st.session_state["annotate-opened"] = (run_id, desk_data.step_number(steps, step))


_annotate = elements.component(
    "annotate", html='<div class="annotate"></div>', js="annotate.js", css="annotate.css"
)
KEY = "annotate"
Entry = Mapping[str, Any]


def draw_desk(
    data: Mapping[str, Any],
    commit: Callable[[Entry], None],
    opened: Callable[[str, str], None],
) -> None:
    """Draw queue and form. `commit` is given each thing that was said, once and in order: `kind` is
    "label" or "go". `opened` is given a run and the name of a step that are to be shown.

    The browser sends all that it was not told to have arrived, each with a number: so what is typed
    while the page draws is not lost. A newer run of the script may break off this one wherever it
    looks at the session, in a callback too: an entry counts as arrived only after it was committed,
    which does no harm a second time, and what a callback left is done when the page is drawn.
    """
    seen: dict[str, int] = st.session_state.setdefault("annotate-seen", {})

    def arrive(outbox: Sequence[Entry] | None) -> bool:
        new = [one for one in outbox or () if int(one["seq"]) > seen.get(str(one["client"]), 0)]
        for entry in new:
            commit(entry)
            seen[str(entry["client"])] = int(entry["seq"])
        return bool(new)

    def said() -> None:
        arrive(st.session_state[KEY].get("outbox"))

    def asked() -> None:
        wanted = st.session_state[KEY].get("open")
        if wanted:
            opened(str(wanted["run"]), str(wanted.get("step") or ""))

    result = _annotate(
        data={**data, "acknowledged": dict(seen)},
        key=KEY,
        on_outbox_change=said,
        on_open_change=asked,
    )
    if arrive(result.outbox):
        st.rerun()
