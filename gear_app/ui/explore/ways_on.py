"""What can be done where a run has no answer: the same question by other methods, a triple more, a
language model.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.analysis.answer_source import unanswered, unsure_facts
from gear_app.analysis.rankings import final
from gear_app.events import Event
from gear_app.extract.mention_pairs import MENTIONS
from gear_app.language.english import question_looks_english
from gear_app.reader.edits import ReadingEdit
from gear_app.reader.linked_facts import MAY_BE
from gear_app.reader.rules import ENGLISH_ONLY
from gear_app.retrievers import bases
from gear_app.text import cut
from gear_app.types import ProximalTriple
from gear_app.ui.explore.what_if_change import set_change, turn
from gear_app.ui.shared import address, elements, session
from gear_app.views import labels
from gear_app.views.labels import LLM, literal
from gear_app.workspace import RunChange, RunInfo, Workspace

WORDS = 80  # characters of a fact on a button
READING = ("bdtr", "gear")  # over chain the two that find most
LINKS = "chain"  # follows what passages name, where no triple leads on
NEAREST = 3  # facts that were not sure enough


def offer(workspace: Workspace, run: RunInfo, events: Sequence[Event], *, markable: bool) -> None:
    """The same question by other methods, a triple that is missing, a language model, and, where
    `markable` says that what-if can be asked, the nearest facts; nothing where a run has an answer
    or its collection is gone.
    """
    if not unanswered(events) or session.collection_gone(run, workspace.collections.all()):
        return
    local = run.reader != LLM
    with st.popover("Other ways on", key="ways-on-open"):
        if local and not question_looks_english(run.question):
            elements.message(ENGLISH_ONLY)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="ways-on"):
            for method in other_methods(run.method):
                st.button(
                    f"Ask {labels.method_name(method)}",
                    key=f"way-{method}",
                    on_click=_ask,
                    args=(workspace, run.id, method),
                )
            if first := first_passage(events):
                session.curate_link(workspace, run, "passages", first, "Add a missing triple")
            if local and not workspace.read_only:
                st.page_link(
                    session.SETTINGS, label="Let a language model read", icon=":material/tune:"
                )
        if local and markable:
            _facts(nearest_facts(events))


def _facts(facts: Sequence[ProximalTriple]) -> None:
    """The nearest facts that were not taken, each to be marked in a what-if."""
    if not facts:
        return
    elements.message("The nearest facts; none was sure enough. Mark the one that leads on:")
    with st.container(horizontal=True, gap="small", key="nearest-facts"):
        for place, fact in enumerate(facts):
            st.button(
                literal(cut(fact.text, WORDS)),
                key=f"mark-{place}",
                icon=":material/bookmark_add:",
                help="What if the reader had taken this fact? The run goes on from it; Keep as a"
                " run stores that.",
                on_click=_mark,
                args=(fact,),
            )


def _mark(fact: ProximalTriple) -> None:
    words = fact.words
    set_change(RunChange(edits=(ReadingEdit.taking("gist", words),)))
    turn(on=True)


def _ask(workspace: Workspace, run_id: str, method: str) -> None:
    with elements.refusals("ask_error"):
        address.open_run(session.run_again(workspace, run_id, method), fresh=True)


def first_passage(events: Sequence[Event]) -> str:
    """The key of the first passage of the final ranking, which may hold a fact that no triple says;
    "" for none.
    """
    return next((one.key for one in final(events)[:1]), "")


def nearest_facts(events: Sequence[Event]) -> list[ProximalTriple]:
    """The stored facts nearest to the question that the last reading for the gist memory that left
    any did not take, best first. Guesses are none, nor what says only that a title's passage names
    something.
    """
    nothing = (MAY_BE, MENTIONS)
    told = (one for one in unsure_facts(events) if one.triple_id is not None)
    return [fact for fact in told if fact.predicate not in nothing][:NEAREST]


def other_methods(method: str) -> list[str]:
    """Methods that may find more than this one did, as they are asked for: chain alone, and this
    one over chain or, where it is that already, another one that reads what chain finds.
    """
    name, *base = method.split(":")
    if name == LINKS:
        return []
    if LINKS in base:
        return [LINKS, next(f"{reads}:{LINKS}" for reads in READING if reads != name)]
    return [LINKS, *([f"{name}:{LINKS}"] if LINKS in bases(name) else [])]
