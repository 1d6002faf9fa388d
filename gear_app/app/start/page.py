"""The start screen: a question box and an upload, and a run in captions whose cards open its
steps. An address that names a run or a collection goes on to Explore.
"""

from __future__ import annotations

import streamlit as st

from gear_app.app.collections.documents import LARGEST_MB
from gear_app.app.shared import (
    address,
    collection,
    components,
    elements,
    session,
    share,
    suggestions,
)
from gear_app.display import draw
from gear_app.display.labels import literal
from gear_app.display.markup import explained, tag, title
from gear_app.display.start import example, step_of, suggested
from gear_app.display.telling import Telling
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.workspace.collections.service import first_method
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace

STYLE = session.UI / "start.css"
NAME = "GEAR Explorer"
IDEA = "Some answers need several passages, each with a name that leads to the next"
LOCAL = "Everything runs on this machine. No key and no model server needed."
IN_CLUSTER = "This collection is searched in a cluster. No key and no model server needed."
EMPTY = (
    "This workspace is empty. Add documents below, or make the demo collection with: gear-app demo"
)
PREPARING = "This workspace is empty. Where the demo is being prepared, it takes some minutes."
LEARN = "Learn how it works: short lessons on live runs, with something to predict on each"
NO_RUN = "No question has been asked yet."
NEW = "my documents"
UNCHECKED = "suggested, not checked"


def page() -> None:
    """Draw the question box, the upload and the example."""
    st.html(STYLE)
    workspace = session.workspace()
    collections = workspace.collections.all()
    about = next((info for info in collections if info.name == collection.chosen()), None)
    run = workspace.store.runs.featured(about.id) if about else None
    shown_example = None
    if run and run.state == "done":
        titles = elements.passage_titles(workspace, run.collection, run.gold)
        shown_example = example(session.events(workspace, run), run, titles)
    location = IN_CLUSTER if about and about.cluster else LOCAL
    headings = (
        tag("h1", shown_example.idea if shown_example else IDEA),
        tag("p", explained(shown_example.result) if shown_example else ""),
    )
    st.html(tag("div", tag("p", f"{NAME} · {location}"), *headings, class_="gear-start"))
    if shown_example is None:
        elements.message(NO_RUN if about else PREPARING if workspace.read_only else EMPTY)
    left, right = st.columns(2, gap="medium") if about else (None, st.container())
    if about and left:
        with left:
            _ask(workspace, about, run.question if run else "")
    if not workspace.read_only:
        with right:
            _bring(workspace)
    if shown_example and run:
        _example(workspace, run, shown_example.captions)
        st.page_link(session.LEARN, label=LEARN, icon=":material/school:")


def _example(workspace: Workspace, run: RunInfo, captions: Telling) -> None:
    """The captions of a run; a card opens its step."""
    with st.container(border=True, key="example"):
        st.html(title(run.question, "An example. A card opens its step."))
        html = draw.columns(captions, session.events(workspace, run).names)
        picture = {"html": html, "links": draw.links(captions), "direct": True}
        card = components.opened_card(picture, "start")
    if card is not None:
        address.explore(run.id, step_of(card))


def _ask(workspace: Workspace, about: CollectionInfo, example_question: str) -> None:
    """A question box, and questions of the collection to begin with."""
    with (
        st.form("start-ask", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        typed = st.text_input(f"Ask a question about: {literal(about.name)}", key="start-question")
        sent = st.form_submit_button("Run", type="primary", key="start-run")
    if sent:
        _enqueue(workspace, about, typed)
    offered = st.container(gap=None)
    for place, (question, note, expected) in enumerate(
        _offered(workspace, about, example_question)
    ):
        words = f"{literal(question)} :gray[{note}]" if note else literal(question)
        if offered.button(words, key=f"start-suggested-{place}", type="tertiary"):
            _enqueue(workspace, about, question, expected)


def _offered(
    workspace: Workspace, about: CollectionInfo, example_question: str
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Questions of the collection with a note each; without any, suggested ones, each with the
    passages that it is made of.
    """
    questions = workspace.collections[about.name].questions()
    if listed := suggested(questions, example_question):
        return [(question.question, note, ()) for question, note in listed]
    suggested_questions = suggestions.questions(workspace, about)[0][: suggestions.LISTED]
    return [
        (suggestion.question, UNCHECKED, suggestion.keys)
        for suggestion in suggested_questions
        if suggestion.question != example_question
    ]


def _enqueue(
    workspace: Workspace, about: CollectionInfo, question: str, expected: tuple[str, ...] = ()
) -> None:
    """Enqueue a run and follow it in Explore."""
    method = first_method(about)
    request = RunRequest(question, about.name, method, owner=session.owner(), expected=expected)
    with elements.refusals():
        address.follow_run(workspace.runs.enqueue(request))


def _bring(workspace: Workspace) -> None:
    """An upload whose files become a collection."""
    with st.form("start-files", border=False):
        files = st.file_uploader(
            "Or bring your documents: PDF, Word, text, slides, sheets, mails, web pages, zip",
            accept_multiple_files=True,
            key=elements.field_key("start", "start-uploads"),
            max_upload_size=LARGEST_MB,
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            name = st.text_input("Name of the collection", NEW, key="start-collection")
            sent = st.form_submit_button(
                "Add the files", key=elements.field_key("start", "start-add")
            )
    if sent and not files:
        elements.message("No file is chosen. Choose some, or drop them on the field.")
    elif sent:
        documents = share.without_runs(workspace, [(f.name, f.getvalue()) for f in files])
        if documents:
            _import(workspace, " ".join(name.split()) or NEW, documents)


def _import(workspace: Workspace, name: str, files: list[tuple[str, bytes]]) -> None:
    """Queue the import of files and go to the page that shows it."""
    owner = session.owner()
    with elements.submission("start"):
        workspace.imports.enqueue(files, name, extract=True, owner=owner)
        collection.choose(name)
        st.switch_page(session.COLLECTIONS, query_params={})


page()
