"""Fields for a method with its settings: one row that all pages share, with their values.

Its popover is drawn while it is open: a browser sends the value of every field it has drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import streamlit as st

from gear_app.app.shared import language_models, session, visitors
from gear_app.app.shared.language_models import READER
from gear_app.core import demonstration
from gear_app.core.errors import GearError
from gear_app.core.overrides import overridden, settings
from gear_app.display import markup
from gear_app.display import settings as views
from gear_app.display.comparison_tables import USUAL_K, Entry, defaults, reads
from gear_app.display.labels import LLM, base_name, method_name, reader_name
from gear_app.display.settings import Setting
from gear_app.methods import METHODS, as_paper, bases, config_for, parse
from gear_app.methods.method import DEFAULT_BASE
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.collections.service import USUAL, first_method
from gear_app.workspace.runs.request import Options, RunRequest

LOCAL = "local"
PAPER, OPEN = "As in the paper", "settings-open"
ANSWER, TRIPLES = "set-answer", "set-triples"
MOST_K = 100
K_HELP = "Passages of the first retrieval"
ANSWER_HELP = (
    "By the reader, from the first 5 passages; as bounds also from the gold passages and from none"
)
OWN_K = ("round_k", "pool_k")  # methods with such a setting take no k


def seed(name: str, config: Mapping[str, Any], info: CollectionInfo | None) -> None:
    """Fill the fields in with a method and its settings; an unknown one becomes the usual one."""
    state = st.session_state
    try:
        state["method"] = parse(name)[0]
    except GearError:
        name = state["method"] = USUAL
    for depth, base in enumerate(name.split(":")[1:], start=1):
        state[_base_key(depth)] = base
    if ":" not in name:
        state[_base_key(1)] = DEFAULT_BASE
    _fill(config, info)


def row(info: CollectionInfo | None, *, answer: bool, of_all: bool = False) -> None:
    """Method, what it is over, reader, and the settings in a popover. `answer`: one can be asked
    for. `of_all`: reader, answer and triples are those of all runs, and cut-offs stand for k.
    """
    if "method" not in st.session_state:
        seed(first_method(info), {}, info)
    st.selectbox(
        "Method",
        list(METHODS),
        key="method",
        format_func=lambda method: f"{method_name(method)} — {METHODS[method].summary}",
        # A name that is typed means that method: a summary may name others, and a name be part of
        # another's.
        filter_mode="prefix",
        label_visibility="collapsed",
        width=330,
        persist_state="session",
    )
    for depth, above in enumerate(_names()[:-1], start=1):
        st.selectbox(
            f"Retriever beneath {method_name(above)}",
            bases(above),
            key=_base_key(depth),
            format_func=lambda base: f"over {base_name(base)}",
            label_visibility="collapsed",
            width=140,
            persist_state="session",
        )
    if of_all or reads(method()) or (answer and answers()):
        _reader()
    popover = st.popover(
        "Settings", key=OPEN, on_change="rerun", help="Of the method and its base retriever"
    )
    if popover.open:
        with popover:
            _settings(info, answer=answer, k=not of_all)


def method() -> str:
    """The name of the chosen method, `ircot:hipporag`; hybrid at the end goes without saying."""
    names = _names()
    return ":".join(names[:-1] if len(names) > 1 and names[-1] == DEFAULT_BASE else names)


def answers() -> bool:
    """Whether runs are to write an answer and its bounds."""
    return bool(st.session_state.get(ANSWER))


def reader(*, answer: bool = False) -> str:
    """The name of the reader for a run of the method, or of one with an `answer`."""
    model = (answer or reads(method())) and language_models.chosen()
    return str(st.session_state.get(READER, LOCAL)) if model else LOCAL


def entry(info: CollectionInfo | None, *, answer: bool = False) -> Entry:
    """The method as the fields stand, with the settings that are not the defaults.

    Raises BadInput, with the label of a setting in the place of its name.
    """
    name, form = method(), views.form(method())
    usual = defaults(name, info.max_iterations if info else None)
    current = {setting.name: st.session_state.get(_key(setting.name)) for setting in form}
    overrides = {
        setting: value
        for setting, value in current.items()
        if value not in (None, "", usual.get(setting))
    }
    config = overrides | settings(overridden(config_for(name), overrides))
    k = int(st.session_state.get("set-k", USUAL_K)) if _takes_k(form) else USUAL_K
    changed = tuple((setting, str(config[setting])) for setting in overrides)
    return Entry(name, changed, triples(info), k, reader(answer=answer))


def request(
    question: str,
    collection: str,
    chosen: Entry,
    *,
    answer: bool = False,
    expected: tuple[str, ...] = (),
) -> RunRequest:
    """This visitor's request for a run of an entry. Raises NotReady or BadInput."""
    return RunRequest(
        question,
        collection,
        chosen.method,
        triples=chosen.triples,
        settings=dict(chosen.settings),
        k=chosen.k,
        reader=chosen.reader,
        owner=session.owner(),
        model=language_models.reader_model(chosen.reader),
        budget=language_models.budget(),
        options=Options(answer=answer),
        expected=expected,
        rights=visitors.rights(),
    )


