"""The keys typed in this browser session, held by it and by nothing else (decision 0016)."""

from __future__ import annotations

from functools import cache, partial

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gear_app.llm.keys import KeyLender, KeyLoan
from gear_app.llm.server import Secret

HELD = "keys-held"  # by the address of the server each was typed for


@cache
def _lender() -> KeyLender:
    """The one lender of this process; it is made when the first key is typed."""
    return KeyLender()


def take(base_url: str, key: Secret) -> None:
    """Hold a key for a server, in the place of any other for it."""
    forget(base_url)
    grace_s = float(st.get_option("server.disconnectedSessionTTL"))
    _held()[base_url] = _lender().lend(base_url, key, partial(_connected, _session()), grace_s)


def forget(base_url: str) -> None:
    """Hold the key of a server no longer: what runs with it stops."""
    lent = _held().pop(base_url, None)
    if lent:
        lent.end()


def held(base_url: str) -> str:
    """Where the key for a server is to be had (`Spec.key_from`); "" where none is held."""
    lent = _held().get(base_url)
    return lent.key_from if lent else ""


def key(base_url: str) -> Secret:
    """The key held for a server; an empty one where none is."""
    lent = _held().get(base_url)
    return Secret(lent.for_server(base_url)) if lent else Secret()


def _held() -> dict[str, KeyLoan]:
    held: dict[str, KeyLoan] = st.session_state.setdefault(HELD, {})
    return held


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _connected(session: str) -> bool:
    """Whether the browser of a session is there; the session outlives it for a while."""
    return runtime.exists() and bool(runtime.get_instance().is_active_session(session))
