"""The competition of beams under γ as a bar chart."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from gear_app.app.learn.runs import LessonRun
from gear_app.app.shared import elements, session
from gear_app.core.errors import NotReady
from gear_app.core.text import cut
from gear_app.display.labels import number
from gear_app.display.markup import escaped
from gear_app.display.palette import Palette
from gear_app.language.dates import ORDINALS
from gear_app.lessons.facts import DEFAULT, LessonTrace, Rival, beams, competition, gammas
from gear_app.lessons.lesson import Page
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace

PATIENCE_S = 20.0  # with the worker, which may still load its models
GAMMA = "gamma"  # key of the control, and in the address
CACHED = 64
LENGTH = 2  # triples of a beam
LONGEST = 46  # characters of a label
ROW = 34  # pixels
KEY = (
    "Pale bar: the sum. Full bar: the score, which is what γ leaves of it; hatched where it is"
    " pruned. Dotted line: the last score that goes on. ★ gold passage."
)


@st.cache_resource(max_entries=CACHED, show_spinner="Running the search with five values of γ …")
def rivals(
    run_id: str, step: str, *, _workspace: Workspace, _trace: LessonTrace
) -> dict[str, list[Rival]]:
    """The competition in a beam search, by γ. Raises NotReady."""
    searches = {}
    for name, gamma in gammas(int(_trace.settings.get("width", 1))).items():
        change = RunChange({"beam.gamma": "none" if gamma is None else gamma})
        draft = _workspace.reruns.enqueue_draft(run_id, change, wait_s=PATIENCE_S)
        if draft is None:
            raise NotReady("The worker is busy. Open this page again in a moment.")
        searches[name] = beams(LessonTrace(RunTrace.of(draft.events)).step(step))
        if len(searches[name]) != LENGTH:
            raise NotReady("Values of γ can be compared for beams of two triples only.")
    return competition(searches)


def draw(workspace: Workspace, run: LessonRun, page: Page, *, revealed: bool, guess: str) -> None:
    """The bars, with a control for γ once they are revealed. `guess` is a predicted triple."""
    by_gamma = rivals(run.info.id, page.step, _workspace=workspace, _trace=run.trace)
    values, name = gammas(int(run.trace.settings["width"])), DEFAULT
    if revealed:
        st.segmented_control(
            "Diversity penalty γ, in multiples of the beam width b",
            list(values),
            default=DEFAULT,
            required=True,
            format_func=lambda name: f"{name} = {values[name]}" if "b" in name else name,
            key=GAMMA,
            bind="query-params",
        )
        name = st.session_state[GAMMA] or DEFAULT
        elements.message(sentence(by_gamma, name))
    else:
        elements.message(f"{values['b']} of these go on. Predict first; then γ can be moved.")
    key = f"competition-{run.info.id}-{name}-{revealed}"
    table = partial(elements.folded_table, "As a table", partial(rows, by_gamma, revealed), key)
    drawn = figure(by_gamma[name], run.trace.gold, session.colours(), guess, revealed=revealed)
    elements.figure(drawn, key, "Sum and score of the extensions of each beam", table=table)
    st.caption(KEY)


def sentence(by_gamma: Mapping[str, Sequence[Rival]], name: str) -> str:
    """Which extensions go on at a γ, compared with the paper's."""
    selected, default = (
        [rival for rival in by_gamma[gamma] if rival.rank is not None] for gamma in (name, DEFAULT)
    )
    numbers = [len({rival.beam.path for rival in rivals}) for rivals in (selected, by_gamma[name])]
    words = f"{len(selected)} extensions go on, from {numbers[0]} of {numbers[1]} beams."
    if name == DEFAULT:
        return f"As in the paper, {words}"
    sides = [[rival.extension.triple.text for rival in rivals] for rivals in (default, selected)]
    dropped, added = ("; ".join(t for t in x if t not in y) for x, y in (sides, sides[::-1]))
    return f"{words} Compared with the paper, out: {dropped or 'none'}; in: {added or 'none'}."


