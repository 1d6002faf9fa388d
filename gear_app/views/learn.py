"""A lesson on the screen: its text with names that light up and numbers that open into their terms,
its task, and beams that compete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gear_app.errors import BadInput
from gear_app.events import Candidate, RankedPassage
from gear_app.lessons import Lesson, LessonPage, Reference, Task, Words
from gear_app.lessons.competition import OWN, Competition, Rival
from gear_app.lessons.facts import Fact, RunEvidences, card, fact_of, thing
from gear_app.lessons.lesson import Paragraph
from gear_app.text import normalise_entity
from gear_app.views import beam, glossary, rankings
from gear_app.views.markup import Html, join, tag, term


def text(paragraphs: Sequence[Paragraph], page: LessonPage, runs: RunEvidences) -> Html:
    """Paragraphs, with what their references stand for in the runs; without them, their words."""
    return join(
        tag("div", join(_words(one, page, runs) for one in paragraph), class_="gear-lesson-p")
        for paragraph in paragraphs
    )


def _words(words: Words, page: LessonPage, runs: RunEvidences) -> Html:
    if words.style:
        return tag(words.style, words.words)
    if words.reference is None:
        return join([words.words])
    try:
        found = fact_of(words.reference, page, runs)
    except BadInput:
        return join([words.words])  # the page says above it that the run is another one
    if words.reference.kind == "term" and found.text in glossary.TERMS:
        return term(words.words, found.text)
    lines = terms(found, words.reference, page, runs)
    if lines:
        return _number(words.words, found, lines)
    return _lit(words.words, found.entity, words.reference)


def _lit(words: str, entity: str, reference: Reference) -> Html:
    """Words that light up in text and picture."""
    if not entity:
        return tag("strong", words)
    kind = "gear-lesson-thing" if reference.kind == "thing" else "gear-lesson-name"
    return tag("span", words, data_entity=entity, tabindex=0, role="button", class_=kind)


def _number(words: str, found: Fact, lines: Sequence[tuple[str, str]]) -> Html:
    """A number that opens into its terms."""
    return tag(
        "details",
        tag("summary", words, data_entity=found.entity or None, title="What it is made of"),
        _sum(lines),
        class_="gear-lesson-number",
    )


def _sum(lines: Sequence[tuple[str, str]]) -> Html:
    last = len(lines) - 1
    return tag(
        "dl",
        join(
            join([tag("dt", name, class_=total), tag("dd", value, class_=total)])
            for place, (name, value) in enumerate(lines)
            for total in ["gear-total" if place == last else None]
        ),
        class_="gear-sum",
    )


def terms(
    found: Fact, reference: Reference, page: LessonPage, runs: RunEvidences
) -> list[tuple[str, str]]:
    """What a number is made of, as (term, value) lines; none for one that is counted or set."""
    match found.of:
        case Candidate() as candidate:
            return beam.arithmetic(candidate, beam.gamma_of(runs[page.run].settings))
        case RankedPassage(parts=parts) as line if parts:
            way = _way(line)
            lines = [_split(rankings.term(part, way=way)) for part in parts]
            return [*lines, ("= score", rankings.total(line, way).removeprefix("= "))]
        case RankedPassage() as line if reference.kind == "score":
            return [("score of the list itself", beam.exact(line.score))]
    return []


def _way(line: RankedPassage) -> rankings.Way:
    terms_ = any(not part.rank and part.score is not None for part in line.parts)
    return "terms" if terms_ else "sum"


def _split(term: str) -> tuple[str, str]:
    """A term such as 1/(60 + 2) = 0.016129 · rank 2 in dense, as what it is and its value."""
    before, dot, what = term.partition(" · ")
    if not dot:
        return term, ""
    sign, _, value = before.rpartition(" = ")
    return (f"{what}: {sign}" if sign else what), value


def problem_words(found: Sequence[str]) -> str:
    """That a run is not as the lesson says, in one sentence."""
    if not found:
        return ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        "This run is not the one that the lesson was written about, so some of what it says may"
        f" not be so here: {found[0]}{more}"
    )


# The task


def task(one: Task, answer: int | None) -> dict[str, Any]:
    """Component data of a task: its options, and once it is answered which is right and why."""
    return {
        "question": one.question,
        "options": [
            {"text": option.text, "remark": option.remark if answer is not None else ""}
            for option in one.options
        ],
        "answer": answer,
        "solution": one.solution if answer is not None else None,
        "verdict": _verdict(one, answer),
    }


def _verdict(one: Task, answer: int | None) -> str:
    if answer is None:
        return ""
    if one.is_right(answer):
        return "You predicted it."
    return f"The run says: {one.options[one.solution].text}."


def tally(answers: Mapping[str, int], tasks: Mapping[str, Task]) -> str:
    """How many predictions a learner has made, and how many were right."""
    made = {address: place for address, place in answers.items() if address in tasks}
    if not made:
        return "Your predictions are kept in this browser session only."
    right = sum(tasks[address].is_right(place) for address, place in made.items())
    noun = "prediction" if len(made) == 1 else "predictions"
    return f"{len(made)} {noun} so far, {right} right. Kept in this browser session only."


def strip(
    lessons: Sequence[Lesson], current: str, seen: Mapping[str, bool]
) -> list[dict[str, Any]]:
    """Component data of the row of lessons; `seen`: those that were read to their end."""
    return [
        {
            "id": lesson.id,
            "place": lesson.place,
            "title": lesson.title,
            "here": lesson.id == current,
            "done": seen.get(lesson.id, False),
        }
        for lesson in lessons
    ]


# Beams that compete


def bars(
    found: Competition,
    query: str,
    gold: Sequence[str],
    *,
    stop: str,
    revealed: bool,
    guess: str = "",
    asked: str = "",
) -> dict[str, Any]:
    """Component data of a competition: a card for each beam, and for each extension a card, its sum
    and at each stop of γ what is left of it.

    `revealed` False: only the sums are told. `guess` is the extension that a learner chose, `asked`
    the one that the task is about; both by card.
    """
    most = max((rival.found.total for rival in found.rivals), default=1.0)
    return {
        "query": query,
        "revealed": revealed,
        "stop": stop,
        "stops": [_stop(found, name) for name in found.gammas] if revealed else [],
        "beams": [
            {
                "id": place,
                **_triple(one, gold),
                "score": beam.number(one.score),
                "rivals": [
                    _rival(rival, found, gold, most, guess, revealed=revealed)
                    for rival in found.rivals
                    if rival.beam == place
                ],
            }
            for place, one in enumerate(found.beams)
        ],
        "chosen": guess or asked,
        "left_out": found.left_out,
        "width": found.width,
        "place_thing": thing("place in its beam"),
        "sum_thing": thing("sum"),
        "left_thing": thing("what is left"),
        "line_thing": thing("line to pass"),
        "beam_thing": thing("beam"),
    }


def guessed(found: Competition, words: str) -> str:
    """The card of the extension that an option stands for; "" for none."""
    wanted = [normalise_entity(part) for part in words.rpartition(" > ")[2].split("|")]
    for rival in found.rivals:
        triple = rival.found.triple
        own = (triple.subject, triple.predicate, triple.object)
        if [normalise_entity(part) for part in own] == wanted:
            return card(rival.found)
    return ""


def _stop(found: Competition, name: str) -> dict[str, Any]:
    kept = found.kept(name)
    passing = kept[-1].scores[name] if len(kept) == found.width else None
    return {
        "id": name,
        "label": stop_name(found, name),
        "says": change_words(found, name),
        "line": passing,
        "line_words": f"{ordinal(found.width)} place has {beam.number(passing)}" if passing else "",
    }


def stop_name(found: Competition, stop: str) -> str:
    """A stop of γ with its value: "2b = 6"."""
    return f"{stop} = {found.gammas[stop]}" if "b" in stop else stop


def change_words(found: Competition, stop: str) -> str:
    """Who leaves and who comes in at a stop, beside the paper's γ."""
    own = {rival.found.path: rival for rival in found.kept(OWN)}
    there = {rival.found.path: rival for rival in found.kept(stop)}
    beams = len({rival.beam for rival in there.values()})
    of = f"from {beams} of {len(found.beams)} beams" if len(found.beams) > 1 else ""
    gamma = found.gammas[stop]
    name = "Without γ" if gamma is None else f"γ = {gamma}"
    if stop == OWN:
        return f"{name}, as the paper sets it: {len(there)} go on, {of}."
    left = [short(rival) for path, rival in own.items() if path not in there]
    came = [short(rival) for path, rival in there.items() if path not in own]
    if not left and not came:
        return f"{name}: the same {len(there)} go on as with γ = {found.gammas[OWN]}."
    return (
        f"{name}: {_and(left)} {_goes(left)} out, {_and(came)} {_goes(came, 'come')} in. {_cap(of)}"
    )


