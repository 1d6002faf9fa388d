"""Extraction before it starts: by what, into which set, what it will take and may take."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from gear_app.errors import GearError, NotReady
from gear_app.llm.server import Spec
from gear_app.ui.shared import elements, language_model, session
from gear_app.views import extraction as views
from gear_app.views import markup
from gear_app.workspace import CollectionInfo, Estimate, Workspace

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


def form(workspace: Workspace, info: CollectionInfo) -> None:
    """Choose, see the estimate, set the cap, and start."""
    with st.container(border=True):
        st.html(markup.title("Extract triples", PURPOSE))
        if not info.passages:
            elements.message("There are no passages yet. Add some on the tab Documents.")
            return
        spec = language_model.chosen()
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
    """The extractor's name; where no language model is chosen the way to one."""
    options = [views.LOCAL, views.JOINT] if spec else [views.LOCAL]
    if st.session_state.get(BY) not in options:
        st.session_state[BY] = views.LOCAL
    name = spec.model if spec else ""
    by = st.selectbox(
        "Extractor",
        options,
        key=BY,
        format_func=lambda one: views.extractor_name(one, name),
        width=240,
        persist_state="session",
    )
    if spec is None:
        st.page_link(
            session.SETTINGS, label="Use a language model …", help="Choose one on the page Settings"
        )
    if by == views.LOCAL:
        return views.LOCAL
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
    set_ = next((one for one in info.triple_sets if one.name == triples), None)
    key = about, info.revision, set_, workspace.costs.prices().get(spec.model)
    known: _Known = st.session_state.get(ESTIMATED) or _Known()
    if known.key != key or known.made is None:
        made = workspace.costs.estimate_extraction(*about)
        if known.about != about or (known.made and st.session_state.get(CAP) == known.made.cap):
            st.session_state[CAP] = made.cap
        known = st.session_state[ESTIMATED] = _Known(about, key, made)
    assert known.made is not None
    st.session_state.setdefault(CAP, known.made.cap)
    return known.made


def _start(workspace: Workspace, collection: str, extractor: str, triples: str) -> None:
    cap = st.session_state.get(CAP) if extractor != views.LOCAL else None
    start(workspace, collection, extractor, triples, cap)


def start(
    workspace: Workspace, collection: str, extractor: str, triples: str, cap: int | None
) -> None:
    """Put an extraction in the queue; a refusal is told when the page is drawn next."""
    try:
        workspace.jobs.enqueue_extraction(
            collection, extractor, triples, session.owner(), model=model(extractor), budget=cap
        )
    except GearError as error:
        st.session_state[FAILED] = str(error)


def model(extractor: str) -> Spec | None:
    """The language model of an extraction; None for an extractor that asks none.

    Raises NotReady or BadInput.
    """
    if extractor not in views.STEPS:
        return None
    spec = language_model.chosen()
    if spec is None:
        raise NotReady(NO_MODEL)
    language_model.check(spec)
    return spec
