"""The tab Charts: failures by method and category, and the questions behind them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from gear_app.annotate.codebook import Category, code_book, paper_book
from gear_app.annotate.counts import LabelCounts, Remade, counts, remade
from gear_app.annotate.queue import QueueItem
from gear_app.annotate.record import Record
from gear_app.evaluate.question_set import of_runs
from gear_app.text import count, normalise_entity
from gear_app.ui.shared import elements, question_sets
from gear_app.views import markup
from gear_app.views.labels import method_name
from gear_app.views.markup import Html, join, tag
from gear_app.workspace import Workspace

ALL = ""


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Squares like Table 14, and the ids of the questions that failed, of labels that the annotator
    may see.
    """
    found = counts(workspace.annotations.labels(collection))
    if not found.judged:
        elements.message(f"{counts_heading(found)}. Complete a run on the tab Queue.")
        return
    failures(workspace, collection, annotator)
    items = {item.case: item for item in workspace.annotations.items(collection)}
    names = {one.key: one.name for one in code_book(workspace.annotations.categories())}
    seen = counts(workspace.annotations.seen(collection, annotator))
    if seen.failed:
        _questions(workspace, collection, _failed(seen), items, names)


def failures(workspace: Workspace, collection: str, annotator: str) -> None:
    """The squares alone, each a link to its run, and what they are. A square whose label is hidden
    from the annotator names no run.
    """
    service = workspace.annotations
    found, hidden = counts(service.labels(collection)), service.hidden(collection, annotator)
    items = {item.case: item for item in service.items(collection)}
    book = code_book(service.categories())
    names = {one.key: one.name for one in book}
    links = {case: f"./explore?run={items[case].run}" for case in items.keys() - hidden}
    since = remade(_failed(found), items)
    with st.container(border=True):
        st.html(markup.title(counts_heading(found), "by category and method"))
        st.html(squares(found, book, links, names, hidden))
        st.html(markup.tag("p", counts_note(found, since, len(hidden)), class_="gear-note"))


def _failed(found: LabelCounts) -> dict[str, Record]:
    return {
        record.case.id: record
        for of in found.failed.values()
        for records in of.values()
        for record in records
    }


