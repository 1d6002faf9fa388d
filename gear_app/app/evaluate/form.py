"""The bar of Evaluate: questions, methods with their settings, and the button that starts runs."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from gear_app.app.shared import elements, language_models, method_form, session
from gear_app.app.shared.language_models import READER
from gear_app.display import extraction
from gear_app.display.comparison_tables import Entry
from gear_app.display.evaluate.words import label
from gear_app.evaluation.definition import Definition, QuestionChoice, cutoffs, define
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.variants import Variant, sweep_of, swept
from gear_app.methods import METHODS, as_paper
from gear_app.store.rows import CollectionInfo

USUAL = ("hybrid", "chain", "gear")
ALL, FIRST, SAMPLE, SET = "All with gold", "The first", "A sample", "This set"
CHOICE, COUNT, SEED = "evaluate-choice", "evaluate-count", "evaluate-seed"
ENTRIES, CUTOFFS, SWEEP = "evaluate-methods", "evaluate-ks", "evaluate-sweep"
SEEDED = "evaluate-seeded"  # the evaluation or collection that the bar was filled in from
ERROR, ESTIMATE = "evaluate-error", "evaluate-estimate"
CAP, EVALUATION = "evaluate-cap", "evaluation"
RESUMED = "evaluate-resumed"  # the evaluation whose estimate is shown, if it is continued


def bar(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    """Draw the bar, filled in from the evaluation that is shown."""
    state = st.session_state
    _seed(service, info, current)
    with elements.bar("evaluate", current or "", "Questions and methods"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            choice = state[CHOICE]
            with st.popover(
                choice if choice in (ALL, SET) else f"{choice}: {state[COUNT]}", width="content"
            ):
                _questions(service, current)
            st.multiselect(
                "Methods",
                list(dict.fromkeys([*METHODS, *state[ENTRIES]])),
                key=ENTRIES,
                format_func=label,
                persist_state="session",
            )
            st.button(
                "Evaluate",
                type="primary",
                key="evaluate-button",
                on_click=_start,
                args=(service, info, current),
                help="Reader, answer and triples of the form below are those of all runs",
            )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            method_form.row(info, answer=True, of_all=True)
            st.button("Add with these settings", key="evaluate-add", on_click=_add, args=(info,))
    elements.message(state.pop(ERROR, ""), "bad")
    if ESTIMATE in state:
        _confirm(service, info, current)


def _seed(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    """Fill the bar in once for each evaluation and each collection without one."""
    state, source = st.session_state, current or info.name
    if state.get(SEEDED) == source:
        return
    definition = service.definition(current) if current else Definition(info.name, USUAL)
    choice = definition.choice
    state[SEEDED], state[CHOICE] = source, _kind(choice)
    state[COUNT], state[SEED] = len(definition.questions) or 20, choice.seed
    state[ENTRIES], state[SWEEP] = list(definition.methods), ""
    state[CUTOFFS] = ", ".join(map(str, definition.ks))
    if current:
        active = info.active.name if info.active else None
        state[method_form.TRIPLES] = None if definition.triples == active else definition.triples
        state[READER], state[method_form.ANSWER] = definition.reader, definition.answer


def _kind(choice: QuestionChoice) -> str:
    """How the questions of an evaluation were chosen."""
    if choice.ids:
        return SET
    if choice.sample is not None:
        return SAMPLE
    return ALL if choice.limit is None else FIRST


def _questions(service: EvaluationService, current: str | None) -> None:
    """Which of the questions that have gold, those of a set only while it is shown; cut-offs; and
    sweeps over settings.
    """
    in_set = current and _kind(service.definition(current).choice) == SET
    kinds = [ALL, FIRST, SAMPLE, *([SET] if in_set else [])]
    kind = st.radio("Questions", kinds, key=CHOICE, persist_state="session")
    listed = kind in (ALL, SET)
    st.number_input("How many", 1, key=COUNT, disabled=listed, persist_state="session")
    st.number_input("Seed", step=1, key=SEED, disabled=kind != SAMPLE, persist_state="session")
    st.text_input("Cut-offs k", key=CUTOFFS, persist_state="session")
    st.text_input(
        "Sweep over settings",
        key=SWEEP,
        placeholder="width=1,5,10; length=1,2",
        help="Every method that has these settings, with every combination of the values",
        persist_state="session",
    )


def _add(info: CollectionInfo) -> None:
    """Put the method, as its fields stand, among the chosen ones."""
    state = st.session_state
    with elements.refusals(ERROR):
        words = _words(method_form.entry(info))
        state[ENTRIES] = list(dict.fromkeys([*state[ENTRIES], words]))


def _words(entry: Entry) -> str:
    """A method with settings as an evaluation stores it; the paper's settings under their name."""
    changed = dict(entry.settings)
    paper = {name: str(value) for name, value in as_paper(entry.method).items()}
    complete = bool(paper) and paper.items() <= changed.items()
    rest = {name: value for name, value in changed.items() if not (complete and name in paper)}
    return str(Variant(entry.method, rest, complete))


