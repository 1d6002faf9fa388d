"""Presenter mode: one step of a run fills the screen, for a hall."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from gear_app.analysis.progress import RunProgress
from gear_app.analysis.timeline import Step
from gear_app.step_views.scene import Scene
from gear_app.ui.explore import followers, switches
from gear_app.ui.shared import components, elements
from gear_app.views.slide import slide
from gear_app.workspace import RunInfo


def show(
    run: RunInfo,
    here: RunProgress,
    steps: Sequence[Step],
    number: int,
    *,
    go: Callable[[int], None],
) -> None:
    """Draw the step as a slide, of what is known at it; `go` is told where the keys lead."""
    data = drawn(run, here, steps, number)
    shared = {**data, "following": followers.share(data)}
    components.presenter(shared, go=go, leave=_leave, follow=_follow)


def share(run: RunInfo, here: RunProgress, steps: Sequence[Step], number: int) -> None:
    """While the run is not presented: whoever follows sees the slide of this step nevertheless."""
    if followers.presenter() is None:
        elements.message(followers.copied())
        return
    shared = followers.share(drawn(run, here, steps, number))
    if shared and components.following(shared):
        followers.turn(on=False)
        st.rerun(scope="fragment")


def drawn(run: RunInfo, here: RunProgress, steps: Sequence[Step], number: int) -> dict[str, object]:
    """The step's slide, and the run it is of."""
    scene = Scene(run, here.events, steps[number], (), run.gold)
    return {**slide(scene, steps), "run": run.id}


def _follow(on: bool) -> None:
    followers.turn(on=on)


def _leave() -> None:
    switches.turn("present", on=False)
