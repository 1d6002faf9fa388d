"""What a reference in a lesson stands for, read off the events of the lesson's runs; and whether a
lesson says what its runs say: every number, every name, every solution.

A reference is `kind: argument; argument`. Where a step can be named and is not, the page's is
meant; `in NAME` as the last argument means another run of the lesson.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis import timeline
from gear_app.analysis.rankings import final, rank_of, title_of, within
from gear_app.analysis.timeline import Step
from gear_app.errors import BadInput, Unknown
from gear_app.events import (
    Analysed,
    BeamCandidate,
    BeamStep,
    Event,
    Expanded,
    Linked,
    Matched,
    RankedPassage,
    Read,
    Reasoned,
    Remembered,
    Walked,
)
from gear_app.language.numbers import number_in
from gear_app.lessons.competition import no_competition
from gear_app.lessons.evidence import (
    RunEvidence,
    RunEvidences,
    beam_search,
    find_candidate,
    fused,
    same_triple,
    triples_of,
    words_of,
)
from gear_app.lessons.file import step_name
from gear_app.lessons.lesson import (
    BEAM_NUMBERS,
    END,
    LENGTHS,
    RRF,
    THINGS,
    USAGE,
    LessonPage,
    Paragraph,
    Reference,
    Task,
    Words,
)
from gear_app.text import normalise_entity, whole_number

OTHER_RUN = "in "  # begins the last argument of a reference to another run than the page's


class Counted(NamedTuple):
    """One of the things that a number counts, and a remark on it."""

    words: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a reference stands for: a name, or a number with what it is the result of.

    `entity` is what lights up with it in text and picture; "" for nothing. `of` is the candidate or
    the line of a ranking that a number belongs to, `counted` what a number counts.
    """

    value: str | float
    entity: str = ""
    of: BeamCandidate | RankedPassage | None = None
    counted: tuple[Counted, ...] = ()

    @property
    def text(self) -> str:
        """The value in words, to be compared with an option's."""
        if isinstance(self.value, str):
            return self.value
        return f"{self.value:g}"

    def agrees(self, words: str) -> bool:
        """Whether words state this fact: the same name, or the number as far as it is printed."""
        if isinstance(self.value, str):
            return normalise_entity(words) == normalise_entity(self.value)
        stated = number_in(words)
        if stated is None:
            return False
        digits = len(words.partition(".")[2].rstrip("%")) if "." in words else 0
        return math.isclose(stated, round(self.value, digits), abs_tol=10 ** -(digits + 4))


def fact_of(reference: Reference, page: LessonPage, runs: RunEvidences) -> Fact:
    """What a reference of a page stands for.

    Raises BadInput where it is no such reference, or where the run has nothing of the kind: the
    message says which.
    """
    run = run_of(reference, page)
    if run not in runs:
        raise Unknown("run of the lesson", run, runs)
    elsewhere = any(one.startswith(OTHER_RUN) for one in reference.arguments[-1:])
    arguments = reference.arguments[:-1] if elsewhere else reference.arguments
    asked = _Asked(arguments, page, runs[run], runs)
    try:
        return KINDS[reference.kind](asked)
    except IndexError as error:
        raise BadInput(f"“{reference}” says too little. It is: {USAGE[reference.kind]}") from error
    except BadInput as error:
        raise BadInput(f"“{reference}”: {error}") from error


def run_of(reference: Reference, page: LessonPage) -> str:
    """The name of the run that a reference is about: the page's, unless it says `in NAME`."""
    last = reference.arguments[-1] if reference.arguments else ""
    return last.removeprefix(OTHER_RUN) if last.startswith(OTHER_RUN) else page.run


@dataclass(frozen=True, slots=True)
class _Asked:
    """A reference's arguments, and what they are looked for in."""

    arguments: tuple[str, ...]
    page: LessonPage
    run: RunEvidence
    runs: RunEvidences

    def number(self, place: int) -> int:
        """An argument that is a whole number."""
        number = whole_number(self.arguments[place])
        if number is None:
            raise BadInput(f"“{self.arguments[place]}” is no whole number.")
        return number

    def step(self, place: int) -> Step:
        """The step that an argument names, else the page's last one."""
        if len(self.arguments) > place:
            return self.run.step(step_name(self.arguments[place]))
        name = self.page.reveal or self.page.step
        if name is None:
            raise BadInput("the page shows no step. Name one.")
        return self.run.step(name)

    def ranking(self, place: int) -> tuple[RankedPassage, ...]:
        """The ranking of the step that an argument names; that of the page's fusion."""
        named = self.arguments[place] if len(self.arguments) > place else ""
        if named == RRF or (not named and self.page.picture == "fusion"):
            return fused(self.runs)
        if named == END:
            return final(self.run.events)
        found = [ranking for event in self.step(place).events if (ranking := event.listed)]
        if not found:
            raise BadInput("that step has no ranking.")
        return found[-1]

    def line(self, key: str, place: int) -> tuple[int | None, RankedPassage | None]:
        """A passage's rank and line in a ranking; None and None where it is not there."""
        ranking = self.ranking(place)
        rank = rank_of(key, ranking)
        return rank, ranking[rank - 1] if rank else None


