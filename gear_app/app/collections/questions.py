"""The tab Questions: write, edit, delete and ask them, with answers and gold by title; and those
that the collection suggests of itself.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from gear_app.app.collections import documents
from gear_app.app.explore import gold_search
from gear_app.app.shared import elements, panels, pickers, session, suggestions
from gear_app.core.types import Question
from gear_app.display import markup
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.collections.first_method import first_method
from gear_app.workspace.collections.suggestions import Suggestion
from gear_app.workspace.workspace import Workspace

READ_ONLY = (
    "This workspace is read-only: its questions can be read, not changed. Copy the file to a"
    " folder where you may write, and use the copy."
)
SAVED = (
    "Saved. Its runs have this gold, but for gold that was imported; earlier runs of other words"
    " keep what they had."
)
NONE = "There are no questions yet. Write one, or see below whether the collection suggests any."


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """The questions; the chosen one opens beside them."""
    state = st.session_state
    fixed = workspace.read_only
    elements.message(READ_ONLY if fixed else "")
    elements.message(state.pop("question-error", ""), "bad")
    elements.message(state.pop("question-done", ""), "good")
    _undo(workspace, info.name)
    listed = workspace.collections.questions(info.name)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chosen = _list(listed)
        if not fixed and not info.cluster:
            with st.expander(
                "Add questions from a file", key="fold-upload", on_change="rerun"
            ) as fold:
                if fold.open:
                    documents.upload(workspace, info.name)
                    documents.report(workspace, info.name)
        _suggestions(workspace, info, listed, fixed=fixed)
    with right, st.container(border=True):
        # Without a question to choose there is nothing to switch from.
        if chosen is None or st.toggle("Write a new one", key="question-new", disabled=fixed):
            _form(workspace, info, Question("", ""), fixed=fixed)
        else:
            _form(workspace, info, chosen, fixed=fixed)


def _list(listed: list[Question]) -> Question | None:
    """All questions, one of them chosen."""
    if not listed:
        elements.message(NONE)
        return None
    rows = [
        {name: value for name, value in row.items() if name != "id"}
        for row in panels.question_rows(listed)
    ]
    return listed[elements.table_with_choice(rows, f"questions-{len(listed)}")]


def _form(workspace: Workspace, info: CollectionInfo, question: Question, *, fixed: bool) -> None:
    """The fields of a question; its gold is kept in the session until it is saved."""
    new = not question.id
    key = f"question-{info.name}-{question.id}-{st.session_state.get('question-forms', 0)}"
    if new:
        st.html(markup.title("A new question"))
    else:
        st.html(markup.title(question.question))
        if st.button("Ask this", key="question-ask", icon=":material/arrow_forward:"):
            ask(info, question.question)
    st.text_area("Question", question.question, key=f"{key}-words", disabled=fixed)
    st.text_area(
        "Answers, a line each",
        "\n".join(question.answers),
        key=f"{key}-answers",
        disabled=fixed,
        help="All ways to say it: any of them counts as right",
    )
    kind, hops = st.columns(2)
    kind.text_input("Type", question.type or "", key=f"{key}-type", disabled=fixed)
    hops.number_input(
        "Hops", 1, 20, question.hops, key=f"{key}-hops", disabled=fixed, placeholder="unknown"
    )
    st.html(markup.title("Gold passages", "those that hold what answers it"))
    gold: list[str] = st.session_state.setdefault(f"{key}-gold", list(question.supporting_keys))
    if fixed:
        titles = elements.passage_titles(workspace, info.name, gold)
        st.html(markup.facts([("Gold", titles.get(key) or key) for key in gold]))
        return
    keep = st.session_state.update
    gold_search.draw(workspace, info.name, gold, key, lambda keys: keep({f"{key}-gold": keys}))
    with st.container(horizontal=True):
        st.button(
            "Add" if new else "Save",
            type="primary",
            key="question-save",
            on_click=_save_form,
            args=(workspace, info.name, question, key),
        )
        if not new:
            st.button(
                "Delete",
                key="question-delete",
                on_click=_delete,
                args=(workspace, info.name, question),
            )


def _save_form(workspace: Workspace, collection: str, question: Question, key: str) -> None:
    """Save what the fields hold now: a click may come together with the last words typed."""
    state = st.session_state
    hops = state[f"{key}-hops"]
    lines = (line.strip() for line in state[f"{key}-answers"].splitlines())
    changed = replace(
        question,
        question=state[f"{key}-words"],
        answers=tuple(line for line in lines if line),
        type=state[f"{key}-type"].strip() or None,
        hops=None if hops is None else int(hops),
    )
    gold = {passage: question.grades.get(passage, 1) for passage in state[f"{key}-gold"]}
    _save(workspace, collection, changed.with_gold(gold))


def ask(info: CollectionInfo, question: str, keys: tuple[str, ...] = ()) -> None:
    """Go to Explore with the question filled in and the method that the collection is ready for."""
    suggestions.fill_in(info.name, question, keys)
    pickers.seed_method(first_method(info))
    st.switch_page(session.EXPLORE, query_params={})


def _save(workspace: Workspace, collection: str, question: Question) -> None:
    state = st.session_state
    with elements.refusals("question-error"):
        workspace.collections.save_question(collection, question)
        state["question-forms"] = state.get("question-forms", 0) + 1
        state["question-new"] = False
        state["question-done"] = SAVED if question.id else "The question was added."


def _delete(workspace: Workspace, collection: str, question: Question) -> None:
    with elements.refusals("question-error"):
        deleted = workspace.collections.delete_question(collection, question.id)
        st.session_state["question-deleted"] = (collection, deleted)


def _undo(workspace: Workspace, collection: str) -> None:
    """The last question that was deleted here can be had back."""
    of, deleted = st.session_state.get("question-deleted") or ("", None)
    if deleted is None or of != collection:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        elements.message(f"“{deleted.question}” was deleted. Its runs stay.", "good")
        if st.button("Undo", key="question-undo"):
            st.session_state.pop("question-deleted")
            _save(workspace, collection, deleted)
            st.rerun()


def _suggestions(
    workspace: Workspace, info: CollectionInfo, listed: list[Question], *, fixed: bool
) -> None:
    """What the collection suggests, each to be asked or to be taken over with its gold."""
    with st.expander(
        "Suggested, not checked by a person", key="fold-suggested", on_change="rerun"
    ) as fold:
        if not fold.open:
            return
        offered, reason = suggestions.questions(workspace, info)
        elements.message(reason)
        texts = {question.question for question in listed}
        for number, suggestion in enumerate(offered):
            _suggestion(
                workspace, info, suggestion, number, fixed=fixed or suggestion.question in texts
            )


def _suggestion(
    workspace: Workspace, info: CollectionInfo, suggestion: Suggestion, number: int, *, fixed: bool
) -> None:
    left, take, asks = st.columns([6, 1.4, 1], vertical_alignment="center", gap="small")
    facts = "; ".join(f"{t.subject} | {t.predicate} | {t.object}" for t in suggestion.triples)
    left.html(markup.title(suggestion.question, f"{suggestion.answer} · {facts}"))
    question = Question(
        "",
        suggestion.question,
        (suggestion.answer,),
        suggestion.keys,
        "suggested",
        len(suggestion.keys),
    )
    take.button(
        "Take over",
        key=f"suggestion-{number}",
        disabled=fixed,
        on_click=_save,
        args=(workspace, info.name, question),
        help="Becomes a question of the collection, with its answer and its two gold passages",
    )
    if asks.button("Ask", key=f"suggestion-ask-{number}"):
        ask(info, suggestion.question, suggestion.keys)
