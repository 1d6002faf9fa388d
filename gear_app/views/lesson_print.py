"""A lesson to scroll through and to print: its sentences in order, a table for every picture, the
solutions under the tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gear_app.analysis.progress import progress
from gear_app.analysis.rankings import listed
from gear_app.events import (
    Chained,
    Event,
    Expanded,
    Linked,
    Matched,
    Promoted,
    RankedPassage,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Rewrote,
    ShownTriple,
    Split,
    Thought,
    Walked,
)
from gear_app.lessons import Lesson, LessonPage, StepName, Task
from gear_app.lessons.competition import OWN, Competition
from gear_app.lessons.evidence import RunEvidence, RunEvidences, fused
from gear_app.text import count
from gear_app.types import ProximalTriple
from gear_app.views import beam, gear, labels, learn, lesson_bars
from gear_app.views.markup import Html, join, tag

PASSAGES, FACTS = 7, 12  # lines of a table
SHORT = 8  # characters of a cell that is not to be broken
Rows = Sequence[Sequence[object]]


def whole(lesson: Lesson, runs: RunEvidences, competitions: Mapping[int, Competition]) -> Html:
    """All pages of a lesson; `competitions` are those of its pages that have one, by number."""
    parts = []
    shown: Competition | None = None
    for page in lesson.pages:
        found = competitions.get(page.number)
        parts.append(_page(page, runs, found, again=found is not None and found is shown))
        shown = found
    return tag(
        "article",
        tag("p", f"Lesson {lesson.place}", class_="gear-note"),
        tag("h1", lesson.title),
        tag("p", lesson.about, class_="gear-note"),
        *parts,
        class_="gear-plain",
    )


def _page(page: LessonPage, runs: RunEvidences, found: Competition | None, *, again: bool) -> Html:
    """What a page shows before its task, the task with its solution, what it shows then.

    `again`: the picture is that of the page before.
    """
    before, after = _figures(page, runs, found)
    if again:
        before, after = tag("p", "The table is the one above.", class_="gear-note"), Html("")
    return tag(
        "section",
        tag("h2", page.title),
        learn.text(page.text, page, runs),
        before,
        _task(page.task) if page.task else "",
        after,
        learn.text(page.after, page, runs),
    )


def _task(task: Task) -> Html:
    solution = task.options[task.solution]
    remark = f" ({solution.remark})" if solution.remark else ""
    return tag(
        "div",
        tag("h3", task.question),
        tag("ol", join(tag("li", option.text) for option in task.options)),
        tag(
            "div", tag("strong", "Solution: "), f"{solution.text}{remark}.", class_="gear-solution"
        ),
    )


def _figures(page: LessonPage, runs: RunEvidences, found: Competition | None) -> tuple[Html, Html]:
    """A page's picture, and the one that its solution reveals; "" for the one that it has not."""
    whole_ = _drawn(page, runs, found, page.reveal, revealed=True)
    begun = _drawn(page, runs, found, page.step, revealed=False) if page.task else whole_
    return _figure(page, runs, begun), _figure(
        page, runs, [one for one in whole_ if one not in begun]
    )


def _figure(page: LessonPage, runs: RunEvidences, drawn: Sequence[Html]) -> Html:
    if not drawn:
        return Html("")
    there = runs[page.run]
    asked = tag("figcaption", f"{labels.method_name(there.run.method)}: {there.run.question}")
    return tag("figure", asked, *drawn)


def _drawn(
    page: LessonPage,
    runs: RunEvidences,
    found: Competition | None,
    name: StepName | None,
    *,
    revealed: bool,
) -> list[Html]:
    """The tables of a picture at a step; `revealed`: with what a task asks for."""
    there = runs[page.run]
    if page.picture == "competition" and not revealed:
        return [_sums(found)] if found else []
    if found is not None:
        return [_competition(found)]
    if page.picture == "fusion" and revealed:
        return [_ranking(fused(runs), there.gold)]
    if name is None:
        return []
    step = there.step(name)
    memory = [_memory(there, step.number)] if page.picture == "gist" else []
    remembered = Remembered if memory else ()  # what it adds stands in the memory
    events = [event for event in step.events if not isinstance(event, remembered)]
    return [*memory, *filter(None, (_event(event, there) for event in events))]


