"""Results of an evaluation so far: tables and figures, the questions behind every
number, and files.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from gear_app.app.shared import address, elements, panels, session
from gear_app.core.errors import BadInput
from gear_app.display import markup
from gear_app.display.evaluate import figures, sections, words
from gear_app.display.evaluate.sections import Section
from gear_app.display.evaluate.words import facts_line
from gear_app.display.labels import literal
from gear_app.display.markup import tag, title
from gear_app.evaluation import results as stored
from gear_app.evaluation.exports import table_csv, trec_files
from gear_app.evaluation.question_set import of_evaluation
from gear_app.evaluation.results import Results
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.tables import missed_passages
from gear_app.evaluation.variants import tag_of
from gear_app.workspace.workspace import Workspace

CACHED, CACHED_S = 8, 600
RESULT, QUESTIONS, CAUSES = "Result", "Kinds of question", "Causes"
PAPERS, FILES = "Papers’ tables", "Files"
TABS = {RESULT: sections.result, QUESTIONS: sections.questions, PAPERS: sections.papers}
EVERY, MISSED, WORSE = "All", "Missed", "Worse"
PICK, OPEN, CHOICES = "pick", "evaluate-open", "evaluate-choices"
ROW, TALLEST = 66, 620  # pixels of a row that wraps, and of the list
WIDE, NARROW = 190, 34  # pixels of a question, and of a rank


@st.cache_resource(max_entries=CACHED, ttl=CACHED_S, show_spinner="Computing the table …")
def _load(path: str, id_: str, stamp: str, baseline: str, *, _workspace: Workspace) -> Results:
    return stored.load(_workspace, id_, baseline)


@st.cache_data(max_entries=CACHED, show_spinner="Looking for what lost each passage …")
def _missed(
    path: str, id_: str, stamp: str, k: int, *, _workspace: Workspace, _results: Results
) -> pd.DataFrame:
    return missed_passages(_workspace, _results.evaluation, k)


def show(workspace: Workspace, id_: str) -> None:
    """Draw the results so far; nothing until a method is measured."""
    service = EvaluationService(workspace)
    stamp, path = service.stamp(id_), str(workspace.path)
    usual = _load(path, id_, stamp, "", _workspace=workspace)
    if usual.evaluation.measured.empty:
        return
    results, highlight, k = _controls(workspace, usual, stamp)
    names = [RESULT, QUESTIONS, CAUSES, PAPERS, FILES]
    for name, tab in zip(names, st.tabs(names, key="results", bind="query-params"), strict=True):
        if not tab.open:
            continue
        with tab:
            if name == FILES:
                files(workspace, results)
                continue
            if name == CAUSES:
                missed = _missed(path, id_, stamp, k, _workspace=workspace, _results=results)
                drawn: Iterable[Section] = [sections.causes(results, missed, k)]
            else:
                drawn = TABS[name](results, k)
            left, right = st.columns([16, 8], gap="small")
            with left:
                listed = [_section(results, section, highlight, k) for section in drawn]
            with right, st.container(border=True):
                _behind(workspace, results, listed, highlight, k)


def _controls(workspace: Workspace, usual: Results, stamp: str) -> tuple[Results, str, int]:
    """The verdict and the choice of baseline, highlighted method and cut-off."""
    evaluation = usual.evaluation
    left, right = st.columns([11, 9], vertical_alignment="bottom")
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        baseline = st.selectbox(
            "Baseline",
            evaluation.methods,
            key="evaluate-baseline",
            format_func=words.label,
            bind="query-params",
            width=190,
        )
        path = str(workspace.path)
        results = _load(path, evaluation.id, stamp, baseline, _workspace=workspace)
        best = words.methods_by_recall(results)[0]
        highlight = st.selectbox(
            "Highlighted",
            evaluation.methods,
            evaluation.methods.index(best),
            key="evaluate-highlight",
            format_func=words.label,
            bind="query-params",
            width=190,
        )
        k = st.segmented_control(
            "Cut-off k",
            evaluation.ks,
            default=evaluation.ks[0],
            key="evaluate-k",
            bind="query-params",
            required=True,
        )
    with left:
        verdict = tag("h1", words.verdict(results, k), dir="auto")
        facts = words.facts_line(results.facts, brief=True)
        facts_line = tag("p", facts, class_="gear-facts-line", dir="auto")
        st.html(tag("div", tag("div", verdict, facts_line), class_="gear-header"))
    return results, highlight, k


def _section(results: Results, section: Section, highlight: str, k: int) -> Section:
    """Draw a card: title, note, figure, and the table whose numbers can be chosen."""
    with st.container(border=True):
        st.html(title(section.title, section.note))
        if section.figure:
            st.plotly_chart(
                figures.draw(results, section, highlight, k, session.colours()),
                key=f"evaluate-figure-{section.key}",
                config=elements.FIGURE,
                alt=section.title,
            )
        st.dataframe(
            _styled(section, highlight, _chosen(section)),
            key=_key(section.key),
            on_select=lambda: _choose(section.key),
            selection_mode="single-cell",
            column_config={
                head: st.column_config.TextColumn(help=text) for head, text in section.help.items()
            },
            alt=section.title,
        )
    return section


def _styled(section: Section, highlight: str, chosen: tuple[str, str]) -> Styler:
    """The table with the highlighted row bold, the chosen cell marked, and the larger a number the
    stronger its colour.
    """
    weights = ["font-weight: 700" if row == highlight else "" for row in section.rows]
    styled = section.words.style.apply(lambda _: weights, axis=0)
    colour, heads = session.colours().kept, list(section.columns)
    alpha = section.shares.set_axis(heads, axis=1).fillna(0.0) * section.shaded
    shades = alpha.map(lambda share: f"background-color: {colour}{round(110 * share):02x}")
    row, head = chosen
    if head in heads and row in (rows := list(map(str, section.rows))):
        marked = f"background-color: {colour}; color: {session.colours().background}"
        shades.iloc[rows.index(row), heads.index(head)] = marked
    return styled.apply(lambda _: shades, axis=None, subset=heads)


def _key(section: str) -> str:
    """The key of a table, another one after each choice: a selected table takes the next click."""
    return f"evaluate-{section}-{st.session_state.get(f'{CHOICES}-{section}', 0)}"


def _choose(section: str) -> None:
    """Keep the cell that was chosen, until its table is drawn."""
    state = st.session_state
    if cells := state[_key(section)].selection.cells:
        state[PICK] = (section, *cells[0])
        state[f"{CHOICES}-{section}"] = state.get(f"{CHOICES}-{section}", 0) + 1


def _chosen(section: Section) -> tuple[str, str]:
    """Row and head of the number of this table that the last click or the address names."""
    clicked = st.session_state.get(PICK)
    if clicked and clicked[0] == section.key:
        del st.session_state[PICK]
        st.query_params[PICK] = f"{section.key}|{section.rows[clicked[1]]}|{clicked[2]}"
    key, *cell = st.query_params.get(PICK, "").split("|")
    return (cell[0], cell[1]) if key == section.key and len(cell) == 2 else ("", "")


def _behind(
    workspace: Workspace, results: Results, listed: list[Section], highlight: str, k: int
) -> None:
    """The questions behind the number that was chosen, at first the highlighted method's recall."""
    drawn = [section for section in listed if section.rows]
    if not drawn:
        elements.message("Nothing to list.")
        return
    cells = [(section, *_chosen(section)) for section in drawn]
    usual = (drawn[0], highlight, f"R@{k}")
    section, row, head = next((cell for cell in cells if cell[1]), usual)
    row = {str(name): name for name in section.rows}.get(row, section.rows[0])
    head = head if head in section.columns else next(iter(section.columns))
    try:
        rows = section.table.behind(results.evaluation, (row, section.columns[head]), k)
    except BadInput as error:  # an empty cell
        elements.message(str(error))
        return
    kinds = {EVERY: rows, MISSED: rows[rows["missed"]]}
    kinds |= {WORSE: rows[rows["change"] < 0]} if rows["change"].notna().any() else {}
    name = section.words.index[section.rows.index(row)]
    st.html(title(f"{name}: {head}", section.title))
    table = st.segmented_control(
        "Questions",
        list(kinds),
        format_func=lambda kind: f"{kind} {len(kinds[kind])}",
        default=MISSED if len(kinds[MISSED]) else EVERY,
        key=f"evaluate-behind-{section.key}-{row}-{head}-{len(kinds[MISSED]) > 0}",
        label_visibility="collapsed",
        required=True,
    )
    questions = kinds[table or EVERY]
    key = f"{OPEN}-{section.key}-{row}-{head}-{table}"  # changed data take no click under one key
    _questions(results, questions, k, key)
    panels.offer_question_set(
        workspace,
        "evaluate-set",
        questions["question"].nunique(),
        lambda: of_evaluation(workspace, results.evaluation.id, list(questions["question"])),
    )


