"""Our Streamlit components: strip, columns of cards, ranking, presenter, aligned rankings, graph.

What they show comes as data and is set as text; what was clicked comes back as state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from gear_app.app.shared import address, elements
from gear_app.display.labels import step_label, step_name
from gear_app.trace.timeline import Step

_strip = elements.component(
    "strip",
    html='<nav class="strip" aria-label="Steps of the run"></nav>'
    '<p class="announced" role="status"></p>',
    js="strip.js",
    css="components.css",
)
_columns = elements.component(
    "columns", html='<div class="columns"></div>', js="columns.js", css="columns.css"
)
_presenter = elements.component(
    "presenter",
    html='<dialog class="presenter" aria-label="Presenter mode"></dialog>',
    js="presenter.js",
    css="presenter.css",
)
_ranking = elements.component(
    "ranking", html='<div class="ranking"></div>', js="ranking.js", css="components.css"
)


class Click(NamedTuple):
    """Event of a component in this run of the script."""

    selected: Any = None
    event: Any = None


def strip(
    steps: Sequence[Step],
    current: int,
    *,
    live: bool,
    everything: bool,
    run: str,
    question: str,
) -> int | None:
    """The pipeline; the number of the step that was clicked just now.

    `everything`: the steps after the current one say whether they failed. Where `run` is another
    one than before, the field that holds its `question` is left, so that the keys step through it.
    """
    items = []
    for step in steps:
        failed = step.failed and (everything or step.number <= current)
        items.append(
            {
                "number": step.number,
                "iteration": step.iteration,
                "verb": step_name(step),
                "search": step.search,
                "label": step_label(step) + " (failed)" * failed,
                "failed": failed,
            }
        )
    position = f"Step {current + 1} of {len(steps)}: {step_label(steps[current])}."
    result = _strip(
        data={
            "steps": items,
            "current": current,
            "live": live,
            "said": position,
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
) -> None:
    """A step that fills the screen; `go` is called with a step's number, `leave` at the end."""

    def on_go() -> None:
        go(int(st.session_state["presenter"]["go"]))

    _presenter(data=slide, key="presenter", on_go_change=on_go, on_leave_change=leave)


def columns(picture: Mapping[str, Any], selected: str, ids: Sequence[str], key: str) -> str | None:
    """Columns of cards with lines between them; the id of the selected card."""
    chosen = _selected(key, selected, address.CARD, {id_: id_ for id_ in ids})
    chosen = chosen if chosen in ids else selected
    data = {**picture, "selected": chosen}
    result = _columns(data=data, key=key, on_selected_change=lambda: _hold(key, address.CARD))
    clicked: str | None = result.selected or chosen
    return clicked if clicked in ids else None


def opened_card(picture: Mapping[str, Any], key: str) -> str | None:
    """Columns of cards; the id of a card that was clicked just now."""
    opened = f"{key}-opened"

    def keep() -> None:
        st.session_state[opened] = st.session_state[key]["selected"]

    _columns(data={**picture, "selected": ""}, key=key, on_selected_change=keep)
    card: str | None = st.session_state.pop(opened, None)
    return card


def ranking(lines: Mapping[str, Any], selected: int | None, key: str, *, markable: bool) -> Click:
    """A ranking; the id of the selected passage, and {key, gold} of a mark changed just now."""
    ids = {line["key"]: line["id"] for line in lines["lines"]}
    keys = {id_: name for name, id_ in ids.items()}
    chosen = _selected(key, selected, address.PASSAGE, ids)
    result = _ranking(
        data={**lines, "selected": chosen, "markable": markable},
        key=key,
        on_selected_change=lambda: _hold(key, address.PASSAGE, keys),
        on_mark_change=keep_state,
    )
    return Click(result.selected or chosen, result.mark)


def _selected(key: str, otherwise: Any, name: str, ids: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Selection in a component, else what the address names of what is there, else what it
    opens with.
    """
    state = st.session_state.get(key)
    return (state.get("selected") if state else None) or ids.get(address.named(name), otherwise)


def _hold(key: str, name: str, names: Mapping[Any, str] | None = None) -> None:
    """Write down in the address what is selected in a component now."""
    selected = (st.session_state.get(key) or {}).get("selected")
    if selected is not None:
        value = str((names or {}).get(selected, selected))
        address.write(**{**address.NOTHING_SELECTED, name: value})


def keep_state() -> None:
    """A component's state exists only where there is a callback for it."""


_aligned = elements.component(
    "aligned", html='<div class="aligned"></div>', js="compare.js", css="compare.css"
)


def aligned(lines: Mapping[str, Any], selected: str | None, key: str) -> Click:
    """Rankings side by side; the key of the selected passage, and {what, run} of a button that was
    clicked just now.
    """
    present = {passage["key"]: passage["key"] for passage in lines["passages"]}
    chosen: str | None = _selected(key, selected, address.PASSAGE, present)
    if chosen not in present:
        chosen = selected
    result = _aligned(
        data={**lines, "selected": chosen},
        key=key,
        on_selected_change=lambda: _hold(key, address.PASSAGE),
        on_act_change=keep_state,
    )
    return Click(chosen, result.act)


_graph = elements.component(
    "graph", html='<div class="graph" role="img"></div>', js="graph.js", css="graph.css"
)


def graph(
    picture: Mapping[str, Any], library: Path, key: str, walk: Callable[[], None]
) -> str | None:
    """Draw a graph; the id of the selected edge. `walk` is called when a node was clicked.

    `library` is the folder of vis-network, which this server hands out.
    """
    served = st.components.v1.declare_component("vis", path=library)
    source = f"component/{served.name}/vis-network.min.js"
    result = _graph(
        data={**picture, "library": source},
        key=key,
        on_selected_change=keep_state,
        on_walk_change=walk,
    )
    selected: str | None = result.selected
    return selected
