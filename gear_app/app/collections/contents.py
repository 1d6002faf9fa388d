"""Passages, triples and triple sets of a collection; the chosen row opens next to the table."""

from __future__ import annotations

import streamlit as st

from gear_app.app.collections import curation
from gear_app.app.shared import elements, language_models, session
from gear_app.core.errors import GearError, NotReady
from gear_app.core.types import Passage
from gear_app.display import collections as collection_views
from gear_app.display import extraction as views
from gear_app.display import markup
from gear_app.models.server import Spec
from gear_app.store.rows import CollectionInfo, TripleSetInfo
from gear_app.workspace.runs.costs import Estimate
from gear_app.workspace.workspace import Workspace

LISTED = 500
FIRST = f"The first {LISTED} are shown. Search to narrow them down."
WORDS = "words"  # key of both search fields, and in the address


def passages(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the passages; the chosen one is shown in its document, with its triples."""
    set_ = info.active
    if set_:
        curation.last_change(workspace, info.name, set_.name)
    search = _search("Search the passages", "Words of the title or the text")
    listed = workspace.collections[info.name].passages(search, LISTED)
    if not listed:
        elements.message("No passage has these words." if search else "No passages yet.")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        titles = workspace.store.passages.labels([passage.id for passage in listed])
        rows = [{"title": titles.get(p.id, p.title), "text": p.text, "id": p.key} for p in listed]
        chosen = listed[elements.table_with_choice(rows, "passages-table")]
        st.caption(FIRST if len(listed) == LISTED else "")
    with right, st.container(border=True):
        _in_document(workspace, chosen)
        if set_:
            triples_ = workspace.store.triples.of_passages(set_.id, [chosen.id])
            st.html(markup.title("Its triples", f"in “{set_.name}”"))
            st.html(views.triple_list(triples_) or "None")
            key = f"{chosen.id}-{len(triples_)}"
            curation.triple_form(workspace, info.name, set_.name, key, chosen)


def triples(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the triples; the chosen one is shown with its sentence. Triple sets are in a fold."""
    set_ = info.active
    with st.expander("Triple sets and extraction", expanded=not (set_ and set_.triples)):
        triple_sets(workspace, info)
    if set_ is None:
        return
    curation.last_change(workspace, info.name, set_.name)
    search = _search("Search the triples", "Words of a subject, predicate or object")
    listed = workspace.collections[info.name].triples(set_.name, search, LISTED)
    if listed:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            names = workspace.store.passages.with_ids([t.passage_id for t in listed])
            rows = [{**curation.cells(t), "passage": names[t.passage_id].name} for t in listed]
            chosen = listed[elements.table_with_choice(rows, "triples-table")]
            st.caption(FIRST if len(listed) == LISTED else "")
        with right, st.container(border=True), elements.refusals():
            elements.stating_passage(workspace, chosen)
            passage = workspace.collections.passage(chosen.passage_id)
            curation.triple_form(workspace, info.name, set_.name, str(chosen.id), passage, chosen)
    else:
        elements.message("No triple has these words." if search else "No triples yet.")
    curation.history(workspace, info.name, set_.name)


def _search(label: str, placeholder: str) -> str:
    return st.text_input(label, key=WORDS, bind="query-params", placeholder=placeholder)


def _in_document(workspace: Workspace, chosen: Passage) -> None:
    st.html(markup.title(workspace.collections.label(chosen), f"id {chosen.key}"))
    document = workspace.store.documents.get(chosen.document_id or 0)
    if document is None:
        st.html(markup.passage(chosen.text, None))
        return
    pages = document.pages_of(chosen.start, chosen.end)
    page = ("Page" if pages.isdigit() else "Pages", pages)
    st.html(markup.facts([("Document", document.title), ("Source", document.source), page]))
    st.html(markup.in_document(document.text, chosen.start, chosen.end))


LISTED, LONG, LONG_PX = 50, 10, 460
BY, INTO, FAILED = "extract-by", "extract-into", "extract-error"
MOST = 10**10  # tokens
PURPOSE = "of the passages that have none in the set yet"
NO_MODEL = "No language model is chosen. Choose one on the page Settings."


def triple_sets(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the sets, which one runs use, extraction, and the passages that fell short."""
    elements.message(st.session_state.pop(FAILED, ""), "bad")
    if info.triple_sets:
        st.dataframe(collection_views.triple_sets(info.triple_sets), hide_index=True)
    else:
        elements.message("No triples yet. Extract them, or import a file of ready-made ones.")
    if workspace.read_only:
        return
    if len(info.triple_sets) > 1:
        names = [set_.name for set_ in info.triple_sets]
        active = next((place for place, set_ in enumerate(info.triple_sets) if set_.active), 0)
        st.selectbox(
            "Set that runs use",
            names,
            index=active,
            key="active-set",
            width=320,
            on_change=lambda: workspace.collections[info.name].activate(
                st.session_state["active-set"]
            ),
        )
    with st.container(border=True):
        st.html(markup.title("Extract triples", PURPOSE))
        _form(workspace, info)
    for set_ in info.triple_sets:
        if set_.maker != views.IMPORTED and views.shortfall_words(set_):
            with st.container(border=True):
                _shortfalls(workspace, info.name, set_)


def _shortfalls(workspace: Workspace, collection: str, set_: TripleSetInfo) -> None:
    """Draw which passages of a set fell short and why, and a button to try them again."""
    spec = language_models.chosen()
    by_model = set_.maker in views.STEPS
    elements.message(views.shortfall_words(set_), "bad" if set_.passages_failed else "info")
    if set_.passages_failed or (by_model and set_.passages_without):
        lacking = by_model and spec is None
        words = views.retry_words(set_, spec.model if spec else "")
        st.button(
            "Try these again",
            key=f"again-{set_.name}",
            disabled=lacking,
            on_click=_again,
            args=(workspace, collection, set_),
            help=NO_MODEL if lacking else words,
        )
    listed = workspace.jobs.shortfalls(collection, set_.name, LISTED)
    heading = f"Which passages, and why{' (the first)' if len(listed) == LISTED else ''}"
    with st.expander(heading, expanded=len(listed) <= 3):
        long = len(listed) > LONG
        with st.container(height=LONG_PX if long else "content", border=False):
            st.html(views.shortfall_list(listed))


def _again(workspace: Workspace, collection: str, set_: TripleSetInfo) -> None:
    """Extract the passages that failed and, with a language model, those without triples."""
    with elements.refusals(FAILED):
        if set_.maker in views.STEPS:
            workspace.jobs.retry_empty(collection, set_.name)
        _extract(workspace, collection, set_.maker, set_.name)


def _form(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the choice of extractor and set, the estimate with its cap, and the button."""
    if not info.passages:
        elements.message("There are no passages yet. Add some on the tab Documents.")
        return
    spec, state = language_models.chosen(), st.session_state
    options = [views.LOCAL, *(views.STEPS if spec else ())]
    if state.get(BY) not in options:
        state[BY] = views.LOCAL
    with st.container(horizontal=True, vertical_alignment="bottom"):
        extractor = st.selectbox(
            "Extractor",
            options,
            key=BY,
            format_func=lambda option: views.extractor_name(option, spec.model if spec else ""),
            width=300,
            persist_state="session",
        )
        if spec is None:
            st.page_link(session.SETTINGS, label="Use a language model …", help=NO_MODEL)
        typed = st.text_input(
            "Triple set",
            key=INTO,
            placeholder=extractor,
            width=200,
            help="A new name begins a new set; extraction goes on with one of the same name",
        )
    triples = _set_name(typed, extractor)
    jobs = [job for job in workspace.jobs.recent(info.name) if job.kind == "extraction"]
    if any(job.going and job.triple_set == triples for job in jobs):
        elements.message(
            f"“{triples}” is being extracted. Cancel that first, or name another set.", "busy"
        )
        return
    waiting = True
    if extractor == views.LOCAL:
        st.caption(views.LOCAL_NOTE)
    elif spec:
        waiting = _cap(workspace, info, spec, extractor, triples)
    st.button(
        "Extract triples",
        type="primary",
        key="extract",
        disabled=not waiting,
        on_click=_start,
        args=(workspace, info.name),
    )


def _cap(
    workspace: Workspace, info: CollectionInfo, spec: Spec, extractor: str, triples: str
) -> bool:
    """Draw the estimate and a field for the most tokens, twice the estimate at first; whether a
    passage waits.
    """
    state = info.revision, info.triple_sets, workspace.store.prices.all().get(spec.model)
    try:
        estimate = _estimate(info.name, triples, spec, extractor, state, _workspace=workspace)
    except GearError as error:
        elements.message(str(error), "bad")
        return False
    elements.message(views.estimate(estimate))
    if estimate.calls:
        st.number_input(
            "Most tokens",
            1,
            MOST,
            estimate.cap,
            step=10_000,
            key=_cap_key(extractor, triples),
            width=240,
            placeholder="no limit",
            help=(
                "In and out, of all calls together; an extraction that reaches it is paused and"
                " keeps what was done"
            ),
        )
    return estimate.calls > 0


@st.cache_data(max_entries=16, show_spinner="Estimating the tokens")
def _estimate(
    collection: str,
    triples: str,
    spec: Spec,
    extractor: str,
    state: object,
    *,
    _workspace: Workspace,
) -> Estimate:
    return _workspace.costs.estimate_extraction(collection, triples, spec, extractor)


def _set_name(typed: str, extractor: str) -> str:
    return " ".join(typed.split()) or extractor


def _cap_key(extractor: str, triples: str) -> str:
    return f"extract-cap-{extractor}-{triples}"


def _start(workspace: Workspace, collection: str) -> None:
    """Extract as the fields are now: a click may come together with the last words typed."""
    extractor, typed = st.session_state[BY], st.session_state[INTO]
    with elements.refusals(FAILED):
        _extract(workspace, collection, extractor, _set_name(typed, extractor))


def _extract(workspace: Workspace, collection: str, extractor: str, triples: str) -> None:
    """Enqueue an extraction; a language model has the cap that is shown, else the estimate's.

    Raises NotReady or BadInput.
    """
    model, cap = None, None
    if extractor in views.STEPS:
        model = language_models.chosen()
        if model is None:
            raise NotReady(NO_MODEL)
        language_models.check(model)
        estimate = workspace.costs.estimate_extraction(collection, triples, model, extractor)
        cap = st.session_state.get(_cap_key(extractor, triples), estimate.cap)
    workspace.jobs.enqueue_extraction(
        collection, extractor, triples, session.owner(), model=model, budget=cap
    )
