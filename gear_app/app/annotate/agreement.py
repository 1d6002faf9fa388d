"""The tab Agreement: how far people agree, where they differ, and decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import plotly.express as px
import streamlit as st

from gear_app.annotation.agreement import (
    FEWEST,
    FIELDS,
    Agreement,
    Disagreement,
    agreement,
    confusion,
    disagreements,
    table,
)
from gear_app.annotation.codebook import code_book
from gear_app.annotation.record import Record
from gear_app.app.annotate import run
from gear_app.app.shared import elements
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import literal, method_name
from gear_app.workspace.workspace import Workspace

ANOTHER = "another category"
NAMES = {
    "verdict": "Verdict",
    "category": "Category",
    "severity": "Severity",
    "step": "Step at fault",
}
NONE = (
    "Agreement needs runs that two people have judged. Send somebody the link of this page without"
    " your name in it."
)
ALPHA = (
    "Krippendorff's α: 0 is chance, 1 is full agreement; intervals by bootstrap over runs. It needs"
    f" {FEWEST} runs and two different values. Near misses of severity count less."
)


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the agreement of the labels that the annotator may see."""
    records = workspace.annotations.seen(collection, annotator)
    names = {
        category.key: category.name for category in code_book(workspace.annotations.categories())
    }
    people = sorted({key.annotator for key in records if not key.adjudicates})
    if len(people) > 2:
        people = st.multiselect("Annotators", people, default=people, key="annotate-people")
    labels = {
        key: record for key, record in records.items() if key.adjudicates or key.annotator in people
    }
    agreements = [
        _agreement(tuple(tuple(row.items()) for row in table(labels, field)), field)
        for field in FIELDS
    ]
    st.html(markup.title(heading(agreements), f"annotators: {', '.join(people) or 'none yet'}"))
    if not any(agreement.cases for agreement in agreements):
        elements.message(NONE)
        return
    with st.container(border=True):
        _alphas(agreements)
    pairs = confusion(table(labels, "category"))
    if len(people) == 2 and pairs:
        with st.container(border=True):
            _matrix(pairs, people, names)
    if differ := disagreements(labels):
        _decide(workspace, collection, annotator, differ, names)


@st.cache_data(max_entries=64, show_spinner=False)
def _agreement(rows: tuple[tuple[tuple[str, str], ...], ...], field: str) -> Agreement:
    return agreement([dict(row) for row in rows], field)


def heading(agreements: Sequence[Agreement]) -> str:
    """The agreement on categories in a sentence."""
    category = next((agreement for agreement in agreements if agreement.field == "category"), None)
    if category is None or not category.cases:
        return "No run has two labels yet"
    return f"The category is the same in {category.equal} of {count(category.cases, 'run')}"


def _alphas(agreements: Sequence[Agreement]) -> None:
    rows = [
        {
            "field": NAMES[agreement.field],
            "equal labels": f"{agreement.equal} of {agreement.cases}",
            "α": "undefined" if agreement.alpha is None else f"{agreement.alpha:.2f}",
            "95 % interval": "{:.2f} to {:.2f}".format(*agreement.interval)
            if agreement.interval
            else "",
        }
        for agreement in agreements
    ]
    st.html(markup.title("Agreement beyond chance"))
    st.dataframe(rows, hide_index=True)
    st.caption(ALPHA)


def _matrix(
    pairs: Mapping[tuple[str, str], int], people: Sequence[str], names: Mapping[str, str]
) -> None:
    """Draw how often two people chose which two categories."""
    used = {value for pair in pairs for value in pair}
    order = [name for name in names if name in used]
    order += sorted(used - set(order))
    labels = [names.get(name, name) for name in order]
    numbers = [[pairs.get((row, column), 0) for column in order] for row in order]
    figure = px.imshow(numbers, x=labels, y=labels, text_auto=True, color_continuous_scale="Blues")
    figure.update_layout(coloraxis_showscale=False, margin={"l": 0, "r": 0, "t": 0, "b": 0})
    figure.update_xaxes(title=people[1]).update_yaxes(title=people[0])
    st.html(markup.title("Categories of two annotators", "labels differ off the diagonal"))
    st.plotly_chart(figure, key="annotate-matrix", alt="Runs by category of both annotators")


