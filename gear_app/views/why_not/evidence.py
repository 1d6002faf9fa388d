"""What a step's outcome rests on, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gear_app.analysis.why_not.model import (
    Asked,
    Evidence,
    ExtractedTriples,
    Leading,
    ListPlace,
    Margin,
    Matching,
    MentionReach,
    Neighbours,
    PoolVerdict,
    PrunedCandidate,
    Seeds,
)
from gear_app.text import count, cut
from gear_app.views.labels import base_name

if TYPE_CHECKING:
    pass


SHOWN = 2  # facts of a step
WORDS = 90  # characters of a fact or a query


def evidence_words(evidence: Evidence | None) -> str:
    """What a step's outcome rests on, in one line; "" where there is nothing to say."""
    match evidence:
        case None:
            return ""
        case ListPlace():
            return _place(evidence)
        case ExtractedTriples(triples):
            return _some(count(len(triples), "triple"), triples)
        case Leading(number, facts, because):
            return _leading(number, facts, because)
        case Neighbours():
            return _neighbours(evidence)
        case PrunedCandidate():
            return _cut(evidence)
        case Margin(place, score, needed):
            missing = f"{score:.4f}, the passage at {place.cut} has {needed:.4f}"
            return f"rank {place.rank} in {base_name(place.of)}; score {missing}"
        case Seeds(entities):
            return _seeds(entities)
        case Matching():
            return _matching(evidence)
        case MentionReach():
            return _mentions(evidence)
        case Asked():
            return _asked(evidence)
        case PoolVerdict(rank, shown, chosen, chain):
            because = f"; the chain: {cut(' → '.join(chain), WORDS)}" if chain else ""
            saw = f"the verifier saw {shown} and chose {chosen}"
            return f"rank {rank} in the pool; {saw}, not this one{because}"


def _place(place: ListPlace) -> str:
    of = base_name(place.of)
    if place.rank is None:
        return f"not among the first {place.cut} of {of}" if place.unknown else f"not in {of}"
    if place.deeper:
        return f"{of} has it at rank {place.rank} only with more candidates than were taken"
    if place.rank <= place.cut:
        return f"rank {place.rank} in {of}"
    then = f"links start from the first {place.cut}"
    if not place.starts:
        then = f"the first {place.cut} go on"
    return f"{of} ranks it {place.rank}; {then}"


def _some(number: str, facts: Sequence[str]) -> str:
    shown = "; ".join(cut(fact, WORDS) for fact in facts[:SHOWN])
    more = f"; and {len(facts) - SHOWN} more" if len(facts) > SHOWN else ""
    return f"{number}: {shown}{more}" if shown else number


def _leading(number: int, facts: Sequence[str], because: str) -> str:
    if not number:
        return "no fact at all"
    if facts:
        return _some(f"{len(facts)} of {count(number, 'fact')} leads to it", facts)
    instead = f"; linked to: {cut(because, WORDS)}" if because else ""
    return f"{count(number, 'fact')}, none from it or about it{instead}"


def _neighbours(found: Neighbours) -> str:
    match found.why:
        case "short":
            return f"a beam of the last step ends in “{found.shared}”, one triple short of it"
        case "limit":
            return f"a beam ends in “{found.shared}”, which has nearer neighbours than its triples"
        case "same":
            return f"what it says of “{found.shared}” was in a beam already, from another passage"
        case "far":
            near = found.nearest
            if near is None:
                return "no beam ends in a name of its triples"
            pair = f"“{near.reached}” and its “{near.own}” (cosine {near.cosine:.2f})"
            return f"no beam ends in a name of its triples; the nearest are {pair}"


def _cut(found: PrunedCandidate) -> str:
    if not found.place:
        return f"its beam was kept in step {found.step - 1}; in the next none of its extensions was"
    what = "a triple that leads to it" if found.leads else "its best triple"
    kept = f"; the last that was kept has {found.survivor.score:.4f}" if found.survivor else ""
    place = f"place {found.place} of {found.size} in step {found.step}"
    return f"{what}: {place}, score {found.score:.4f}{kept}"


def _seeds(entities: Sequence[tuple[str, str]]) -> str:
    if not entities:
        return "no entity was found in the question"
    words = [f"{text} = {node}" if node else f"{text} (left out)" for text, node in entities]
    return cut(", ".join(words), 2 * WORDS)


def _matching(found: Matching) -> str:
    if not found.fact:
        return f"{count(found.number, 'match', 'matches')}, none leads to it"
    return f"{cut(found.fact, WORDS)}: score {found.score:.3f}, sure from {found.sure:.3f}"


def _mentions(found: MentionReach) -> str:
    limit = f"at most {found.limit} passages may hold one that links"
    if found.nearest is None:
        none = "it shares no mention with a passage that links start from"
        return f"{none}, beside the question’s own; {limit}"
    one = found.nearest
    return f"it shares “{one.mention}” with {one.start}, which {one.holders} hold; {limit}"


def _asked(found: Asked) -> str:
    ranks = [f"{one.rank}" if one.rank else "–" for one in found.queries]
    stopped = f"; the run stopped: {found.stopped}" if found.stopped else ""
    return f"its rank in what {count(len(ranks), 'query finds', 'queries find')}: " + (
        f"{', '.join(ranks)}{stopped}"
    )
