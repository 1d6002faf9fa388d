"""What two runs of one question differ in: beams that enter and leave, passages that move, recall,
and the first step at which one does something else than the other.

Steps are compared by what they hand on (an order of passages, beams, facts, a query, a verdict),
not by scores: another weight changes every score and need not change anything that comes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis.metrics import recall_at, stands_for
from gear_app.analysis.paths import beam_of
from gear_app.analysis.rankings import final, keys, rank_of, within
from gear_app.analysis.timeline import Step, steps
from gear_app.events import (
    BeamStep,
    Chosen,
    Event,
    Gathered,
    Linked,
    RankedPassage,
    Read,
    Reasoned,
    Remembered,
    Rewrote,
    ShownTriple,
    Thought,
)
from gear_app.text import count

SHOWN = 10  # passages of either ranking whose moves are told


class BeamMove(NamedTuple):
    """A beam that one of two runs ended a search with and the other did not.

    `search` counts the searches from 0, `place` is the beam's there, from 1.
    """

    search: int
    iteration: int
    triples: tuple[ShownTriple, ...]
    place: int
    score: float


class PassageMove(NamedTuple):
    """A passage and its ranks before and after; None: it is not in that ranking."""

    key: str
    title: str
    before: int | None
    after: int | None
    gold: bool = False


class FirstDifference(NamedTuple):
    """The first step at which two runs part.

    Attributes:
        before: its number in the first run; None where that had ended
        after: its number in the second run; None where that has ended
        verb: its name
        iteration: the iteration it is in
        round: of links, as the step's
        told: what is another there, in one sentence
    """

    before: int | None
    after: int | None
    verb: str
    iteration: int
    round: int
    told: str


@dataclass(frozen=True, slots=True)
class RunDifference:
    """What is another in the second of two runs.

    Attributes:
        k: the line that passages cross
        entered: beams that only the second run has
        left: beams that only the first one has
        moves: of the first passages of either ranking, and of all gold, in the order of the first
        recall: at k, before and after; None without gold
        first: the first step that differs; None where none does
    """

    k: int
    entered: tuple[BeamMove, ...]
    left: tuple[BeamMove, ...]
    moves: tuple[PassageMove, ...]
    recall: tuple[float, float] | None
    first: FirstDifference | None

    @property
    def comes_in(self) -> tuple[PassageMove, ...]:
        """The passages that cross the line upwards, the highest first."""
        found = (m for m in self.moves if within(m.after, self.k) and not within(m.before, self.k))
        return tuple(sorted(found, key=lambda move: move.after or 0))

    @property
    def falls_out(self) -> tuple[PassageMove, ...]:
        """The passages that cross the line downwards, the highest first."""
        found = (m for m in self.moves if within(m.before, self.k) and not within(m.after, self.k))
        return tuple(sorted(found, key=lambda move: move.before or 0))


def run_difference(
    before: Sequence[Event], after: Sequence[Event], gold: Sequence[str] = (), k: int = 5
) -> RunDifference:
    """The difference of two runs of one question over the same passages, by their events."""
    first, second = final(before), final(after)
    recall = None
    if gold:
        recall = recall_at(keys(first), gold, k), recall_at(keys(second), gold, k)
    beams, others = list(_beams(before)), list(_beams(after))
    known = ({_identity(one) for one in side} for side in (beams, others))
    had, has = known
    return RunDifference(
        k,
        tuple(one for one in others if _identity(one) not in had),
        tuple(one for one in beams if _identity(one) not in has),
        _moves(first, second, gold, max(k, SHOWN)),
        recall,
        first_difference(steps(before), steps(after)),
    )


def _beams(events: Sequence[Event]) -> Iterator[BeamMove]:
    """The beams that every search of a run ended with, in order."""
    expansions = [event for event in events if event.is_of("expand")]
    for search, event in enumerate(expansions):
        last = len(event.beams) - 1
        for place, one in enumerate(event.beams[last].kept if event.beams else (), start=1):
            path = {each.triple.id: each.triple for each in beam_of(event, last, one)}
            yield BeamMove(search, event.iteration, tuple(path.values()), place, one.score)


def _identity(beam: BeamMove) -> tuple[int, tuple[int, ...]]:
    return beam.search, tuple(triple.id for triple in beam.triples)


def _moves(
    before: Sequence[RankedPassage],
    after: Sequence[RankedPassage],
    gold: Sequence[str],
    shown: int,
) -> tuple[PassageMove, ...]:
    titles = {one.key: one.name for one in (*before, *after)}
    wanted = dict.fromkeys(keys(before[:shown]) + keys(after[:shown]))
    for key in gold:
        ranked = (one for one in (*before, *after) if stands_for(one.key, key))
        wanted |= dict.fromkeys([next((one.key for one in ranked), key)])
    moves = [
        PassageMove(
            key,
            titles.get(key, key),
            rank_of(key, before),
            rank_of(key, after),
            any(stands_for(key, one) for one in gold),
        )
        for key in wanted
    ]
    last = len(before) + len(after) + 1
    return tuple(sorted(moves, key=lambda move: (move.before or last, move.after or last)))


def first_difference(before: Sequence[Step], after: Sequence[Step]) -> FirstDifference | None:
    """The first step that hands on something else; None where all hand on the same."""
    for one, other in zip(before, after, strict=False):
        if (one.verb, one.iteration, one.round) != (other.verb, other.iteration, other.round):
            told = f"The run goes on with {one.verb}, the variant with {other.verb}."
            return _at(one, other, other, told)
        told = _told(one, other)
        if told:
            return _at(one, other, other, told)
    if len(before) > len(after):
        extra = before[len(after)]
        return _at(extra, None, extra, f"The run goes on with {extra.verb}, the variant has ended.")
    if len(after) > len(before):
        extra = after[len(before)]
        return _at(None, extra, extra, f"The run has ended, the variant goes on with {extra.verb}.")
    return None


def _at(one: Step | None, other: Step | None, which: Step, told: str) -> FirstDifference:
    before, after = (step.number if step else None for step in (one, other))
    return FirstDifference(before, after, which.verb, which.iteration, which.round, told)


def _told(one: Step, other: Step) -> str:
    """What is another in the second of two steps of one verb; "" where nothing is."""
    pairs = zip(_substance(one), _substance(other), strict=False)
    for mine, theirs in pairs:
        told = _difference(mine, theirs)
        if told:
            return told
    mine_, theirs_ = len(_substance(one)), len(_substance(other))
    return f"There are {theirs_} parts to it instead of {mine_}." if mine_ != theirs_ else ""


def _substance(step: Step) -> list[Event]:
    """The events of a step that are its own: calls of a model come and go with what is kept."""
    return [event for event in step.events if event.verb]


def _difference(one: Event, other: Event) -> str:
    if one.is_of("expand") and other.is_of("expand"):
        return _of_beams(one.beams, other.beams)
    facts, others = _facts(one), _facts(other)
    if facts is not None and others is not None:
        return _of_facts(facts, others)
    if _word(one) and _word(other):
        return "" if _word(one) == _word(other) else _word(other)
    before, after = one.listed, other.listed
    if before or after:
        return _of_rankings(before, after)
    return "" if one.summary == other.summary else other.summary


def _facts(event: Event) -> list[str] | None:
    """The facts that an event hands on, best first; None where it hands on none."""
    match event:
        case Read(triples=facts) | Remembered(added=facts):
            return [fact.text for fact in facts]
        case Linked():
            return [link.triple.text if link.triple else "nothing" for link in event.links]
        case Chosen():
            return [fact.triple.text for fact in event.facts if fact.kept]
        case Gathered():
            return [fact.text for fact in event.facts]
    return None


def _word(event: Event) -> str:
    """The verdict or the next query that an event hands on, in a sentence; "" for others."""
    match event:
        case Reasoned():
            return f"The verdict is {event.verdict}."
        case Rewrote() | Thought():
            return f"The next query is: {event.query or 'none'}"
    return ""


def _of_facts(before: Sequence[str], after: Sequence[str]) -> str:
    gone = [text for text in before if text not in after]
    new = [text for text in after if text not in before]
    if gone and new:
        return f"“{new[0]}” takes the place of “{gone[0]}”."
    if gone:
        return f"“{gone[0]}” is not there any more."
    if new:
        return f"“{new[0]}” is there as well."
    return "" if list(before) == list(after) else "The same facts come in another order."


def _of_beams(one: Sequence[BeamStep], other: Sequence[BeamStep]) -> str:
    for number, (before, after) in enumerate(zip(one, other, strict=False), start=1):
        had = [candidate.path for candidate in before.kept]
        has = [candidate.path for candidate in after.kept]
        if had == has:
            continue
        new = next((c for c in after.kept if c.path not in had), None)
        gone = next((c for c in before.kept if c.path not in has), None)
        of = f"In step {number} of the beam search"
        if new and gone:
            return f"{of} “{new.triple.text}” stays instead of “{gone.triple.text}”."
        if new:
            more = count(len(has) - len(had), "more beam")
            return f"{of} {more} stay, the first with “{new.triple.text}”."
        if gone:
            fewer = count(len(had) - len(has), "beam")
            return f"{of} {fewer} fewer stay; “{gone.triple.text}” is the first to go."
        return f"{of} the same beams stay in another order."
    if len(one) != len(other):
        return f"The beam search has {count(len(other), 'step')} instead of {len(one)}."
    return ""


def _of_rankings(before: Sequence[RankedPassage], after: Sequence[RankedPassage]) -> str:
    for rank, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one.key != other.key:
            was = rank_of(other.key, before)
            came = f"up from {was}" if was else "which was not there"
            return f"{other.name} is at rank {rank}, {came}."
    if len(before) != len(after):
        return f"There are {count(len(after), 'passage')} instead of {len(before)}."
    return ""


def verdict(difference: RunDifference) -> str:
    """One sentence on who crossed the line, and what it costs."""
    k, out, in_ = difference.k, difference.falls_out, difference.comes_in
    gold_out, gold_in = ([m for m in side if m.gold] for side in (out, in_))
    if gold_out or gold_in:
        told = [_fall(move, k) for move in gold_out] + [_rise(move, k) for move in gold_in]
        return _sentence(told) + _recall(difference)
    if out or in_:
        told = [_rise(move, k) for move in in_[:2]] + [_fall(move, k) for move in out[:2]]
        return _sentence(told) + (_recall(difference) or _beams_told(difference))
    moves = [move for move in difference.moves if move.before != move.after]
    if moves:
        above = any(within(move.before, k) for move in moves)
        moved = (
            f"The first {k} are the same passages; some change places."
            if above
            else f"The first {k} keep their places; further down some passages change theirs."
        )
        return moved + (_recall(difference) or _beams_told(difference))
    if difference.first:
        return "The ranking stays as it was, though the way to it is another."
    return "Nothing changes: every step hands on the same."


def _sentence(parts: Sequence[str]) -> str:
    joined = ", and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
    return joined[0].upper() + joined[1:] + "."


def _fall(move: PassageMove, k: int) -> str:
    went = f"from {move.before} to {move.after}"
    if move.after is None:
        went = f"from {move.before} out of the ranking"
    return f"{_named(move)} falls out of the first {k}, {went}"


def _rise(move: PassageMove, k: int) -> str:
    came = f"from {move.before} to {move.after}"
    if move.before is None:
        came = f"at {move.after} from outside the ranking"
    return f"{_named(move)} comes into the first {k}, {came}"


def _named(move: PassageMove) -> str:
    return f"the gold passage {move.title}" if move.gold else move.title


def _recall(difference: RunDifference) -> str:
    if difference.recall is None:
        return ""
    before, after = difference.recall
    at = f"Recall@{difference.k}"
    if before == after:
        return f" {at} stays {after:.2f}."
    goes = "rises" if after > before else "falls"
    return f" {at} {goes} from {before:.2f} to {after:.2f}."


def _beams_told(difference: RunDifference) -> str:
    entered, left = len(difference.entered), len(difference.left)
    if not entered and not left:
        return ""
    return f" Of the beams {entered} are new and {left} are gone."
