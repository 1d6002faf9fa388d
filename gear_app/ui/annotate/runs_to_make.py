"""The runs of judgements that came without them: a button that makes these, how far that is, one
that stops it, and what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from gear_app.errors import GearError
from gear_app.runs.annotations import OWNER, MissingRuns
from gear_app.store.rows import RunInfo
from gear_app.text import count
from gear_app.ui.shared import elements
from gear_app.views.labels import as_sentence, method_name
from gear_app.workspace import Workspace

REFRESH_S = 1.0
ERROR = "annotate-make-error"
AWAITED = "annotate-awaited"  # ids of the runs whose end this session waits for, by collection


def show(workspace: Workspace, collection: str) -> None:
    """Runs that are made now, how those ended that were, and the button for what is left to make;
    nothing where every judged run is here.
    """
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    missing = workspace.annotations.missing_runs(collection)
    if missing.going:
        st.fragment(_progress, run_every=REFRESH_S)(workspace, collection)
        return
    awaited = _awaited().pop(collection, frozenset()) - {run.id for run in missing.unmarked}
    made = sum(workspace.runs.get(run).state == "done" for run in awaited)
    elements.message(made_words(made), "good")
    elements.message(stopped_words(len(missing.stopped)))
    elements.message(failed_words(missing.failed), "bad")
    elements.message(unmarked_words(len(missing.unmarked)))
    if missing.cases and not workspace.read_only:
        _offer(workspace, collection, missing)


def _offer(workspace: Workspace, collection: str, missing: MissingRuns) -> None:
    words, button = st.columns([4, 1], vertical_alignment="center")
    with words:
        elements.message(to_make_words(len(missing.cases)))
    button.button(
        "Make these runs",
        key="annotate-make",
        on_click=_make,
        args=(workspace, collection),
        width="stretch",
    )


def _make(workspace: Workspace, collection: str) -> None:
    """Ask for every run that can be made; what cannot is told and keeps no other back. They are
    awaited from here on, since all may have ended before the page is drawn.
    """
    refused, asked, others = list[str](), set[str](), 0
    for request in workspace.annotations.requests(collection):
        try:
            same = workspace.runs.same(request)
            if same is None:
                asked.add(workspace.runs.enqueue(request))
            others += same is not None and same.state == "done"
        except GearError as error:
            refused.append(str(error))
    _awaited()[collection] = _awaited().get(collection, frozenset()) | asked
    words = (refused_words(refused), others_words(others))
    st.session_state[ERROR] = " ".join(filter(None, words))


def _progress(workspace: Workspace, collection: str) -> None:
    """How many of the awaited runs have ended, and stopping the others; the page is drawn anew with
    the last.
    """
    try:
        going = workspace.annotations.missing_runs(collection).going
    except GearError:  # it went with its collection
        st.rerun()
    if not going:
        st.rerun()
    awaited = _awaited().get(collection, frozenset()) | {run.id for run in going}
    _awaited()[collection] = awaited
    ended = len(awaited) - len(going)
    theirs = {run.id for run in going if run.owner != OWNER}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.progress(ended / len(awaited), text=making_words(ended, len(awaited)))
        if len(theirs) < len(going) and not workspace.read_only:
            ours = awaited - theirs
            st.button("Stop", key="annotate-stop", on_click=_stop, args=(workspace, ours))


def _stop(workspace: Workspace, runs: Iterable[str]) -> None:
    """Cancel those of the runs that wait or are made; what has ended stays as it is."""
    for run in runs:
        workspace.runs.cancel(run)


def _awaited() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = st.session_state.setdefault(AWAITED, {})
    return found


def to_make_words(runs: int) -> str:
    """That judgements wait for so many runs."""
    return (
        f"Judgements of {count(runs, 'run')} came without the runs, as the demo's examples do. Make"
        " the runs to see what was judged; no language model is asked."
    )


def making_words(ended: int, runs: int) -> str:
    """How far the making of runs is."""
    return (
        f"Making the judged runs: {ended} of {runs:,} ended. They are made once, on this machine,"
        " in some seconds."
    )


def made_words(runs: int) -> str:
    """That so many runs were made; nothing for none."""
    if not runs:
        return ""
    return f"{count(runs, 'judged run')} {'is' if runs == 1 else 'are'} here now, to be opened."


def stopped_words(runs: int) -> str:
    """That so many runs were not made because somebody stopped them; nothing for none."""
    if not runs:
        return ""
    were, them = ("was", "it") if runs == 1 else ("were", "them")
    return f"{count(runs, 'judged run')} {were} not made: making {them} was stopped."


def failed_words(failed: Sequence[RunInfo]) -> str:
    """How many runs were not made, and why the newest was not; nothing for none."""
    if not failed:
        return ""
    last = max(failed, key=lambda run: run.number)
    return (
        f"{count(len(failed), 'judged run')} could not be made. “{last.question}” by"
        f" {method_name(last.method)} ended as “{last.state}”. {last.message}"
    ).rstrip()


def refused_words(refused: Sequence[str]) -> str:
    """How many runs cannot be asked for, and why the first cannot; nothing for none."""
    if not refused:
        return ""
    return f"{count(len(refused), 'judged run')} cannot be made here. {as_sentence(refused[0])}"


def others_words(runs: int) -> str:
    """That so many judged runs, made now, are other ones; nothing for none."""
    if not runs:
        return ""
    return (
        f"{count(runs, 'judged run')} cannot be had again: what is made now has other settings or"
        " triples than what was judged."
    )


def unmarked_words(runs: int) -> str:
    """That so many runs are here and cannot be judged; nothing for none."""
    if not runs:
        return ""
    return (
        f"{count(runs, 'judged run')} {'is' if runs == 1 else 'are'} here without gold passages,"
        " and so not in the queue. Mark them on Explore, or import the questions on Collections."
    )
