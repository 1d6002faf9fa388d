"""What is known of a round of chain: ranks before and after it, and what it found in words."""

from __future__ import annotations

from dataclasses import replace

from gear_app.events import OtherLink, Ranked
from gear_app.step_views import chain_round
from gear_app.views import rankings
from tests.views.chained import QUILL, changed, rounds, run, without_link


def test_the_heading_says_which_name_led_to_a_gold_passage() -> None:
    first, second = rounds()
    assert (
        chain_round.heading(first) == "One name, Ada Quill, leads from Harbour Lights to Ada Quill"
    )
    assert chain_round.heading(second) == "The links leave the first 5 as they were"
    assert chain_round.heading(rounds(gold=())[0]) == chain_round.heading(
        first
    )  # new among the first
    several = [replace(link, passages=3) for link in first.event.links]
    assert chain_round.heading(changed(first, links=tuple(several))) == (
        "Ada, which 3 of 8 passages name, leads from Harbour Lights to Ada Quill"
    )
    words = [replace(link, mention="film") for link in first.event.links]
    assert chain_round.heading(changed(first, links=tuple(words))).startswith(
        "One word, film, leads"
    )
    numbers = [replace(link, mention="1951") for link in first.event.links]
    assert chain_round.heading(changed(first, links=tuple(numbers))).startswith(
        "One number, 1951, "
    )
    assert chain_round.heading(changed(first, links=())) == (
        "Nothing that the first 3 passages name leads anywhere else"
    )


def test_only_what_a_link_leads_to_is_said_to_be_brought_by_links() -> None:
    """The same ranks, but no link leads to the passage that rose among the first."""
    assert chain_round.new_passages(run()) == (1, 0)
    alone = without_link(QUILL)
    assert chain_round.new_passages(alone) == (0, 1)
    assert chain_round.came_in(alone) == (
        "Links brought no passage into the first 5; one rose there without a link."
    )
    first, second = rounds((), alone)
    assert chain_round.heading(first) == (
        "The links bring nothing new into the first 5; 1 passage rose there without a link"
    )
    assert not any(shown.raised(QUILL) for shown in (first, second))
    other = [replace(e, ranking=e.ranking[::-1]) if isinstance(e, Ranked) else e for e in run()]
    assert chain_round.new_passages(other) is None  # another method ranked them anew
    assert chain_round.came_in(other) == ""


def test_the_final_ranking_says_by_what_name_a_passage_is_linked_and_from_where() -> None:
    ranked = next(event for event in run() if isinstance(event, Ranked))
    ranking, way = rankings.ranking_with_parts(ranked, run())
    links = chain_round.links_of(ranking, run())
    lines = rankings.lines(ranking, (), way=way, beside=rankings.Beside(links=links))["lines"]
    (quill,) = [one for one in lines if one["key"] == "quill"]
    words = next(part["words"] for part in quill["parts"] if part["kind"] == "link")
    assert words.endswith("· link: “Ada Quill”, which 2 of 8 passages name, from Harbour Lights")
    unlinked = [one for one in lines if one["id"] not in links]
    assert all("which" not in part["words"] for one in unlinked for part in one["parts"])
    assert chain_round.links_of(tuple(reversed(ranking)), run()) == {}


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
