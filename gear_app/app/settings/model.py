"""The section Language model: a server with its key, then a model of it, tried out before use."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from gear_app.app.shared import elements, language_models, visitors
from gear_app.app.shared.language_models import READER
from gear_app.core.errors import GearError, NotReady
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import as_sentence, duration, literal
from gear_app.models.reader.readers import ConnectionResult, try_connection
from gear_app.models.server import (
    ENVIRONMENT,
    FROM_ENVIRONMENT,
    OPENAI,
    OTHER_SERVER,
    PRESETS,
    Secret,
    Server,
    Spec,
)

OUTCOME, SERVER, ADDRESS, KEY = "model-outcome", "model-preset", "model-address", "model-key"
MOST = "model-most"
LOCAL = "the local reader: rules, not a language model; English only"
Tone = Literal["info", "good", "bad"]


def show() -> None:
    """Draw the reader in use, and the two steps of the form."""
    _seed()
    used = language_models.chosen()
    reader = st.session_state.get(READER, "local")
    elements.message(in_use(used, reader), "good" if used else "info")
    with st.container(border=True):
        st.html(markup.title("1 Server", "any that speaks OpenAI's protocol"))
        _server()
        _key()
        if st.button("Test the connection", key="model-test"):
            _test()
        spec, sentence, tone = st.session_state.get(OUTCOME, (None, "", "info"))
        elements.message(sentence if spec in (None, form_spec()) else "", tone)
    with st.container(border=True):
        st.html(markup.title("2 Model"))
        _model()
        with st.container(horizontal=True, gap="small"):
            st.button("Use this model", type="primary", key="model-use", on_click=_use)
            st.button("Use the local reader", key="model-local", on_click=_use_local)


def in_use(spec: Spec | None, reader: str) -> str:
    """Sentence for the reader in use."""
    if spec is None:
        return f"In use: {LOCAL}. A language model reads better, and may cost money."
    keys = {"": "without a key", ENVIRONMENT: "with the key in the server's environment"}
    key = keys.get(spec.key_from, "with the key typed in this session")
    model = f"{spec.model} at {spec.base_url}, {key}"
    first, other = (LOCAL, model) if reader == "local" else (model, "the local reader")
    return f"In use: {first}. In Explore and Compare you can choose {other} for any question."


def _seed() -> None:
    """Fill the form in from what is in use, once; afterwards it is the visitor's."""
    state, used = st.session_state, language_models.chosen() or Spec(OPENAI, "")
    if SERVER not in state:
        state.update({SERVER: _preset_of(used.base_url), ADDRESS: used.base_url})
        state.update({_model_key(used.base_url): used.model or None, MOST: used.max_tokens})
    state.setdefault(KEY, "")


def _preset_of(address: str) -> str:
    environment = language_models.environment()
    if environment and environment.base_url == address:
        return FROM_ENVIRONMENT
    return next((name for name, (preset, _) in PRESETS.items() if preset == address), OTHER_SERVER)


def _model_key(address: str) -> str:
    return f"model-name-{address}"


def _address() -> str:
    """The address of the server that is chosen."""
    state, environment = st.session_state, language_models.environment()
    if environment and state[SERVER] == FROM_ENVIRONMENT:
        return environment.base_url
    preset, _ = PRESETS.get(state[SERVER], ("", ""))
    return preset or str(state.get(ADDRESS) or "").strip().rstrip("/")


def form_spec() -> Spec:
    """The model that the form names, with where the key for it is."""
    address, state = _address(), st.session_state
    model = str(state.get(_model_key(address)) or "").strip()
    return language_models.with_key(Spec(address, model, int(state[MOST])))


def _server() -> None:
    home, environment = visitors.is_home(), language_models.environment()
    offered = [FROM_ENVIRONMENT] if environment else []
    # from elsewhere no server of this machine can be named
    offered += [
        preset
        for preset, (address, _) in PRESETS.items()
        if home or not address.startswith("http:")
    ]
    if st.session_state[SERVER] not in offered:
        st.session_state[SERVER] = OTHER_SERVER
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    name = left.selectbox("Server", offered, key=SERVER, persist_state="session")
    if name == OTHER_SERVER:
        right.text_input(
            "Address", key=ADDRESS, placeholder="https://…/v1", persist_state="session"
        )
    _, note = PRESETS.get(name, ("", "As the environment of this server names it."))
    st.caption(literal(note if name == OTHER_SERVER else f"{_address()} · {note}"))
    if environment and name == FROM_ENVIRONMENT:
        st.session_state.setdefault(_model_key(environment.base_url), environment.model)


