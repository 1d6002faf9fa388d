"""What the evidence of runs on the demo says: one of three headings, a name that both quoted
sentences have, and what it does not have.
"""

from __future__ import annotations

import html
import re

import pytest

from gear_app.display import evidence
from gear_app.trace.events import EvidencePassage, NameLead
from gear_app.trace.evidence import answer_of, evidence_of, unanswered
from gear_app.trace.rankings import keys, title_of
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

APART = 3  # every third question of the demo
NO_NAME = re.compile(r"@|^[^A-Z\d]|^(January|February|March|April|May|June|July|August|September|October|"
                     r"November|December)( \d{4})?$")  # fmt: skip
MATCH = re.compile(r"(Strong|Fair|Weak) match: joined by|No two of the first")


def is_quoted(name: str, passage: EvidencePassage | NameLead) -> bool:
    """Whether the sentence of a passage has a name; else its title has it, where it is marked."""
    quoted = passage.excerpt[slice(*passage.sentence)]
    return any(name.casefold() in text.casefold() for text in (quoted, passage.name))


@pytest.mark.parametrize("method", ["chain", "hybrid", "gear"])
def test_evidence_is_joined_by_a_name_that_it_quotes_and_says_what_it_lacks(
    demo: Workspace, method: str
) -> None:
    for question in demo.collections["demo"].questions()[::APART]:
        trace = RunTrace(demo.runs.events(demo.ask(question.question, "demo", method).run))
        found, head = evidence_of(trace), evidence.heading(trace)
        assert found is not None and trace.start is not None
        assert head.title.startswith(("Answer: ", evidence.PAIR, evidence.NOTHING))
        assert not re.search(r"%|in 100", head.note)
        assert not head.note or head.title.startswith("Answer: ") or MATCH.match(head.note)
        for link in found.links[:1]:
            assert not NO_NAME.search(link.mention)
            for passage in found.pair:
                assert is_quoted(link.mention, passage)
        for lead in found.leads:
            assert is_quoted(lead.mention, lead)
        if answers := [passage for passage in found.passages if passage.answers]:
            assert answer_of(trace) in answers[0].excerpt[slice(*answers[0].sentence)]
            assert answers[0] in head.passages
        card = html.unescape(evidence.card(trace))
        first = (trace.start.hybrid or keys(trace.searches[0].ranking))[0]
        nearest = f"Nearest to your words: {title_of(trace, first)}"
        assert (nearest in card) == (first not in [passage.key for passage in found.pair])
        memory = [fact for iteration in trace.memory for fact in iteration.added]
        parts = [fact.text for fact in memory if fact.object not in fact.predicate]
        if unanswered(trace) and parts:
            assert f"One part was found: “{parts[0]}”." in card
