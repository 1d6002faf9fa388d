"""The calls of a language model that belong to a step: folded away, drawn only when somebody opens
them.
"""

from __future__ import annotations

import streamlit as st

from gear_app.analysis.calls import model_calls
from gear_app.analysis.timeline import Step
from gear_app.events import Failed
from gear_app.ui.shared import session
from gear_app.views import calls
from gear_app.views.header import gave_up


def of_step(step: Step, key: str) -> None:
    """What was asked and said in a step; nothing where it asked no model. Each call is a piece of
    HTML of its own, so that one that was opened stays open while others come in.
    """
    found = model_calls(step.events)
    if not found:
        return
    fold = st.expander(calls.heading(found), key=f"calls-{key}", on_change="rerun")
    if fold.open:
        for one in found:
            fold.html(calls.drawn(one))


def failed(event: Failed) -> None:
    """Why a step gave up, with the raw reply; or that parts of a reply could not be used, which are
    told below.
    """
    if event.dropped:
        session.say(f"{calls.why(event)} The whole reply is under “Model calls of this step”.")
    elif event.reply:
        session.say(calls.why(event), "bad")
        st.html(calls.raw(event.reply))
    else:
        session.say(f"{gave_up(event.step)}: {event.message}", "bad")
