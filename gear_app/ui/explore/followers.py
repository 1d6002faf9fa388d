"""Letting others follow a presentation: they see the step it is at and what is pointed at, live,
and can do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from gear_app.classroom.access import follow_link
from gear_app.classroom.open_classes import OPEN, Presenter
from gear_app.ui.classroom import reach
from gear_app.ui.shared import address
from gear_app.views.classroom import qr_data

NAME = "following"  # in the presenter's own address, for a reload
KEPT = "following-code"  # in the session


def presenter() -> Presenter | None:
    """The presentation of this session that others may follow; None where there is none."""
    found = OPEN.presenter(st.session_state.get(KEPT) or address.named(NAME))
    st.session_state[KEPT] = found.code if found else None
    address.hold(NAME, found.code if found else "")
    return found


def turn(*, on: bool) -> None:
    """Let others follow from now on, or no longer."""
    before = presenter()
    if on and before is None:
        st.session_state[KEPT] = OPEN.present().code
    elif before is not None and not on:
        OPEN.end(before.code)
        st.session_state[KEPT] = None
        address.hold(NAME, "")


def share(slide: Mapping[str, Any]) -> dict[str, Any] | None:
    """Show followers this slide; what the presenter's browser has to know for it. None where nobody
    may follow.
    """
    found = presenter()
    if found is None:
        return None
    shown = f"{slide['run']} {slide['number']}"
    OPEN.show(found.code, {**slide, "shown": shown})
    link = follow_link(reach.address(), found.code)
    parts = urlsplit(link)
    return {
        **found._asdict(),
        "shown": shown,
        "where": f"{parts.netloc}{parts.path}?{parts.query}",
        "qr": qr_data(link),
        "note": reach.ONLY_HERE if reach.only_here() else "",
    }
