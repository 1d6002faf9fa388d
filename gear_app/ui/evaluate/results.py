"""An evaluation as far as it is: figures and tables, and the questions behind any number."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.evaluate import results as stored
from gear_app.evaluate.breakdown import by_density, by_type
from gear_app.evaluate.configurations import diversity, grids, lacks_diversity
from gear_app.evaluate.question_set import before_after, of_evaluation
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import PREFIX
from gear_app.evaluate.selection import OF_PASSAGES, TOOK, Pick, behind
from gear_app.evaluate.service import EvaluationService
from gear_app.ui.evaluate import causes, files, picture
from gear_app.ui.shared import address as addresses
from gear_app.ui.shared import elements, question_sets, session
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import configurations, dots, figures, lines, report, tables, words
from gear_app.views.evaluate.figures import Look
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

CACHED, CACHED_S = 8, 600
RESULT, CAUSES, KINDS = "Result", "Causes", "Kinds of question"
SETTINGS, FILES = "Settings", "Files"
TABS = {RESULT: "result", CAUSES: "causes", KINDS: "kinds", SETTINGS: "settings", FILES: "files"}
"""What the address calls each tab."""
TAB = "evaluate-tab"
FEW = 5  # methods
EVERY, MISSED, WORSE = "All", "Missed", "Worse"


@st.cache_resource(max_entries=CACHED, ttl=CACHED_S, show_spinner="Computing the table …")
def _load(path: str, id_: str, stamp: str, baseline: str, *, _in: Workspace) -> Results:
    return stored.load(_in, id_, baseline)


def show(workspace: Workspace, id_: str) -> None:
    """Draw what is measured so far; nothing where no more than the perfect reader's searches is."""
    if asked := picture.run_to_open():
        session.explore(asked.run, asked.step, asked.passage, asked.k)
    service = EvaluationService(workspace)
    address, methods = st.query_params, service.definition(id_).methods
    brought = [PREFIX + tag for tag, _ in workspace.store.run_files.stamp(id_)]
    if address.get("baseline") not in (None, *methods, *brought):
        address.pop("baseline", None)  # of another evaluation
    baseline = address.get("baseline", "")
    stamp = service.stamp(id_)
    results = _load(str(workspace.path), id_, stamp, baseline, _in=workspace)
    if not results.evaluation.rows:
        return
    look = _controls(results)
    names = [RESULT, CAUSES, KINDS]
    configured = diversity(results.evaluation) or lacks_diversity(results.evaluation)
    names += [SETTINGS] if configured or configurations.swept(results, look.k) else []
    names += [FILES]
    tabs = {TABS[name]: name for name in names}
    addresses.follow_tab(TAB, tabs)
    drawn = st.tabs(names, key=TAB, on_change=addresses.hold_tab, args=(TAB, tabs))
    for name, tab in zip(names, drawn, strict=True):
        if tab.open:
            with tab:
                _tab(workspace, results, look, name, stamp)


def _controls(results: Results) -> Look:
    """What was found in one sentence, the facts, and what is looked at."""
    evaluation, state = results.evaluation, st.session_state
    asked = st.query_params.get("k", "")
    k = int(asked) if asked in map(str, evaluation.ks) else evaluation.ks[0]
    best = words.best_method(results, k)
    wanted = st.query_params.get("highlight", "")
    state["evaluate-baseline"] = results.comparison.baseline
    state["evaluate-highlight"] = wanted if wanted in evaluation.methods else best
    state["evaluate-k"] = k
    left, right = st.columns([11, 9], vertical_alignment="bottom")
    facts = tag("p", words.facts_line(results.facts), class_="gear-facts-line", dir="auto")
    with left:
        st.html(
            tag(
                "div",
                tag("h1", words.main_heading(results, k), dir="auto"),
                facts,
                class_="gear-header gear-evaluate",
            )
        )
    with (
        right,
        st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="right"),
    ):
        for name, title in (("baseline", "Baseline"), ("highlight", "Highlighted in figures")):
            st.selectbox(
                title,
                evaluation.methods,
                key=f"evaluate-{name}",
                format_func=words.label,
                width=190,
                on_change=_write,
                args=(name,),
            )
        st.segmented_control(
            "Look at the first",
            evaluation.ks,
            key="evaluate-k",
            on_change=_write,
            args=("k",),
            required=True,
        )
    return Look(state["evaluate-highlight"], k)


