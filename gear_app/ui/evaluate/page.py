"""Evaluate: many methods on a collection's questions, how sure a difference is, and what is behind
every number.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.evaluate.definition import variant
from gear_app.evaluate.service import EvaluationProgress, EvaluationService
from gear_app.store.evaluations import OWNER
from gear_app.store.rows import CollectionInfo
from gear_app.text import count
from gear_app.ui.evaluate import form, results
from gear_app.ui.shared import collection, elements, session, visitors
from gear_app.views.evaluate.words import failed_sentence, label

STYLE = session.UI / "compare.css"  # quiet tags
REFRESH_S = 1.0
REDRAW = "evaluate-redraw"
LISTED = 12  # evaluations
DRAWINGS = 5  # of the figures while an evaluation goes on


def page() -> None:
    """The bar, how far the evaluation of the address is, and what it found."""
    st.html(STYLE)
    workspace = session.workspace()
    info = next(
        (one for one in workspace.collections.all() if one.name == collection.chosen()), None
    )
    if info is None or not info.questions:
        where = f"“{info.name}” has" if info else "There are"
        elements.message(
            f"{where} no questions to evaluate on. Import a question set on the page Collections,"
            " or run: gear-app demo"
        )
        st.page_link(session.COLLECTIONS, label="Go to Collections", icon=":material/library_add:")
        return
    service = EvaluationService(workspace, visitors.rights())
    shown = _shown(service, info.name)
    if not workspace.read_only:
        form.bar(service, info, shown)
    if shown is None:
        _empty(service, info)
        return
    progress = service.progress(shown)
    st.fragment(_progress, run_every=REFRESH_S if progress.going else None)(service, shown)
    if progress.ended:
        results.show(workspace, shown)


def _shown(service: EvaluationService, name: str) -> str | None:
    """The collection's evaluation: of the address, else looked at last, else the newest."""
    rows = service.workspace.store.evaluations.all()
    there = [one.id for one in rows if one.collection == name]
    changed = session.CHANGED in st.session_state
    asked = None if changed else st.query_params.get("evaluation")
    if asked and asked not in there:
        elements.message(f"The evaluation {asked[:20]} is not in this workspace.", "bad")
    for wanted in (asked, st.session_state.get("evaluation"), *there):
        if wanted in there:
            st.session_state["evaluation"] = wanted
            if asked != wanted:
                st.query_params["evaluation"] = wanted
            return str(wanted)
    st.query_params.pop("evaluation", None)
    return None


def _empty(service: EvaluationService, first: CollectionInfo) -> None:
    """Nothing was evaluated yet: one button that begins."""
    methods = [label(words) for words in form.USUAL]
    asked = service.workspace.collections.questions(first.name)
    questions = sum(bool(one.supporting_keys) for one in asked)
    elements.message(
        "Nothing was evaluated yet. An evaluation asks every question whose gold passages are known"
        " with every method, in the background, and keeps the runs: whatever happens, it goes on"
        " where it was."
    )
    if service.workspace.read_only:
        return
    st.button(
        f"Evaluate {', '.join(methods[:-1])} and {methods[-1]} on the"
        f" {count(questions, 'question')} of {first.name}",
        key="evaluate-begin",
        on_click=form.begin,
        args=(service, first.name),
    )


def _progress(service: EvaluationService, id_: str) -> None:
    """How far it is, and stopping or going on; the page is drawn anew when it ends."""
    if st.session_state.pop(REDRAW, False):
        st.rerun()
    try:
        progress, row = service.progress(id_), service.get(id_)
    except GearError:  # it went with its collection
        st.rerun()
    drawn = (id_, progress.going > 0, DRAWINGS * progress.ended // max(1, progress.total))
    if st.session_state.get("evaluate-drawn", drawn) != drawn:
        st.session_state["evaluate-drawn"] = drawn
        st.rerun()
    st.session_state["evaluate-drawn"] = drawn
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        fixed = service.workspace.read_only
        if progress.going:
            share = progress.ended / max(1, progress.total)
            st.progress(share, text=_words(service, id_, progress))
            if not fixed:
                st.button("Stop", key="evaluate-stop", on_click=service.stop, args=(id_,))
        else:
            tone = "good" if progress.state == "done" and not progress.failed else "info"
            elements.message(_words(service, id_, progress), tone)  # type: ignore[arg-type]
            if not fixed:
                _go_on(service, id_, progress)
        _others(service, id_)
    elements.message(failed_sentence(progress.failures), "bad")
    elements.message(row.reached, "bad")


def _go_on(service: EvaluationService, id_: str, progress: EvaluationProgress) -> None:
    """A button that makes what is missing, or what is out of date."""
    if progress.state == "stopped" or progress.failed:
        st.button("Go on", key="evaluate-resume", on_click=_resume, args=(service, id_))
    elif outdated := service.outdated(id_):
        st.button(
            f"Make {count(outdated, 'run')} again",
            key="evaluate-anew",
            on_click=_resume,
            args=(service, id_),
            help="Passages, triples, gold or a method changed since they were made",
        )


def _words(service: EvaluationService, id_: str, progress: EvaluationProgress) -> str:
    """The progress as a sentence."""
    if progress.state == "done":
        definition = service.definition(id_)
        runs = len(definition.methods) * len(definition.questions)
        searches = progress.total - runs
        oracle = (
            f" and {count(searches, 'oracle search', 'oracle searches')}" if searches > 0 else ""
        )
        return f"{count(runs, 'run')}{oracle} complete, {progress.failed} failed"
    failed = f"; {progress.failed} failed" if progress.failed else ""
    sentence = f"{progress.ended:,} of {count(progress.total, 'run')}{failed}"
    if not progress.going:
        return f"{sentence}. It was stopped."
    worker = service.workspace.jobs.worker_status()
    if worker != "busy":
        return f"{sentence}. The worker is {worker}."
    return ". ".join([sentence, *service.workspace.runs.doing(OWNER + id_)])


def _resume(service: EvaluationService, id_: str) -> None:
    """Go on with what is missing; the bar, which the fragment does not draw, has what is told."""
    form.go_on(service, id_)
    st.session_state[REDRAW] = True


def _others(service: EvaluationService, id_: str) -> None:
    """The other evaluations of this workspace."""
    name = service.get(id_).collection
    rows = [one for one in service.workspace.store.evaluations.all() if one.collection == name]
    others = [one for one in rows if one.id != id_][:LISTED]
    if not others:
        return
    with st.popover(f"{count(len(others), 'other')}", width="content"):
        for one in others:
            definition = service.definition(one.id)
            methods = ", ".join(variant(words).method for words in definition.methods[:4])
            more = " …" if len(definition.methods) > 4 else ""
            questions = count(len(definition.questions), "question")
            st.button(
                f"{questions}: {methods}{more}",
                key=f"evaluate-open-{one.id}",
                on_click=form.open_evaluation,
                args=(one.id,),
                width="stretch",
            )


page()
