"""The bar on top of Evaluate: collection, questions, methods, settings, and what starts it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from gear_app.errors import BadInput, GearError
from gear_app.evaluate.definition import (
    ALL_QUESTIONS,
    KS,
    Definition,
    QuestionChoice,
    ReaderChoice,
    define,
    swept,
    with_paper,
)
from gear_app.evaluate.service import EvaluationService
from gear_app.retrievers import AS_PAPER, METHODS
from gear_app.store.evaluations import OWNER
from gear_app.store.rows import CollectionInfo
from gear_app.text import split_quoted, unquoted
from gear_app.ui.shared import collection, elements, language_models, method_settings, session
from gear_app.views.evaluate.words import label
from gear_app.views.labels import LLM, reader_name

USUAL = ("hybrid", "chain", "gear")
ALL, FIRST, SAMPLE, SET = "All with gold", "The first", "A sample", "This set"
NAMES = [*METHODS, "gear:chain", "ircot:chain", "bdtr:chain"]
ERROR, ESTIMATE, SEEDED = "evaluate-error", "evaluate-estimate", "evaluate-seeded"
RESUMED = "evaluate-resumed"  # the evaluation that the estimate is for, where it is gone on with


def bar(service: EvaluationService, info: CollectionInfo, shown: str | None) -> None:
    """Draw the bar, filled in from the evaluation that is shown."""
    _seed(service, info, shown)
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.popover(_chosen_words(), width="content"):
            _questions(service.definition(shown) if shown else None)
        st.multiselect(
            "Methods",
            list(dict.fromkeys([*NAMES, *state["evaluate-methods"]])),
            key="evaluate-methods",
            format_func=_words,
            accept_new_options=True,
            label_visibility="collapsed",
            placeholder="Methods; type one with settings, as in gear width=5",
            help="Settings stand after the name: gear width=5",
        )
        with st.popover("Settings", width="content"):
            _settings(info)
        st.button(
            "Evaluate",
            type="primary",
            key="evaluate-button",
            on_click=_start,
            args=(service, shown),
        )
    elements.message(state.pop(ERROR, ""), "bad")
    if ESTIMATE in state:
        _confirm(service, shown)


def begin(service: EvaluationService, collection: str) -> None:
    """Evaluate the usual methods on a collection's questions."""
    with elements.refusals(ERROR):
        _open(service, service.create(define(service.workspace, collection, USUAL)), None)


def open_evaluation(id_: str) -> None:
    """Show an evaluation; it is in the address and in the session."""
    st.session_state["evaluation"] = id_
    st.query_params["evaluation"] = id_


def _seed(service: EvaluationService, info: CollectionInfo, shown: str | None) -> None:
    """Fill the bar in once for each evaluation shown; afterwards it is the visitor's."""
    state = st.session_state
    definition = service.definition(shown) if shown else None
    if state.get(SEEDED) != (shown or info.name) or "evaluate-methods" not in state:
        state["evaluate-methods"] = list(definition.methods if definition else USUAL)
        choice = definition.choice if definition else ALL_QUESTIONS
        state["evaluate-choice"] = _kind(definition)
        chosen = definition is not None and choice != ALL_QUESTIONS
        state["evaluate-count"] = len(definition.questions) if definition and chosen else 20
        state["evaluate-seed"] = choice.seed
        state["evaluate-ks"] = ", ".join(map(str, definition.ks if definition else KS))
        state["evaluate-triples"] = definition.triples if definition else None
        state["evaluate-reader"] = definition.reader if definition else "local"
        state["evaluate-answer"] = bool(definition and definition.answer)
        state["evaluate-sweep"] = ""
        state["evaluate-paper"] = False
        state[SEEDED] = shown or info.name


def _words(method: str) -> str:
    try:
        return label(method)
    except GearError:
        return method


def _chosen_words() -> str:
    state = st.session_state
    choice, number = state["evaluate-choice"], state["evaluate-count"]
    return {
        ALL: "All questions",
        FIRST: f"The first {number}",
        SET: f"This set of {number}",
        SAMPLE: f"{number} drawn with seed {state['evaluate-seed']}",
    }[choice]


def _kind(definition: Definition | None) -> str:
    """How the questions of an evaluation were chosen."""
    choice = definition.choice if definition else ALL_QUESTIONS
    if choice.ids:
        return SET
    if choice.sample is not None:
        return SAMPLE
    return ALL if choice.limit is None else FIRST


def _questions(definition: Definition | None) -> None:
    """Which of the questions that have gold; those of a set only while it is shown."""
    kinds = [ALL, FIRST, SAMPLE, *([SET] if definition and definition.choice.ids else [])]
    st.radio("Questions", kinds, key="evaluate-choice", persist_state="session")
    sampled = st.session_state["evaluate-choice"]
    whole = sampled in (ALL, SET)
    st.number_input("How many", 1, key="evaluate-count", disabled=whole, persist_state="session")
    st.number_input(
        "Seed", key="evaluate-seed", disabled=sampled != SAMPLE, persist_state="session"
    )


