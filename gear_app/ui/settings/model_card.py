"""The card of Settings for a language model: the form, tried out before it is used."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gear_app.errors import GearError, NotReady
from gear_app.llm.connection_test import try_connection
from gear_app.llm.server import OPENAI, Secret, Server
from gear_app.ui.settings import model_form
from gear_app.ui.settings.model_form import LISTED, NEXT, OUTCOME
from gear_app.ui.shared import elements, language_model
from gear_app.views import language_models as views
from gear_app.views import markup
from gear_app.views.labels import as_sentence


def show() -> None:
    """The form; above it stands what is in use."""
    st.html(markup.title("Language model", "any server that speaks OpenAI's protocol"))
    model_form.fields()
    with st.container(horizontal=True, gap="small"):
        st.button("Use this model", type="primary", key="model-use", on_click=_use)
        st.button("Use the local reader", key="model-local", on_click=_use_local)
        test = st.button("Test the connection", key="model-test")
    place = st.empty()
    if test:
        _test(place)
    sentence, tone = st.session_state.get(OUTCOME, ("", "info"))
    with place:
        elements.message(sentence, tone)


def _test(place: DeltaGenerator) -> None:
    """Try the server out while the page counts seconds; then draw the form with its models."""
    state, spec = st.session_state, model_form.spec()
    try:
        language_model.check(spec)
        connection = try_connection(spec, language_model.key(spec), _second_counter(place))
    except GearError as error:
        state[OUTCOME] = (as_sentence(str(error)), "bad")
    else:
        state[OUTCOME] = views.outcome(connection)
        state[LISTED] = (spec.base_url, connection.models or ())
        if connection.model and not spec.model:
            state[NEXT] = connection.model
    st.rerun()


def _second_counter(place: DeltaGenerator) -> Callable[[], None]:
    """A function that shows every second how long it has taken.

    Drawing is also where Streamlit stops what nobody waits for.
    """
    began, told = time.monotonic(), -1

    def tell() -> None:
        nonlocal told
        seconds = int(time.monotonic() - began)
        if seconds > told:
            told = seconds
            with place:
                elements.message(f"Waiting for the server, {seconds} s …", "busy")

    return tell


def _use() -> None:
    spec = model_form.spec()
    try:
        Server.of(spec, Secret())  # what cannot be used is told now
        language_model.check(spec)
        if spec.base_url == OPENAI and not spec.key_from:
            raise NotReady("OpenAI wants a key. Type it first")
    except GearError as error:
        st.session_state[OUTCOME] = (as_sentence(str(error)), "bad")
        return
    language_model.use(spec)
    st.session_state[OUTCOME] = (
        f"From now on {spec.model} is asked, until this page is closed or reloaded.",
        "good",
    )


def _use_local() -> None:
    language_model.use_local()
    st.session_state[OUTCOME] = (
        "From now on the local reader is used, and no language model is asked.",
        "good",
    )
