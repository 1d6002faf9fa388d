"""The questions that a collection came with, to be picked: on Explore and on Compare."""

from __future__ import annotations

import streamlit as st

from gear_app.text import count
from gear_app.types import Question
from gear_app.workspace import Workspace


def pick(workspace: Workspace, collection: str, *, key: str, into: str) -> None:
    """A popover with the collection's questions; the words of the one that is picked go to the
    field `into`.
    """
    with st.popover("Questions", help="Pick one of the collection's own questions"):
        found = workspace.questions(collection)
        if not found:
            st.caption(
                "This collection came without questions. Type one of your own in the field beside."
            )
            return
        st.selectbox(
            count(len(found), "question"),
            found,
            index=None,
            format_func=_words,
            key=key,
            placeholder="Search them",
            on_change=_picked,
            args=(key, into),
            width=640,
        )


def _words(question: Question) -> str:
    kind = ", ".join(
        filter(None, [question.type or "", f"{question.hops} hops" if question.hops else ""])
    )
    return question.question + (f"  ({kind})" if kind else "")


def _picked(key: str, into: str) -> None:
    picked: Question | None = st.session_state.get(key)
    if picked:
        st.session_state[into] = picked.question
