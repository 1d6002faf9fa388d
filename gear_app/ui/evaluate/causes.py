"""The tab Causes: what lost every missed gold passage, and what another method made of it."""

from __future__ import annotations

import streamlit as st

from gear_app.analysis.counts import GoldAnswer, flow
from gear_app.errors import GearError
from gear_app.evaluate.causes import behind, gold_answers
from gear_app.evaluate.causes import pair_words as pair_of
from gear_app.evaluate.question_set import of_evaluation
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import is_file
from gear_app.evaluate.selection import OF_PASSAGES, Pick
from gear_app.rendering import html
from gear_app.ui.shared import elements, picture, question_sets, session
from gear_app.views.evaluate import causes as views
from gear_app.views.evaluate import words
from gear_app.views.evaluate.tables import Look
from gear_app.views.markup import tag, title
from gear_app.workspace import Workspace

CACHED = 8


@st.cache_resource(max_entries=CACHED, show_spinner="Looking for what lost each passage …")
def _answers(
    path: str, id_: str, stamp: str, k: int, *, _workspace: Workspace, _results: Results
) -> list[GoldAnswer]:
    return gold_answers(_workspace, _results.evaluation, k)


def show(workspace: Workspace, results: Results, look: Look, stamp: str) -> None:
    """Causes, the matrix of steps, the flow between two methods, and the passages behind."""
    if is_file(look.highlight):
        elements.message(
            f"{words.label(look.highlight)} is a ranking from a file, without events: which step"
            " lost a passage cannot be told. Highlight another method to see what lost its misses."
        )
        return
    answers = _answers(
        str(workspace.path),
        results.evaluation.id,
        stamp,
        look.k,
        _workspace=workspace,
        _results=results,
    )
    left, right = st.columns([17, 7], gap="small")
    with left:
        for section in views.sections(results, answers, look):
            picture.show(section)
        _flow(results, answers, look)
    with right:
        _behind(workspace, results, answers, look)


def _flow(results: Results, answers: list[GoldAnswer], look: Look) -> None:
    others = [
        one for one in results.evaluation.methods if one != look.highlight and not is_file(one)
    ]
    if not others:
        return
    other = st.selectbox(
        "Compared with", others, key="evaluate-fate", format_func=words.label, width=260
    )
    fates = flow(answers, look.highlight, other)
    with st.container(border=True):
        st.html(title(f"Misses of {words.label(look.highlight)} under {words.label(other)}"))
        if fates:
            elements.figure(
                views.flow_figure(fates, session.colours()),
                "evaluate-flow",
                "What became of one method's losses under another",
                table=lambda: picture.plain(
                    "evaluate-fates", html.table(views.flow_table(fates, look.highlight, other))
                ),
            )


def _behind(workspace: Workspace, results: Results, answers: list[GoldAnswer], look: Look) -> None:
    """The passages behind the number that was chosen, at first the highlighted method's losses."""
    try:
        pick = Pick.parse(picture.chosen())
    except GearError:
        pick = Pick("", "", "")
    if pick.kind in OF_PASSAGES and pick.method in results.evaluation.methods:
        found, told = behind(answers, pick), views.picked_words(pick)
    else:
        found = [one for one in answers if one.method == look.highlight and pair_of(one.answer)]
        told = f"{words.label(look.highlight)}: all it misses"
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("b", told),
                tag("span", f"{len(found):,}"),
                class_="gear-title",
                dir="auto",
            )
        )
        number = picture.shown("evaluate-lost-all", len(found), views.SHOWN)
        picture.plain("evaluate-lost", views.behind(results.evaluation, found, number))
        ids = list(dict.fromkeys(one.question for one in found))
        question_sets.offer(
            workspace,
            "evaluate-lost-set",
            len(ids),
            lambda: of_evaluation(workspace, results.evaluation.id, ids),
        )
