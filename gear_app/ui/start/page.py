"""The start screen: what this is in one sentence, a featured run in three captions, then a question
and documents of one's own. An address that names a run or a collection goes on to Explore.
"""

from __future__ import annotations

import streamlit as st

from gear_app.collections.first_method import first_method
from gear_app.paths import GARDEN
from gear_app.runs.request import RunRequest
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.text import count
from gear_app.ui.collections.documents import LARGEST_MB
from gear_app.ui.shared import address, components, elements, session, share, suggestions
from gear_app.views.markup import Html, join, tag
from gear_app.views.start.captions import captions
from gear_app.views.start.sentence import beginnings
from gear_app.views.start.story import Story, story_of
from gear_app.workspace import Workspace

STYLE = session.UI / "start.css"
NAME = "GEAR Explorer"
PLAIN = "Some answers stand where no search looks: facts lead there, from passage to passage."
KEYLESS = "No key and no model server needed."
LOCAL = ("Everything runs on this machine.", KEYLESS)
IN_CLUSTER = ("This collection is searched in a cluster.", KEYLESS)
EMPTY = (
    "This workspace is empty. Add documents below, or make the demo collection with: gear-app demo"
)
IN_THE_MAKING = "There is nothing here yet. Where the demo is being made, it takes some minutes."
LEARN = "Learn how it works: short lessons on live runs, with something to predict on each"
NO_RUN = "Nothing has been asked yet. Ask something below, or bring documents of your own."
NEW = "my documents"
UNCHECKED = "suggested, not checked"
EVERYDAY_IS = ": notes, tickets and mails of a made-up place"


def page() -> None:
    """What this is, what it does with a question, and the two ways on."""
    st.html(STYLE)
    workspace = session.workspace()
    collections = workspace.collections.all()
    run = session.first_run(workspace, collections)
    shown = run.collection if run else ""
    about = next((info for info in collections if shown in ("", info.name)), None)
    _featured(workspace, run, about)
    elements.message(st.session_state.pop("start_error", ""), "bad")
    if about is None:
        if not workspace.read_only:
            _bring(workspace, collections, "")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _ask(workspace, about, run.question if run else "")
    if not workspace.read_only:
        with right:
            _bring(workspace, collections, about.name)


def _featured(workspace: Workspace, run: RunInfo | None, about: CollectionInfo | None) -> None:
    """The sentence, and under it the run that it speaks of."""
    where = IN_CLUSTER if about and about.cluster else LOCAL
    story = _story(workspace, run) if run and run.state == "done" else None
    st.html(
        tag(
            "div",
            tag("div", tag("p", NAME), tag("h1", _in_lines(story.sentence if story else PLAIN))),
            tag("p", join(tag("span", words) for words in where), class_="gear-local"),
            class_="gear-start",
        )
    )
    if story is None or run is None:
        elements.message(NO_RUN if about else IN_THE_MAKING if workspace.read_only else EMPTY)
        return
    opened = components.captions(captions(story, run.id, run.collection), "start")
    st.page_link(session.LEARN, label=LEARN, icon=":material/school:")
    if opened is not None:
        address.explore(run.id, int(opened["step"]) if opened.get("step") else None)


def _in_lines(sentence: str) -> Html:
    """The sentence with a line for what it does and one for what came of it."""
    idea, colon, figures = sentence.partition(": ")
    return join([idea + colon, tag("span", figures)]) if figures else join([idea])


def _story(workspace: Workspace, run: RunInfo) -> Story | None:
    titles = elements.passage_titles(workspace, run.collection, run.gold)
    events = session.events(workspace, run)
    return story_of(events, run.question, run.method, run.gold, run.answers, titles)


def _ask(workspace: Workspace, about: CollectionInfo, shown: str) -> None:
    """A field for a question of the collection, and some of its own to begin with."""
    st.html(tag("h2", "Then ask yours", class_="gear-start-part"))
    with (
        st.form("start-ask", border=False),
        st.container(horizontal=True, vertical_alignment="center", gap="small"),
    ):
        typed = st.text_input(
            "Your question",
            key="start-question",
            placeholder="Ask a question of this collection",
            label_visibility="collapsed",
        )
        sent = st.form_submit_button("Run", type="primary", key="start-run")
    if sent:
        _enqueue(workspace, about, typed)
    offered = _offered(workspace, about, shown)
    if not offered:
        return
    lines = [(((question, False),), note) for question, note, _ in offered]
    place = components.choices(lines, "start-suggested")
    if place is not None:
        _enqueue(workspace, about, *offered[place][::2])


def _offered(
    workspace: Workspace, about: CollectionInfo, shown: str
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Questions of the collection with a note each; of one that has none, what it suggests, each
    with the passages that it is made of.
    """
    asked = workspace.collections.questions(about.name)
    if known := beginnings(asked, shown):
        return [(one.question, note, ()) for one, note in known]
    suggested = suggestions.questions(workspace, about)[0][: suggestions.SHOWN]
    return [(one.question, UNCHECKED, one.keys) for one in suggested if one.question != shown]


def _enqueue(
    workspace: Workspace, about: CollectionInfo, question: str, expected: tuple[str, ...] = ()
) -> None:
    """Ask, and follow the run in Explore."""
    method = first_method(about)
    asked = RunRequest(question, about.name, method, owner=session.owner(), expected=expected)
    with elements.refusals():
        address.follow_run(workspace.runs.enqueue(asked))


def _bring(workspace: Workspace, collections: list[CollectionInfo], shown: str) -> None:
    """A field for files, which become a collection, and one to open where none are at hand."""
    heading = "And bring your documents" if shown else "Bring your documents"
    st.html(tag("h2", heading, class_="gear-start-part"))
    with st.form("start-files"):
        files = st.file_uploader(
            "PDF, Word, text, slides, sheets, mails, web pages … or a zip of these",
            accept_multiple_files=True,
            key=elements.field_key("start", "start-uploads"),
            max_upload_size=LARGEST_MB,
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            name = st.text_input("Name of their collection", NEW, key="start-collection")
            sent = st.form_submit_button(
                "Add the files", key=elements.field_key("start", "start-add")
            )
    if sent and not files:
        elements.message("There is no file yet. Choose some, or drop them on the field.")
    elif sent:
        documents = share.without_runs(workspace, [(f.name, f.getvalue()) for f in files])
        if documents:
            _import(workspace, " ".join(name.split()) or NEW, documents)
    everyday = next((info for info in collections if info.name == GARDEN), None)
    if everyday is None or everyday.name == shown:
        return
    words = (("None at hand? Open ", False), (everyday.name, True), (EVERYDAY_IS, False))
    if components.choices([(words, count(everyday.passages, "passage"))], "start-everyday") == 0:
        st.switch_page(session.EXPLORE, query_params={"collection": everyday.name})


def _import(workspace: Workspace, name: str, files: list[tuple[str, bytes]]) -> None:
    """Leave the files to the worker, and go where their import is shown."""
    owner = session.owner()
    with elements.taken("start"):
        workspace.imports.enqueue_files(files, name, extract=True, owner=owner)
        session.collections(name)


page()
