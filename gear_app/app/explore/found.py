"""What was found, in a line above a run that is over, which opens; and, small, that a reader could
not phrase an answer and what else can be tried.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.explore import run_head
from gear_app.app.explore.what_if_change import set_change
from gear_app.app.shared import elements, session
from gear_app.core.text import cut
from gear_app.core.types import ProximalTriple
from gear_app.display import evidence, labels, markup
from gear_app.display.labels import LLM, literal
from gear_app.language.english import question_looks_english
from gear_app.methods import bases
from gear_app.models.embedders import MULTILINGUAL
from gear_app.models.extractor.title_mentions import MENTIONS
from gear_app.models.reader.edits import ReadingEdit
from gear_app.models.reader.rules import ENGLISH_ONLY
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.evidence import evidence_of, unanswered, unsure_facts
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace

OTHER_LANGUAGES = (
    "Chain leads on by names in any language. To compare the rest of the question, name a"
    f" multilingual encoder under Options: {MULTILINGUAL} (gear-app fetch downloads it)."
)
AT = "found-at"  # in the session: the run and step at which it was drawn last
WORDS = 80  # of a fact, on its button
READING = ("bdtr", "gear")  # over chain the two that find most
LINKS = "chain"  # follows what passages name, where no triple leads on
NEAREST = 3  # facts that were not sure enough


def show(
    workspace: Workspace,
    run: RunInfo,
    events: Sequence[Event],
    number: int,
    *,
    last: bool,
    markable: bool,
) -> None:
    """Draw it open at the `last` step of a run whose gold passages nobody knows, else as a line
    that opens, until somebody steps through the run.
    """
    answer = evidence_of(events)
    if answer is None:
        _unanswered(workspace, run, events, markable=markable)
        detached = run.recorded or session.collection_gone(run, workspace.collections.all())
        if (
            RunTrace.of(events).final
            and not detached
            and not workspace.runner.is_read(run.collection)
        ):
            st.html(markup.tag("p", evidence.NOT_READ, class_="gear-note"))
        return
    state, key = st.session_state, f"found-{run.id}"
    before = state.get(AT)
    state[AT] = run.id, number
    if before and before[0] == run.id and before[1] != number:
        state[key] = False
    state.setdefault(key, last and not run.gold)
    fold = st.expander(literal(evidence.summary(events, run.answers)), key=key, on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.html(evidence.card(events, run.gold, run.answers))
        offer(workspace, run, events, markable=markable)


def _unanswered(
    workspace: Workspace, run: RunInfo, events: Sequence[Event], *, markable: bool
) -> None:
    sentence = evidence.no_answer(events)
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(markup.tag("p", sentence, class_="gear-note"), width="content")
        offer(workspace, run, events, markable=markable)


def offer(workspace: Workspace, run: RunInfo, events: Sequence[Event], *, markable: bool) -> None:
    """Offer other methods, a missing triple, a language model and, where `markable` says that
    what-if can be asked, the nearest facts; nothing where a run has an answer, was imported, or its
    collection is gone.
    """
    detached = run.recorded or session.collection_gone(run, workspace.collections.all())
    if detached or not unanswered(events):
        return
    local = run.reader != LLM
    with st.popover("Other ways on", key="ways-on-open"):
        if local and not question_looks_english(run.question):
            elements.message(ENGLISH_ONLY)
            elements.message(OTHER_LANGUAGES)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="ways-on"):
            for method in other_methods(run.method):
                st.button(
                    f"Ask {labels.method_name(method)}",
                    key=f"way-{method}",
                    on_click=run_head.again,
                    args=(workspace, run.id, method),
                )
            if first := first_passage(events):
                session.curate_link(workspace, run, "Passages", first, "Add a missing triple")
            if local and not workspace.read_only:
                st.page_link(
                    session.SETTINGS, label="Let a language model read", icon=":material/tune:"
                )
        if local and markable:
            _facts(run.id, nearest_facts(events))


def _facts(run_id: str, facts: Sequence[ProximalTriple]) -> None:
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
                args=(run_id, fact),
            )


def _mark(run_id: str, fact: ProximalTriple) -> None:
    set_change(run_id, RunChange(edits=(ReadingEdit("gist", fact.words, taken=True),)))


def first_passage(events: Sequence[Event]) -> str:
    """The key of the first passage of the final ranking, which may hold a fact that no triple says;
    "" for none.
    """
    return next((passage.key for passage in RunTrace.of(events).final[:1]), "")


def nearest_facts(events: Sequence[Event]) -> list[ProximalTriple]:
    """The stored facts nearest to the question that the last reading for the gist memory that left
    any did not take, best first. Mere mentions are left out.
    """
    stored = (fact for fact in unsure_facts(events) if fact.triple_id is not None)
    return [fact for fact in stored if fact.predicate != MENTIONS][:NEAREST]


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