def _beams(asked: _Asked, place: int) -> Sequence[BeamStep]:
    search = beam_search(asked.step(place).events)
    if not search:
        raise BadInput("that step is no beam search.")
    return search


def _name(asked: _Asked) -> Fact:
    name = ", ".join(asked.arguments)
    wanted = normalise_entity(name)
    there = any(place.entity == wanted for place in asked.run.names.places(name))
    if not wanted or not there:
        raise BadInput(f"nothing in the run {asked.run.run.name!r} is called so.")
    return Fact(name, wanted)


def _term(asked: _Asked) -> Fact:
    """A term that the application explains wherever it stands."""
    return Fact(asked.arguments[0])


def _thing(asked: _Asked) -> Fact:
    things = THINGS if asked.page.picture == "competition" else ()
    if asked.arguments[0] not in things:
        raise BadInput(f"the picture has no such thing. It has: {', '.join(things) or 'none'}.")
    return Fact(asked.arguments[0], thing(asked.arguments[0]))


def thing(words: str) -> str:
    """What lights up for a thing of the picture that is no entity."""
    return f"lesson {words}"


def _setting(asked: _Asked) -> Fact:
    settings = dict(asked.run.settings)
    named = {name.split(".")[-1]: value for name, value in settings.items()} | settings
    if asked.arguments[0] not in named:
        raise Unknown("setting", asked.arguments[0], settings)
    value = named[asked.arguments[0]]
    found = number_in(value)
    return Fact(value if found is None else found)


def _rank(asked: _Asked) -> Fact:
    rank, line = asked.line(asked.arguments[0], 1)
    if rank is None or line is None:
        return Fact("none")
    return Fact(float(rank), normalise_entity(line.title), line)


def _score(asked: _Asked) -> Fact:
    _, line = asked.line(asked.arguments[0], 1)
    if line is None:
        raise BadInput("the ranking has no such passage.")
    return Fact(line.score, normalise_entity(line.title), line)


def _first(asked: _Asked) -> Fact:
    ranking = asked.ranking(0)
    return Fact(ranking[0].key if ranking else "none", of=ranking[0] if ranking else None)


def _found(asked: _Asked) -> Fact:
    """How many gold passages are among the first k."""
    k, ranking = asked.number(0), asked.ranking(1)
    ranks = {key: rank_of(key, ranking) for key in asked.run.gold}
    counted = tuple(
        Counted(title_of(asked.run.events, key), _place_words(rank, k))
        for key, rank in ranks.items()
    )
    return Fact(float(sum(within(rank, k) for rank in ranks.values())), counted=counted)


def _place_words(rank: int | None, k: int) -> str:
    if rank is None:
        return "not ranked"
    return f"rank {rank}" if rank <= k else f"rank {rank}, not among the first {k}"


def _beam(asked: _Asked) -> Fact:
    field, words = asked.arguments[0], asked.arguments[1]
    if field not in BEAM_NUMBERS:
        raise Unknown("number of a beam", field, BEAM_NUMBERS)
    found = find_candidate(words, _beams(asked, 2))
    value = {
        "score": found.score,
        "sum": found.total,
        "cosine": found.cosine,
        "before": found.previous,
        "place": found.position + 1,
        "weight": found.weight,
    }[field]
    return Fact(float(value), card(found), found)


def card(found: BeamCandidate) -> str:
    """What lights up for a candidate of the competition."""
    return thing(" ".join(map(str, found.path)))


def _survivor(asked: _Asked) -> Fact:
    """The beam that has a place after the last step."""
    kept = _beams(asked, 1)[-1].kept
    place = asked.number(0)
    if not 1 <= place <= len(kept):
        raise BadInput(f"{len(kept)} beams are kept.")
    found = kept[place - 1]
    return Fact(words_of(found.triple), card(found), found)