def _memory(there: RunEvidence, step: int) -> Html:
    """The gist memory as of a step."""
    known = progress(there.events, there.steps, step, finished=True).events
    rows = [
        [row["iteration"], f"{row['subject']} {row['predicate']} {row['object']}", row["what"]]
        for row in gear.memory_rows(known)
    ]
    return _table(["iteration", "fact of the gist memory", ""], rows)


def _event(event: Event, there: RunEvidence) -> Html:
    drawn = list(_told(event, there))
    ranking = listed(event)
    if ranking:
        drawn.append(_ranking(ranking, there.gold))
    return join(drawn)


def _told(event: Event, there: RunEvidence) -> Iterator[Html]:
    """What an event says besides a ranking."""
    match event:
        case Read():
            yield _table(["proximal triple"], [[one.text] for one in event.triples])
        case Linked():
            pairs = [[link.proximal.text, _words(link.triple)] for link in event.links]
            yield _table(["proximal triple", "is linked to"], pairs)
        case Expanded() if event.steps:
            kept = event.steps[-1].kept[:FACTS]
            rows = [[_words(one.triple), beam.number(one.score)] for one in kept]
            yield _table(["kept beams end in", "score"], rows)
        case Remembered():
            yield _table(["added to the gist memory"], [[one.text] for one in event.added])
        case Reasoned():
            verdict = f"Answerable: {event.answer}" if event.answerable else "Not answerable yet"
            yield tag("p", f"{verdict}. {event.reason}")
        case Rewrote():
            yield tag("p", f"Next query: {event.query or 'none'}")
        case Split():
            yield tag("p", event.summary)
        case Matched():
            rows = [[_words(one.triple), f"{one.score:.3f}"] for one in event.matches[:FACTS]]
            yield _table(["matched triple", "score"], rows)
        case Recognised():
            yield tag("p", f"Entities: {', '.join(one.text for one in event.entities)}")
        case Walked():
            rows = [[one.name, f"{one.probability:.3f}"] for one in event.nodes[:FACTS]]
            yield _table(["entity", "probability"], rows)
        case Thought():
            yield tag("p", f"{event.style}: {event.text or event.query}")
        case Chained():
            yield tag("p", f"Chain: {' → '.join(event.nodes)}")
        case Promoted():
            yield tag("p", f"{count(len(event.promoted), 'passage')} promoted.")
        case _:
            return


def _words(triple: ShownTriple | ProximalTriple | None) -> str:
    return triple.text if triple else "nothing near"


def _ranking(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> Html:
    rows = [
        [rank, ("★ " if line.key in gold else "") + line.name, f"{line.score:.4f}"]
        for rank, line in enumerate(ranking[:PASSAGES], start=1)
    ]
    return _table(["", "passage (★ gold)", "score"], rows)


def _sums(found: Competition) -> Html:
    """The extensions before γ, which are all that a learner may look at before the prediction."""
    rows = [
        [row["beam"], row["extension"], beam.number(row["sum"])]
        for row in lesson_bars.rows(found, None)
    ]
    return _table(["beam", "extension", "sum"], rows)


def _competition(found: Competition) -> Html:
    rows = [
        [
            lesson_bars.short(rival),
            lesson_bars.ordinal(rival.found.position + 1),
            beam.number(rival.found.total),
            beam.number(rival.at[OWN].score),
            *(_place(rival.places[stop]) for stop in found.gammas),
        ]
        for rival in found.rivals
    ]
    heads = ["extension", "in its beam", "sum", "score"]
    stops = [f"γ {lesson_bars.stop_name(found, stop)}" for stop in found.gammas]
    return _table([*heads, *stops], rows)


def _place(place: int | None) -> str:
    return "–" if place is None else str(place)


def _table(heads: Sequence[str], rows: Rows) -> Html:
    if not rows:
        return tag("p", "Nothing.")
    return tag(
        "table",
        tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads))),
        tag("tbody", join(tag("tr", join(_cell(cell) for cell in row)) for row in rows)),
    )


def _cell(cell: object) -> Html:
    short = len(str(cell)) < SHORT
    return tag("td", cell, class_="gear-number" if short else None)