def _key() -> None:
    spec = form_spec()
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.text_input(
        "Key",
        type="password",
        key=KEY,
        on_change=_take,
        placeholder="Type or paste it",
        help="It is taken when you press Enter or leave the field, which is empty then",
    )
    with right:
        elements.message(key_sentence(spec), "good" if spec.key_from else "info")
    if language_models.key_place(spec.base_url):
        st.button("Forget the key", key="model-forget", on_click=_forget)


def key_sentence(spec: Spec) -> str:
    """Sentence for the key that goes to a server."""
    if spec.key_from == ENVIRONMENT:
        return "The key in the server's environment is used, unless you type one."
    if spec.key_from:
        return (
            f"A key for {spec.base_url} is held for this session, in memory alone, until you close"
            " or reload the page."
        )
    return f"No key is held for {spec.base_url or 'the server, which has no address yet'}."


def _take() -> None:
    """Take the key out of its field at once; the field is empty before anything is drawn again."""
    state = st.session_state
    key, state[KEY] = Secret(state[KEY]), ""
    try:
        if key:
            Server(_address(), "any", key=key)
            language_models.hold_key(_address(), key)
    except GearError as error:
        _set_outcome(f"The key was not taken. {as_sentence(str(error))}", "bad")


def _forget() -> None:
    address, used = _address(), language_models.chosen()
    language_models.forget_key(address)
    if used and used.base_url == address:
        language_models.use_local()
    _set_outcome(f"The key for {address} is forgotten. What was asked with it stops.", "good")


def _set_outcome(sentence: str, tone: Tone) -> None:
    """Show a sentence as long as the form stays as it is."""
    st.session_state[OUTCOME] = form_spec(), sentence, tone


def _model() -> None:
    state, address = st.session_state, _address()
    key = _model_key(address)
    listed, typed = list(state.get(f"model-listed-{address}", ())), state.get(key)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    left.selectbox(
        "Model",
        listed if typed is None or typed in listed else [typed, *listed],
        key=key,
        index=None,
        accept_new_options=True,
        persist_state="session",
        placeholder="Choose one" if listed else "Type its name, or test the connection to see all",
    )
    right.number_input(
        "Tokens of one reply at most",
        16,
        200_000,
        step=256,
        key=MOST,
        persist_state="session",
        help="A reply that is longer is cut off, and mostly of no use",
    )


def _test() -> None:
    """Try the server out, and remember its models; the only one is filled in."""
    state, spec = st.session_state, form_spec()
    try:
        language_models.check(spec)
        with st.spinner("Waiting for the server", show_time=True):
            # Streamlit stops a script that nobody waits for where it reads the session.
            result = try_connection(spec, language_models.key(spec), lambda: state.get(OUTCOME))
    except GearError as error:
        _set_outcome(as_sentence(str(error)), "bad")
        return
    state[f"model-listed-{spec.base_url}"] = result.models or ()
    if result.model and not spec.model:
        state[_model_key(spec.base_url)] = result.model
    _set_outcome(*outcome(result))


def outcome(result: ConnectionResult) -> tuple[str, Tone]:
    """Sentence for the result of a test, and its tone."""
    models = result.models
    has = "" if models is None else f" The server has {count(len(models), 'model')}."
    if result.failed:
        return f"It does not work yet. {as_sentence(result.failed)}", "bad"
    if result.ms is None:
        return f"The server answers.{has} Choose one, then test again.", "info"
    words = f"It works: {result.model} replied in {duration(result.ms)}."
    if result.reply:
        words += f" It read a sentence as asked: {result.reply}."
    return f"{words}{has}", "good"


def _use() -> None:
    """Use the model of the form."""
    spec = form_spec()
    try:
        Server(**vars(spec))  # what cannot be used is told now
        language_models.check(spec)
        if spec.base_url == OPENAI and not spec.key_from:
            raise NotReady("OpenAI wants a key. Type it first")
    except GearError as error:
        _set_outcome(as_sentence(str(error)), "bad")
        return
    language_models.use(spec)
    _set_outcome(f"From now on {spec.model} is asked, until this page is reloaded.", "good")


def _use_local() -> None:
    language_models.use_local()
    _set_outcome("From now on the local reader is used, and no language model is asked.", "good")
