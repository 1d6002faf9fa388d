"""The tab Agreement: how far people agree, where they differ, and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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

CASE, ERROR = "adjudicate-case", "adjudicate-error"
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
cached_agreement = st.cache_data(max_entries=64, show_spinner=False)(agreement)


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the agreement of the labels that the annotator may see."""
    labels = workspace.annotations.seen(collection, annotator)
    book = code_book(workspace.store.labels.categories())
    names = {category.key: category.name for category in book}
    agreements = [cached_agreement(table(labels, field), field) for field in FIELDS]
    people = sorted({key.annotator for key in labels if not key.adjudicates})
    category = agreements[FIELDS.index("category")]
    heading = f"The category is the same in {category.equal} of {count(category.cases, 'run')}"
    st.html(
        markup.title(
            heading if category.cases else "No run has two labels yet",
            f"annotators: {', '.join(people) or 'none yet'}",
        )
    )
    if not any(field.cases for field in agreements):
        elements.message(NONE)
        return
    st.dataframe([_row(field) for field in agreements], hide_index=True)
    st.caption(ALPHA)
    pairs = confusion(table(labels, "category"))
    if len(people) == 2 and pairs:
        st.html(markup.title("Categories of two annotators"))
        first, second = people
        rows = [
            {first: names.get(a, a), second: names.get(b, b), "runs": number}
            for (a, b), number in sorted(pairs.items(), key=lambda item: -item[1])
        ]
        st.dataframe(rows, hide_index=True)
    if differ := disagreements(labels):
        _decide(workspace, collection, annotator, {row.case: row for row in differ}, names)


def _row(field: Agreement) -> dict[str, str]:
    low, high = field.interval or (0, 0)
    return {
        "field": NAMES[field.field],
        "equal labels": f"{field.equal} of {field.cases}",
        "α": "undefined" if field.alpha is None else f"{field.alpha:.2f}",
        "95 % interval": f"{low:.2f} to {high:.2f}" if field.interval else "",
    }


def _decide(
    workspace: Workspace,
    collection: str,
    annotator: str,
    differ: Mapping[str, Disagreement],
    names: Mapping[str, str],
) -> None:
    """Draw one disagreement at a time: labels side by side, the decision, and the run."""
    state = st.session_state
    elements.message(state.pop(ERROR, ""), "bad")
    open_ = sum(row.decision is None for row in differ.values())
    st.html(
        markup.title(f"{open_} to decide", f"of {count(len(differ), 'run')} with different labels")
    )
    if state.get(CASE) not in differ:
        state[CASE] = next(iter(differ))  # the first that is open
    case = st.selectbox(
        "Run", list(differ), key=CASE, format_func=lambda case: _case_words(differ[case])
    )
    st.dataframe(_rows(differ[case], names), hide_index=True)
    with st.container(border=True):
        _decision(workspace, annotator, differ[case], names)
    items = {item.case: item.run for item in workspace.annotations.items(collection)}
    if case in items and st.toggle("Show the run", key="adjudicate-run"):
        run.show(workspace, workspace.runs.get(items[case]))


def _case_words(disagreement: Disagreement) -> str:
    case = disagreement.records[0].case
    return f"{'✓ ' if disagreement.decision else ''}{case.question} · {method_name(case.method)}"


def _rows(disagreement: Disagreement, names: Mapping[str, str]) -> list[dict[str, str]]:
    """The labels of a case side by side, a row a field, with a sign where they differ."""
    columns = {record.annotator: record for record in disagreement.records}
    if decision := disagreement.decision:
        columns[f"decision by {decision.annotator}"] = decision

    def words(record: Record, field: str) -> str:
        value = str(getattr(record.label, field))
        return names.get(value, value) or ("whole run" if field == "step" else "–")

    return [
        {"": f"{name}{' ≠' if field in disagreement.fields else ''}"}
        | {annotator: words(record, field) for annotator, record in columns.items()}
        for field, name in {**NAMES, "note": "Note"}.items()
    ]


def _decision(
    workspace: Workspace, annotator: str, disagreement: Disagreement, names: Mapping[str, str]
) -> None:
    """Draw whose label counts, and why; Ctrl Enter decides."""
    records = {record.annotator: record for record in disagreement.records}
    case = disagreement.case
    options = {
        person: f"as {person}: {names.get(record.label.category, 'no category')}"
        for person, record in records.items()
    }
    st.html(markup.title("Decision", "a third record: the labels stay"))
    st.radio(
        "Label that counts",
        list(options),
        format_func=lambda option: literal(options[option]),
        key=f"decide-{case}",
    )
    st.text_input("Why", key=f"decide-note-{case}")
    st.button(
        "Decide",
        key="adjudicate",
        type="primary",
        shortcut="Ctrl+Enter",
        on_click=_commit,
        args=(workspace, annotator, records, case),
    )


def _commit(workspace: Workspace, annotator: str, records: Mapping[str, Record], case: str) -> None:
    """Save the decision as the fields are now, and go to the next that is open."""
    state = st.session_state
    record, note = records[state[f"decide-{case}"]], state[f"decide-note-{case}"]
    label = replace(record.label, note=note or record.label.note, complete=True)
    with elements.refusals(ERROR):
        workspace.annotations.commit(record.run, annotator, label, adjudicates=True)
        state.pop(CASE)
