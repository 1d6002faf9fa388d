"""“Why not this passage?” on Explore: for a missed gold passage, or any passage that is looked for.

What is drawn comes from stored events and the collection. A change of a setting is tried as a run
of its own, which the worker makes; what it came to stands here once it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.analysis import gold
from gear_app.analysis.passage_labels import apart
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.why_not import Cause, Change, TrailStep, WhyNot
from gear_app.analysis.why_not.model import (
    AddedTerm,
    Asked,
    ExtractedTriples,
    ListPlace,
    Margin,
    Neighbours,
    PrunedCandidate,
)
from gear_app.errors import GearError, Unknown
from gear_app.events import Event
from gear_app.runs.request import RunRequest
from gear_app.store.rows import RunInfo
from gear_app.text import normalise_entity
from gear_app.ui.shared import address, elements, session, visitors
from gear_app.views import markup
from gear_app.views import why_not as words
from gear_app.views.markup import Html, join, tag
from gear_app.views.settings import label_and_help
from gear_app.views.why_not import (
    SIGNS,
    evidence_words,
    iteration_words,
    needed_words,
    step_words,
)
from gear_app.workspace import Workspace

STYLE = session.UI / "why_not.css"
ANOTHER = "Another passage"
FOUND_AT_MOST = 20
REFRESH_S = 1.0  # while a change is tried


def panel(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    """A choice among the missed gold passages, and of any other; below it the answer. Nothing for a
    run that has not ended, was imported, or whose collection was deleted; for one of a cluster, of
    which this cannot be said, only where the address asks.
    """
    collections = workspace.collections.all()
    if not run.ended or run.recorded or session.collection_gone(run, collections):
        return
    asked, k = addressed(run)
    if not asked and any(one.cluster for one in collections if one.name == run.collection):
        return
    missed = gold.missed(events, run.gold, k)
    offered = list(dict.fromkeys([*missed, *([asked] if asked else [])]))
    titles = apart(elements.passage_titles(workspace, run.collection, offered))
    if asked and f"why-{run.id}" not in st.session_state:
        st.session_state[f"why-{run.id}"] = asked
    with st.container(border=True, key="why", gap="small"):
        chosen = st.pills(
            "Why not?",
            [*offered, ANOTHER],
            key=f"why-{run.id}",
            format_func=lambda key: titles.get(key) or key,
            help="The first step of this run that lost a passage, and what would have helped",
        )
        key = _looked_for(workspace, run) if chosen == ANOTHER else chosen
        if key:
            with elements.refusals():
                _answer(workspace, run, workspace.why_not.explain(run.id, key, k, deep=False))


def addressed(run: RunInfo) -> tuple[str, int]:
    """The key of the passage that the address asks about, "" for none, and its cut-off."""
    given = st.query_params
    if given.get("run") != run.id or not given.get(address.WHY):
        return "", CUTS[0]
    k = given.get(address.CUT, "")
    usable = k.isdecimal() and len(k) < 4 and int(k)
    return given[address.WHY], int(k) if usable else CUTS[0]


def deciding_step(workspace: Workspace, run: RunInfo) -> int | None:
    """The step that lost the passage of the address, or that brought it in; None for no such."""
    key, k = addressed(run)
    if not key:
        return None
    try:
        return workspace.why_not.explain(run.id, key, k, deep=False).deciding_step
    except GearError:  # it goes on, or its collection is gone
        return None


def _looked_for(workspace: Workspace, run: RunInfo) -> str:
    """The key of a passage whose title or text has the words that are typed; "" for none yet."""
    typed = st.text_input("Passage", key=f"why-words-{run.id}", placeholder="Words of its title")
    if not typed:
        return ""
    found = workspace.collections.passages(run.collection, typed, limit=FOUND_AT_MOST)
    if not found:
        elements.message(f"No passage of “{run.collection}” has these words.")
        return ""
    labels = workspace.collections.labels([one.id for one in found])
    titles = apart({one.key: labels.get(one.id) or one.name for one in found})
    picked: str | None = st.selectbox(
        "Which one", list(titles), key=f"why-picked-{run.id}", format_func=titles.__getitem__
    )
    return picked or ""


def _answer(workspace: Workspace, run: RunInfo, answer: WhyNot) -> None:
    """Cause, trail, arithmetic, and what would have helped."""
    st.html(STYLE)
    st.html(markup.title(words.heading(answer), words.sentence(answer)))
    if answer.cause is Cause.FOUND:
        return
    sums = arithmetic(answer)
    steps, *middle, right = st.columns([2, 2.6, 2.2] if sums else [2, 2], gap="medium")
    steps.html(markup.tag("h4", "Step by step") + trail(answer))
    lost = words.place(answer.lost).capitalize() if answer.lost else ""
    for column in middle:
        column.html(markup.tag("h4", lost) + sums)
    with right:
        st.html(markup.tag("h4", "What it would have needed") + needed(answer))
        _changes(workspace, run, answer)


def _changes(workspace: Workspace, run: RunInfo, answer: WhyNot) -> None:
    """Each change with a button that runs it, or with what the run came to."""
    if run.model:
        elements.message("Another setting would ask the language model again: run it yourself.")
        return
    going = [_change(workspace, run, answer, change) for change in answer.changes]
    going += _other_changes(workspace, run, answer)
    request = workspace.why_not.base_request(run.id)
    if request and _unranked(answer):
        going.append(_run(workspace, request, f"How far down {request.method} has it", "deep"))
    if any(going):
        st.fragment(_until_one_ends, run_every=REFRESH_S)(workspace, [id_ for id_ in going if id_])


def _other_changes(workspace: Workspace, run: RunInfo, answer: WhyNot) -> list[str]:
    """Folded away, every other setting of the method; the ids of runs of them on their way."""
    fold = st.expander("Every other setting", key=f"why-others-{run.id}", on_change="rerun")
    if not fold.open:
        return []
    changes: Sequence[Change] = ()
    with fold:
        with elements.refusals():
            changes = workspace.why_not.other_changes(run.id, answer)
        return [_change(workspace, run, answer, change) for change in changes]


def _until_one_ends(workspace: Workspace, going: Sequence[str]) -> None:
    """Draw the page anew as soon as one of these runs has come to something."""
    try:
        ended = any(workspace.runs.get(id_).ended for id_ in going)
    except Unknown:  # deleted elsewhere
        ended = True
    if ended:
        st.rerun()


def _change(workspace: Workspace, run: RunInfo, answer: WhyNot, change: Change) -> str:
    """The id of a run of it on its way, "" for none. The last value that was run is told."""
    label, _ = label_and_help(run.method, change.setting)
    told = None
    for value in change.values:
        trial = workspace.why_not.stored_trial(run.id, answer, change, value)
        if trial is None:
            break
        told = trial
        if trial.value is not None:
            break
    if told:
        good = told.value is not None
        sign = "✓ " if good else "✗ "
        named = replace(told, change=told.change._replace(setting=label))
        shown = sign + words.trial_words(named, answer.k)
        st.html(markup.tag("p", shown, class_=f"gear-why-trial gear-{'yes' if good else 'no'}"))
        if good:
            return ""
    done = [told.tried[-1]] if told else []
    left = change.values[change.values.index(done[0]) + 1 :] if done else change.values
    if not left:
        return ""
    now = change._replace(values=tuple(left), claim=change.claim if not done else "")
    request = workspace.why_not.request(run.id, change.setting, left[0])
    told_words = words.change_words(now._replace(setting=label))
    return _run(workspace, request, told_words, f"{change.setting}-{left[0]}")


def _run(workspace: Workspace, request: RunRequest, label: str, name: str) -> str:
    """A sentence with a button that puts the run in the queue; its id where it is on its way."""
    request = replace(request, owner=session.owner(), rights=visitors.rights())
    there = workspace.runs.same(request)
    text, button = st.columns([3, 1], vertical_alignment="center", gap="small")
    text.html(markup.tag("p", label, class_="gear-note"))
    if there is not None and not there.ended:
        button.html(markup.tag("p", there.state, class_="gear-note"))
        return there.id
    button.button(
        "Try it",
        key=f"why-try-{name}",
        on_click=elements.attempt,
        args=("ask_error", workspace.runs.enqueue, request),
        width="stretch",
    )
    return ""


def _unranked(answer: WhyNot) -> bool:
    """Whether the first retrieval does not say how far down it has the passage."""
    evidence = (step.evidence for step in answer.trail)
    return any(isinstance(one, ListPlace) and one.rank is None for one in evidence)


FEW = 6  # triples of a passage


def trail(answer: WhyNot) -> Html:
    """The steps as a list; the sign and the class of a step say what it did."""
    items = [
        tag(
            "li",
            tag("i", SIGNS[step.outcome], title=step.outcome.value),
            tag("div", tag("b", step.step + iteration_words(step)), tag("span", step_words(step))),
            class_=f"gear-why-{step.outcome.name.lower().replace('_', '-')}",
        )
        for step in answer.trail
    ]
    return tag("ol", join(items), class_="gear-why-trail")


def arithmetic(answer: WhyNot) -> Html:
    """The evidence of the step that lost it, with the terms of both scores; "" where there is no
    more to it than the trail says.
    """
    lost = answer.lost
    evidence = lost.evidence if lost else None
    if isinstance(evidence, Margin):
        return Html(_margin(evidence, answer.title))
    if isinstance(evidence, PrunedCandidate):
        return Html(_candidates(evidence))
    if isinstance(evidence, Asked):
        return _queries(evidence)
    if isinstance(evidence, Neighbours):
        return _own_triples(evidence, answer.trail)
    return Html("")


def _margin(margin: Margin, title: str) -> Html:
    link = margin.link
    quoted = []
    if link:
        sentences = [
            tag("p", sentence, class_="gear-note", dir="auto")
            for sentence in (link.here.text, link.there.text)
        ]
        quoted = [tag("b", "The two sentences of its best link"), *sentences]
    sums = (
        _sum(title, margin.terms, margin.score),
        _sum(f"At the cut: {margin.holder}", margin.holder_terms, margin.needed),
    )
    return join(
        [
            tag("div", join(sums), class_="gear-why-sums"),
            _missing(margin.needed - margin.score),
            tag("div", join(quoted), class_="gear-why-link") if quoted else Html(""),
        ]
    )


def _sum(title: str, terms: Sequence[AddedTerm], total: float) -> Html:
    lines = [(term.name, f"{term.value:.4f}") for term in terms] + [("= score", f"{total:.4f}")]
    rows = join(Html(tag("dt", name, dir="auto") + tag("dd", value)) for name, value in lines)
    return tag("div", tag("b", title), tag("dl", rows, class_="gear-sum"), class_="gear-why-sum")


def _missing(score: float) -> Html:
    name = tag("dt", "missing", class_="gear-why-missing")
    value = tag("dd", f"{score:.4f}", class_="gear-why-missing")
    return tag("dl", join([name, value]), class_="gear-sum")


def _candidates(found: PrunedCandidate) -> Html:
    parts: list[Html] = []
    one, other = found.candidate, found.survivor
    for candidate, name in ((one, "This triple"), (other, "The last that was kept")):
        if candidate is None:
            continue
        shown = candidate.triple
        terms = (
            AddedTerm("beam so far", candidate.previous),
            AddedTerm("+ cosine to the query", candidate.cosine),
            AddedTerm("= sum", candidate.total),
            AddedTerm(f"× weight, place {candidate.position + 1} in its beam", candidate.weight),
        )
        title = f"{name}: {shown.subject} {shown.predicate} {shown.object}"
        parts.append(_sum(title, terms, candidate.score))
    if other and found.place:
        parts.append(_missing(other.score - found.score))
    return join(parts or [tag("p", evidence_words(found), class_="gear-note")])


def _own_triples(found: Neighbours, trail: Sequence[TrailStep]) -> Html:
    """How near the beams came, and the triples of the passage that they could have gone on to."""
    own = [
        one
        for step in trail
        if isinstance(step.evidence, ExtractedTriples)
        for one in step.evidence[0]
    ]
    name = found.shared or normalise_entity(found.nearest.own if found.nearest else "")
    near = [triple for triple in own if name and name in normalise_entity(triple)] or own
    told = tag("p", evidence_words(found), class_="gear-note", dir="auto")
    items = join(tag("li", triple, dir="auto") for triple in near[:FEW])
    return join([told, tag("b", "Its triples"), tag("ul", items, class_="gear-why-needs")])


def _queries(found: Asked) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", one.iteration),
            tag("td", one.query, dir="auto"),
            tag("td", one.rank or "–"),
        )
        for one in found.queries
    ]
    names = ("iteration", "query", "its rank in what that finds")
    head = tag("tr", join(tag("th", name, scope="col") for name in names))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), class_="gear-gold")
    return tag("div", table, tag("p", found.sentence, class_="gear-note"), class_="gear-scroll")


def needed(answer: WhyNot) -> Html:
    """What it would have needed, as a list."""
    items = join(tag("li", one, dir="auto") for one in needed_words(answer))
    return tag("ul", items, class_="gear-why-needs")
