"""Whether a lesson says what its runs say: every number, every name, every solution."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gear_app.errors import BadInput
from gear_app.language.numbers import number_in
from gear_app.lessons.competition import no_competition
from gear_app.lessons.evidence import RunEvidences, beam_search
from gear_app.lessons.facts import fact_of
from gear_app.lessons.lesson import LessonPage, Paragraph, Reference, Task, Words

_DIGITS = re.compile(r"\d[\d,.]*\d|\d")


def page_problems(page: LessonPage, runs: RunEvidences) -> list[str]:
    """What the runs do not bear out, one sentence each; none for a true page."""
    return list(_of_page(page, runs))


def _of_page(page: LessonPage, runs: RunEvidences) -> Iterator[str]:
    for name in (page.step, page.reveal):
        if name is not None:
            try:
                runs[page.run].step(name)
            except BadInput as error:
                yield str(error)
    if page.picture == "competition":
        yield from _of_competition(page, runs)
    if page.opens:
        try:
            fact_of(Reference("beam", ("score", page.opens)), page, runs)
        except BadInput as error:
            yield f"the card that opens first: {error}"
    for paragraph in page.texts():
        yield from _of_text(paragraph, page, runs)
    if page.task:
        yield from _of_task(page.task, page, runs)


def _of_competition(page: LessonPage, runs: RunEvidences) -> Iterator[str]:
    """Beams that cannot be compared over γ."""
    try:
        events = runs[page.run].step(page.step).events if page.step else ()
    except BadInput:
        return  # said already
    search = beam_search(events)
    problem = "The step is no beam search." if search is None else no_competition(search)
    if problem:
        yield f"the picture: {problem}"


def _of_text(paragraph: Paragraph, page: LessonPage, runs: RunEvidences) -> Iterator[str]:
    for phrase in paragraph:
        if phrase.style == "code":
            continue
        if phrase.reference is None:
            yield from _bare_numbers(phrase, runs, page)
            continue
        try:
            found = fact_of(phrase.reference, page, runs)
        except BadInput as error:
            yield str(error)
            continue
        said = number_in(phrase.words)
        if isinstance(found.value, float) and not found.agrees(phrase.words):
            yield f"“{phrase.words}” is {found.text} in the run ({phrase.reference})."
        elif isinstance(found.value, str) and said is not None and found.text != phrase.words:
            yield f"“{phrase.words}” is “{found.text}” in the run ({phrase.reference})."


def _bare_numbers(phrase: Words, runs: RunEvidences, page: LessonPage) -> Iterator[str]:
    """Numbers that the text states without a reference: those of the question may stand alone."""
    for number in _DIGITS.findall(phrase.words):
        if number not in runs[page.run].run.question:
            yield f"the number {number} refers to nothing. Write [{number}](…), or as a word."


def _of_task(task: Task, page: LessonPage, runs: RunEvidences) -> Iterator[str]:
    try:
        found = fact_of(task.asks, page, runs)
    except BadInput as error:
        yield f"the task asks {error}"
        return
    right = [place for place, option in enumerate(task.options) if found.agrees(option.value)]
    if right != [task.solution]:
        said = task.options[task.solution].value
        yield (
            f"the task's solution says “{said}”, the run “{found.text}” ({task.asks});"
            f" true options: {', '.join(str(place + 1) for place in right) or 'none'}."
        )