def _settings(collection: CollectionInfo) -> None:
    """What is the same for all methods, and sweeps."""
    sets = [None, *(one.name for one in collection.triple_sets)]
    if st.session_state["evaluate-triples"] not in sets:
        st.session_state["evaluate-triples"] = None
    st.selectbox(
        "Triples",
        sets,
        format_func=lambda name: name or "the active set",
        key="evaluate-triples",
        persist_state="session",
    )
    st.text_input("Cut-offs k", key="evaluate-ks", persist_state="session")
    readers = ["local", LLM] if language_models.chosen() else ["local"]
    if st.session_state["evaluate-reader"] not in readers:
        st.session_state["evaluate-reader"] = "local"
    st.selectbox(
        "Reader", readers, format_func=reader_name, key="evaluate-reader", persist_state="session"
    )
    st.checkbox("Measure answers too", key="evaluate-answer", persist_state="session")
    st.toggle(
        method_settings.PAPER,
        key="evaluate-paper",
        help="Every method with the settings of its paper, where its defaults are others; for both"
        f" side by side type it with {AS_PAPER} after it, as in gear {AS_PAPER}",
        persist_state="session",
    )
    st.text_input(
        "Sweep over settings",
        key="evaluate-sweep",
        placeholder="width=1,5,10; length=1,2",
        help="Every method that has these settings, with every combination of the values",
        persist_state="session",
    )


def _definition(service: EvaluationService, shown: str | None) -> Definition:
    """What the bar says; the questions of a set are those of the evaluation that is shown. Raises
    BadInput, NotReady or Unknown.
    """
    state = st.session_state
    choice, number = state["evaluate-choice"], int(state["evaluate-count"])
    sweeps = dict(_sweep(part) for part in state["evaluate-sweep"].split(";") if part.strip())
    defined = define(
        service.workspace,
        collection.chosen() or "",
        swept(_methods(), sweeps),
        ks=_cutoffs(state["evaluate-ks"]),
        triples=state["evaluate-triples"],
        chosen=QuestionChoice(
            limit=number if choice == FIRST else None,
            sample=number if choice == SAMPLE else None,
            seed=int(state["evaluate-seed"]),
        ),
        reading=ReaderChoice(
            state["evaluate-reader"],
            language_models.reader_model(state["evaluate-reader"]),
            state["evaluate-answer"],
        ),
    )
    of = service.definition(shown) if shown and choice == SET else None
    if of is None or of.collection != defined.collection:
        return defined
    return replace(defined, questions=of.questions, choice=of.choice, before=of.before)


def _methods() -> list[str]:
    """The methods that are chosen, with their papers' settings where that is turned on."""
    chosen: list[str] = st.session_state["evaluate-methods"]
    return [with_paper(words) for words in chosen] if st.session_state["evaluate-paper"] else chosen


def _sweep(text: str) -> tuple[str, list[str]]:
    name, _, values = text.partition("=")
    several = [unquoted(one.strip()) for one in split_quoted(values, ",") if one.strip()]
    if not name.strip() or not several:
        raise BadInput(f"A sweep is a setting and its values, as in width=1,5,10, not {text!r}")
    return name.strip(), several


def _cutoffs(text: str) -> list[int]:
    numbers = [part.strip() for part in text.split(",") if part.strip()]
    if not numbers or not all(part.isdecimal() and int(part) for part in numbers):
        raise BadInput(f"Cut-offs are numbers such as 5, 10, 15, not {text!r}")
    return [int(part) for part in numbers]


def _start(service: EvaluationService, shown: str | None) -> None:
    """Begin, or first tell what a language model would take."""
    _forget_estimate()
    with elements.refusals(ERROR):
        definition = _definition(service, shown)
        estimate = service.estimate(definition)
        if estimate is not None:
            st.session_state[ESTIMATE] = estimate
            return
        _open(service, _kept(service, definition, shown), None)


def go_on(service: EvaluationService, id_: str) -> None:
    """Make what is missing under the cap of before. Where a language model is asked and no cap was
    ever set, first tell what it would take.
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


def _confirm(service: EvaluationService, shown: str | None) -> None:
    """What it will take, the cap, and the button that spends it."""
    estimate = st.session_state[ESTIMATE]
    if st.session_state.get(RESUMED, shown) != shown:  # another one is shown by now
        _forget_estimate()
        return
    with st.container(border=True):
        elements.message(
            f"About {estimate.calls:,} calls of the language model, {estimate.kept:,} of them kept"
            f" from before, and {estimate.tokens:,} tokens ({estimate.basis})."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            cap = st.number_input(
                "At most, in tokens", 1, value=estimate.cap, key="evaluate-cap", width=200
            )
            st.button("Start", key="evaluate-confirm", on_click=_spend, args=(service, shown, cap))


def _spend(service: EvaluationService, shown: str | None, cap: int) -> None:
    resumed = st.session_state.get(RESUMED)
    _forget_estimate()
    with elements.refusals(ERROR):
        id_ = resumed or _kept(service, _definition(service, shown), shown)
        taken = service.workspace.store.evaluations.taken(OWNER + id_)
        _open(service, id_, taken + int(cap))


def _kept(service: EvaluationService, definition: Definition, shown: str | None) -> str:
    """The evaluation to show: the one that is shown, where only its methods changed."""
    if shown:
        now = service.definition(shown)
        if replace(now, methods=definition.methods) == definition:
            service.set_methods(shown, definition.methods)
            return shown
    return service.create(definition, session.owner())


def _open(service: EvaluationService, id_: str, budget: int | None) -> None:
    service.start(id_, budget)
    open_evaluation(id_)
    st.session_state[SEEDED] = None
