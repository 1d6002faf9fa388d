"""The components of the start screen: a run in three captions, and buttons with data's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from gear_app.ui.shared import elements, room
from gear_app.ui.shared.components import Click, keep_state
from gear_app.views.start.story import Story
from gear_app.workspace import RunInfo

Words = Sequence[tuple[str, bool]]

_start = elements.component(
    "start", html='<div class="start"></div>', js="start.js", css="start.css"
)
_choices = elements.component(
    "choices", html='<div class="choices"></div>', js="choices.js", css="start.css"
)


def captions(story: Story, run: RunInfo, key: str) -> Click:
    """The story of a run; `event` is {"step"} of a card that was clicked just now."""
    room.keep(key, room.story(story))
    told = {**asdict(story), "run": run.id, "collection": run.collection}
    return Click(event=_start(data=told, key=key, on_open_change=keep_state).open)


def choices(lines: Sequence[tuple[Words, str]], key: str) -> int | None:
    """Buttons, each of words (True: in bold) and a note; the place of the one clicked just now."""
    room.keep(key, room.CHOICE * len(lines))
    data = {"choices": [{"words": words, "note": note} for words, note in lines]}
    chosen = _choices(data=data, key=key, on_chosen_change=keep_state).chosen
    return None if chosen is None else int(chosen)
