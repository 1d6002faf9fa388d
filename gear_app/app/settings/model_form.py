"""The form of Settings for a language model: server, key, model and limits, tried out before it is
used.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gear_app.app.settings import model_words as views
from gear_app.app.shared import elements, language_models, visitors
from gear_app.core.errors import GearError, NotReady
from gear_app.display import markup
from gear_app.display.labels import as_sentence, literal
from gear_app.models.connection_test import RunningServer, running_here, try_connection
from gear_app.models.server import (
    FROM_ENVIRONMENT,
    OPENAI,
    OTHER_SERVER,
    PRESETS,
    Secret,
    Server,
    Spec,
)

MOST_OFFERED = 6  # models of a server
OUTCOME, LISTED, NEXT = "model-said", "model-listed", "model-next"


def fields() -> None:
    """Draw them, filled in from what is in use."""
    _seed()
    _server()
    _key()
    _model()
    _limits()


def _seed() -> None:
    """Fill the form in from what is in use, once; afterwards it is the visitor's."""
    state = st.session_state
    used = language_models.chosen() or Spec(OPENAI, "")
    state.setdefault("model-preset", _preset_of(used))
    for name, value in (
        ("address", used.base_url),
        ("name", used.model or None),
        ("most", used.max_tokens),
        ("at-once", used.at_once),
        ("stream", used.stream),
        ("key", ""),
    ):
        state.setdefault(f"model-{name}", value)
    if NEXT in state:
        state["model-name"] = state.pop(NEXT)


def _preset_of(used: Spec) -> str:
    environment = language_models.environment()
    if environment and environment.base_url == used.base_url:
        return FROM_ENVIRONMENT
    return next(
        (preset.name for preset in PRESETS if preset.address == used.base_url), OTHER_SERVER
    )


def _server() -> None:
    home = visitors.is_home()  # from elsewhere no server of this machine can be named
    offered = [
        preset.name for preset in PRESETS if home or not preset.address.startswith("http://")
    ]
    offered = [*([FROM_ENVIRONMENT] if language_models.environment() else []), *offered]
    if st.session_state["model-preset"] not in offered:
        st.session_state["model-preset"] = OTHER_SERVER
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.selectbox(
        "Server", offered, key="model-preset", on_change=_preset_chosen, persist_state="session"
    )
    right.text_input(
        "Address",
        key="model-address",
        placeholder="https://…/v1",
        on_change=_address_changed,
        persist_state="session",
    )
    notes = {preset.name: preset.note for preset in PRESETS}
    st.caption(
        notes.get(st.session_state["model-preset"], "As the environment of this server names it.")
    )


def _address_changed() -> None:
    """Another address is another server: what is said of it follows."""
    st.session_state["model-preset"] = _preset_of(form_spec())
    forget_outcome()


def _preset_chosen() -> None:
    state, environment = st.session_state, language_models.environment()
    name = state["model-preset"]
    addresses = {preset.name: preset.address for preset in PRESETS}
    state["model-address"] = (
        environment.base_url
        if environment and name == FROM_ENVIRONMENT
        else addresses.get(name, "")
    )
    state["model-name"] = environment.model if environment and name == FROM_ENVIRONMENT else None
    forget_outcome()


def _key() -> None:
    to = form_spec()
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.text_input(
        "Key",
        type="password",
        key="model-key",
        on_change=_take,
        placeholder="Type or paste it",
        help="It is taken when you press Enter or leave the field, which is empty then",
    )
    with right:
        elements.message(
            views.key_sentence(to.base_url, to.key_from), "good" if to.key_from else "info"
        )
    if language_models.key_place(to.base_url):
        st.button("Forget the key", key="model-forget", on_click=_forget, args=(to.base_url,))


def _take() -> None:
    """Take the key out of its field at once; the field is empty before anything is drawn again."""
    state = st.session_state
    key, state["model-key"] = Secret(state["model-key"]), ""
    forget_outcome()
    address = form_spec().base_url
    if not key:
        return
    try:
        Server(address, "any", key=key)
        language_models.hold_key(address, key)
    except GearError as error:
        state[OUTCOME] = (f"The key was not taken. {as_sentence(str(error))}", "bad")


def _forget(address: str) -> None:
    used = language_models.chosen()
    language_models.forget_key(address)
    if used and used.base_url == address:
        language_models.use_local()
    st.session_state[OUTCOME] = (
        f"The key for {address} is forgotten. What was asked with it stops.",
        "good",
    )


