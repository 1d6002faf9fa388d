"""How a run ends that cannot go on: the ranking of what was found stays, and an event says why."""

from __future__ import annotations

from gear_app.errors import ModelFailed
from gear_app.events import Emit, Failed, Stopped
from gear_app.llm.errors import BudgetReached

UNUSABLE = Stopped("reply unusable", "A reply could not be used; the ranking is of what was found.")


def ending(step: str, error: ModelFailed, emit: Emit) -> Stopped:
    """Why the run ends with this error of a step; emits Failed, unless its budget is used up: then
    nothing failed.
    """
    if isinstance(error, BudgetReached):
        return Stopped("budget", str(error))
    emit(Failed(step, str(error), error.reply, replied=error.replied))
    if error.replied:
        return UNUSABLE
    return Stopped("model failed", f"{str(error).rstrip('.')}. The ranking is of what was found.")