def _names() -> list[str]:
    """The chosen method and the retrievers beneath it; one that does not fit becomes hybrid."""
    names = [str(st.session_state["method"])]
    while options := bases(names[-1]):
        key = _base_key(len(names))
        if st.session_state.get(key) not in options:
            st.session_state[key] = DEFAULT_BASE
        names.append(st.session_state[key])
    return names


def _base_key(depth: int) -> str:
    return "base" if depth == 1 else f"base-{depth}"


def _key(name: str) -> str:
    return f"set-{st.session_state['method']}-{name}"


def _takes_k(form: list[Setting]) -> bool:
    return not any(setting.name in OWN_K for setting in form)


def _reader() -> None:
    """The local reader or the session's language model; without one the way to choose one."""
    spec = language_models.chosen()
    if spec:
        st.selectbox(
            "Reader",
            [LOCAL, LLM],
            key=READER,
            format_func=lambda name: reader_name(name, spec.model),
            label_visibility="collapsed",
            width=150,
            persist_state="session",
        )
    elif not demonstration.is_on():
        st.page_link(
            session.SETTINGS,
            label="Local reader: change…",
            icon=":material/settings:",
            help="The local reader reads. On Settings a language model can be chosen instead",
        )


def _settings(info: CollectionInfo | None, *, answer: bool, k: bool) -> None:
    """k, answer and *as in the paper*, and all other settings in a fold."""
    form = views.form(method())
    if k and _takes_k(form):
        st.session_state.setdefault("set-k", USUAL_K)
        st.number_input("k", 1, MOST_K, key="set-k", help=K_HELP, persist_state="session")
    if answer:
        st.checkbox("Write an answer", key=ANSWER, help=ANSWER_HELP, persist_state="session")
    paper, usual = as_paper(method()), _defaults(form, info)
    for setting in form:
        st.session_state.setdefault(_key(setting.name), usual[setting.name])
    if paper:
        now = {name: st.session_state[_key(name)] for name in paper}
        st.session_state[PAPER] = now == paper
        words = views.paper_words(method())
        st.toggle(PAPER, key=PAPER, help=words, on_change=_turn_paper, args=(info,))
    else:
        st.caption(f"{PAPER}: {views.paper_words(method())}")
    with st.expander("All settings"):
        st.button("Back to the defaults", key="set-back", on_click=_fill, args=({}, info))
        st.selectbox(
            "Triples",
            _sets(info),
            key=TRIPLES,
            format_func=lambda name: name or "the active set",
            persist_state="session",
        )
        for group, members in groupby(form, key=lambda setting: setting.group):
            st.html(markup.tag("div", group, class_="gear-part"))
            columns = st.columns(2)
            for place, setting in enumerate(members):
                with columns[place % 2]:
                    _field(setting)


def _field(setting: Setting) -> None:
    common: Any = {"key": _key(setting.name), "help": setting.info.help, "persist_state": "session"}
    match setting.kind:
        case "switch":
            st.toggle(setting.info.label, **common)
        case "choice":
            st.selectbox(setting.info.label, setting.choices, **common)
        case "whole" | "number":
            step = 1 if setting.kind == "whole" else 0.05
            low, high = setting.info.within or (None, None)
            st.number_input(setting.info.label, low, high, step=step, **common)
        case _:
            st.text_input(setting.info.label, **common)


def _defaults(form: list[Setting], info: CollectionInfo | None) -> dict[str, Any]:
    """The values of a form that nobody changed; a collection may have its own iteration limit."""
    limited = defaults(method(), info.max_iterations if info else None)
    return {setting.name: limited.get(setting.name, setting.default) for setting in form}


def _turn_paper(info: CollectionInfo | None) -> None:
    paper, usual = as_paper(method()), _defaults(views.form(method()), info)
    for name in paper:
        value = paper[name] if st.session_state[PAPER] else usual[name]
        st.session_state[_key(name)] = value


def _fill(config: Mapping[str, Any], info: CollectionInfo | None) -> None:
    usual = _defaults(views.form(method()), info)
    for name, value in usual.items():
        st.session_state[_key(name)] = config.get(name, value)


def _sets(info: CollectionInfo | None) -> list[str | None]:
    return [None, *(set_.name for set_ in info.triple_sets)] if info else [None]


def triples(info: CollectionInfo | None) -> str | None:
    """The chosen triple set; None: the active one."""
    name: str | None = st.session_state.get(TRIPLES)
    return name if name in _sets(info) else None
