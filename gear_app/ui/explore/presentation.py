"""Presenter mode: one step of a run fills the screen, for a hall. Others may follow it: they see
the step it is at and what is pointed at, live, and can do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from gear_app.analysis.timeline import RunProgress, Step
from gear_app.classroom.access import follow_link
from gear_app.classroom.open_classes import OPEN, Presenter
from gear_app.step_views.step import slide
from gear_app.step_views.view import Scene
from gear_app.ui.classroom.screen import qr_data
from gear_app.ui.explore import position
from gear_app.ui.shared import address, components, elements, visitors
from gear_app.workspace import RunInfo

NAME = "following"  # in the presenter's own address, for a reload
KEPT = "following-code"  # in the session
COPIED = "following-copied"  # in the session: somebody else's code, of a copied address


def show(
    run: RunInfo,
    here: RunProgress,
    steps: Sequence[Step],
    number: int,
) -> None:
    """Draw the step as a slide, of what is known at it."""
    data = drawn(run, here, steps, number)
    shared = {**data, "following": share_slide(data)}
    components.presenter(
        shared,
        go=position.go_to,
        leave=lambda: position.turn_switch("present", on=False),
        follow=lambda on: let_follow(on=on),
    )


def share(run: RunInfo, here: RunProgress, steps: Sequence[Step], number: int) -> None:
    """While the run is not presented: whoever follows sees the slide of this step nevertheless."""
    if presenter() is None:
        elements.message(copied())
        return
    shared = share_slide(drawn(run, here, steps, number))
    if shared and components.following(shared):
        let_follow(on=False)
        st.rerun(scope="fragment")


def drawn(run: RunInfo, here: RunProgress, steps: Sequence[Step], number: int) -> dict[str, object]:
    """The step's slide, and the run it is of."""
    scene = Scene(run, here.events, steps[number], (), run.gold)
    return {**slide(scene, steps), "run": run.id}


def presenter() -> Presenter | None:
    """The presentation of this browser that others may follow; None where there is none.

    A code in the address is no key: it presents in the browser alone that began, and leaves the
    address of any other. A page that is opened by an address without one goes on with what was
    begun in its browser: a run that is opened while presenting is shown to those who follow.
    """
    state, browser = st.session_state, visitors.browser()
    code = state.get(KEPT) or address.named(NAME)
    if not code and KEPT not in state:
        code = OPEN.begun_in(browser)
    found = OPEN.presenter(code, browser)
    if not found and OPEN.is_followed(code):
        state[COPIED] = code
    state[KEPT] = found.code if found else None
    address.hold(NAME, found.code if found else "")
    return found


def copied() -> str:
    """That the address was copied from somebody who presents, and where she is followed; "" where
    it was not, or nobody presents any more.
    """
    code = st.session_state.get(COPIED, "")
    if not code or not OPEN.is_followed(code):
        return ""
    return (
        "This address is that of somebody who presents. Here you step by yourself; what she shows"
        f" is at {follow_link(visitors.join_address(), code)}"
    )


def let_follow(*, on: bool) -> None:
    """Let others follow from now on, or no longer."""
    before = presenter()
    if on and before is None:
        st.session_state[KEPT] = OPEN.present(visitors.browser()).code
    elif before is not None and not on:
        OPEN.end(before.code)
        st.session_state[KEPT] = None
        address.hold(NAME, "")


def share_slide(slide: Mapping[str, Any]) -> dict[str, Any] | None:
    """Show followers this slide; what the presenter's browser has to know for it. None where nobody
    may follow.
    """
    found = presenter()
    if found is None:
        return None
    shown = f"{slide['run']} {slide['number']}"
    OPEN.show(found.code, {**slide, "shown": shown})
    link = follow_link(visitors.join_address(), found.code)
    parts = urlsplit(link)
    return {
        **found._asdict(),
        "shown": shown,
        "where": f"{parts.netloc}{parts.path}?{parts.query}",
        "qr": qr_data(link),
        "note": visitors.ONLY_HERE if visitors.only_here() else "",
    }
