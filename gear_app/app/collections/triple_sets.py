"""Triple sets: which one runs use, the form to extract with, and the passages that fell
short.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from gear_app.app.shared import elements, language_models, session
from gear_app.core.errors import GearError, NotReady
from gear_app.display import collections as collection_views
from gear_app.display import extraction as views
from gear_app.display import markup
from gear_app.models.server import Spec
from gear_app.store.rows import CollectionInfo, TripleSetInfo
from gear_app.workspace.runs.costs import Estimate
from gear_app.workspace.workspace import Workspace

AT_MOST = 50
LONG, LONG_PX = 10, 460


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """The sets as a table, which one runs use, extraction, and the passages that fell short."""
    if info.triple_sets:
        st.dataframe(collection_views.triple_sets(info.triple_sets), hide_index=True)
        if not workspace.read_only:
            _choose(workspace, info)
    else:
        elements.message("No triples yet. Extract them, or import a file of ready-made ones.")
    if not workspace.read_only:
        extraction_form(workspace, info)
        _shortfalls(workspace, info)


def _choose(workspace: Workspace, info: CollectionInfo) -> None:
    names = [set_.name for set_ in info.triple_sets]
    active = next((place for place, set_ in enumerate(info.triple_sets) if set_.active), 0)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Set that runs use", names, index=active, key="active-set", width=320)
        if st.button("Use this set", disabled=chosen == names[active], key="activate"):
            workspace.collections.activate(info.name, chosen)
            st.rerun()


def _shortfalls(workspace: Workspace, info: CollectionInfo) -> None:
    """One card a set, for those that were extracted here."""
    for set_ in info.triple_sets:
        sentence = views.shortfall_words(set_) if set_.maker != views.IMPORTED else ""
        if sentence:
            with st.container(border=True):
                _card(workspace, info.name, set_, sentence)


def _card(workspace: Workspace, collection: str, set_: TripleSetInfo, sentence: str) -> None:
    calls_model = set_.maker in views.STEPS
    with st.container(horizontal=True, vertical_alignment="center"):
        elements.message(sentence, "bad" if set_.passages_failed else "info")
        if set_.passages_failed or (calls_model and set_.passages_without):
            st.button(
                "Try these again",
                key=f"again-{set_.name}",
                disabled=calls_model and language_models.chosen() is None,
                on_click=_again,
                args=(workspace, collection, set_),
                help=(
                    NO_MODEL
                    if calls_model and language_models.chosen() is None
                    else views.retry_words(set_, _model())
                ),
            )
    listed = workspace.jobs.shortfalls(collection, set_.name, AT_MOST)
    heading = "Which passages, and what was replied" if calls_model else "Which passages, and why"
    with st.expander(heading, expanded=len(listed) <= 3):
        if len(listed) == AT_MOST:
            st.caption(f"The first {AT_MOST} are shown.")
        with st.container(height=LONG_PX if len(listed) > LONG else "content", border=False):
            st.html(views.shortfall_list(listed))


def _model() -> str:
    spec = language_models.chosen()
    return spec.model if spec else ""


def _again(workspace: Workspace, collection: str, set_: TripleSetInfo) -> None:
    """Extract the passages that failed and, with a language model, those without triples.

    The cap is that of an estimate for these passages.
    """
    cap = None
    with elements.refusals(FAILED):
        spec = _extractor_model(set_.maker)
        if spec:
            workspace.jobs.retry_empty(collection, set_.name)
            cap = workspace.costs.estimate_extraction(collection, set_.name, spec, set_.maker).cap
        start_extraction(workspace, collection, set_.maker, set_.name, cap)


BY, STEPS, INTO, CAP, FAILED = (
    "extract-by",
    "extract-steps",
    "extract-into",
    "extract-cap",
    "extract_error",
)
ESTIMATED, KIND = "extract-estimated", "extraction"
MOST = 10**10  # tokens
PURPOSE = "of every passage that the set has not been made for; it goes on where it stopped"
NO_MODEL = "No language model is chosen. Choose one on the page Settings."


class _Known(NamedTuple):
    """The last estimate, what it was of, and what it depends on besides."""

    about: object = None
    key: object = None
    made: Estimate | None = None


def extraction_form(workspace: Workspace, info: CollectionInfo) -> None:
    """Choose, see the estimate, set the cap, and start."""
    with st.container(border=True):
        st.html(markup.title("Extract triples", PURPOSE))
        if not info.passages:
            elements.message("There are no passages yet. Add some on the tab Documents.")
            return
        spec = language_models.chosen()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            extractor = _extractor(spec)
            triples = _set(extractor)
        estimate = None
        if any(
            job.triple_set == triples
            for job in workspace.jobs.recent(info.name)
            if job.going and job.kind == KIND
        ):
            elements.message(
                f"“{triples}” is being extracted. Cancel that first, or name another set.", "busy"
            )
            return
        if extractor == views.LOCAL:
            st.caption(views.LOCAL_NOTE)
        elif spec:
            estimate = _estimated(workspace, info, spec, extractor, triples)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if estimate and estimate.calls:
                _cap()
            st.button(
                "Extract triples",
                type="primary",
                key="extract",
                disabled=estimate is not None and not estimate.calls,
                on_click=_start,
                args=(workspace, info.name, extractor, triples),
            )


def _extractor(spec: Spec | None) -> str:
    """The extractor's name, with the steps of a language model's; the local one where no model is
    chosen.
    """
    options = [views.LOCAL, views.JOINT] if spec else [views.LOCAL]
    if st.session_state.get(BY) not in options:
        st.session_state[BY] = views.LOCAL
    name = spec.model if spec else ""
    by = st.selectbox(
        "Extractor",
        options,
        key=BY,
        format_func=lambda option: views.extractor_name(option, name),
        width=240,
        persist_state="session",
    )
    if spec is None:
        st.page_link(
            session.SETTINGS, label="Use a language model …", help="Choose one on the page Settings"
        )
    if by == views.LOCAL:
        return by
    st.session_state.setdefault(STEPS, views.JOINT)
    return st.selectbox(
        "Steps",
        list(views.STEPS),
        key=STEPS,
        format_func=views.STEPS.__getitem__,
        width=380,
        persist_state="session",
    )


def _set(extractor: str) -> str:
    """The name of the set to make or to go on with; by default the extractor's."""
    typed = st.text_input(
        "Triple set",
        key=INTO,
        placeholder=extractor,
        width=200,
        help=(
            "A new name makes a new set; with the name of one that is there, extraction goes on"
            " with that"
        ),
    )
    return " ".join(typed.split()) or extractor


