"""The desk of Annotate: filters, the run that is judged, the form with its keys, and the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import streamlit as st

from gear_app.annotation.codebook import code_book
from gear_app.annotation.queue import Filters, QueueItem, QueuePlace, chosen, queue, with_causes
from gear_app.annotation.record import EMPTY, SEVERITIES, VERDICTS, Key, Label, SuggestedCause
from gear_app.app.annotate import run
from gear_app.app.shared import address, elements, question_sets, session
from gear_app.core.errors import GearError
from gear_app.core.text import count, normalise_entity
from gear_app.display import markup
from gear_app.display.labels import literal, method_name, step_place
from gear_app.evaluation.question_set import of_runs
from gear_app.evaluation.service import EvaluationService
from gear_app.trace.lost import Cause
from gear_app.trace.timeline import Step
from gear_app.workspace.workspace import Workspace

CASE = "case"  # in the address: the case that is judged
CAUSES = "annotate-causes"  # whether suggested causes are always shown
ERROR, BEFORE = "annotate-error", "annotate-before"  # labels before the last changes
WINDOW, ABOVE = 60, 8  # places of the queue that are listed, and of these before the current one
CAUSES_AT_MOST = 300  # runs whose causes are looked up for a filter
FIELDS = ("note", "severity", "step")  # fields of a label that are widgets
NOTE_HEIGHT = 76  # pixels
ANY, WHOLE_RUN = "any", "whole run"
When = Literal["before", "after"]  # seen before or after a category was chosen
RUNS = {
    "Runs that miss gold in the first 5": True,
    "Runs with all gold in the first 5": False,
    "All finished runs": None,
}
SIGNS = {"open": "○", "begun": "◐", "deferred": "◔", "done": "✓"}
SIGNS_WORDS = "○ to judge · ◐ begun · ◔ deferred · ✓ judged. Select a row to go there."
KEYS = "N writes the note, Esc leaves it. Changes are saved at once."
HIDDEN = "The suggested cause is shown once a category is chosen."
CAUSES_HELP = (
    "Off: a cause is shown after you have chosen a category, so that it does not lead you. The"
    " label records which it was."
)
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
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with bar:
        with st.popover("Filters", icon=":material/filter_list:"):
            filters = _filters(workspace, collection, items)
        st.toggle("Show suggested causes", key=CAUSES, help=CAUSES_HELP, persist_state="session")
    if filters.cause:
        items = _with_causes(workspace, items, filters)
    places = queue(items, filters, annotator, workspace.annotations.labels(collection))
    with bar:
        question_sets.offer(
            workspace,
            "queue-set",
            len({place.item.question for place in places}),
            lambda: of_runs(
                workspace, collection, [_run(workspace, place.item) for place in places]
            ),
        )
    st.fragment(_desk)(workspace, collection, annotator, items, filters)


def _run(workspace: Workspace, item: QueueItem) -> Any:  # noqa: ANN401
    return workspace.runs.get(item.run)


def _filters(workspace: Workspace, collection: str, items: Sequence[QueueItem]) -> Filters:
    """Draw the filters, which are in the address so that two people get the same queue."""
    methods = sorted({item.method for item in items})
    types = sorted({item.type for item in items if item.type})
    causes = [cause.value for cause in Cause if cause is not Cause.FOUND]
    sets = _question_sets(workspace, collection)
    runs = _choice("Runs", "show", list(RUNS))
    method = _choice("Method", "method", [ANY, *methods], method_name)
    kind = _choice("Question type", "type", [ANY, *types])
    set_words = _choice("Question set", "set", [ANY, *sets])
    cause = _choice("Suggested cause", "cause", [ANY, *causes])
    if cause != ANY:
        elements.message("You know the cause of these runs. Labels record that you saw it before.")
    number = partial(st.number_input, bind="query-params")
    sample = number("Random sample (0: all runs)", 0, 100_000, 0, key="annotate-sample")
    seed = number("Seed of the sample", 0, 10**6, 7, key="annotate-seed")
    method, kind, cause = ("" if option == ANY else option for option in (method, kind, cause))
    questions = sets.get(set_words, frozenset())
    return Filters(method, kind, cause, RUNS[runs], int(sample), int(seed), questions)


def _choice(label: str, name: str, options: list[str], words: Callable[[str], str] = str) -> str:
    key = f"annotate-{name}"
    return st.selectbox(label, options, format_func=words, key=key, bind="query-params")


def _question_sets(workspace: Workspace, collection: str) -> dict[str, frozenset[str]]:
    """The questions, normalised, of the collection's question sets, by their words."""
    service, sets = EvaluationService(workspace), dict[str, frozenset[str]]()
    questions = {
        question.id: question.question for question in workspace.collections.questions(collection)
    }
    for row in workspace.store.evaluations.all():
        definition = service.definition(row.id) if row.collection == collection else None
        if definition and definition.choice.ids:
            ids = [id_ for id_ in definition.questions if id_ in questions]
            words = f"{definition.choice.words} ({row.id[:5]})"
            sets[words] = frozenset(normalise_entity(questions[id_]) for id_ in ids)
    return sets


