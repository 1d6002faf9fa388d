"""Elements of every page: a sentence about a state, a table that is folded away, a passage, whole
or with a sentence marked, the fields of a form, figures, and components of ours.

Words of documents and models never reach Streamlit's Markdown: it would fetch what they link to.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gear_app.core.errors import BadInput, ClusterFailed, GearError, NotReady
from gear_app.core.types import Passage, Triple
from gear_app.display import labels, markup
from gear_app.display.markup import Html, tag
from gear_app.trace.entities import EntityNames
from gear_app.trace.events import ShownTriple
from gear_app.workspace.workspace import Workspace

if TYPE_CHECKING:
    import plotly.graph_objects as go  # late: half a second, and only figures need it

Tone = Literal["info", "busy", "good", "bad"]


def message(sentence: str, tone: Tone = "info") -> None:
    """One sentence about a state and what to do next; nothing for an empty one."""
    if sentence:
        role = "alert" if tone == "bad" else "status"
        st.html(tag("div", sentence, class_=f"gear-say gear-say-{tone}", role=role, dir="auto"))


def message_with_button(
    sentence: str, tone: Tone, label: str, key: str, act: Callable[..., None], *args: object
) -> None:
    """A sentence about a state, and beside it a button that does something about it."""
    words, button = st.columns([8, 1], vertical_alignment="center")
    with words:
        message(sentence, tone)
    button.button(label, key=key, on_click=act, args=args, width="stretch")


@contextlib.contextmanager
def refusals(key: str = "") -> Iterator[None]:
    """Within this, what is refused is told. In a callback it is kept under a key of the session, to
    be told when the page is drawn next. What follows the refused call within it is left out.
    """
    try:
        yield
    except GearError as error:
        if key:
            st.session_state[key] = str(error)
        else:
            message(str(error), "bad")


def attempt(key: str, act: Callable[..., object], *arguments: object) -> None:
    """Do what a button asks for; a refusal is kept under a key of the session (`refusals`)."""
    with refusals(key):
        act(*arguments)


def tabs(contents: Mapping[str, Callable[[], None]], key: str) -> None:
    """Draw tabs, and the contents of the open one; the address names it."""
    labels = list(contents)
    for label, tab in zip(
        labels, st.tabs(labels, key=key, on_change="rerun", bind="query-params"), strict=True
    ):
        if tab.open:
            with tab:
                contents[label]()


def bar(page: str, id_: str, label: str = "Question and methods") -> DeltaGenerator:
    """The fold of the fields with which a page is asked, open where nothing is shown yet; closed
    again for each run, comparison or evaluation, whose id is `id_`.
    """
    return st.expander(label, expanded=not id_, key=f"{page}-bar-{id_}")


def folded_table(label: str, rows: Callable[[], list[dict[str, Any]]], key: str) -> None:
    """An expander with a table in it; `label` is ours, never a document's."""
    fold = st.expander(label, key=f"fold-{key}", on_change="rerun")
    if fold.open:
        table = rows()
        fold.dataframe(
            table, hide_index=True, height="content", column_config=number_columns(table)
        )


def number_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of a table whose numbers have more decimals than it shows by itself."""
    return {
        name: st.column_config.NumberColumn(format=f"%.{places}f")
        for name, places in labels.columns(rows).items()
    }


def spread() -> DeltaGenerator:
    """A line of things, the first at one end of it and the last at the other."""
    return st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"
    )


def table_with_choice(rows: list[dict[str, Any]], key: str) -> int:
    """A table with one row chosen, at first the first; its place."""
    event: Any = st.dataframe(
        rows,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row-required",
        key=key,
    )
    chosen = event.selection.rows
    return int(chosen[0]) if chosen and chosen[0] < len(rows) else 0


def passage_of_triple(
    workspace: Workspace, triple: ShownTriple, names: EntityNames = markup.NO_NAMES
) -> None:
    """The passage of a triple, its sentence marked; without the passage, the event's sentence."""
    try:
        passage = workspace.collections.passage(triple.passage_id)
    except GearError as error:
        st.html(markup.passage(triple.sentence, None, names))
        message(str(error))
        return
    span = triple.span or markup.find(passage.text, triple.sentence)
    st.html(markup.passage(passage.text, span, names))
    if note := markup.sentence(triple):
        st.html(markup.title("", note))


