"""What is known of a round of chain: ranks before and after it, and what it found in words."""

from __future__ import annotations

from dataclasses import replace

from gear_app.display import chain_round
from gear_app.trace.events import OtherLink
from tests.display.chained import QUILL, rounds


def test_a_link_is_named_by_the_whole_name_that_the_same_passages_hold() -> None:
    link = rounds()[0].links[QUILL]
    here = replace(link.here, text="The fair is for the Sparrow Fund of the school.")
    others = (
        OtherLink(link.start, "sparrow fund", 2),
        OtherLink(link.start, "the sparrow fund of", 3),  # others hold it too
        OtherLink(link.start + 1, "sparrow fund of the school", 2),  # of another start
        OtherLink(link.start, "harvest fund", 2),  # in another sentence
    )
    link = replace(link, mention="Fund", passages=2, here=here, others=others)
    assert chain_round.whole_name(link) == "Sparrow Fund"
    longer = replace(here, text="In der Straße İ the Sparrow Fund paid.")  # longer when folded
    assert chain_round.whole_name(replace(link, here=longer)) == "Sparrow Fund"
    assert chain_round.whole_name(replace(link, others=())) == "Fund"
