"""The component of the page: queue and form, and what was said in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

_annotate = st.components.v2.component(
    "gear_app.annotate", html='<div class="annotate"></div>', js="annotate.js", css="annotate.css"
)
KEY = "annotate"
Entry = Mapping[str, Any]


def desk(
    data: Mapping[str, Any],
    commit: Callable[[Entry], None],
    opened: Callable[[str, str], None],
) -> None:
    """Draw queue and form. `commit` is given each thing that was said, once and in order: `kind` is
    "label", "undo" or "go". `opened` is given a run and the name of a step that are to be shown.

    The browser sends all that it was not told to have arrived, each with a number: so what is typed
    while the page draws is not lost. A newer run of the script may break off this one wherever it
    looks at the session, in a callback too: an entry counts as arrived only after it was committed,
    which does no harm a second time, and what a callback left is done when the page is drawn.
    """
    seen: dict[str, int] = st.session_state.setdefault("annotate-seen", {})

    def arrive(outbox: Sequence[Entry] | None) -> bool:
        new = [one for one in outbox or () if int(one["seq"]) > seen.get(str(one["client"]), 0)]
        for entry in new:
            commit(entry)
            seen[str(entry["client"])] = int(entry["seq"])
        return bool(new)

    def said() -> None:
        arrive(st.session_state[KEY].get("outbox"))

    def asked() -> None:
        wanted = st.session_state[KEY].get("open")
        if wanted:
            opened(str(wanted["run"]), str(wanted.get("step") or ""))

    result = _annotate(
        data={**data, "acknowledged": dict(seen)},
        key=KEY,
        on_outbox_change=said,
        on_open_change=asked,
    )
    if arrive(result.outbox):
        st.rerun()
