"""What a run found, as its events tell it, and the names that somebody followed from there."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Event, EvidenceFound, NameLead, WentOn


def evidence_of(events: Sequence[Event]) -> EvidenceFound | None:
    """The evidence of a run; None of one that has not ended, that found nothing, or that was made
    before there was any.
    """
    found = next((one for one in reversed(events) if isinstance(one, EvidenceFound)), None)
    return found if found and found.passages else None


def trail_of(events: Sequence[Event]) -> tuple[NameLead, ...]:
    """The leads that somebody followed from what was found, in order."""
    found = evidence_of(events)
    last = next((one for one in reversed(events) if isinstance(one, WentOn)), None)
    trail: list[NameLead] = []
    for id_ in last.trail if found and last else ():
        trail += [lead for lead in leads_from(found, trail) if lead.id == id_][:1]
    return tuple(trail)


def leads_from(found: EvidenceFound | None, trail: Sequence[NameLead]) -> list[NameLead]:
    """Where the names of the first passages, or of the last of a trail, lead on, best first."""
    if found is None:
        return []
    here = {trail[-1].id} if trail else {one.id for one in found.passages}
    there = {one.id for one in trail}
    return [lead for lead in found.leads if lead.start in here and lead.id not in there]
