"""The tab Agreement: how far people agree, where they differ, and deciding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from gear_app.annotate.agreement import (
    FIELDS,
    Agreement,
    Disagreement,
    agreement,
    confusion,
    disagreements,
    table,
)
from gear_app.annotate.codebook import CODE_BOOK
from gear_app.annotate.history import Current
from gear_app.annotate.record import Record
from gear_app.errors import GearError
from gear_app.ui.annotate import run
from gear_app.ui.shared import elements, plots
from gear_app.views import agreement as drawn
from gear_app.views import markup
from gear_app.views.labels import literal
from gear_app.workspace import Workspace

ANOTHER = "another category"


def show(workspace: Workspace, collection: str, annotator: str, seen: Current) -> None:
    """`seen` are the records that the annotator may see."""
    own = workspace.annotations.categories()
    names = {one.key: one.name for one in (*CODE_BOOK, *own)}
    people = sorted({key.annotator for key in seen if not key.adjudicates})
    if len(people) > 2:
        people = st.multiselect("Annotators", people, default=people, key="annotate-people")
    heads = {key: one for key, one in seen.items() if key.adjudicates or key.annotator in people}
    found = [_agreement(tuple(_rows(heads, field)), field) for field in FIELDS]
    st.html(markup.title(drawn.heading(found), f"annotators: {', '.join(people) or 'none yet'}"))
    if not any(one.cases for one in found):
        elements.message(
            "Agreement needs runs that two people are done with. Send somebody the link of this"
            " page without your name in it: the share judged by two people is under Filters of the"
            " tab Queue."
        )
        return
    with st.container(border=True):
        st.html(
            markup.title(
                "Agreement beyond chance",
                "0 is chance, 1 always; 95 % intervals by bootstrap over runs; severities weigh"
                " near misses less",
            )
        )
        plots.markup_figure(drawn.scales(found), "agreement", "agreement")
    if len(people) == 2:
        with st.container(border=True):
            st.html(markup.title("Categories against each other", "off the diagonal they differ"))
            confused = drawn.matrix(confusion(table(heads, "category")), people, names)
            plots.markup_figure(confused, "categories", "categories against each other")
    differ = disagreements(heads)
    if differ:
        _decide(workspace, collection, annotator, differ, names)


def _rows(heads: Current, field: str) -> list[tuple[tuple[str, str], ...]]:
    return [tuple(row.items()) for row in table(heads, field)]


@st.cache_data(max_entries=64, show_spinner=False)
def _agreement(rows: tuple[tuple[tuple[str, str], ...], ...], field: str) -> Agreement:
    return agreement([dict(row) for row in rows], field)


def _decide(
    workspace: Workspace,
    collection: str,
    annotator: str,
    differ: list[Disagreement],
    names: dict[str, str],
) -> None:
    """One disagreement at a time: labels side by side, the run, and the decision."""
    elements.message(st.session_state.pop("adjudicate-error", ""), "bad")
    open_ = [one for one in differ if one.decision is None]
    words = {
        one.case: ("✓ " if one.decision else "") + drawn.case_words(one.records[0])
        for one in differ
    }
    st.html(markup.title(f"{len(open_)} to adjudicate", f"of {len(differ)} that differ"))
    decided = st.session_state.pop("adjudicated", False)
    if decided or st.session_state.get("adjudicate-case") not in words:
        st.session_state["adjudicate-case"] = differ[0].case  # the next that is open
    case: str = st.selectbox(
        "Run", list(words), key="adjudicate-case", format_func=words.__getitem__
    )
    one = next(found for found in differ if found.case == case)
    st.html(drawn.beside(one, names))
    _decision(workspace, annotator, one, names)
    items = {item.case: item.run for item in workspace.annotations.items(collection)}
    if case in items and st.toggle("Show the run", key="adjudicate-run"):
        run.show(workspace, workspace.runs.get(items[case]))


def _decision(
    workspace: Workspace, annotator: str, one: Disagreement, names: dict[str, str]
) -> None:
    """Whose label counts, or another category, and why; by number keys and Ctrl Enter as well."""
    records = {record.annotator: record for record in one.records}
    method = one.records[0].case.method
    with st.container(border=True):
        st.html(markup.title("Decision", "a third record: what they wrote stays"))
        asked = _whose(one, records, names)
        label = replace(one.records[0].label, note="") if asked == ANOTHER else records[asked].label
        if asked == ANOTHER:
            keys = [category.key for category in workspace.annotations.offered(method)]
            category: str = st.selectbox(
                "Category", keys, key=f"decide-category-{one.case}", format_func=names.__getitem__
            )
            label = replace(label, category=category, verdict="fail")
        note = st.text_input("Why", key=f"decide-note-{one.case}")
        if st.button("Adjudicate", key="adjudicate", type="primary", shortcut="Ctrl+Enter"):
            try:
                decided = replace(label, note=note or label.note, complete=True)
                workspace.annotations.commit(
                    one.records[0].run, annotator, decided, adjudicates=True
                )
            except GearError as error:
                st.session_state["adjudicate-error"] = str(error)
            else:
                st.session_state["adjudicated"] = True
            st.rerun()


def _whose(one: Disagreement, records: Mapping[str, Record], names: dict[str, str]) -> str:
    """The annotator whose label is to count, or ANOTHER: a button each, with its number as key."""
    options, key = [*records, ANOTHER], f"decide-{one.case}"
    asked = st.session_state.get(key)
    asked = asked if asked in options else options[0]
    for number, option in enumerate(options, start=1):
        words, sign = f"{ANOTHER} …", "●" if option == asked else "○"
        if option in records:
            category = records[option].label.category
            words = literal(f"as {option}: {names.get(category, 'no category')}")
        st.button(
            f"{sign} {words}",
            key=f"{key}-{number}",
            shortcut=str(number) if number < 10 else None,
            on_click=st.session_state.__setitem__,
            args=(key, option),
        )
    return asked