def _with_causes(
    workspace: Workspace, items: Sequence[QueueItem], filters: Filters
) -> list[QueueItem]:
    items = [item for item in items if filters.missed is not True or item.missed]
    with st.spinner("Looking up suggested causes"):
        causes = {
            item.run: workspace.annotations.causes(item.run) for item in items[:CAUSES_AT_MOST]
        }
    if len(items) > CAUSES_AT_MOST:
        elements.message(
            f"Causes are looked up for the first {CAUSES_AT_MOST} of {len(items):,} runs. Choose a"
            " method or a type as well."
        )
    return with_causes(items[:CAUSES_AT_MOST], causes)


def _desk(
    workspace: Workspace,
    collection: str,
    annotator: str,
    items: Sequence[QueueItem],
    filters: Filters,
) -> None:
    labels = workspace.annotations.labels(collection)
    places = queue(items, filters, annotator, labels)
    current = _current(places)
    complete = len(chosen(items, filters)) - len(places)
    title = markup.title(
        heading(places), f"{complete} more judged by two others" if complete else ""
    )
    if current is None:
        st.html(title)
        elements.message("No run is left to judge here. Choose other filters, or see Agreement.")
        return
    left, right = st.columns([2, 1], gap="small")
    with left:
        st.html(title)
        run.show(workspace, workspace.runs.get(current.item.run))
    with right:
        with st.container(border=True, key="judgement", gap="small"):
            record = labels.get(Key(current.item.case, annotator))
            _form(workspace, annotator, places, current, record.label if record else EMPTY)
        _queue(places, current)


def heading(places: Sequence[QueuePlace]) -> str:
    """Judged and remaining runs of a queue."""
    judged = sum(place.state in ("done", "deferred") for place in places)
    return f"{judged} of {count(len(places), 'run')} judged, {len(places) - judged} remaining"


def _current(places: Sequence[QueuePlace]) -> QueuePlace | None:
    """The place of the address, else the first that is not judged; it goes into the address."""
    named = (place for place in places if place.item.case == address.named(CASE))
    open_ = (place for place in places if place.state in ("open", "begun"))
    current = next(iter([*named, *open_, *places]), None)
    address.hold(CASE, current.item.case if current else "")
    return current


def _go(case: str) -> None:
    address.hold(CASE, case)