def _write(name: str) -> None:
    st.query_params[name] = str(st.session_state[f"evaluate-{name}"])


def _tab(workspace: Workspace, results: Results, look: Look, name: str, stamp: str) -> None:
    if name == FILES:
        files.show(workspace, results)
        return
    if name == CAUSES:
        causes.show(workspace, results, look, stamp)
        return
    left, right = st.columns([17, 7], gap="small")
    with left:
        {RESULT: _result, KINDS: _kinds, SETTINGS: _configurations}[name](results, look)
        few = len(results.evaluation.methods) <= FEW
        if name == RESULT and few:  # else the column would end far above the list
            _course(results, look)
    with right:
        _behind(workspace, results, look)
    if name == RESULT and not few:
        _course(results, look)


def _result(results: Results, look: Look) -> None:
    """Which method, how sure, at what cost."""
    k = look.k
    if changed := before_after(results.evaluation, k):
        picture.show(
            "evaluate-before",
            tables.before_after(results, changed, k),
            report.before_note(results, changed),
            heading=words.before_after_heading(results, changed, k),
            aside=report.BEFORE_NOTE,
        )
    picture.show(
        "evaluate-dots",
        dots.dots(results, look),
        heading=words.dots_heading(results, k),
        aside=report.dots_note(results),
    )
    picture.show(
        "evaluate-table",
        tables.main(results, look),
        report.below_table(results),
        heading=words.table_heading(results, k),
        aside=report.table_note(results),
    )


def _course(results: Results, look: Look) -> None:
    """When a method finds what, and which link of the chain it misses; side by side in room."""
    k = look.k
    with st.container(key="evaluate-course", gap="small"):
        picture.show(
            "evaluate-rounds",
            lines.recall_lines(results, look),
            tables.round_table(results, k),
            heading=words.rounds_heading(results, look.highlight, k),
            aside=report.rounds_note(results, k),
            height="stretch",
        )
        if any(question.decomposition for question in results.evaluation.questions):
            picture.show(
                "evaluate-links",
                figures.chain_positions(results, look),
                heading=words.positions_heading(results, look.highlight, k),
                aside=report.links_note(results, k),
                height="stretch",
            )
        if lines.asks_model(results):
            picture.show(
                "evaluate-tokens",
                lines.token_lines(results, look),
                tables.token_table(results, k),
                heading="Tokens until each iteration",
                aside="mean of all questions",
                height="stretch",
            )


def _kinds(results: Results, look: Look) -> None:
    """By hops and type, at which ranks, and what two methods have that the other has not."""
    k, highlight = look.k, look.highlight
    by_hops, by_triples = words.hops(results, k), by_density(results.evaluation, k)
    for key, heading, found in (
        ("hops", words.groups_heading(results, highlight, k), by_hops),
        ("types", "Recall by type of question", by_type(results.evaluation, k)),
        ("density", words.density_heading(results, highlight, k), by_triples),
    ):
        if found:
            drawn = figures.groups(results, found, look)
            aside = f"R@{k}, {report.DENSITY_NOTE}" if key == "density" else f"R@{k}"
            picture.show(f"evaluate-{key}", drawn, heading=heading, aside=aside)
    picture.show(
        "evaluate-ranks",
        figures.buried(results, look),
        heading=words.burial_heading(results, highlight, k),
        aside="gold passages by their rank",
    )
    picture.show(
        "evaluate-deep",
        figures.deep(results, look),
        heading=words.deep_heading(results, highlight, k),
        aside=report.DEEP_NOTE,
    )
    others = [one for one in results.evaluation.methods if one != highlight]
    if others:
        other = st.selectbox(
            "Compared with", others, key="evaluate-other", format_func=words.label, width=260
        )
        both = words.overlap_of(results, highlight, other, k)
        picture.show(
            "evaluate-overlap",
            figures.overlapping(both, highlight, other),
            heading=words.overlap_heading(results, both, highlight, other),
            aside=report.overlap_note(k),
        )


