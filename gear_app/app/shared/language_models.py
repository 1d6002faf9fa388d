"""The language model of this browser session: which one, its budget, and the keys typed in this
session, held by it and by nothing else.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gear_app.app.shared import visitors
from gear_app.core.errors import GearError, NotReady
from gear_app.display.labels import LLM
from gear_app.models.server import (
    ENVIRONMENT,
    KEYS,
    Secret,
    Spec,
    TypedKey,
    environment_key,
    spec_from_environment,
)

BUDGET = 200_000  # tokens one run may take, until the visitor says otherwise
CHOSEN, TOKENS, READER = "language-chosen", "language-budget", "reader"
NONE_CHOSEN = (
    "No language model is chosen. Choose one on the page Settings, or let the local reader read."
)


def chosen() -> Spec | None:
    """The session's model, else that of the environment; None where this visitor has none."""
    spec: Spec | None = st.session_state.get(CHOSEN, environment())
    return None if spec is None else with_key(spec)


def budget() -> int | None:
    """How many tokens one run may take; None sets no limit."""
    tokens: int | None = st.session_state.get(TOKENS, BUDGET)
    return tokens


def environment() -> Spec | None:
    """The model that the environment names, where there is one and this visitor may use it."""
    try:
        spec = spec_from_environment()
    except GearError:
        return None
    return spec if not spec.key_from or visitors.may_spend() else None


def with_key(spec: Spec) -> Spec:
    """The spec with the place of its key: this session, the environment, or nowhere ("")."""
    environment_spec = environment()
    there_too = environment_spec is not None and environment_spec.base_url == spec.base_url
    return dataclasses.replace(
        spec,
        key_from=key_place(spec.base_url)
        or (environment_spec.key_from if environment_spec and there_too else ""),
    )


def key(spec: Spec) -> Secret:
    """The key itself, for a call that this process makes."""
    return environment_key(spec) if spec.key_from == ENVIRONMENT else typed_key(spec.base_url)


def check(spec: Spec) -> None:
    """Raise BadInput where this visitor may not have this server asked."""
    try:
        default_address = spec_from_environment().base_url
    except GearError:
        default_address = ""
    if spec.base_url != default_address and not visitors.is_home():
        visitors.check_address(spec.base_url)


def spec_again(model: str, key_from: str) -> Spec:
    """The model that a run asked, as this visitor may ask it. Raises NotReady or BadInput.

    Nobody's key is spent by pressing Run again but one's own, and that of the environment by whom
    it is meant for.
    """
    spec = with_key(Spec.from_json(model))
    if key_from and not spec.key_from:
        raise NotReady(
            f"This run asked {spec.model} at {spec.base_url} with a key. Open Settings, choose that"
            " server, type a key for it, and run it again."
        )
    check(spec)
    return spec


def use(spec: Spec) -> None:
    """Ask this model from now on, where nobody chooses the local reader."""
    st.session_state[CHOSEN] = spec
    st.session_state[READER] = LLM


def use_local() -> None:
    """Ask no language model from now on."""
    st.session_state[CHOSEN] = None
    st.session_state[READER] = "local"


TYPED_KEYS = "keys-held"  # by the address of the server each was typed for


def hold_key(base_url: str, key: Secret) -> None:
    """Hold a key for a server, in the place of any other for it."""
    forget_key(base_url)
    grace_s = float(st.get_option("server.disconnectedSessionTTL"))
    typed = TypedKey(key.reveal(), base_url, partial(_connected, _session()), grace_s)
    _typed_keys()[base_url] = typed
    KEYS.register(typed)


def forget_key(base_url: str) -> None:
    """Hold the key of a server no longer: what runs with it stops."""
    if base_url in _typed_keys():
        _typed_keys().pop(base_url).forget()


def key_place(base_url: str) -> str:
    """Source of the key for a server (`Spec.key_from`); "" where none is held."""
    key = typed_key(base_url)
    return key.id if isinstance(key, TypedKey) else ""


def typed_key(base_url: str) -> Secret:
    """The key held for a server; an empty one where none is."""
    return _typed_keys().get(base_url) or Secret()


def _typed_keys() -> dict[str, TypedKey]:
    keys: dict[str, TypedKey] = st.session_state.setdefault(TYPED_KEYS, {})
    return keys


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _connected(session: str) -> bool:
    """Whether the browser of a session is there; the session outlives it for a while."""
    return runtime.exists() and bool(runtime.get_instance().is_active_session(session))


def reader_model(reader: str) -> Spec | None:
    """The language model of a run with this reader; None for one that asks none.

    Raises NotReady or BadInput.
    """
    if reader != LLM:
        return None
    spec = chosen()
    if spec is None:
        raise NotReady(NONE_CHOSEN)
    check(spec)
    return spec