def rows(by_gamma: Mapping[str, Sequence[Rival]], revealed: bool) -> list[dict[str, Any]]:
    """Extensions with their sums, and if `revealed` with score and rank at each γ."""
    table: dict[tuple[int, ...], dict[str, Any]] = {}
    for beam, extension, _ in by_gamma[DEFAULT]:
        words = {"beam": beam.triple.text, "extension": extension.triple.text}
        table[extension.path] = words | {"sum": number(extension.total)}
    for name, rivals_ in by_gamma.items() if revealed else ():
        for _, extension, rank in rivals_:
            if extension.path in table:
                mark = f" ● {rank}" if rank else ""
                table[extension.path][f"γ {name}"] = f"{number(extension.score)}{mark}"
    return list(table.values())


def figure(
    rivals: Sequence[Rival], gold: Collection[str], palette: Palette, guess: str, *, revealed: bool
) -> go.Figure:
    """A bar for each extension, below the beam that it extends."""
    font = {"size": 13, "color": palette.text}
    lines, labels = list[Rival | None](), list[str]()
    for rival in rivals:
        head = f"<b>{escaped(rival.beam.triple.text)}</b>"
        if head not in labels:
            lines.append(None)
            labels.append(head)
        lines.append(rival)
        labels.append(_label(rival, gold, guess))
    places, drawn = list(range(len(lines))), go.Figure()
    drawn.add_bar(
        x=[line.extension.total if line else 0 for line in lines],
        y=places,
        orientation="h",
        marker={"color": palette.pruned, "opacity": 0.35},
        text=[_words(line, revealed=revealed) if line else "" for line in lines],
        textposition="outside",
        textfont=font,
        cliponaxis=False,
    )
    if revealed:
        colours = [_colour(line, gold, palette) for line in lines]
        shapes = ["" if line and line.rank else "/" for line in lines]
        drawn.add_bar(
            x=[line.extension.score if line else 0 for line in lines],
            y=places,
            orientation="h",
            marker={"color": colours, "pattern": {"shape": shapes, "fillmode": "overlay"}},
        )
        last = min((rival.extension.score for rival in rivals if rival.rank), default=0)
        drawn.add_vline(last, line={"dash": "dot", "width": 2, "color": palette.text})
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "title": ""}
    most = max((rival.extension.total for rival in rivals), default=1.0)
    drawn.update_xaxes(axis, range=[0, most * 1.7], showticklabels=False)
    ticks = {"tickvals": places, "ticktext": labels, "tickfont": font, "automargin": True}
    drawn.update_yaxes(axis | ticks, range=[len(lines) - 0.4, -0.6])
    return drawn.update_layout(
        height=ROW * len(lines) + 8,
        margin={"l": 8, "r": 8, "t": 4, "b": 4},
        barmode="overlay",
        bargap=0.35,
        showlegend=False,
        hovermode=False,
        dragmode=False,
    )


def _colour(line: Rival | None, gold: Collection[str], palette: Palette) -> str:
    if line is None or not line.rank:
        return palette.pruned
    return palette.gold if line.extension.triple.passage_key in gold else palette.kept


def _label(rival: Rival, gold: Collection[str], guess: str) -> str:
    triple = rival.extension.triple
    star = "★ " if triple.passage_key in gold else ""
    guessed = "<b>your prediction</b> · " if " | ".join(triple.words) == guess else ""
    return f"{guessed}{star}{escaped(cut(triple.text, LONGEST))}"


def _words(rival: Rival, *, revealed: bool) -> str:
    extension = rival.extension
    if not revealed:
        return number(extension.total)
    weight = f" (× {extension.weight:.3f})" if extension.weight < 1 else ""
    place = f" <b>● {ORDINALS[rival.rank - 1]} place</b>" if rival.rank else " pruned"
    return f"{number(extension.score)}{weight}{place}"
