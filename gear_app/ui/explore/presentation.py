"""Presenter mode: one step of a run fills the screen, for a hall."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gear_app.analysis.progress import RunProgress
from gear_app.analysis.timeline import Step
from gear_app.ui.explore import switches
from gear_app.ui.shared import components
from gear_app.views.slides import slide
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
    data = slide(steps[number], steps, here.events, run.gold, run.question)
    components.presenter({**data, "run": run.id}, go=go, leave=_leave)


def _leave() -> None:
    switches.turn("present", on=False)