def _definition(
    service: EvaluationService, info: CollectionInfo, current: str | None
) -> Definition:
    """The definition of the bar; the questions of a set are those of the evaluation that is shown.
    Raises BadInput, NotReady or Unknown.
    """
    state = st.session_state
    kind, number = state[CHOICE], int(state[COUNT])
    sweeps = dict(sweep_of(part) for part in state[SWEEP].split(";") if part.strip())
    draft = Definition(
        info.name,
        swept(state[ENTRIES], sweeps),
        ks=cutoffs(state[CUTOFFS]),
        triples=method_form.triples(info),
        reader=method_form.reader(answer=True),
        answer=method_form.answers(),
        choice=QuestionChoice(
            limit=number if kind == FIRST else None,
            sample=number if kind == SAMPLE else None,
            seed=int(state[SEED]),
        ),
    )
    defined = define(service.workspace, draft, language_models.reader_model(draft.reader))
    if not current or kind != SET:
        return defined
    stored = service.definition(current)
    return replace(defined, questions=stored.questions, choice=stored.choice, before=stored.before)


def _start(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    """Begin, or first show what a language model would take."""
    _forget_estimate()
    with elements.refusals(ERROR):
        definition = _definition(service, info, current)
        estimate = service.estimate(definition)
        if estimate is not None:
            st.session_state[ESTIMATE] = estimate
            return
        _open(service, _stored(service, definition, current), None)


def go_on(service: EvaluationService, id_: str) -> None:
    """Make missing runs under the cap of before. If a language model is called and no cap was ever
    set, first show what it would take.
    """
    _forget_estimate()
    state = st.session_state
    with elements.refusals(ERROR):
        estimate = service.estimate(service.definition(id_))
        if estimate is not None and service.workspace.store.evaluations.get(id_).budget is None:
            state[ESTIMATE], state[RESUMED] = estimate, id_
            return
        service.start(id_)


def _forget_estimate() -> None:
    for name in (ESTIMATE, RESUMED):
        st.session_state.pop(name, None)


def _confirm(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    """The estimate, the cap, and the button that spends it."""
    estimate = st.session_state[ESTIMATE]
    if st.session_state.get(RESUMED, current) != current:  # another evaluation is shown by now
        _forget_estimate()
        return
    with st.container(border=True):
        elements.message(extraction.estimate(estimate))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("At most, in tokens", 1, value=estimate.cap, key=CAP, width=200)
            st.button(
                "Start",
                key="evaluate-confirm",
                on_click=_spend,
                args=(service, info, current),
            )


def _spend(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    resumed, cap = st.session_state.get(RESUMED), int(st.session_state[CAP])
    _forget_estimate()
    with elements.refusals(ERROR):
        defined = None if resumed else _definition(service, info, current)
        id_ = _stored(service, defined, current) if defined else str(resumed)
        spent = service.workspace.store.evaluations.get(id_).taken
        _open(service, id_, spent + cap)


def _stored(service: EvaluationService, definition: Definition, current: str | None) -> str:
    """The evaluation to show: the one that is shown, if only its methods changed."""
    if current:
        now = service.definition(current)
        if replace(now, methods=definition.methods) == definition:
            service.set_methods(current, definition.methods)
            return current
    return service.create(definition, session.owner())


def _open(service: EvaluationService, id_: str, budget: int | None) -> None:
    service.start(id_, budget)
    st.session_state.pop(SEEDED, None)  # the bar has the definition again
    show(id_)


def show(id_: str) -> None:
    """Show an evaluation, and no number of another; it is in the address and in the session."""
    st.session_state[EVALUATION] = st.query_params[EVALUATION] = id_
    st.query_params.pop("pick", None)