def _questions(
    workspace: Workspace,
    collection: str,
    failed: Mapping[str, Record],
    items: Mapping[str, QueueItem],
    names: dict[str, str],
) -> None:
    """The ids of the questions of some failures, to be run again after a fix."""
    records = list(failed.values())
    with st.container(border=True):
        st.html(markup.title("Questions of these failed runs", "to ask again after a fix"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            methods = [ALL, *dict.fromkeys(one.case.method for one in records)]
            keys = [ALL, *dict.fromkeys(one.label.category for one in records)]
            method = st.selectbox(
                "Method",
                methods,
                key="set-method",
                format_func=lambda one: method_name(one) if one else "all",
            )
            key = st.selectbox(
                "Category", keys, key="set-category", format_func=lambda one: names.get(one, "all")
            )
            wanted = {
                normalise_entity(one.case.question) for one in records if _fits(one, method, key)
            }
            asked = workspace.collections.questions(collection)
            ids = [one.id for one in asked if normalise_entity(one.question) in wanted]
            st.download_button(
                f"The ids of {count(len(ids), 'question')}",
                "".join(f"{id_}\n" for id_ in ids),
                file_name=f"{collection}-failures.txt",
                key="set-ids",
                on_click="ignore",
            )
            here = [
                items[one.case.id]
                for one in records
                if one.case.id in items and _fits(one, method, key)
            ]
            there = {normalise_entity(item.question) for item in here}
            runs = [item.run for item in here]
            question_sets.offer(
                workspace,
                "set-evaluate",
                sum(normalise_entity(one.question) in there for one in asked),
                lambda: of_runs(workspace, collection, [workspace.runs.get(run) for run in runs]),
            )


def _fits(record: Record, method: str, category: str) -> bool:
    return method in (ALL, record.case.method) and category in (ALL, record.label.category)


def counts_heading(found: LabelCounts) -> str:
    """How many runs failed when judged."""
    if not found.judged:
        return "Nothing is judged yet"
    total = sum(found.judged.values())
    return f"{number_of_failures(found)} of {count(total, 'run')} failed when judged"


def number_of_failures(found: LabelCounts) -> int:
    """The number of runs that failed."""
    return sum(len(of) for method in found.failed.values() for of in method.values())


def hidden_words(hidden: int) -> str:
    """Why squares of so many judged runs name no run; nothing where none is hidden."""
    if not hidden:
        return ""
    return (
        f"Squares of {count(hidden, 'run')} name no run until you have judged"
        f" {'it' if hidden == 1 else 'them'}, or two others have: second labels are given blind."
    )


def squares(
    found: LabelCounts,
    book: Sequence[Category],
    links: Mapping[str, str],
    names: Mapping[str, str],
    hidden: Collection[str] = (),
) -> Html:
    """A square for each failed run by category and method, and GEAR's own Table 14 in outline.
    `links` are the addresses of runs by case; squares of `hidden` cases name no run.
    """
    in_paper = {one.key: one.cases for one in paper_book("gear")}
    used = {key for of in found.failed.values() for key in of}
    keys = [one.key for one in book if one.key in used or one.key in in_paper]
    keys += sorted(used - set(keys))
    methods = list(found.failed)
    head = [tag("th", "")]
    head += [_method_head(method_name(one), f"{found.judged[one]} judged") for one in methods]
    head.append(_method_head("GEAR in its paper", "20 cases, GPT-4o mini"))
    rows = []
    for key in keys:
        cells = [tag("th", names.get(key, key) or "no category", scope="row")]
        for method in methods:
            cells.append(_squares(found.failed[method].get(key, ()), links, hidden))
        cells.append(_outlines(in_paper.get(key, 0)))
        rows.append(tag("tr", join(cells)))
    table = tag(
        "table",
        tag("thead", tag("tr", join(head))),
        tag("tbody", join(rows)),
        class_="gear-squares",
    )
    return tag("div", table, class_="gear-scroll")


def _method_head(name: str, words: str) -> Html:
    return tag("th", tag("b", name), tag("span", words), scope="col")


def _squares(records: Sequence[Record], links: Mapping[str, str], hidden: Collection[str]) -> Html:
    if not records:
        return tag("td", "")
    drawn = []
    for record in records:
        case, words = record.case.id, record.case.question
        if case in hidden:
            words = "a run that you have not judged"
        drawn.append(
            tag(
                "a" if case in links else "span",
                "",
                class_="gear-square",
                href=links.get(case),
                title=words,
                role=None if case in links else "img",
                aria_label=words,
            )
        )
    return tag("td", tag("div", join(drawn), tag("em", str(len(records)))))


def _outlines(number: int) -> Html:
    drawn = [tag("span", "", class_="gear-square gear-outline") for _ in range(number)]
    return tag("td", tag("div", join(drawn), tag("em", str(number))) if number else "")


def counts_note(found: LabelCounts, since: Remade, hidden: int) -> str:
    """What the squares do not say."""
    words = [
        _square_words(number_of_failures(found), since.present),
        _since_words(since),
        hidden_words(hidden),
    ]
    if found.undecided:
        words.append(
            f"{count(found.undecided, 'run')} on which people differ wait for a decision and are"
            " not counted."
        )
    if found.asked:
        words.append(
            f"Of {count(found.asked, 'suggested cause')} looked at, {found.confirmed} were"
            " confirmed."
        )
    words.append("The paper's cases are other questions read by a language model.")
    return " ".join(filter(None, words))


def _square_words(failed: int, here: int) -> str:
    """What a square is, and whether it opens something."""
    if here == failed:
        return "One square is one failed run, and opens it."
    if not here:
        return "One square is one failed run, and opens it once the run is made here."
    return f"One square is one failed run; {here} of the {failed} are made here and open."


def _since_words(since: Remade) -> str:
    """What the newest runs find of failures that were asked again; nothing where none was."""
    if not since.again:
        return ""
    left = since.again - since.all_gold
    return (
        f"{count(since.again, 'failed run was', 'failed runs were')} made again since then:"
        f" {since.all_gold} with all gold in the first 5 now, {left} without."
    )
