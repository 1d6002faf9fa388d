"""On the tab Passages: the triples of the chosen passage, one more by hand, and what another
extractor finds in it.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.llm.server import Spec
from gear_app.types import Passage
from gear_app.ui.collections import curation
from gear_app.ui.collections.triple_sets import extractor_model
from gear_app.ui.shared import elements, language_models, pickers, session
from gear_app.views import curation as views
from gear_app.views import extraction, markup
from gear_app.workspace import JobInfo, TripleDifference, TripleDraft, Workspace

REFRESH_S = 0.5
BY = "sample-by"


def show(workspace: Workspace, collection: str, set_: str | None, passage: Passage) -> None:
    """The passage's triples in the set that runs use."""
    if set_ is None:
        elements.message("No triples yet. Press Extract triples on the tab Triple sets.")
        return
    found = workspace.collections.triples_of(collection, set_, [passage.id])
    st.html(markup.title("Its triples", f"in “{set_}”; the tab Triples edits and deletes them"))
    if found:
        st.html(views.triple_list(found))
    else:
        elements.message("It has none.")
    if workspace.read_only:
        return
    curation.add_to(workspace, collection, set_, passage)
    fold = st.expander("Compare with another extractor", key="fold-sample", on_change="rerun")
    if fold.open:
        with fold:
            _compare(workspace, collection, set_, passage)


def _compare(workspace: Workspace, collection: str, set_: str, passage: Passage) -> None:
    spec = language_models.chosen()
    extractor = pickers.pick_extractor(BY, spec, list(extraction.STEPS))
    asked = spec if extractor != extraction.LOCAL else None
    last = workspace.jobs.last_sample(passage.id, extractor, asked)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Extract this passage" if last is None else "Extract it again",
            key="sample",
            disabled=last is not None and last.going,
            on_click=_ask,
            args=(workspace, collection, passage.key, extractor),
        )
        st.caption("Nothing that it finds is stored unless you take it over.")
    if last is not None:
        every = REFRESH_S if last.going else None
        st.fragment(_outcome, run_every=every)(
            workspace, collection, set_, passage, last.id, live=last.going
        )


def _ask(workspace: Workspace, collection: str, key: str, extractor: str) -> None:
    try:
        workspace.jobs.enqueue_sample(
            collection,
            key,
            extractor,
            session.owner(),
            model=extractor_model(extractor),
            budget=language_models.budget() if extractor != extraction.LOCAL else None,
        )
    except GearError as error:
        st.session_state[curation.FAILED] = str(error)


def _outcome(
    workspace: Workspace, collection: str, set_: str, passage: Passage, job_id: int, *, live: bool
) -> None:
    """What came of it, or how far it is."""
    job = workspace.jobs.get(job_id)
    if live and not job.going:
        st.rerun()
    found = workspace.jobs.sample(job_id)
    if found is None:
        elements.message(views.sample_state(job), "busy" if job.going else "bad")
        return
    differs = workspace.curation.difference(collection, passage.key, found, set_)
    name = _name(job)
    elements.message(views.difference_sentence(differs, set_, name))
    st.html(views.difference_table(differs, set_, name))
    _take_over(workspace, collection, set_, passage, differs)


def _name(job: JobInfo) -> str:
    return extraction.extractor_name(
        job.extractor, Spec.from_json(job.model).model if job.model else ""
    )


def _take_over(
    workspace: Workspace, collection: str, set_: str, passage: Passage, differs: TripleDifference
) -> None:
    """Choose from what only one of them has: what comes into the set, and what goes."""
    key = f"{passage.id}-{curation.forms()}"
    if differs.only_found:
        add = st.multiselect(
            "+ Take over into the set",
            range(len(differs.only_found)),
            key=f"take-{key}",
            format_func=lambda place: views.triple_words(differs.only_found[place]),
        )
        drafts = [
            TripleDraft(
                one.subject,
                one.predicate,
                one.object,
                passage.text[one.span.start : one.span.end] if one.span else "",
            )
            for one in (differs.only_found[place] for place in add)
        ]
        st.button(
            "Take over",
            key="sample-take",
            disabled=not drafts,
            on_click=lambda: curation.change(
                collection,
                set_,
                lambda: workspace.curation.add(
                    collection, passage.key, drafts, set_, author=curation.author()
                ),
            ),
        )
    if differs.only_set:
        gone = st.multiselect(
            "− Delete from the set",
            range(len(differs.only_set)),
            key=f"drop-{key}",
            format_func=lambda place: views.triple_words(differs.only_set[place]),
        )
        ids = [differs.only_set[place].id for place in gone]
        st.button(
            "Delete",
            key="sample-drop",
            disabled=not ids,
            on_click=lambda: curation.change(
                collection,
                set_,
                lambda: workspace.curation.delete(collection, ids, set_, author=curation.author()),
            ),
        )
