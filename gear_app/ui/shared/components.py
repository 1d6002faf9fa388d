"""Our Streamlit components: strip, beams, flow, ranking, presenter, following, aligned rankings,
grid, picker, keys, and graph.

Their files are in gear_app/ui/frontend; Streamlit finds them through gear_app/pyproject.toml. What
they show comes as data and is set as text; what was clicked comes back as state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from gear_app.analysis.timeline import Step
from gear_app.types import Waiting
from gear_app.ui.shared import address, elements, room
from gear_app.views import cluster_waits, keys
from gear_app.views.compare.tables import Grid
from gear_app.views.labels import step_label, step_name, step_place

_strip = elements.component(
    "strip",
    html='<nav class="strip" aria-label="Steps of the run"></nav>'
    '<p class="announced" role="status"></p>',
    js="strip.js",
    css="components.css",
)
_beams = elements.component(
    "beams", html='<div class="beam"></div>', js="beam.js", css="components.css"
)
_flow = elements.component("flow", html='<div class="flow"></div>', js="flow.js", css="flow.css")
_presenter = elements.component(
    "presenter",
    html='<dialog class="presenter" aria-label="Presenter mode"></dialog>',
    js="presenter.js",
    css="presenter.css",
)
_following = elements.component(
    "following",
    html='<p class="following" role="status"></p>',
    js="following.js",
    css="components.css",
)
_ranking = elements.component(
    "ranking", html='<div class="ranking"></div>', js="ranking.js", css="components.css"
)


class Click(NamedTuple):
    """What happened in a component in this very run of the script."""

    selected: Any = None
    event: Any = None


def strip(
    steps: Sequence[Step],
    current: int,
    waited: Sequence[Waiting],
    *,
    live: bool,
    everything: bool,
    run: str,
    question: str,
) -> int | None:
    """The pipeline; the number of the step that was clicked just now.

    `everything`: the steps after the current one say whether they failed, and what they `waited`
    for a cluster. Where `run` is another one than before, the field that holds its `question` is
    left, so that the keys step through it.
    """
    shown = []
    for step, of in zip(steps, waited, strict=True):
        known = everything or step.number <= current
        label = step_label(step) if known else step_place(step)
        shown.append(
            {
                "number": step.number,
                "iteration": step.iteration,
                "verb": step_name(step),
                "search": step.search,
                "label": ", ".join(
                    filter(None, [label, cluster_waits.of_step(of) if known else ""])
                ),
                "failed": step.failed and known,
                **cluster_waits.bars(of if known else Waiting()),
            }
        )
    here = ", ".join(
        filter(None, [step_label(steps[current]), cluster_waits.of_step(waited[current])])
    )
    said = f"Step {current + 1} of {len(steps)}: {here}."
    result = _strip(
        data={
            "steps": shown,
            "current": current,
            "live": live,
            "said": said,
            "run": run,
            "question": question,
        },
        key="strip",
        on_go_change=keep_state,
    )
    return None if result.go is None else int(result.go)


def presenter(
    slide: Mapping[str, Any],
    *,
    go: Callable[[int], None],
    leave: Callable[[], None],
    follow: Callable[[bool], None],
) -> None:
    """A step that fills the screen; `go` is called with a step's number, `leave` at the end,
    `follow` with whether others may follow from now on.
    """

    def went() -> None:
        go(int(st.session_state["presenter"]["go"]))

    def followed() -> None:
        follow(bool(st.session_state["presenter"]["follow"]))

    _presenter(
        data=slide,
        key="presenter",
        on_go_change=went,
        on_leave_change=leave,
        on_follow_change=followed,
    )


def following(told: Mapping[str, Any]) -> bool:
    """Says where others follow, and tells them what is pointed at; whether that was stopped."""
    return bool(_following(data=told, key="following", on_stop_change=keep_state).stop)


def beams(graph: Mapping[str, Any], selected: str | None, key: str) -> Click:
    """The beam graph; the selected card, and the column whose "+N more" was clicked just now."""
    chosen = _selected(key, selected, CARD, _cards(graph))
    room.keep(key, room.beam(graph))
    result = _beams(
        data={**graph, "selected": chosen},
        key=key,
        on_selected_change=lambda: _hold(key, CARD),
        on_more_change=keep_state,
    )
    return Click(result.selected or chosen, result.more)


def flow(graph: Mapping[str, Any], selected: str | None, key: str) -> Click:
    """Columns of cards with lines between them; the selected card."""
    chosen = _selected(key, selected, CARD, _cards(graph))
    room.keep(key, room.flow(graph))
    result = _flow(
        data={**graph, "selected": chosen}, key=key, on_selected_change=lambda: _hold(key, CARD)
    )
    return Click(result.selected or chosen)


def ranking(lines: Mapping[str, Any], selected: int | None, key: str, *, markable: bool) -> Click:
    """A ranking; the id of the selected passage, and {key, gold} of a mark changed just now."""
    there = {line["key"]: line["id"] for line in lines["lines"]}
    chosen = _selected(key, selected, PASSAGE, there)
    room.keep(key, room.ranking(lines, chosen))
    result = _ranking(
        data={**lines, "selected": chosen, "markable": markable},
        key=key,
        on_selected_change=lambda: _hold(key, PASSAGE, {id_: name for name, id_ in there.items()}),
        on_mark_change=keep_state,
    )
    return Click(result.selected or chosen, result.mark)


CARD, PASSAGE = "card", "passage"  # what the address calls the selection of a picture, a ranking


def leave_selection() -> None:
    """Another step, another run: the address no longer names what was selected in this one."""
    for name in (CARD, PASSAGE):
        address.hold(name, "")


def _selected(key: str, otherwise: Any, name: str, there: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """What was selected in a component, else what the address names of what is there, else what it
    opens with.
    """
    state = st.session_state.get(key)
    return (state.get("selected") if state else None) or there.get(address.named(name), otherwise)


def _hold(key: str, name: str, names: Mapping[Any, str] | None = None) -> None:
    """Write down in the address what is selected in a component now."""
    selected = (st.session_state.get(key) or {}).get("selected")
    if selected is not None:
        address.hold(name, str((names or {}).get(selected, selected)))


def _cards(graph: Mapping[str, Any]) -> dict[str, str]:
    return {card["id"]: card["id"] for column in graph["columns"] for card in column["cards"]}


def keep_state() -> None:
    """A component's state exists only where there is a callback for it."""


