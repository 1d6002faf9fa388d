"""The bar on top of Evaluate: questions, methods, settings, and the button that starts it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from gear_app.app.shared import elements, language_models, method_form, session
from gear_app.core.errors import GearError
from gear_app.display.evaluate.words import label
from gear_app.display.labels import LLM, reader_name
from gear_app.evaluation.definition import Definition, QuestionChoice, cutoffs, define
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.variants import sweep_of, swept, variant
from gear_app.methods import AS_PAPER, METHODS
from gear_app.store.evaluations import OWNER
from gear_app.store.rows import CollectionInfo

USUAL = ("hybrid", "chain", "gear")
ALL, FIRST, SAMPLE, SET = "All with gold", "The first", "A sample", "This set"
NAMES = [*METHODS, "gear:chain", "ircot:chain", "bdtr:chain"]
ERROR, ESTIMATE = "evaluate-error", "evaluate-estimate"
CAP, SHOWN, FORM = "evaluate-cap", "evaluation", "evaluate-form"
RESUMED = "evaluate-resumed"  # the evaluation whose estimate is shown, if it is continued


def bar(service: EvaluationService, info: CollectionInfo, current: str | None) -> None:
    """Draw the bar, filled in from the evaluation that is shown; its fields belong to that."""
    state = st.session_state
    state[FORM] = current or info.name
    definition = service.definition(current) if current else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        kind = state.get(key("choice"), _kind(definition))
        number = state.get(key("count"), len(definition.questions) if definition else 0)
        with st.popover(kind if kind in (ALL, SET) else f"{kind}: {number}", width="content"):
            _questions(definition)
        methods = list(definition.methods if definition else USUAL)
        st.multiselect(
            "Methods",
            list(dict.fromkeys([*NAMES, *methods, *state.get(key("methods"), ())])),
            methods,
            key=key("methods"),
            format_func=_words,
            accept_new_options=True,
            label_visibility="collapsed",
            placeholder="Methods; type one with settings, as in gear width=5",
            help="Settings stand after the name: gear width=5",
            persist_state="session",
        )
        with st.popover("Settings", width="content"):
            _settings(info, definition)
        st.button(
            "Evaluate",
            type="primary",
            key="evaluate-button",
            on_click=_start,
            args=(service, info.name, current),
        )
    elements.message(state.pop(ERROR, ""), "bad")
    if ESTIMATE in state:
        _confirm(service, info.name, current)


def key(name: str) -> str:
    """The key of a field of the form of the evaluation or collection that is shown."""
    return f"evaluate-{name}-{st.session_state[FORM]}"


def _words(method: str) -> str:
    try:
        return label(method)
    except GearError:
        return method


def _kind(definition: Definition | None) -> str:
    """How the questions of an evaluation were chosen."""
    choice = definition.choice if definition else QuestionChoice()
    if choice.ids:
        return SET
    if choice.sample is not None:
        return SAMPLE
    return ALL if choice.limit is None else FIRST


def _questions(definition: Definition | None) -> None:
    """Which of the questions that have gold; those of a set only while it is shown."""
    usual, size = _kind(definition), len(definition.questions) if definition else 20
    kinds = [ALL, FIRST, SAMPLE, *([SET] if usual == SET else [])]
    kind = st.radio(
        "Questions", kinds, kinds.index(usual), key=key("choice"), persist_state="session"
    )
    st.number_input(
        "How many",
        1,
        value=size,
        key=key("count"),
        disabled=kind in (ALL, SET),
        persist_state="session",
    )
    st.number_input(
        "Seed",
        value=definition.choice.seed if definition else 0,
        key=key("seed"),
        disabled=kind != SAMPLE,
        persist_state="session",
    )


def _settings(collection: CollectionInfo, definition: Definition | None) -> None:
    """Settings of all methods, and sweeps."""
    shape = definition or Definition(collection.name)
    sets = [None, *(triple_set.name for triple_set in collection.triple_sets)]
    st.selectbox(
        "Triples",
        sets,
        sets.index(shape.triples) if shape.triples in sets else 0,
        format_func=lambda name: name or "the active set",
        key=key("triples"),
        persist_state="session",
    )
    ks = ", ".join(map(str, shape.ks))
    st.text_input("Cut-offs k", ks, key=key("ks"), persist_state="session")
    readers = ["local", LLM] if language_models.chosen() else ["local"]
    st.selectbox(
        "Reader",
        readers,
        readers.index(shape.reader) if shape.reader in readers else 0,
        format_func=reader_name,
        key=key("reader"),
        persist_state="session",
    )
    st.checkbox("Measure answers too", shape.answer, key=key("answer"), persist_state="session")
    st.toggle(
        method_form.PAPER,
        key=key("paper"),
        help="Every method with the settings of its paper, where its defaults are others; for both"
        f" side by side type it with {AS_PAPER} after it, as in gear {AS_PAPER}",
        persist_state="session",
    )
    st.text_input(
        "Sweep over settings",
        key=key("sweep"),
        placeholder="width=1,5,10; length=1,2",
        help="Every method that has these settings, with every combination of the values",
        persist_state="session",
    )


def _definition(service: EvaluationService, collection: str, current: str | None) -> Definition:
    """The definition of the bar; the questions of a set are those of the evaluation that is shown.
    Raises BadInput, NotReady or Unknown.
    """
    state = st.session_state
    kind, number = state[key("choice")], int(state[key("count")])
    sweeps = dict(sweep_of(part) for part in state[key("sweep")].split(";") if part.strip())
    methods: list[str] = state[key("methods")]
    if state[key("paper")]:
        methods = [str(variant(words).with_paper()) for words in methods]
    draft = Definition(
        collection,
        swept(methods, sweeps),
        ks=cutoffs(state[key("ks")]),
        triples=state[key("triples")],
        reader=state[key("reader")],
        answer=state[key("answer")],
        choice=QuestionChoice(
            limit=number if kind == FIRST else None,
            sample=number if kind == SAMPLE else None,
            seed=int(state[key("seed")]),
        ),
    )
    defined = define(service.workspace, draft, language_models.reader_model(draft.reader))
    if not current or kind != SET:
        return defined
    stored = service.definition(current)
    return replace(defined, questions=stored.questions, choice=stored.choice, before=stored.before)


def _start(service: EvaluationService, collection: str, current: str | None) -> None:
    """Begin, or first show what a language model would take."""
    _forget_estimate()
    with elements.refusals(ERROR):
        definition = _definition(service, collection, current)
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
        if estimate is not None and service.get(id_).budget is None:
            state[ESTIMATE], state[RESUMED] = estimate, id_
            return
        service.start(id_)


def _forget_estimate() -> None:
    for name in (ESTIMATE, RESUMED):
        st.session_state.pop(name, None)


def _confirm(service: EvaluationService, collection: str, current: str | None) -> None:
    """The estimate, the cap, and the button that spends it."""
    estimate = st.session_state[ESTIMATE]
    if st.session_state.get(RESUMED, current) != current:  # another evaluation is shown by now
        _forget_estimate()
        return
    with st.container(border=True):
        elements.message(
            f"About {estimate.calls:,} calls of the language model and {estimate.tokens:,} tokens"
            f" ({estimate.basis}). Stored replies cost nothing."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("At most, in tokens", 1, value=estimate.cap, key=CAP, width=200)
            st.button(
                "Start",
                key="evaluate-confirm",
                on_click=_spend,
                args=(service, collection, current),
            )


def _spend(service: EvaluationService, collection: str, current: str | None) -> None:
    resumed, cap = st.session_state.get(RESUMED), int(st.session_state[CAP])
    _forget_estimate()
    with elements.refusals(ERROR):
        defined = None if resumed else _definition(service, collection, current)
        id_ = _stored(service, defined, current) if defined else str(resumed)
        spent = service.workspace.store.evaluations.taken(OWNER + id_)
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
    for name in [name for name in st.session_state if str(name).endswith(f"-{id_}")]:
        del st.session_state[name]  # the form has the definition again
    show(id_)


def show(id_: str) -> None:
    """Show an evaluation, and no number of another; it is in the address and in the session."""
    st.session_state[SHOWN] = st.query_params[SHOWN] = id_
    st.query_params.pop("pick", None)