def _questions(results: Results, rows: pd.DataFrame, k: int, key: str) -> None:
    """Questions with the ranks of their gold passages: a question opens its run at the step that
    decided about it, a rank at the step that found or lost that passage.
    """
    st.caption(
        f"Ranks of the gold passages; green: among the first {k}. A question or a rank opens the"
        " step that decided."
    )
    texts = {question.id: question.question for question in results.evaluation.questions}
    most = max(map(len, rows["ranks"]), default=0)
    lists = [[*ranks.values(), *[""] * (most - len(ranks))] for ranks in rows["ranks"]]
    ranks = pd.DataFrame(lists, columns=range(most), dtype=object)
    heads = [str(n + 1) for n in ranks]
    table = pd.DataFrame({"Question": [texts[id_] for id_ in rows["question"]]})
    table[heads] = ranks.map(lambda rank: "–" if rank is None else f"{rank}")
    table["value"] = [f"{value:,.2f}".removesuffix(".00") for value in rows["value"]]
    if rows["change"].notna().any():
        table["±"] = [f"{change:+.2f}" if change else "" for change in rows["change"].fillna(0.0)]
    green = f"color: {session.colours().yes_text}; font-weight: 700"
    styled = table.style.map(
        lambda rank: green if rank.isdecimal() and int(rank) <= k else "", subset=heads
    )
    opened = st.dataframe(
        styled,
        hide_index=True,
        height=min(TALLEST, 40 + ROW * max(1, len(table))),
        row_height=ROW,
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "Question": st.column_config.TextColumn(width=WIDE),
            **{head: st.column_config.TextColumn(width=NARROW) for head in heads},
        },
        alt="Questions behind the number",
    )
    for place, head in opened.selection.cells:
        row = rows.iloc[place]
        keys = dict(zip(heads, row["ranks"], strict=False))
        passage = keys.get(head, row["decided_by"])
        if run := row["searches"].get(passage, row["run"]):
            address.explore(run, None, passage, k)
        elements.message("A run file has no run that could be opened.")