def _survives(asked: _Asked) -> Fact:
    """Whether an extension is among those kept after the last step."""
    found = find_candidate(asked.arguments[0], _beams(asked, 1))
    return Fact("yes" if found.kept else "no", card(found), found)


def _length(asked: _Asked) -> Fact:
    """How many things a step has of a kind."""
    of, step = asked.arguments[0], asked.step(1)
    for event in step.events:
        if of == "remembered" and isinstance(event, Remembered):
            return _counted(_remembered(asked.run, event))
        if of in (things := _things(event)):
            return _counted(*things[of])
        if of == "passages" and (ranking := event.listed):
            return _counted([line.name for line in ranking])
    raise Unknown("things to count in that step", of, LENGTHS)


def _things(event: Event) -> dict[str, tuple[list[str], int]]:
    """What can be counted in an event, by name: in words, and how many more have no words."""
    match event:
        case Read():
            return {"proximal triples": ([fact.text for fact in event.triples], 0)}
        case Linked():
            linked = [link.triple.text for link in event.links if link.triple]
            return {"linked triples": (linked, 0)}
        case Expanded(steps=[*_, last]):
            kept, pruned = ([one.triple.text for one in side] for side in (last.kept, last.pruned))
            return {"kept beams": (kept, 0), "candidates": (kept + pruned, len(last.others))}
        case Walked():
            return {"entities": ([node.name for node in event.nodes], 0)}
        case Matched():
            matches = [match.triple.text for match in event.matches]
            return {"candidates": ([], event.triples), "matches": (matches, 0)}
        case Analysed():
            left = [sentence for passage in event.passages for sentence in passage.left]
            return {"sentences left out": (left, 0)}
    return {}


def _counted(words: Sequence[str], more: int = 0) -> Fact:
    return Fact(float(len(words) + more), counted=tuple(map(Counted, words)))


def _remembered(run: RunEvidence, last: Event) -> list[str]:
    """The facts of the gist memory as of an event."""
    known = run.events[: next(at for at, event in enumerate(run.events) if event is last) + 1]
    return [fact.text for event in known if isinstance(event, Remembered) for fact in event.added]


def _gold(asked: _Asked) -> Fact:
    return _counted([title_of(asked.run.events, key) for key in asked.run.gold])


def _triple(asked: _Asked) -> Fact:
    """A triple that the run read, linked, kept or put aside."""
    words = asked.arguments[0]
    for triple in triples_of(asked.run.events):
        if same_triple(words_of(triple), words):
            return Fact(words_of(triple), normalise_entity(triple.object))
    raise BadInput("the run has no such triple.")


def _of_iteration(asked: _Asked, verb: str, problem: str) -> Event:
    """The event of a step in the iteration that is asked for; BadInput where there is none."""
    iteration = asked.number(0)
    for event in asked.run.events:
        if event.is_of(verb) and event.iteration == iteration:
            return event
    raise BadInput(problem.format(iteration))


def _verdict(asked: _Asked) -> Reasoned:
    verdict = _of_iteration(asked, "reason", "the run has no verdict in iteration {}.")
    assert isinstance(verdict, Reasoned)
    return verdict


def _answerable(asked: _Asked) -> Fact:
    return Fact("yes" if _verdict(asked).answerable else "no")


def _answer(asked: _Asked) -> Fact:
    answer = _verdict(asked).answer
    return Fact(answer or "none", normalise_entity(answer))


def _query(asked: _Asked) -> Fact:
    """What an iteration searched."""
    return Fact(_of_iteration(asked, "retrieve", "iteration {} searched nothing.").query_text)


def _next(asked: _Asked) -> Fact:
    """The query that an iteration was rewritten into."""
    rewriting = _of_iteration(asked, "rewrite", "iteration {} rewrote nothing.")
    return Fact(rewriting.query_text or "none")


def _iterations(asked: _Asked) -> Fact:
    return Fact(float(timeline.iterations(asked.run.events)))


KINDS: Mapping[str, Callable[[_Asked], Fact]] = {
    "name": _name,
    "term": _term,
    "thing": _thing,
    "triple": _triple,
    "setting": _setting,
    "rank": _rank,
    "score": _score,
    "first": _first,
    "found": _found,
    "gold": _gold,
    "beam": _beam,
    "survivor": _survivor,
    "survives": _survives,
    "length": _length,
    "answerable": _answerable,
    "answer": _answer,
    "query": _query,
    "next": _next,
    "iterations": _iterations,
}


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