def _configurations(results: Results, look: Look) -> None:
    """All configurations, two settings against each other, the mean effect of every setting, and
    what diversity does.
    """
    k, found = look.k, diversity(results.evaluation)
    if found:
        picture.show(
            "evaluate-diversity",
            configurations.diversity(results, found),
            heading=words.diversity_heading(found),
            aside=report.DIVERSITY_NOTE,
        )
    elif missing := lacks_diversity(results.evaluation):
        elements.message(f"To see what diversity across beams does, add the method: {missing}")
    for one in grids(results.evaluation):
        names = " and ".join(one.names)
        picture.show(
            f"evaluate-grid-{one.method}",
            configurations.grid(results, one, k),
            heading=f"{words.label(one.method)} by {names}",
            aside=f"R@{k}; darker: better",
        )
    picture.show(
        "evaluate-matrix",
        configurations.configurations(results, look),
        heading="All configurations",
        aside="darker: better in its column",
    )
    if effects := configurations.swept(results, k):
        picture.show(
            "evaluate-effects",
            configurations.setting_effects(results, effects, k),
            heading="What each setting does",
            aside="mean over all configurations with this value",
        )


def _behind(workspace: Workspace, results: Results, look: Look) -> None:
    """The questions behind the number that was chosen, at first the highlighted method's recall."""
    pick = _pick(results, look)
    found = behind(results.evaluation, pick, results.comparison.baseline, look.k)
    compared = pick.kind not in (*TOOK, "before")
    kinds = {
        EVERY: found,
        MISSED: [one for one in found if one.missed],
    }
    kinds |= {WORSE: [one for one in found if one.change < 0]} if compared else {}
    with st.container(border=True):
        st.html(
            tag(
                "div",
                tag("b", lists.picked_words(pick, look.k), dir="auto"),
                class_="gear-title",
            )
        )
        shown = st.segmented_control(
            "Questions",
            list(kinds),
            format_func=lambda name: f"{name} {len(kinds[name])}",
            default=MISSED if kinds[MISSED] else EVERY,
            key=f"evaluate-behind-{pick}-{bool(kinds[MISSED])}",
            label_visibility="collapsed",
            required=True,
        )
        st.caption(
            "Ranks of the gold passages in the order of the question’s gold: filled in the first"
            f" {look.k}, outlined in the first {2 * look.k}. At the right"
            f" {lists.value_words(pick, look.k)}"
            + (f", and how far it is from {_against(results, pick)}" if compared else "")
            + ". A question opens its run at the step that decided about it, a rank at the step"
            " that found or lost that passage."
        )
        listed = kinds[shown or EVERY]
        number = picture.shown("evaluate-behind-all", len(listed), lists.SHOWN)
        picture.plain("evaluate-behind", lists.behind(listed, pick, look.k, number))
        question_sets.offer(
            workspace,
            "evaluate-set",
            len(listed),
            lambda: of_evaluation(
                workspace, results.evaluation.id, [one.question.id for one in listed]
            ),
        )


def _against(results: Results, pick: Pick) -> str:
    """What the questions of a list are compared with."""
    if pick.kind == "after":
        return "what it was"
    other = pick.what.partition(" ")[2] if pick.kind == "over" else results.comparison.baseline
    return f"{words.label(other)}’s"


def _pick(results: Results, look: Look) -> Pick:
    """The number that was chosen; the highlighted method's recall where none is, or one that is not
    there.
    """
    usual = Pick("measure", f"recall@{look.k}", look.highlight)
    try:
        pick = Pick.parse(picture.chosen()) if picture.chosen() else usual
        if pick.kind in OF_PASSAGES:  # of another tab
            return usual
        behind(results.evaluation, pick, results.comparison.baseline, look.k)
    except GearError:  # an address by hand
        picture.forget()
        return usual
    return pick