def _model() -> None:
    state = st.session_state
    address, listed = state.get(LISTED, ("", ()))
    names = list(listed) if address == form_spec().base_url else []
    typed = state["model-name"]
    st.selectbox(
        "Model",
        names if typed is None or typed in names else [typed, *names],
        key="model-name",
        index=None,
        accept_new_options=True,
        on_change=forget_outcome,
        persist_state="session",
        placeholder="Choose one" if names else "Type its name, or test the connection to see all",
    )


def _limits() -> None:
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    left.number_input(
        "Tokens of one reply at most",
        16,
        200_000,
        step=256,
        key="model-most",
        persist_state="session",
        help="A reply that is longer is cut off, and mostly of no use",
    )
    middle.number_input(
        "Calls at once",
        1,
        64,
        step=1,
        key="model-at-once",
        persist_state="session",
        help="While triples are extracted; a server on a laptop is best left with one or two",
    )
    right.toggle(
        "Stream replies",
        key="model-stream",
        help="Shows how a long reply comes in",
        persist_state="session",
    )


def form_spec() -> Spec:
    """What the form says, with where the key for it is."""
    state = st.session_state
    return language_models.with_key(
        Spec(
            str(state["model-address"] or "").strip().rstrip("/"),
            str(state["model-name"] or "").strip(),
            int(state["model-most"]),
            int(state["model-at-once"]),
            bool(state["model-stream"]),
        )
    )


def forget_outcome() -> None:
    """Show the outcome of a test no more: it is about a form that looked otherwise."""
    st.session_state.pop(OUTCOME, None)


def show() -> None:
    """The form; above it stands what is in use."""
    st.html(markup.title("Language model", "any server that speaks OpenAI's protocol"))
    if visitors.is_home():
        _here()
    fields()
    with st.container(horizontal=True, gap="small"):
        st.button("Use this model", type="primary", key="model-use", on_click=_use_model)
        st.button("Use the local reader", key="model-local", on_click=_use_local)
        test = st.button("Test the connection", key="model-test")
    place = st.empty()
    if test:
        _test(place)
    sentence, tone = st.session_state.get(OUTCOME, ("", "info"))
    with place:
        elements.message(sentence, tone)


def _here() -> None:
    """What runs on this machine, a click each."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="model-here"):
        servers = _running_here()
        st.html(markup.tag("p", views.running_sentence(servers)), width="content")
        for server in servers:
            for model in (server.models or ())[:MOST_OFFERED]:
                st.button(
                    f"Use {literal(model)}",
                    key=f"model-here-{server.name}-{model}",
                    help=f"{server.name}, {server.address}",
                    on_click=_use_found,
                    args=(server.name, server.address, model),
                )
        st.button("Look again", type="tertiary", key="model-look", on_click=_running_here.clear)


@st.cache_data(ttl=60, show_spinner=False)
def _running_here() -> list[RunningServer]:
    return running_here()


def _use_found(preset: str, address: str, model: str) -> None:
    st.session_state.update({"model-preset": preset, "model-address": address, "model-name": model})
    _use_model()


def _test(place: DeltaGenerator) -> None:
    """Try the server out while the page counts seconds; then draw the form with its models."""
    state, spec = st.session_state, form_spec()
    try:
        language_models.check(spec)
        connection = try_connection(spec, language_models.key(spec), _second_counter(place))
    except GearError as error:
        state[OUTCOME] = (as_sentence(str(error)), "bad")
    else:
        state[OUTCOME] = views.outcome(connection, spec.base_url)
        state[LISTED] = (spec.base_url, connection.models or ())
        if connection.model and not spec.model:
            state[NEXT] = connection.model
    st.rerun()


def _second_counter(place: DeltaGenerator) -> Callable[[], None]:
    """A function that shows every second how long it has taken.

    Drawing is also where Streamlit stops what nobody waits for.
    """
    began, last = time.monotonic(), -1

    def show_seconds() -> None:
        nonlocal last
        seconds = int(time.monotonic() - began)
        if seconds > last:
            last = seconds
            with place:
                elements.message(f"Waiting for the server, {seconds} s …", "busy")

    return show_seconds


def _use_model() -> None:
    spec = form_spec()
    try:
        Server.of(spec, Secret())  # what cannot be used is told now
        language_models.check(spec)
        if spec.base_url == OPENAI and not spec.key_from:
            raise NotReady("OpenAI wants a key. Type it first")
    except GearError as error:
        st.session_state[OUTCOME] = (as_sentence(str(error)), "bad")
        return
    language_models.use(spec)
    st.session_state[OUTCOME] = (
        f"From now on {spec.model} is asked. This browser's pages remember it, but no key, until"
        " the application is closed. The same question before and after: Compare.",
        "good",
    )


def _use_local() -> None:
    language_models.use_local()
    st.session_state[OUTCOME] = (
        "From now on the local reader is used, and no language model is asked.",
        "good",
    )
