"""The tab Agreement: how far people agree, where they differ, and deciding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from gear_app.annotate.agreement import (
    FEWEST,
    FIELDS,
    Agreement,
    Disagreement,
    agreement,
    confusion,
    disagreements,
    table,
)
from gear_app.annotate.codebook import code_book
from gear_app.annotate.record import Record
from gear_app.text import count
from gear_app.ui.annotate import run
from gear_app.ui.annotate.desk_data import FIELD_NAMES
from gear_app.ui.shared import elements
from gear_app.views import markup
from gear_app.views.labels import literal, method_name
from gear_app.views.markup import Html, join, tag
from gear_app.workspace import Workspace

ANOTHER = "another category"


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Of the records that the annotator may see."""
    seen = workspace.annotations.seen(collection, annotator)
    names = {one.key: one.name for one in code_book(workspace.annotations.categories())}
    people = sorted({key.annotator for key in seen if not key.adjudicates})
    if len(people) > 2:
        people = st.multiselect("Annotators", people, default=people, key="annotate-people")
    labels = {key: one for key, one in seen.items() if key.adjudicates or key.annotator in people}
    found = [
        _agreement(tuple(tuple(row.items()) for row in table(labels, field)), field)
        for field in FIELDS
    ]
    st.html(markup.title(heading(found), f"annotators: {', '.join(people) or 'none yet'}"))
    if not any(one.cases for one in found):
        elements.message(
            "Agreement needs runs that two people are done with. Send somebody the link of this"
            " page without your name in it."
        )
        return
    with st.container(border=True):
        st.html(
            markup.title(
                "Agreement beyond chance",
                "Krippendorff's α: 0 is chance, 1 always; 95 % intervals by bootstrap over runs;"
                " severities weigh near misses less",
            )
        )
        st.html(scales(found))
    if len(people) == 2:
        with st.container(border=True):
            st.html(markup.title("Categories against each other", "off the diagonal they differ"))
            st.html(matrix(confusion(table(labels, "category")), people, names))
    differ = disagreements(labels)
    if differ:
        _decide(workspace, collection, annotator, differ, names)


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
        one.case: ("✓ " if one.decision else "") + case_words(one.records[0]) for one in differ
    }
    st.html(markup.title(f"{len(open_)} to adjudicate", f"of {len(differ)} that differ"))
    decided = st.session_state.pop("adjudicated", False)
    if decided or st.session_state.get("adjudicate-case") not in words:
        st.session_state["adjudicate-case"] = differ[0].case  # the next that is open
    case: str = st.selectbox(
        "Run", list(words), key="adjudicate-case", format_func=words.__getitem__
    )
    one = next(found for found in differ if found.case == case)
    st.html(beside(one, names))
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
            with elements.refusals("adjudicate-error"):
                decided = replace(label, note=note or label.note, complete=True)
                workspace.annotations.commit(
                    one.records[0].run, annotator, decided, adjudicates=True
                )
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


UNDEFINED = "undefined: only one value occurs"
TOO_FEW = f"too few runs: α needs {FEWEST}"


TICKS = (0.0, 0.5, 1.0)


def heading(found: Sequence[Agreement]) -> str:
    """How far people agree, in a sentence."""
    category = next((one for one in found if one.field == "category"), None)
    if category is None or not category.cases:
        return "No run has two labels yet"
    return f"The category is the same in {category.equal} of {count(category.cases, 'run')}"


def scales(found: Sequence[Agreement]) -> Html:
    """A line for each field: equal labels, the value with its interval on a scale, in figures."""
    lines = [part for one in found for part in _scale(one)]
    ticks = [tag("span", f"{at:g}", style=f"left: {100 * at:.0f}%") for at in TICKS]
    lines += [
        tag("span", ""),
        tag("span", ""),
        tag("div", join(ticks), class_="gear-ticks"),
        tag("span", ""),
    ]
    return tag("div", join(lines), class_="gear-agree")


def _scale(one: Agreement) -> list[Html]:
    name = tag("b", FIELD_NAMES.get(one.field, one.field))
    same = tag("span", f"{one.equal} of {one.cases} equal", class_="gear-quiet")
    if one.alpha is None:
        words = UNDEFINED if one.cases >= FEWEST else TOO_FEW
        return [name, same, tag("span", words, class_="gear-quiet"), tag("span", "–")]
    marks = [tag("u", "", style=f"left: {100 * at:.0f}%") for at in TICKS]
    interval = ""
    if one.interval:
        low, high = one.interval
        left, right = _percent(low), _percent(high)
        marks.append(tag("i", "", style=f"left: {left:.1f}%; width: {right - left:.1f}%"))
        interval = f" {low:.2f} to {high:.2f}"
    marks.append(tag("b", "", style=f"left: {_percent(one.alpha):.1f}%"))
    return [
        name,
        same,
        tag("div", join(marks), class_="gear-scale", aria_hidden="true"),
        tag(
            "span",
            tag("b", f"α {one.alpha:.2f}"),
            tag("span", interval, class_="gear-quiet"),
        ),
    ]


def _percent(value: float) -> float:
    return 100 * min(1.0, max(0.0, value))


def matrix(
    pairs: Mapping[tuple[str, str], int], people: Sequence[str], names: Mapping[str, str]
) -> Html:
    """How often the first of two people gave a row's category where the second gave a column's."""
    values = [one.key for one in code_book() if any(one.key in pair for pair in pairs)]
    values += sorted({value for pair in pairs for value in pair} - set(values))
    head = [tag("th", f"{people[0]} ↓ {people[1]} →")]
    head += [tag("th", names.get(value, value), scope="col") for value in values]
    rows = [tag("tr", join(head))]
    for row in values:
        cells = [tag("th", names.get(row, row), scope="row")]
        for column in values:
            number = pairs.get((row, column), 0)
            kind = "gear-same" if row == column else "gear-differ"
            cells.append(tag("td", str(number or "·"), class_=kind if number else None))
        rows.append(tag("tr", join(cells)))
    return tag("div", tag("table", join(rows), class_="gear-matrix"), class_="gear-scroll")


def beside(one: Disagreement, names: Mapping[str, str]) -> Html:
    """The labels of a case side by side, what differs marked; the decision after them."""
    cards = [_card(record, names, one.fields, record.annotator) for record in one.records]
    if one.decision:
        who = f"Decision by {one.decision.annotator}"
        cards.append(_card(one.decision, names, (), who))
    return tag("div", join(cards), class_="gear-beside")


def _card(record: Record, names: Mapping[str, str], differ: Sequence[str], who: str) -> Html:
    lines = []
    for field, title in FIELD_NAMES.items():
        value = str(getattr(record.label, field))
        words = names.get(value, value) or ("whole run" if field == "step" else "–")
        marked = "gear-differ" if field in differ else None
        lines += [tag("dt", title), tag("dd", words, class_=marked)]
    note = record.label.note
    return tag(
        "div",
        tag("b", who, dir="auto"),
        " ",
        tag("span", record.at[:16].replace("T", " "), class_="gear-note"),
        tag("dl", join(lines)),
        tag("blockquote", note, dir="auto") if note else "",
    )


def case_words(record: Record) -> str:
    """A case in a line."""
    return f"{record.case.question} · {method_name(record.case.method)}"
