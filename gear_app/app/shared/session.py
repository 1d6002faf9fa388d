"""What every page needs: the workspace, the palette in use, the runs of the address, and of a
stored run its events, its gold, its collection, and running it again.
"""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NoReturn

import streamlit as st

import gear_app
from gear_app.app.shared import elements, language_models, visitors
from gear_app.core import demonstration
from gear_app.core.launch import launch
from gear_app.core.paths import DEMO
from gear_app.display import palette
from gear_app.models.server import Spec
from gear_app.store.rows import CollectionInfo, RunInfo
from gear_app.trace.evidence import labelled, named_passages
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

UI = Path(__file__).parents[1]
START = str(UI / "start" / "page.py")
EXPLORE = str(UI / "explore" / "page.py")
COMPARE = str(UI / "compare" / "page.py")
EVALUATE = str(UI / "evaluate" / "page.py")
ANNOTATE = str(UI / "annotate" / "page.py")
LEARN = str(UI / "learn" / "page.py")
COLLECTIONS = str(UI / "collections" / "page.py")
SETTINGS = str(UI / "settings" / "page.py")
NAMED_AT_MOST = 32  # runs of an address that are looked up


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The one workspace of this server, with its worker running. In a demonstration the demo is
    made where it is not, or not whole.
    """
    opened = gear_app.open()
    if demonstration.is_on():
        opened.restrict()
        demos = [info for info in opened.collections.all() if info.name == DEMO]
        if not (demos and opened.store.runs.featured(demos[0].id)):
            program = launch("gear_app", "demo", "--workspace", str(opened.path))
            subprocess.Popen(program.command, env=program.environment)  # noqa: S603 - our own
    opened.ensure_worker()
    return opened


def tell_empty() -> None:
    """Say that the workspace has no collection, and the way to make one."""
    elements.message(
        "This workspace is empty. Add documents on the page Collections, or run: gear-app demo"
    )
    st.page_link(COLLECTIONS, label="Go to Collections", icon=":material/library_add:")


def owner() -> str:
    """Owner of this session in the fair queue."""
    return str(st.session_state.setdefault("owner", secrets.token_hex(4)))


def annotate_link(words: str, **queue: str) -> None:
    """A link to Annotate with runs, or with those of an evaluation, as its queue."""
    if not demonstration.is_on():
        st.page_link(ANNOTATE, label=words, icon=":material/rate_review:", query_params=queue)


def colours() -> palette.Palette:
    """The palette of the theme this visitor sees."""
    return palette.of_theme(st.context.theme.type)


def curate_link(
    workspace: Workspace, run: RunInfo, tab: Literal["Passages", "Triples"], words: str, label: str
) -> None:
    """A button that opens Collections at the passages or triples with these words; nothing where
    the run's triples are in a cluster or not those in use.
    """
    info = next((info for info in workspace.collections.all() if info.name == run.collection), None)
    if info is None or info.cluster or info.active is None:
        return
    if run.triple_set not in (None, info.active.name):
        return
    if st.button(label, key=f"curate-{tab}", icon=":material/edit:", type="tertiary"):
        st.session_state.update(tab=tab, words=words)
        st.switch_page(COLLECTIONS, query_params={})


def compared() -> list[str] | None:
    """The runs of Compare: of the address, else those compared last; None at the first look."""
    named = [id_.strip() for id_ in st.query_params.get("runs", "").split(",")]
    run_ids = [id_ for id_ in named if id_] or st.session_state.get("compared")
    return None if run_ids is None else list(dict.fromkeys(run_ids))[:NAMED_AT_MOST]


def compare(run_ids: Sequence[str]) -> None:
    """Show these runs side by side: they go into the session and the address."""
    st.session_state["compared"] = list(run_ids)
    if st.query_params.get("runs", "") != ",".join(run_ids):
        st.query_params.update({"runs": ",".join(run_ids) or (), "run": (), "step": ()})


CACHED_RUNS = 64


def events(workspace: Workspace, run: RunInfo) -> RunTrace:
    """All events of the run so far, in order."""
    if not run.going:
        return _finished_events(str(workspace.path), run.id, run.state, _workspace=workspace)
    return _events(workspace, run.id)


@st.cache_resource(max_entries=CACHED_RUNS, show_spinner=False)
def _finished_events(path: str, run_id: str, state: str, *, _workspace: Workspace) -> RunTrace:
    return _events(_workspace, run_id)


def _events(workspace: Workspace, run_id: str) -> RunTrace:
    """Events in which passages of one document have different names."""
    events = workspace.runs.events(run_id)
    labels = workspace.store.passages.labels(sorted(named_passages(events)))
    return RunTrace(labelled(events, labels))


def collection_gone(run: RunInfo, collections: Sequence[CollectionInfo]) -> bool:
    """Whether the run's collection was deleted, even if another has its name now."""
    return run.collection_id is None or run.collection not in {
        collection.name for collection in collections
    }


def gold_before(workspace: Workspace, run: RunInfo) -> tuple[str, ...]:
    """The gold that marking goes on from: the run's, or of one that never knew any its question's,
    which would be lost otherwise.
    """
    if run.gold or run.gold_marked or collection_gone(run, workspace.collections.all()):
        return tuple(run.gold)
    question = workspace.store.questions.find(run.collection_id, run.question)
    return question.supporting_keys if question else ()


def mark_gold(workspace: Workspace, run: RunInfo, keys: Sequence[str]) -> None:
    """Mark the gold of the question with all its runs, where its collection is there, and of the
    run.

    The question comes first: it refuses passages that are not there.
    """
    if not collection_gone(run, workspace.collections.all()):
        workspace.collections[run.collection].set_gold(run.question, keys)
    workspace.store.runs.mark_gold(run.id, keys)


def open_comparison(run_ids: Sequence[str]) -> NoReturn:
    """Go to Compare with these runs."""
    st.session_state["compared"] = list(run_ids)
    st.switch_page(COMPARE, query_params={"runs": ",".join(run_ids)})


def run_again(workspace: Workspace, run_id: str, method: str = "") -> str:
    """Put a run in the queue once more, or its question by another `method`, with this visitor's
    key and budget; its id.

    Raises BadInput or NotReady.
    """
    run = workspace.runs.get(run_id)
    if run.model:
        spec: Spec | None = language_models.spec_again(run.model, run.key_from)
    else:
        spec = language_models.reader_model(run.reader)
    changes = {"method": method, "settings": {}} if method else {}
    return workspace.runs.again(
        run_id,
        spec,
        owner=owner(),
        budget=language_models.budget(),
        rights=visitors.rights(),
        **changes,
    )
