"""An evaluation as far as it is: figures and tables, and the questions behind any number."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.evaluate import results as stored
from gear_app.evaluate.question_set import of_evaluation
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import PREFIX
from gear_app.evaluate.selection import OF_PASSAGES, TOOK, Pick, behind
from gear_app.evaluate.service import EvaluationService
from gear_app.rendering.values import Section
from gear_app.ui.evaluate import causes, files
from gear_app.ui.shared import address as addresses
from gear_app.ui.shared import picture, question_sets
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import sections, words
from gear_app.views.evaluate.tables import Look
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

CACHED, CACHED_S = 8, 600
RESULT, CAUSES, KINDS = "Result", "Causes", "Kinds of question"
SETTINGS, FILES = "Settings", "Files"
TABS = {
    RESULT: "result",
    CAUSES: "causes",
    KINDS: "kinds",
    SETTINGS: "settings",
    FILES: "files",
}
"""What the address calls each tab."""
TELLING = {RESULT: sections.result, KINDS: sections.kinds, SETTINGS: sections.settings}
FEW = 5  # methods
EVERY, MISSED, WORSE = "All", "Missed", "Worse"


@st.cache_resource(max_entries=CACHED, ttl=CACHED_S, show_spinner="Computing the table …")
def _load(path: str, id_: str, stamp: str, baseline: str, *, _in: Workspace) -> Results:
    return stored.load(_in, id_, baseline)


def show(workspace: Workspace, id_: str) -> None:
    """Draw the results so far; nothing until a method is measured."""
    if asked := picture.run_to_open():
        addresses.explore(asked.run, asked.step, asked.passage, asked.k)
    service = EvaluationService(workspace)
    address, methods = st.query_params, service.definition(id_).methods
    files_ = [PREFIX + tag for tag, _ in workspace.store.run_files.stamp(id_)]
    if address.get("baseline") not in (None, *methods, *files_):
        address.pop("baseline", None)  # of another evaluation
    baseline = address.get("baseline", "")
    stamp = service.stamp(id_)
    results = _load(str(workspace.path), id_, stamp, baseline, _in=workspace)
    if not any(len(results.evaluation.of(words)) for words in results.evaluation.methods):
        return
    look = _controls(results)
    names = [RESULT, CAUSES, KINDS]
    names += [SETTINGS] if next(sections.settings(results, look), None) else []
    names += [FILES]
    labels = {TABS[name]: name for name in names}
    addresses.tabs(
        "evaluate-tab", labels, lambda tab: _tab(workspace, results, look, labels[tab], stamp)
    )


def _controls(results: Results) -> Look:
    """What was found in one sentence, the facts, and what is looked at."""
    evaluation, state = results.evaluation, st.session_state
    asked = st.query_params.get("k", "")
    k = int(asked) if asked in map(str, evaluation.ks) else evaluation.ks[0]
    best = words.best_method(results, k)
    wanted = st.query_params.get("highlight", "")
    state["evaluate-baseline"] = results.comparison.baseline
    state["evaluate-highlight"] = wanted if wanted in evaluation.methods else best
    state["evaluate-k"] = k
    left, right = st.columns([11, 9], vertical_alignment="bottom")
    facts = tag("p", words.facts_line(results.facts), class_="gear-facts-line", dir="auto")
    with left:
        st.html(
            tag(
                "div",
                tag("h1", words.verdict(results, k), dir="auto"),
                facts,
                class_="gear-header gear-evaluate",
            )
        )
    with (
        right,
        st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="right"),
    ):
        for name, title in (("baseline", "Baseline"), ("highlight", "Highlighted in figures")):
            st.selectbox(
                title,
                evaluation.methods,
                key=f"evaluate-{name}",
                format_func=words.label,
                width=190,
                on_change=_write,
                args=(name,),
            )
        st.segmented_control(
            "Cut-off k",
            evaluation.ks,
            key="evaluate-k",
            on_change=_write,
            args=("k",),
            required=True,
        )
    return Look(state["evaluate-highlight"], k)


def _write(name: str) -> None:
    st.query_params[name] = str(st.session_state[f"evaluate-{name}"])


def _tab(workspace: Workspace, results: Results, look: Look, name: str, stamp: str) -> None:
    if name == FILES:
        files.show(workspace, results)
        return
    if name == CAUSES:
        causes.show(workspace, results, look, stamp)
        return
    left, right = st.columns([17, 7], gap="small")
    with left:
        for section in TELLING[name](results, look):
            _section(results, look, section)
        few = len(results.evaluation.methods) <= FEW
        if name == RESULT and few:  # else the column would end far above the list
            _course(results, look)
    with right:
        _behind(workspace, results, look)
    if name == RESULT and not few:
        _course(results, look)


def _section(results: Results, look: Look, section: Section) -> None:
    """A section; of two methods, one of which is chosen above it."""
    others = sections.compared(results, look)
    if section.key == sections.OVERLAP:
        other = st.selectbox(
            "Compared with", others, key="evaluate-other", format_func=words.label, width=260
        )
        section = sections.overlapping(results, look, other)
    picture.show(section)


def _course(results: Results, look: Look) -> None:
    """Side by side in room."""
    with st.container(key="evaluate-course", gap="small"):
        for section in sections.course(results, look):
            picture.show(section, "stretch")


def _behind(workspace: Workspace, results: Results, look: Look) -> None:
    """The questions behind the number that was chosen, at first the highlighted method's recall."""
    pick = _pick(results, look)
    rows = behind(results.evaluation, pick, results.comparison.baseline, look.k)
    compared = pick.kind not in (*TOOK, "before")
    kinds = {EVERY: rows, MISSED: rows[rows["missed"]]}
    kinds |= {WORSE: rows[rows["change"] < 0]} if compared else {}
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("b", lists.picked_words(pick, look.k), dir="auto"),
                class_="gear-title",
            )
        )
        shown = st.segmented_control(
            "Questions",
            list(kinds),
            format_func=lambda name: f"{name} {len(kinds[name])}",
            default=MISSED if len(kinds[MISSED]) else EVERY,
            key=f"evaluate-behind-{pick}-{len(kinds[MISSED]) > 0}",
            label_visibility="collapsed",
            required=True,
        )
        st.caption(
            "Ranks of the gold passages in the order of the question’s gold: filled in the first"
            f" {look.k}, outlined in the first {2 * look.k}. At the right"
            f" {lists.value_words(pick, look.k)}"
            + (f", and how far it is from {_against(results, pick)}" if compared else "")
            + ". A question opens its run at the step that decided about it, a rank at the step"
            " that found or lost that passage."
        )
        listed = kinds[shown or EVERY]
        number = picture.shown("evaluate-behind-all", len(listed), lists.SHOWN)
        inside = lists.behind(results.evaluation, listed, pick, look.k, number)
        picture.plain("evaluate-behind", inside)
        question_sets.offer(
            workspace,
            "evaluate-set",
            len(listed),
            lambda: of_evaluation(workspace, results.evaluation.id, list(listed["question"])),
        )


def _against(results: Results, pick: Pick) -> str:
    """What the questions of a list are compared with."""
    if pick.kind == "after":
        return "what it was"
    other = pick.what.partition(" ")[2] if pick.kind == "over" else results.comparison.baseline
    return f"{words.label(other)}’s"


def _pick(results: Results, look: Look) -> Pick:
    """The number that was chosen; the highlighted method's recall where none is, or one that is not
    there.
    """
    usual = Pick("measure", f"recall@{look.k}", look.highlight)
    try:
        pick = Pick.parse(picture.chosen()) if picture.chosen() else usual
        if pick.kind in OF_PASSAGES:  # of another tab
            return usual
        behind(results.evaluation, pick, results.comparison.baseline, look.k)
    except GearError:  # an address by hand
        picture.forget()
        return usual
    return pick
