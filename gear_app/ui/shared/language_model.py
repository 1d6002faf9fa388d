"""The language model of this browser session: which one, where its key is, and its budget."""

from __future__ import annotations

import dataclasses

import streamlit as st

from gear_app.errors import GearError, NotReady
from gear_app.llm.environment import ENVIRONMENT, environment_key, spec_from_environment
from gear_app.llm.server import Secret, Spec
from gear_app.ui.shared import keys, visitors

BUDGET = 200_000  # tokens one run may take, until the visitor says otherwise
CHOSEN, TOKENS, READER = "language-chosen", "language-budget", "reader"


def chosen() -> Spec | None:
    """The session's model, else that of the environment; None where this visitor has none."""
    spec: Spec | None = st.session_state.get(CHOSEN, environment())
    return None if spec is None else with_key(spec)


def budget() -> int | None:
    """How many tokens one run may take; None sets no limit."""
    tokens: int | None = st.session_state.get(TOKENS, BUDGET)
    return tokens


def set_budget(tokens: int | None) -> None:
    """Let a run take so many tokens from now on; None sets no limit."""
    st.session_state[TOKENS] = tokens


def environment() -> Spec | None:
    """The model that the environment names, where there is one and this visitor may use it."""
    try:
        spec = spec_from_environment()
    except GearError:
        return None
    return spec if not spec.key_from or visitors.may_spend() else None


def with_key(spec: Spec) -> Spec:
    """The spec with the place of its key: this session, the environment, or nowhere ("")."""
    there = environment()
    there_too = there is not None and there.base_url == spec.base_url
    return dataclasses.replace(
        spec, key_from=keys.held(spec.base_url) or (there.key_from if there and there_too else "")
    )


def key(spec: Spec) -> Secret:
    """The key itself, for a call that this process makes."""
    return environment_key(spec) if spec.key_from == ENVIRONMENT else keys.key(spec.base_url)


def check(spec: Spec) -> None:
    """Raise BadInput where this visitor may not have this server asked."""
    try:
        own = spec_from_environment().base_url
    except GearError:
        own = ""
    if spec.base_url != own and not visitors.is_home():
        visitors.check_address(spec.base_url)


def again(model: str, key_from: str) -> Spec:
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
    st.session_state[READER] = "llm"


def use_local() -> None:
    """Ask no language model from now on."""
    st.session_state[CHOSEN] = None
    st.session_state[READER] = "local"