def _estimated(
    workspace: Workspace, info: CollectionInfo, spec: Spec, extractor: str, triples: str
) -> Estimate | None:
    """Say what it will take; None where that cannot be said."""
    try:
        estimate = _estimate(workspace, info, spec, extractor, triples)
    except GearError as error:
        elements.message(str(error), "bad")
        return None
    elements.message(views.estimate(estimate))
    return estimate


def _cap() -> None:
    st.number_input(
        "Take at most so many tokens",
        1,
        MOST,
        step=10_000,
        key=CAP,
        width=240,
        placeholder="no limit",
        help=(
            "In and out, of all calls together. It is twice the estimate until you change it;"
            " an extraction that reaches it is paused, and keeps what was done"
        ),
    )


def _estimate(
    workspace: Workspace, info: CollectionInfo, spec: Spec, extractor: str, triples: str
) -> Estimate:
    """Made once for what it depends on. A new one sets the cap anew where nobody has changed it."""
    about = info.name, triples, spec, extractor
    set_ = next((triple_set for triple_set in info.triple_sets if triple_set.name == triples), None)
    key = about, info.revision, set_, workspace.costs.prices().get(spec.model)
    estimated: _Known = st.session_state.get(ESTIMATED) or _Known()
    if estimated.key != key or estimated.made is None:
        estimate = workspace.costs.estimate_extraction(*about)
        if estimated.about != about or (
            estimated.made and st.session_state.get(CAP) == estimated.made.cap
        ):
            st.session_state[CAP] = estimate.cap
        estimated = st.session_state[ESTIMATED] = _Known(about, key, estimate)
    assert estimated.made is not None
    st.session_state.setdefault(CAP, estimated.made.cap)
    return estimated.made


def _start(workspace: Workspace, collection: str, extractor: str, triples: str) -> None:
    cap = st.session_state.get(CAP) if extractor != views.LOCAL else None
    start_extraction(workspace, collection, extractor, triples, cap)


def start_extraction(
    workspace: Workspace, collection: str, extractor: str, triples: str, cap: int | None
) -> None:
    """Put an extraction in the queue; a refusal is told when the page is drawn next."""
    with elements.refusals(FAILED):
        workspace.jobs.enqueue_extraction(
            collection,
            extractor,
            triples,
            session.owner(),
            model=_extractor_model(extractor),
            budget=cap,
        )


def _extractor_model(extractor: str) -> Spec | None:
    """The language model of an extraction; None for an extractor that asks none.

    Raises NotReady or BadInput.
    """
    if extractor not in views.STEPS:
        return None
    spec = language_models.chosen()
    if spec is None:
        raise NotReady(NO_MODEL)
    language_models.check(spec)
    return spec
