"""Where a reader's answer comes from."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple
from gear_app.trace.events import Event, Ranked, Read, Reasoned
from gear_app.trace.evidence import source_of
from tests import factories
from tests.display.drawn import plain
from tests.display.told import of_verb


def test_the_answer_leads_to_the_fact_that_names_it_and_its_step() -> None:
    events = factories.gear_run()
    source = source_of(events)
    assert source and source.fact and source.step is not None
    assert source.answer == "François Carpentier"
    assert source.answer in (source.fact.subject, source.fact.object)
    drawn = plain(of_verb(events, "rank").extra)
    assert drawn.startswith("François Carpentier")
    assert source.fact.predicate in drawn


def test_its_sentence_comes_from_the_reading() -> None:
    stored = factories.shown(0)
    triple = ProximalTriple(stored.subject, stored.predicate, stored.object, stored.id)
    events: list[Event] = [
        Read("gist", "q", (triple,), stored=(stored,)),
        Reasoned(True, "so", stored.object.upper()),
    ]
    source = source_of(events)
    assert source and source.stored == stored
    ranked = Ranked(factories.ranked(["marc"]), iteration=0)
    assert stored.sentence in plain(of_verb([*events, ranked], "rank").extra)
