"""Evaluate: methods on a collection's questions, with intervals, tests and the questions behind
every number.
"""

from __future__ import annotations

import streamlit as st

from gear_app.app.evaluate import form, results
from gear_app.app.shared import collection, elements, session, visitors
from gear_app.core.errors import GearError
from gear_app.core.text import count
from gear_app.display.evaluate.words import failed_sentence
from gear_app.evaluation.service import EvaluationProgress, EvaluationService
from gear_app.evaluation.variants import variant

REFRESH_S = 1.0
REDRAW = "evaluate-redraw"
DRAWINGS = 5  # of the results while an evaluation goes on


def page() -> None:
    """The bar, the progress of the evaluation that is shown, and its results."""
    workspace, name = session.workspace(), collection.chosen()
    info = next((info for info in workspace.collections.all() if info.name == name), None)
    if info is None or not info.questions:
        lead = f"“{info.name}” has" if info else "There are"
        elements.message(
            f"{lead} no questions to evaluate on. Import a question set on the page Collections,"
            " or run: gear-app demo"
        )
        st.page_link(session.COLLECTIONS, label="Go to Collections", icon=":material/library_add:")
        return
    service = EvaluationService(workspace, visitors.rights())
    current = _evaluation(service, info.name)
    if not workspace.read_only:
        form.bar(service, info, current)
    if current is None:
        elements.message(
            f"“{info.name}” was not evaluated yet. An evaluation asks every question whose gold"
            " passages are known with every method, in the background, and stores the runs, so it"
            " can be stopped and continued at any time."
        )
        return
    progress = service.progress(current)
    st.fragment(_progress, run_every=REFRESH_S if progress.going else None)(service, current)
    if progress.ended:
        results.show(workspace, current)


def _evaluation(service: EvaluationService, name: str) -> str | None:
    """A choice among the collection's evaluations, which the address names; at first the newest."""
    rows = service.workspace.store.evaluations.all()
    names: dict[str, str] = {}
    for row in rows:
        if row.collection == name:
            definition = service.definition(row.id)
            methods = ", ".join(variant(words).method for words in definition.methods)
            questions = count(len(definition.questions), "question")
            names[row.id] = f"{questions}: {methods} ({row.id})"
    state, query = st.session_state, st.query_params
    candidates = (query.get(form.EVALUATION), state.get(form.EVALUATION), *names)
    current = next((id_ for id_ in candidates if id_ in names), None)
    if current is None:
        query.pop(form.EVALUATION, None)
        return None
    state[form.EVALUATION] = query[form.EVALUATION] = current
    if len(names) > 1:
        st.selectbox(
            "Evaluation",
            list(names),
            list(names).index(current),
            key=f"evaluate-current-{current}",
            format_func=lambda id_: names.get(id_, id_),
            label_visibility="collapsed",
            width=320,
            on_change=lambda: form.show(state[f"evaluate-current-{current}"]),
        )
    return current


def _progress(service: EvaluationService, id_: str) -> None:
    """The progress, with buttons to stop and to continue; the page is drawn anew at the end."""
    if st.session_state.pop(REDRAW, False):
        st.rerun()
    try:
        progress, row = service.progress(id_), service.workspace.store.evaluations.get(id_)
    except GearError:  # deleted with its collection
        st.rerun()
    drawn = (id_, progress.going > 0, DRAWINGS * progress.ended // max(1, progress.total))
    if st.session_state.get("evaluate-drawn", drawn) != drawn:
        st.session_state["evaluate-drawn"] = drawn
        st.rerun()
    st.session_state["evaluate-drawn"] = drawn
    words = _words(service, id_, progress)
    can_change = not service.workspace.read_only
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if progress.going:
            st.progress(progress.ended / max(1, progress.total), text=words)
            if can_change:
                st.button("Stop", key="evaluate-stop", on_click=service.stop, args=(id_,))
        else:
            complete = progress.state == "done" and not progress.failures
            elements.message(words, "good" if complete else "info")
            session.annotate_link("Annotate these", evaluation=id_)
            if can_change:
                _go_on(service, id_, progress)
    elements.message(failed_sentence(progress.failures), "bad")
    elements.message(row.reached, "bad")


def _go_on(service: EvaluationService, id_: str, progress: EvaluationProgress) -> None:
    """A button that makes missing or outdated runs."""
    if progress.state == "stopped" or progress.failures:
        st.button("Continue", key="evaluate-resume", on_click=_resume, args=(service, id_))
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
        oracle = f" and {count(searches, 'oracle search', 'oracle searches')}" if searches else ""
        return f"{count(runs, 'run')}{oracle} complete, {progress.failures.total()} failed"
    failed = f"; {progress.failures.total()} failed" if progress.failures else ""
    sentence = f"{progress.ended:,} of {count(progress.total, 'run')}{failed}"
    if not progress.going:
        return f"{sentence}. Stopped."
    worker = service.workspace.store.tasks.worker()
    if worker != "busy":
        return f"{sentence}. The worker is {worker}."
    links = service.workspace.store.evaluations.runs(id_).values()
    messages = sorted({run.message for run in links if run.state == "running" and run.message})
    return ". ".join([sentence, *messages])


def _resume(service: EvaluationService, id_: str) -> None:
    """Make missing runs; the bar, which the fragment does not draw, shows messages."""
    form.go_on(service, id_)
    st.session_state[REDRAW] = True


page()
