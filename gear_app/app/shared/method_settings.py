"""The settings of the method that is chosen, of nothing else; and those a run was made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from gear_app.app.shared import elements
from gear_app.display import settings as views
from gear_app.display.settings import Setting
from gear_app.methods import as_paper
from gear_app.store.rows import CollectionInfo, RunInfo

LIMIT = "max_iterations"  # a collection can have its own
PAPER = "As in the paper"
K, MOST_K = 15, 100
K_HELP = "Passages of the first retrieval"
ANSWER_HELP = (
    "By the reader, from the first 5 passages; as bounds also from the gold passages and from none"
)
OWN_K = ("round_k", "pool_k")  # methods with such a setting take no k
LOCAL = "local"


def popover(method: str, collection: CollectionInfo | None) -> None:
    """A popover with k, answer and *as in the paper*, and all other settings in a fold."""
    st.session_state["set-drawn"] = True
    with st.popover("Settings", help="Of the method and its base retriever"):
        form = views.form(method)
        if takes_k(form):
            st.session_state.setdefault("set-k", K)
            st.number_input("k", 1, MOST_K, key="set-k", help=K_HELP, persist_state="session")
        st.checkbox("Write an answer", key="set-answer", help=ANSWER_HELP, persist_state="session")
        paper_switch(method, lambda name: _key(method, name), collection)
        with st.expander("All settings"):
            st.button(
                "Back to the defaults",
                key="set-back",
                on_click=_fill,
                args=(method, {}, collection),
            )
            _triples(st.container(), collection)
            fields(form, lambda name: _key(method, name), collection)


def fields(
    form: Sequence[Setting],
    key: Callable[[str], str],
    collection: CollectionInfo | None,
    across: int = 2,
) -> None:
    """A field for every setting, under its part; `key` gives a setting's place in the session.

    An empty field leaves the default; a limit is filled in as it is for the collection.
    """
    for group, settings in views.groups(form):
        st.html(views.heading(group))
        columns = st.columns(across)
        for place, setting in enumerate(settings):
            with columns[place % across]:
                _input(key(setting.name), setting, collection)


def paper_switch(method: str, key: Callable[[str], str], collection: CollectionInfo | None) -> None:
    """A switch that fills in what the method's paper has in the place of our defaults; it is on
    while all of that stands so. Where there is nothing to fill in, a line says why.
    """
    form = [setting for setting in views.form(method) if setting.name in as_paper(method)]
    if not form:
        st.caption(f"{PAPER}: {views.paper_words(method)}")
        return
    st.session_state[key(PAPER)] = all(
        _stands(key(setting.name), setting, collection) == as_paper(method)[setting.name]
        for setting in form
    )
    st.toggle(
        PAPER,
        key=key(PAPER),
        help=views.paper_words(method),
        on_change=_turn_paper,
        args=(method, key, collection),
    )


def _turn_paper(method: str, key: Callable[[str], str], collection: CollectionInfo | None) -> None:
    paper, on = as_paper(method), st.session_state[key(PAPER)]
    for setting in views.form(method):
        if setting.name in paper:
            value = paper[setting.name] if on else _default(setting, collection)
            st.session_state[key(setting.name)] = value


def _stands(key: str, setting: Setting, collection: CollectionInfo | None) -> Any:  # noqa: ANN401
    """What a field has, or will have where it was not drawn yet or is empty."""
    value = st.session_state.get(key)
    return _default(setting, collection) if value is None else value


def _default(setting: Setting, collection: CollectionInfo | None) -> Any:  # noqa: ANN401
    return _limit(setting, collection) if setting.name == LIMIT else setting.default


def takes_k(form: Sequence[Setting]) -> bool:
    """Whether the method takes k; others have settings for how many passages they take."""
    return not any(setting.name in OWN_K for setting in form)


def k() -> int:
    """How many passages the first retrieval is asked for."""
    return int(st.session_state.get("set-k", K))


def answers() -> bool:
    """Whether runs are to write an answer and its bounds."""
    return bool(st.session_state.get("set-answer"))


def changes(method: str) -> dict[str, Any]:
    """The method's settings as they stand, by full name.

    An empty field leaves the default, and so does a limit that is as it was filled in: a collection
    may have its own.
    """
    state = st.session_state
    keys = {setting.name: _key(method, setting.name) for setting in views.form(method)}
    return {
        name: state[key]
        for name, key in keys.items()
        if state.get(key) not in (None, "", state.get(_usual(key)))
    }


def seed(method: str, config: dict[str, Any], collection: CollectionInfo | None) -> None:
    """Fill the form in from a run's settings; what it does not say is the default.

    The fields drawn so far are done with: the browser keeps what stood in them, and would send it
    again.
    """
    state = st.session_state
    if state.pop("set-drawn", False):
        state["set-forms"] = state.get("set-forms", 0) + 1
    _fill(method, config, collection)


def _fill(method: str, config: dict[str, Any], collection: CollectionInfo | None) -> None:
    for setting in views.form(method):
        value = config.get(setting.name, setting.default)
        limited = setting.name == LIMIT and value == _limit(setting, collection)
        st.session_state[_key(method, setting.name)] = (
            None if limited or _left(setting, config) else value
        )


def of_run(run: RunInfo) -> None:
    """All settings of a run as a table, folded away."""
    elements.folded_table(
        "Settings of this run", lambda: views.rows(run.method, run.config), "settings"
    )


def _left(setting: Setting, config: dict[str, Any]) -> bool:
    return setting.name == LIMIT and setting.name not in config


def _limit(setting: Setting, collection: CollectionInfo | None) -> int:
    return int((collection.max_iterations if collection else None) or setting.default)


def _triples(place: Any, collection: CollectionInfo | None) -> None:  # noqa: ANN401
    sets = [set_.name for set_ in collection.triple_sets] if collection else []
    active = collection.active if collection else None
    if st.session_state.get("set-triples") not in sets:
        st.session_state["set-triples"] = active.name if active else next(iter(sets), None)
    place.selectbox(
        "Triples",
        sets,
        key="set-triples",
        placeholder="none extracted yet",
        persist_state="session",
    )


def _key(method: str, name: str) -> str:
    form = st.session_state.get("set-forms", 0)
    return f"set-{method.partition(':')[0]}-{name}" + (f"#{form}" if form else "")


def _usual(key: str) -> str:
    """Where the session keeps what a limit is where nobody chose another."""
    return f"{key}-usual"


def _fill_limit(key: str, usual: int) -> None:
    """Fill in what the limit is here, unless somebody chose another: an empty field cannot be
    stepped up or down, and looks as if it could not be changed.
    """
    state = st.session_state
    if state.get(key) in (None, state.get(_usual(key))):
        state[key] = usual
    state[_usual(key)] = usual


# Fields persist their state: those of a closed popover are not drawn in the browser, which would
# show and send back their minimum.
def _input(key: str, setting: Setting, collection: CollectionInfo | None) -> None:
    if setting.name == LIMIT:
        _fill_limit(key, _limit(setting, collection))
    elif key not in st.session_state:
        st.session_state[key] = setting.default
    match setting.kind:
        case "switch":
            st.toggle(setting.label, key=key, help=setting.help, persist_state="session")
        case "choice":
            st.selectbox(
                setting.label, setting.choices, key=key, help=setting.help, persist_state="session"
            )
        case "whole" | "number":
            st.number_input(
                setting.label,
                setting.low,
                setting.high,
                key=key,
                help=setting.help,
                step=1 if setting.kind == "whole" else 0.05,
                persist_state="session",
            )
        case _:
            st.text_input(setting.label, key=key, help=setting.help, persist_state="session")