ERROR, RUN_FILE = "evaluate-run-file-error", "evaluate-run-file"


def files(workspace: Workspace, results: Results) -> None:
    """Exports, run files and the command."""
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        st.html(markup.title("Export", "for other tools"))
        _exports(workspace, results)
    if not workspace.read_only:
        with right, st.container(border=True, height="stretch"):
            _run_files(workspace, results)
    elements.message("The same on the command line:")
    st.code(results.command, language=None, wrap_lines=True)
    st.caption(literal(facts_line(results.facts)))


def _exports(workspace: Workspace, results: Results) -> None:
    formats: dict[str, tuple[str, str, Callable[[], str | bytes]]] = {
        "Report (HTML)": ("html", "text/html", lambda: sections.report(results)),
        "Questions (CSV)": ("csv", "text/csv", lambda: table_csv(results)),
        "Everything (JSON)": (
            "json",
            "application/json",
            lambda: json.dumps(results.to_json(), ensure_ascii=False, indent=2),
        ),
        "TREC runs and judgments (ZIP)": (
            "zip",
            "application/zip",
            lambda: _zip(workspace, results),
        ),
    }
    with st.container(horizontal=True):
        for label, (end, mime, make) in formats.items():
            name = f"evaluation-{results.evaluation.id}.{end}"
            st.download_button(label, make, name, mime, on_click="ignore")


def _run_files(workspace: Workspace, results: Results) -> None:
    """Run files that are measured, and a field for another."""
    st.html(markup.title("A run of another program", "a TREC run file over the same questions"))
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    id_ = results.evaluation.id
    for file in results.evaluation.files:
        tag = tag_of(file.words)
        with st.container(horizontal=True, vertical_alignment="center"):
            elements.message(file.sentence(results.facts.k))
            st.button(
                literal(f"Remove {tag}"),
                key=f"evaluate-drop-{file.words}",
                on_click=elements.attempt,  # somebody else may have been quicker
                args=(ERROR, workspace.store.evaluations.drop_file, id_, tag),
            )
    chosen = st.file_uploader(
        "Lines of question, Q0, passage, rank, score and tag, with the ids of exported judgments",
        type=["txt", "run", "trec", "gz"],
        key=RUN_FILE,
    )
    if chosen is not None:
        st.button(
            "Measure it",
            key="evaluate-bring",
            type="primary",
            on_click=elements.attempt,
            args=(ERROR, _measure, workspace, id_),
        )


def _measure(workspace: Workspace, id_: str) -> None:
    file = st.session_state[RUN_FILE]
    EvaluationService(workspace).add_file(id_, file.getvalue(), file.name)


def _zip(workspace: Workspace, results: Results) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, lines in trec_files(workspace, results).items():
            file.writestr(name, "".join(lines))
    return packed.getvalue()