def _cap(words: str) -> str:
    return f"Those who go on are {words}." if words else ""


def _goes(names: Sequence[str], verb: str = "go") -> str:
    singular = {"go": "goes", "come": "comes"}
    return singular[verb] if len(names) == 1 else verb


def _and(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    if not quoted:
        return "nobody"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]


def short(rival: Rival) -> str:
    """An extension's triple as a sentence."""
    triple = rival.found.triple
    return f"{triple.subject} {triple.predicate} {triple.object}"


def _triple(one: Candidate, gold: Sequence[str]) -> dict[str, Any]:
    triple = one.triple
    return {
        "subject": triple.subject,
        "subject_entity": normalise_entity(triple.subject),
        "predicate": triple.predicate,
        "object": triple.object,
        "object_entity": normalise_entity(triple.object),
        "passage": triple.passage_title or triple.passage_key,
        "star": triple.passage_key in gold,
    }


def _rival(
    rival: Rival,
    found: Competition,
    gold: Sequence[str],
    most: float,
    guess: str,
    *,
    revealed: bool,
) -> dict[str, Any]:
    one = rival.found
    data: dict[str, Any] = {
        "id": card(one),
        **_triple(one, gold),
        "place": ordinal(one.position + 1),
        "sum": beam.number(one.total),
        "pale": round(one.total / most, 4) if most > 0 else 0,
        "guess": card(one) == guess,
        "stops": {},
    }
    if not revealed:
        return data
    data["stops"] = {
        stop: {
            "full": round(rival.scores[stop] / most, 4) if most > 0 else 0,
            "score": beam.number(rival.scores[stop]),
            "weight": f"× {rival.weights[stop]:.3f}" if rival.weights[stop] < 1 else "",
            "kept": rival.places[stop],
            "kept_words": f"{ordinal(rival.places[stop] or 0)} place" if rival.places[stop] else "",
            "terms": beam.arithmetic(_at(rival, stop), found.gammas[stop]),
        }
        for stop in found.gammas
    }
    return data


def _at(rival: Rival, stop: str) -> Candidate:
    return replace(rival.found, weight=rival.weights[stop], score=rival.scores[stop])


_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def ordinal(number: int) -> str:
    """A place in words: first, second."""
    return _ORDINALS[number - 1] if 1 <= number <= len(_ORDINALS) else f"{number}th"
