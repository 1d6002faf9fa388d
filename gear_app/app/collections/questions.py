"""The tab Questions: write, edit, delete and ask them, with answers and gold by title; and those
that the collection suggests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from gear_app.app.collections import documents
from gear_app.app.explore import gold_search
from gear_app.app.shared import (
    elements,
    language_models,
    method_form,
    panels,
    session,
    suggestions,
)
from gear_app.core.threads import working
from gear_app.core.types import Question
from gear_app.display import calls, markup
from gear_app.display.labels import dollars, literal
from gear_app.models.budget import Budget, cost
from gear_app.models.reader.roles import ReaderRequest
from gear_app.models.suggestions import Suggestion
from gear_app.store.rows import CollectionInfo
from gear_app.trace.events import Event
from gear_app.workspace.collections.service import first_method
from gear_app.workspace.workspace import Workspace

FAILED, NEW = "question-error", "question-new"
READ_ONLY = (
    "This workspace is read-only: its questions can be read, not changed. Copy the file to a"
    " folder where you may write, and use the copy."
)
NONE = "There are no questions yet. Write one, or see below whether the collection suggests any."
Save = Callable[[Question], None]


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """Draw the questions; the chosen one opens beside them."""
    fixed, state = workspace.read_only, st.session_state
    elements.message(READ_ONLY if fixed else "")
    elements.message(state.pop(FAILED, ""), "bad")
    save = partial(_save, workspace, info.name)
    questions = workspace.collections[info.name].questions()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chosen = None
        if questions:
            rows = panels.question_rows(questions)
            for row in rows:
                del row["id"]
            chosen = questions[elements.table_with_choice(rows, f"questions-{len(questions)}")]
        else:
            elements.message(NONE)
        if not fixed and not info.cluster:
            _upload(workspace, info.name)
        _suggestions(workspace, info, {question.question for question in questions}, save)
    with right, st.container(border=True):
        # Without a question to choose there is nothing to switch from.
        if chosen and st.toggle("Write a new one", key=NEW, disabled=fixed):
            chosen = None
        _form(workspace, info, chosen or Question("", ""), save)


def _upload(workspace: Workspace, collection: str) -> None:
    fold = st.expander("Add questions from a file", key="fold-upload", on_change="rerun")
    if fold.open:
        with fold:
            documents.add(workspace, collection)
            documents.report(workspace, collection)


def _form(workspace: Workspace, info: CollectionInfo, question: Question, save: Save) -> None:
    """Draw the fields of a question; its gold is kept in the session until it is saved."""
    state, fixed = st.session_state, workspace.read_only
    key = f"question-{info.name}-{question.id}-{state.get('question-forms', 0)}"
    st.html(markup.title(question.question or "A new question"))
    if question.id and st.button("Ask this", key="question-ask", icon=":material/arrow_forward:"):
        _ask(info, question.question)
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
    gold: list[str] = state.setdefault(f"{key}-gold", list(question.supporting_keys))
    if fixed:
        st.html(markup.facts([("Gold", passage) for passage in gold]))
        return
    keep = state.update
    gold_search.draw(workspace, info.name, gold, key, lambda keys: keep({f"{key}-gold": keys}))
    with st.container(horizontal=True):
        st.button(
            "Save" if question.id else "Add",
            type="primary",
            key="question-save",
            on_click=lambda: save(_written(question, key)),
        )
        if question.id:
            with st.popover("Delete"):
                st.write("Its runs stay. Deleting it cannot be undone.")
                delete = partial(_delete, workspace, info.name, question.id)
                st.button("Delete it", key="question-delete", on_click=delete)


def _written(question: Question, key: str) -> Question:
    """The question as the fields are now: a click may come together with the last words typed."""
    words, answers, kind, hops, gold = (
        st.session_state[f"{key}-{field}"] for field in ("words", "answers", "type", "hops", "gold")
    )
    changed = replace(
        question,
        question=words,
        answers=tuple(filter(None, map(str.strip, answers.splitlines()))),
        type=kind.strip() or None,
        hops=hops and int(hops),
    )
    return changed.with_gold({passage: question.grades.get(passage, 1) for passage in gold})


def _save(workspace: Workspace, collection: str, question: Question) -> None:
    """Save a question, and begin its form anew."""
    state = st.session_state
    with elements.refusals(FAILED):
        workspace.collections[collection].save_question(question)
        state["question-forms"] = state.get("question-forms", 0) + 1
        state[NEW] = False


def _delete(workspace: Workspace, collection: str, id_: str) -> None:
    with elements.refusals(FAILED):
        workspace.collections[collection].delete_question(id_)


def _ask(info: CollectionInfo, question: str, keys: tuple[str, ...] = ()) -> None:
    """Go to Explore with the question filled in and the method that the collection is ready for."""
    suggestions.fill_in(info.name, question, keys)
    method_form.seed(first_method(info), {}, info)
    st.switch_page(session.EXPLORE, query_params={})


def _suggestions(workspace: Workspace, info: CollectionInfo, texts: set[str], save: Save) -> None:
    """Draw what the collection and a language model suggest, each to be asked or to be taken over
    with its gold.
    """
    fold = st.expander(
        "Suggested, not checked by a person", key="fold-suggested", on_change="rerun"
    )
    if fold.open:
        with fold:
            offered, reason, request = suggestions.questions(workspace, info)
            elements.message(reason)
            for number, suggestion in enumerate(_by_model(workspace, info, request) + offered):
                fixed = workspace.read_only or suggestion.question in texts
                _suggestion(info, suggestion, number, save, fixed=fixed)


def _by_model(
    workspace: Workspace, info: CollectionInfo, request: ReaderRequest[list[Suggestion]]
) -> list[Suggestion]:
    """Draw the button by which the chosen language model is asked, what that takes at most, and
    what it took; the questions that one has suggested in this session.
    """
    spec, state, key = language_models.chosen(), st.session_state, f"by-model-{info.id}"
    if spec and len(request.passages) > 1 and not workspace.read_only:
        most = Budget(0).largest(request.prompt.text, 0), spec.max_tokens
        price = dollars(cost(workspace.store.prices.all(), spec.model, *most))
        elements.message(
            f"Asking {spec.model} is one call of at most {sum(most):,} tokens in and out; {price}."
        )
        if st.button(f"Ask {literal(spec.model)} for questions", key="suggest"):
            events: list[Event] = []
            budget = Budget(language_models.budget() or sum(most))
            # Streamlit stops a script that nobody waits for where it reads the session.
            with (
                st.spinner("Waiting for the model", show_time=True),
                elements.refusals(),
                working(check=lambda: state.get(key)),
            ):
                language_models.check(spec)
                model = workspace.models.chat_model(spec, budget)
                state[key] = model.ask(request, events.append)
            none = "" if state.get(key, True) else " It found no question of two of the passages."
            elements.message(calls.spent(events) + none)
    return list(state.get(key, []))


def _suggestion(
    info: CollectionInfo, suggestion: Suggestion, number: int, save: Save, *, fixed: bool
) -> None:
    left, take, ask = st.columns([6, 1.4, 1], vertical_alignment="center", gap="small")
    facts = [f"{t.subject} | {t.predicate} | {t.object}" for t in suggestion.triples]
    sources = "; ".join(facts or [passage.name for passage in suggestion.passages])
    left.html(markup.title(suggestion.question, f"{suggestion.answer} · {sources}"))
    take.button(
        "Take over",
        key=f"suggestion-{number}",
        disabled=fixed,
        on_click=save,
        args=(
            Question(
                id="",
                question=suggestion.question,
                answers=(suggestion.answer,),
                supporting_keys=suggestion.keys,
                type="suggested",
                hops=len(suggestion.keys),
            ),
        ),
        help="Becomes a question of the collection, with its answer and its gold passages",
    )
    if ask.button("Ask", key=f"suggestion-ask-{number}"):
        _ask(info, suggestion.question, suggestion.keys)
