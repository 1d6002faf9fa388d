"""The last step of a beam search as a competition: who is kept at each stop of γ.

GEAR Alg. 1, lines 15-20: the extensions of one beam are ordered by their sum, and all but the first
are weighted by e^(−min(n, γ)/γ), n their place from 0. Then the best `width` of all are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gear_app.errors import NotReady
from gear_app.events import BeamCandidate, BeamStep
from gear_app.lessons.evidence import RunEvidence, beam_search
from gear_app.lessons.lesson import LessonPage
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.steps.expand import diversity_weight

OWN = "2b"  # the paper's, and what a run has unless it says otherwise
STOPS = ("off", "1", "b", OWN, "4b")
LENGTH = 2  # steps of a search whose last one is a competition
NOTHING_COMPETES = "The beams of this run had nothing to take in, so nothing competes."
SHOWN = 3  # extensions of each beam, besides those that are kept at some stop


@dataclass(frozen=True, slots=True)
class Rival:
    """An extension that competes: `beam` is the one it extends, from 0.

    By stop: the candidate `at` it, and its place among those kept, from 1; None where it is not.
    `found` is the one of the run. γ also says what is worth encoding, so that a cosine may be an
    estimate at one stop and not at another.
    """

    found: BeamCandidate
    beam: int
    at: Mapping[str, BeamCandidate]
    places: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Competition:
    """Beams, what each could take in, and γ by stop (None: off). `left_out` counts the extensions
    that no stop keeps and the picture leaves out.
    """

    beams: tuple[BeamCandidate, ...]
    rivals: tuple[Rival, ...]
    gammas: Mapping[str, int | None]
    width: int
    left_out: int = 0

    def kept(self, stop: str) -> list[Rival]:
        """The rivals that are kept at a stop, best first."""
        there = [rival for rival in self.rivals if rival.places[stop] is not None]
        return sorted(there, key=lambda rival: rival.places[stop] or 0)


def gamma_at(stop: str, width: int) -> int | None:
    """γ at a stop, for a width; None: the weighting is off."""
    if stop == "off":
        return None
    factor = stop.removesuffix("b")
    return int(factor or 1) * width if stop.endswith("b") else int(stop)


def gamma_setting(stop: str, width: int) -> str | int:
    """γ at a stop as a setting of a run."""
    gamma = gamma_at(stop, width)
    return "none" if gamma is None else gamma


def competition(searches: Mapping[str, Sequence[BeamStep]], width: int) -> Competition:
    """The competition from the beam search at every stop; each has two steps, the first of which
    is the same at all stops.

    Of each beam the first are shown, and whatever some stop keeps.
    """
    own = searches[OWN]
    beams = own[-2].kept
    there = {stop: _extensions(search[-1]) for stop, search in searches.items()}
    found: dict[tuple[int, ...], BeamCandidate] = {}
    for extensions in (there[OWN], *there.values()):
        found = extensions | found
    places: dict[tuple[int, ...], dict[str, int]] = {}
    for stop, search in searches.items():
        for place, one in enumerate(search[-1].kept, start=1):
            places.setdefault(one.path, {})[stop] = place
    gammas = {stop: gamma_at(stop, width) for stop in searches}
    shown = [one for one in found.values() if one.position < SHOWN or one.path in places]
    rivals = [
        Rival(
            one,
            one.parent or 0,
            {stop: there[stop].get(one.path) or _at(one, gamma) for stop, gamma in gammas.items()},
            {stop: places.get(one.path, {}).get(stop) for stop in gammas},
        )
        for one in shown
    ]
    ordered = sorted(rivals, key=lambda rival: (rival.beam, rival.found.position))
    last = own[-1]
    candidates = len(last.kept) + len(last.pruned) + len(last.others)
    return Competition(beams, tuple(ordered), gammas, width, candidates - len(ordered))


def _extensions(step: BeamStep) -> dict[tuple[int, ...], BeamCandidate]:
    """A step's candidates that are longer than the beams before, by their triples."""
    return {
        one.path: one
        for one in (*step.kept, *step.pruned)
        if one.parent is not None and not one.carried
    }


def _at(found: BeamCandidate, gamma: int | None) -> BeamCandidate:
    """A candidate as it is at another γ, of whose search the event has its score alone."""
    weight = diversity_weight(found.position, found.total, gamma)
    return replace(found, weight=weight, score=round(found.total * weight, 6))


def contest(
    variant: Callable[[RunChange], RunVariant], own: RunEvidence, page: LessonPage
) -> Competition:
    """The competition of a page's beam search; `variant` makes its run with another γ.

    Raises NotReady where the search had nothing to take in or is too long, and as `variant` does.
    """
    settings = {name.split(".")[-1]: (name, value) for name, value in own.settings}
    width = int(settings["width"][1])
    name, gamma = settings["gamma"]
    searches = {}
    for stop in STOPS:
        there = own
        if stop != OWN or gamma != "auto":
            change = RunChange({name: gamma_setting(stop, width)})
            there = RunEvidence(own.run, variant(change).events, own.gold)
        searches[stop] = _search(there, page)
    return competition(searches, width)


def _search(there: RunEvidence, page: LessonPage) -> Sequence[BeamStep]:
    search = beam_search(there.step(page.step).events) if page.step else None
    if problem := no_competition(search or ()):
        raise NotReady(problem)
    return search or ()


def no_competition(search: Sequence[BeamStep]) -> str:
    """Why the last step of a beam search is no competition over γ; "" where it is one.

    In a third step γ has chosen the beams already, so that each of its stops has others.
    """
    if len(search) < LENGTH:
        return NOTHING_COMPETES
    if len(search) > LENGTH:
        return (
            f"The beams of this run have {len(search)} triples, and stops of γ can be"
            f" compared in the second step alone. Set length = {LENGTH}."
        )
    return ""
