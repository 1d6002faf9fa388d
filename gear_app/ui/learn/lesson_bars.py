"""Beams that compete, as bars: each extension's sum, and what γ leaves of it at every stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.events import BeamCandidate
from gear_app.language.numbers import ORDINALS
from gear_app.lessons.competition import OWN, Competition, Rival
from gear_app.lessons.facts import card, thing
from gear_app.step_views import beams, retrieval
from gear_app.text import normalise_entity
from gear_app.ui.shared import elements
from gear_app.views import decimals


def bars_data(
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
                "score": decimals.number(one.score),
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


def rows(found: Competition, stop: str | None) -> list[dict[str, Any]]:
    """The bars as table rows, best first: every extension with its sum, and at a `stop` of γ with
    what is left of it. None: only the sums are told.
    """
    if stop is None:
        by_sum = sorted(found.rivals, key=lambda rival: -rival.found.total)
        return [_row(rival, found) for rival in by_sum]
    by_score = sorted(found.rivals, key=lambda rival: -rival.at[stop].score)
    return [
        _row(rival, found)
        | {
            "place in its beam": rival.at[stop].position + 1,
            "weight": rival.at[stop].weight,
            "score": rival.at[stop].score,
            "goes on": ordinal(place) if (place := rival.places[stop]) else "no",
        }
        for rival in by_score
    ]


def _row(rival: Rival, found: Competition) -> dict[str, Any]:
    before = found.beams[rival.beam].triple
    return {
        "beam": before.text,
        "extension": short(rival),
        "sum": rival.found.total,
    }


def card_of(found: Competition, words: str) -> str:
    """The card of the extension that a reference to a triple means; "" for none."""
    wanted = [normalise_entity(part) for part in words.rpartition(" > ")[2].split("|")]
    for rival in found.rivals:
        triple = rival.found.triple
        own = triple.words
        if [normalise_entity(part) for part in own] == wanted:
            return card(rival.found)
    return ""


def _stop(found: Competition, name: str) -> dict[str, Any]:
    kept = found.kept(name)
    passing = kept[-1].at[name].score if len(kept) == found.width else None
    return {
        "id": name,
        "label": stop_name(found, name),
        "says": change_words(found, name),
        "line": passing,
        "line_words": f"{ordinal(found.width)} place has {decimals.number(passing)}"
        if passing
        else "",
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
    after = f"Those who go on are {of}." if of else ""
    return f"{name}: {_and(left)} {_goes(left)} out, {_and(came)} {_goes(came, 'come')} in. {after}"


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
    return triple.text


def _triple(one: BeamCandidate, gold: Sequence[str]) -> dict[str, Any]:
    triple = one.triple
    return {
        "subject": triple.subject,
        "subject_entity": normalise_entity(triple.subject),
        "predicate": triple.predicate,
        "object": triple.object,
        "object_entity": normalise_entity(triple.object),
        "passage": triple.passage_name,
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
        "sum": decimals.number(one.total),
        "pale": round(one.total / most, 4) if most > 0 else 0,
        "guess": card(one) == guess,
        "stops": {},
    }
    if not revealed:
        return data
    data["stops"] = {
        stop: {
            "full": round(rival.at[stop].score / most, 4) if most > 0 else 0,
            "score": decimals.number(rival.at[stop].score),
            "weight": f"× {rival.at[stop].weight:.3f}" if rival.at[stop].weight < 1 else "",
            "kept": rival.places[stop],
            "kept_words": f"{ordinal(rival.places[stop] or 0)} place" if rival.places[stop] else "",
            "terms": beams.arithmetic(rival.at[stop], found.gammas[stop]),
        }
        for stop in found.gammas
    }
    return data


def ordinal(number: int) -> str:
    """A place in words: first, second; beyond twentieth in digits."""
    return ORDINALS[number - 1] if 1 <= number <= len(ORDINALS) else retrieval.ordinal(number)


_bars = elements.component(
    "lesson_bars", html='<div class="bars"></div>', js="lesson_bars.js", css="lesson.css"
)


def bars(data: Mapping[str, Any], key: str, move: Callable[[str], None]) -> None:
    """Beams that compete; `move` is called with the stop of γ that was chosen in them."""

    def moved() -> None:
        if stop := st.session_state[key].get("stop"):
            move(str(stop))

    _bars(data=dict(data), key=key, on_stop_change=moved)