def _decide(
    workspace: Workspace,
    collection: str,
    annotator: str,
    differ: Sequence[Disagreement],
    names: Mapping[str, str],
) -> None:
    """Draw one disagreement at a time: labels side by side, the decision, and the run."""
    state = st.session_state
    elements.message(state.pop("adjudicate-error", ""), "bad")
    by_case = {disagreement.case: disagreement for disagreement in differ}
    open_ = sum(disagreement.decision is None for disagreement in differ)
    st.html(
        markup.title(f"{open_} to decide", f"of {count(len(differ), 'run')} with different labels")
    )
    if state.pop("adjudicated", False) or state.get("adjudicate-case") not in by_case:
        state["adjudicate-case"] = differ[0].case  # the next that is open
    case = st.selectbox(
        "Run",
        list(by_case),
        key="adjudicate-case",
        format_func=lambda case: _case_words(by_case[case]),
    )
    disagreement = by_case[case]
    st.dataframe(_beside(disagreement, names), hide_index=True)
    _decision(workspace, annotator, disagreement, names)
    items = {item.case: item.run for item in workspace.annotations.items(collection)}
    if case in items and st.toggle("Show the run", key="adjudicate-run"):
        run.show(workspace, workspace.runs.get(items[case]))


def _case_words(disagreement: Disagreement) -> str:
    case = disagreement.records[0].case
    return f"{'✓ ' if disagreement.decision else ''}{case.question} · {method_name(case.method)}"


def _beside(disagreement: Disagreement, names: Mapping[str, str]) -> list[dict[str, str]]:
    """The labels of a case side by side, a row a field, with a sign where they differ."""
    columns = {record.annotator: record for record in disagreement.records}
    if disagreement.decision:
        columns[f"decision by {disagreement.decision.annotator}"] = disagreement.decision

    def words(record: Record, field: str) -> str:
        value = str(getattr(record.label, field))
        return names.get(value, value) or ("whole run" if field == "step" else "–")

    rows = []
    for field, name in {**NAMES, "note": "Note"}.items():
        sign = " ≠" if field in disagreement.fields else ""
        cells = {annotator: words(record, field) for annotator, record in columns.items()}
        rows.append({"": name + sign, **cells})
    return rows


def _decision(
    workspace: Workspace, annotator: str, disagreement: Disagreement, names: Mapping[str, str]
) -> None:
    """Draw whose label counts, or another category, and why; Ctrl Enter decides."""
    records = {record.annotator: record for record in disagreement.records}
    first = disagreement.records[0]

    def words(option: str) -> str:
        record = records.get(option)
        category = names.get(record.label.category, "no category") if record else ""
        return literal(f"as {option}: {category}" if record else option)

    with st.container(border=True):
        st.html(markup.title("Decision", "a third record: the labels stay"))
        choice = st.radio(
            "Label that counts",
            [*records, ANOTHER],
            format_func=words,
            key=f"decide-{disagreement.case}",
        )
        if choice == ANOTHER:
            keys = [category.key for category in workspace.annotations.offered(first.case.method)]
            key = f"decide-category-{disagreement.case}"
            category = st.selectbox("Category", keys, key=key, format_func=names.__getitem__)
            label = replace(first.label, note="", category=category, verdict="fail")
        else:
            label = records[choice].label
        note = st.text_input("Why", key=f"decide-note-{disagreement.case}")
        if st.button("Decide", key="adjudicate", type="primary", shortcut="Ctrl+Enter"):
            with elements.refusals("adjudicate-error"):
                label = replace(label, note=note or label.note, complete=True)
                workspace.annotations.commit(first.run, annotator, label, adjudicates=True)
                st.session_state["adjudicated"] = True
            st.rerun()