def passage_of_line(
    workspace: Workspace, passage_id: int, names: EntityNames = markup.NO_NAMES
) -> Passage | None:
    """The passage of a ranking's line."""
    try:
        passage = workspace.collections.passage(passage_id)
    except GearError as error:
        message(str(error))
        return None
    label = workspace.collections.label(passage)
    st.html(markup.title(markup.named(label, names), f"id {passage.key}"))
    st.html(markup.passage(passage.text, None, names))
    return passage


def stating_passage(workspace: Workspace, triple: Triple) -> None:
    """A triple and the passage that states it, its sentence marked. Raises Unknown."""
    passage = workspace.collections.passage(triple.passage_id)
    words = [("Subject", triple.subject), ("Predicate", triple.predicate)]
    label = workspace.collections.label(passage)
    st.html(markup.facts([*words, ("Object", triple.object), ("Passage", label)]))
    if triple.closest:
        st.html(markup.title("", "closest match, it came without its sentence"))
    elif not triple.span:
        st.html(markup.title("", "imported without its sentence"))
    st.html(markup.passage(passage.text, triple.span))


def passage_titles(workspace: Workspace, collection: str, keys: Sequence[str]) -> dict[str, str]:
    """Titles by key, of those that are in the collection: for gold passages that no step found."""
    by_key = {}
    with contextlib.suppress(ClusterFailed):
        for key in keys:
            with contextlib.suppress(BadInput, NotReady):
                passage = workspace.collections[collection].passage_by_key(key)
                by_key[key] = workspace.collections.label(passage)
    return by_key


# Streamlit's own `clear_on_submit` empties a form's fields when the button is pressed: the second
# press of a double click then sends nothing, and stops the script that was about to take what the
# first sent. These forms are empty again once what they held was taken, and not before.


def field_key(form: str, field: str) -> str:
    """The key of a field of a form, another one after each time that the form was taken."""
    return f"{field}-{st.session_state.get(_times_taken(form), 0)}"


@contextlib.contextmanager
def submission(form: str) -> Iterator[None]:
    """Within this what the form held, which was read before, is worked on; its fields are new, and
    so empty, when next drawn. Where it is refused, that is told, and they are those of before.

    A second press of the button begins the script anew at the next access to the session, and
    would else find the form as it was.
    """
    times = st.session_state.get(_times_taken(form), 0)
    st.session_state[_times_taken(form)] = times + 1
    with refusals():
        try:
            yield
        except GearError:
            st.session_state[_times_taken(form)] = times
            raise


def _times_taken(form: str) -> str:
    return f"{form}-taken"


def component(name: str, *, html: str, js: str, css: str | None = None) -> Callable[..., Any]:
    """A component of ours, whose files are in gear_app/app/frontend; Streamlit finds them through
    gear_app/pyproject.toml. It is registered when it is first drawn, for which a server has to run.
    """

    @functools.cache
    def registered() -> Callable[..., Any]:
        return st.components.v2.component(f"gear_app.{name}", html=html, js=js, css=css)

    def draw(**arguments: Any) -> Any:  # noqa: ANN401
        return registered()(**arguments)

    return draw


# Of plotly's own buttons, the one that saves the figure.
FIGURE = {"modeBarButtons": [["toImage"]]}


def figure(
    drawn: go.Figure, key: str, alt: str, *, table: Callable[[], None], note: Html | None = None
) -> None:
    """A plotly figure, a note, and its numbers, which `table` draws; `alt` says what it shows."""
    st.plotly_chart(
        drawn, key=key, config={**FIGURE, "toImageButtonOptions": {"filename": key}}, alt=alt
    )
    if note:
        st.html(note)
    table()