_aligned = elements.component(
    "aligned", html='<div class="aligned"></div>', js="compare.js", css="compare.css"
)
_grid = elements.component("grid", html='<div class="grid"></div>', js="grid.js", css="compare.css")


class Act(NamedTuple):
    """What is to be done with a run: `what` is "open" (at a step), "stop", "drop" or "again"."""

    what: str
    run: str
    step: int | None = None


def aligned(lines: Mapping[str, Any], selected: str | None, key: str) -> str | None:
    """Rankings side by side; the key of the selected passage, `selected` to begin with."""
    there = {passage["key"]: passage["key"] for passage in lines["passages"]}
    chosen: str | None = _selected(key, selected, PASSAGE, there)
    if chosen not in there:
        chosen = selected
    room.keep(key, room.aligned(lines))
    _aligned(
        data={**lines, "selected": chosen},
        key=key,
        on_selected_change=lambda: _hold(key, PASSAGE),
        on_act_change=lambda: _keep(key, "act"),
    )
    return chosen


def grid(table: Grid, key: str) -> None:
    """A table; its cells lead into runs."""
    room.keep(key, room.grid(len(table["rows"])))
    _grid(data=table, key=key, on_go_change=lambda: _keep(key, "go"))


def requested_act() -> Act | None:
    """The act that was clicked since this was called last."""
    kept = st.session_state.pop("compare-act", None)
    return Act(kept.get("what", "open"), str(kept["run"]), kept.get("step")) if kept else None


def _keep(key: str, name: str) -> None:
    state = st.session_state.get(key)
    if state and state.get(name):
        st.session_state["compare-act"] = dict(state[name])


_picker = elements.component(
    "picker", html='<div class="picker"></div>', js="picker.js", css="picker.css"
)


def picker(table: Mapping[str, Any], key: str, chosen: str = "") -> str | None:
    """A searchable table; the id of the row that was picked just now. One that is `chosen` is
    marked.
    """
    room.keep(key, room.picker(len(table["rows"])))
    result = _picker(data={**table, "chosen": chosen}, key=key, on_pick_change=keep_state)
    return None if result.pick is None else str(result.pick)


_keys = elements.component(
    "keys",
    html='<button type="button" class="open" aria-label="Keys"><kbd>?</kbd><span>Keys</span>'
    '</button><dialog aria-label="Keys"><header><h2>Keys</h2>'
    '<button type="button" class="close">Close</button></header>'
    f"{keys.sheet()}<p>Keys rest while you type.</p></dialog>",
    js="keys.js",
    css="keys.css",
)


def keys_sheet() -> None:
    """The sheet of keys, behind a quiet button in the page's frame and behind `?`."""
    with st.container(key="keys-frame"):
        _keys(key="keys-sheet")


_graph = elements.component(
    "graph",
    html="""<div class="graph"><div class="tools"><span></span>
      <button type="button" data-tool="out" aria-label="Smaller">−</button>
      <button type="button" data-tool="in" aria-label="Larger">+</button>
      <button type="button" data-tool="fit">Fit</button>
      <button type="button" data-tool="svg" aria-label="Save this figure as SVG">SVG</button>
      <button type="button" data-tool="png" aria-label="Save this figure as PNG">PNG</button>
      <button type="button" data-tool="full">Full screen</button></div>
    <div class="picture"><div class="canvas" role="img"></div><div class="stops"></div>
    <div class="tip" hidden></div></div></div>""",
    js="graph.js",
    css="graph.css",
)


def graph(picture: Mapping[str, Any], library: Path, key: str) -> Click:
    """A neighbourhood; the line or passage that is selected, and the entity clicked just now.

    `library` is the folder of vis-network, which this server hands out.
    """
    served = st.components.v1.declare_component("vis", path=library)
    state = st.session_state.get(key)
    chosen = state.get("selected") if state else None
    room.keep(key, room.NEIGHBOURHOOD)
    result = _graph(
        data={
            **picture,
            "selected": chosen,
            "library": f"component/{served.name}/vis-network.min.js",
        },
        key=key,
        on_selected_change=keep_state,
        on_walk_change=keep_state,
    )
    return Click(result.selected or chosen, result.walk)