def _form(
    workspace: Workspace,
    annotator: str,
    places: Sequence[QueuePlace],
    current: QueuePlace,
    label: Label,
) -> None:
    """Draw note, category, verdict, severity, step and suggested cause, each saved at once."""
    item, state = current.item, st.session_state
    service, case, place = workspace.annotations, item.case, places.index(current)
    cases = [place.item.case for place in places]
    later = [*places[place + 1 :], *places[:place]]
    following = next((place.item.case for place in later if place.state in ("open", "begun")), "")
    change = partial(_change, workspace, annotator, item, following)
    for name in FIELDS:
        state.setdefault(
            f"{name}-{case}", getattr(label, name) or (None if name == "severity" else "")
        )
    st.html(markup.title("Judgement", f"run {place + 1} of {len(places)}"))
    elements.message(state.pop(ERROR, ""), "bad")
    st.text_area(
        "What went wrong",
        key=f"note-{case}",
        height=NOTE_HEIGHT,
        max_chars=10_000,
        help=KEYS,
        on_change=change,
    )
    numbers = {
        category.key: at for at, category in enumerate(code_book(service.categories()), start=1)
    }
    categories = st.container(gap="xxsmall")
    for category in service.offered(item.method, {label.category}):
        number = numbers[category.key]
        categories.button(
            literal(category.name),
            key=f"category-{number}-{case}",
            type="primary" if label.category == category.key else "secondary",
            shortcut=str(number) if number < 10 else None,
            help=literal(category.definition),
            width="stretch",
            on_click=change,
            kwargs={"category": category.key, "verdict": "fail"},
        )
    with st.container(horizontal=True, gap="small"):
        for verdict in VERDICTS:
            st.button(
                verdict.capitalize(),
                key=f"{verdict}-{case}",
                type="primary" if label.verdict == verdict else "secondary",
                shortcut=verdict[0].upper(),
                on_click=change,
                kwargs={"verdict": verdict, **({"category": ""} if verdict == "pass" else {})},
            )
    st.segmented_control("Severity", SEVERITIES, key=f"severity-{case}", on_change=change)
    steps = session.events(workspace, workspace.runs.get(item.run)).steps
    names = list(dict.fromkeys(step_place(step) for step in steps))
    st.selectbox(
        "Step at fault",
        ["", *names],
        key=f"step-{case}",
        format_func=lambda name: name or WHOLE_RUN,
        on_change=change,
    )
    _cause(workspace, item, label)
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
            address.explore(item.run, _number(steps, label.step))
    with st.container(horizontal=True, gap="small"):
        for words, shortcut, near in (
            ("Previous", "Left", place - 1),
            ("Next", "Right", place + 1),
        ):
            st.button(
                words,
                key=f"annotate-{words.lower()}",
                shortcut=shortcut,
                disabled=not 0 <= near < len(cases),
                on_click=_go,
                args=(cases[near % len(cases)],),
            )


def _number(steps: Sequence[Step], name: str) -> int | None:
    """The number of the step that a label names; None for the whole run."""
    return next((step.number for step in steps if step_place(step) == name), None)


def _cause(workspace: Workspace, item: QueueItem, label: Label) -> None:
    """Draw the causes that why-not suggests for missed passages, after a category is chosen."""
    if not (label.category or st.session_state.get(CAUSES)):
        st.caption(HIDDEN)
        return
    info = workspace.runs.get(item.run)
    missed = run.missed(workspace, info)
    titles = elements.passage_titles(workspace, info.collection, missed)
    causes = workspace.annotations.causes(item.run)
    rows = [(titles.get(key, key), cause) for key, cause in zip(missed, causes, strict=False)]
    st.html(markup.title("Suggested cause") + markup.facts(rows or [("", "none")]))


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
    elif complete and label.verdict == "fail" and not label.category:
        state[ERROR] = NO_CATEGORY
    else:
        try:
            moment: When = "before" if item.causes or state.get(CAUSES) else "after"
            if not label.suggestion.shown and (moment == "before" or label.category):
                causes = ", ".join(dict.fromkeys(service.causes(item.run)))[:200]
                cause = SuggestedCause(causes, moment) if causes else SuggestedCause()
                label = replace(label, suggestion=cause)
            if service.commit(item.run, annotator, label):
                state.setdefault(BEFORE, []).append((item.run, item.case, before))
        except GearError as error:
            state[ERROR] = f"This was not saved: {error}"
        else:
            if complete:
                _go(following)


def _undo(workspace: Workspace, annotator: str) -> None:
    """Save the label of before the last change, and go to its case."""
    state = st.session_state
    run_id, case, label = state[BEFORE].pop()
    with elements.refusals(ERROR):
        workspace.annotations.commit(run_id, annotator, label)
    for name in FIELDS:
        state[f"{name}-{case}"] = getattr(label, name) or (None if name == "severity" else "")
    _go(case)


def _queue(places: Sequence[QueuePlace], current: QueuePlace) -> None:
    """List the places around the current one; a selected one becomes current."""
    start = max(0, min(places.index(current) - ABOVE, len(places) - WINDOW))
    window = places[start : start + WINDOW]
    rows: list[Mapping[str, str]] = [
        {
            "": ("▶ " if place is current else "") + SIGNS[place.state],
            "question": place.item.question,
            "method": method_name(place.item.method),
            "gold found": f"{place.item.found} of {place.item.gold}",
        }
        for place in window
    ]
    table: Any = st.dataframe(
        rows,
        hide_index=True,
        key=f"queue-{current.item.case}",
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption(SIGNS_WORDS)
    for row in table.selection.rows:
        _go(window[row].item.case)
        st.rerun(scope="fragment")
