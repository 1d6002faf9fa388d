from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gear_app.analysis import timeline
from gear_app.analysis.rankings import of_event
from gear_app.events import (
    Event,
    Fused,
    Ordered,
    PassagesLinked,
    Pooled,
    Ranked,
    RankedPassage,
    Retrieved,
    ScorePart,
    Started,
    Walked,
)
from gear_app.overrides import overridden
from gear_app.reader.readers import LocalReader
from gear_app.retrievers import answer, build, config_for
from gear_app.step_views import walk
from gear_app.step_views.blocks import MarkupBlock, SentenceBlock
from gear_app.step_views.step import view_of
from gear_app.steps.fuse import interleaved, put_first, rrf, terms
from gear_app.types import Ranking
from gear_app.views import rankings
from gear_app.views.share.run import RunShown
from tests import factories
from tests.small import QUESTION, SmallWorld
from tests.test_golden import script
from tests.views.compared import run


def test_the_legend_says_what_the_lists_are_where_they_are_of_one_sort() -> None:
    """A ranking of the first iteration has what its base found, to which nothing was added."""
    part = ScorePart("iteration 1", 1, 0.5)
    line = replace(factories.ranked(["clifton"])[0], parts=(part,))
    (entry,) = rankings.lines((line,), ())["legend"]
    assert entry == {"kind": "kept", "words": "rankings of the iterations"}
    both = replace(line, parts=(part, ScorePart("beams", 1, 0.5)))
    (entry,) = rankings.lines((both,), ())["legend"]
    assert entry["words"] == "what the method added"


def test_the_legend_names_what_stands_in_the_arithmetic_alone() -> None:
    """In a pool the greatest score has the bar; a lesser one is told when the line is opened."""
    parts = (ScorePart("query 1", 1, 1.0, 3.0), ScorePart("query 2", 1, 0.4, 2.0))
    line = replace(factories.ranked(["clifton"])[0], parts=parts)
    data = rankings.lines((line,), (), way="greatest")
    assert [part["kind"] for part in data["lines"][0]["bar"]] == ["passage"]
    assert data["legend"] == [
        {"kind": "passage", "words": "base search"},
        {"kind": "kept", "words": "later queries"},
    ]


def test_lines_stop_at_fifteen_and_count_the_others() -> None:
    ranking = factories.ranked(list(factories.TEXTS)) + factories.ranked(list(factories.TEXTS))
    data = rankings.lines(ranking, ())
    assert (len(data["lines"]), data["more"]) == (15, 9)
    assert rankings.lines((), ()) == {"lines": [], "more": 0, "legend": []}


@pytest.mark.parametrize("fusion", ["rrf", "interleaved", "gist_first"])
def test_every_rank_of_the_final_ranking_opens_into_what_it_is_made_of(
    small: SmallWorld, fusion: str
) -> None:
    """In the list of a gist triple, in an iteration's, and in that of the gist memory."""
    events = gear_events(small, fusion)
    last = events[-1]
    assert isinstance(last, Ranked)
    found, way = rankings.ranking_with_parts(last, events)
    lines = rankings.lines(found, (), way=way, lists=rankings.part_lists(events))["lines"]
    opened = {part["words"]: part["within"] for line in lines for part in line["parts"]}
    closed = [words for words, within in opened.items() if not within]
    assert opened
    assert all("number" in words for words in closed), "only the place of what goes first is all"
    linked = next(event for event in events if isinstance(event, PassagesLinked))
    first = linked.ranking[0]
    if fusion == "interleaved":
        opened = {one["words"]: one["within"] for within in opened.values() for one in within}
    within = next(within for words, within in opened.items() if "rank 1 in gist 1" in words)
    assert [one["words"] for one in within] == [
        f"1/(1 + {part.rank}) = {part.value:.6f} · rank {part.rank} in {part.source}"
        for part in first.parts
    ]


def gear_events(small: SmallWorld, fusion: str = "rrf") -> list[Event]:
    config = overridden(config_for("gear"), {"fusion": fusion, "max_iterations": 2})
    events: list[Event] = [Started(QUESTION, "gear", (("max_iterations", "2"),))]
    method = build("gear", small.index, script(), small.embedder, config)
    answer(method, small.index, QUESTION, 8, events.append)
    return events


def test_a_run_stored_without_these_lists_is_drawn_without_them() -> None:
    events = factories.gear_run()
    last = timeline.ranked(events)
    assert last
    lines = rankings.lines(last.ranking, (), lists=rankings.part_lists(events))["lines"]
    gist = [part for line in lines for part in line["parts"] if part["list"] == "gist"]
    assert gist and not any(part["within"] for part in gist)


@pytest.mark.parametrize("method", ["hipporag", "ircot:hipporag"])
def test_a_walks_score_opens_into_probabilities_times_triples(
    small: SmallWorld, method: str
) -> None:
    events: list[Event] = []
    answer(
        build(method, small.index, script(), small.embedder),
        small.index,
        QUESTION,
        8,
        events.append,
    )
    last = events[-1]
    assert isinstance(last, Ranked)
    found, way = rankings.ranking_with_parts(last, events)
    lines = rankings.lines(found, (), way=way, lists=rankings.part_lists(events))["lines"]
    parts = lines[0]["parts"] if way == "walk" else lines[0]["parts"][0]["within"]
    walked = next(event for event in events if isinstance(event, Walked))
    told = next(one for one in walked.passages if one.id == lines[0]["id"])
    sums = walk.arithmetic(walked, told)
    assert parts and [part["words"].rsplit(" = ", 1)[1] for part in parts] == [
        value for _, value in sums[:-1]
    ]
    assert {part["kind"] for part in parts} == {"kept"}, "whatever an entity is called"
    if way == "walk":
        assert lines[0]["total"] == f"= {sums[-1][1]}"


@pytest.mark.parametrize("method", ["ircot", "bdtr", "griever", "ircot:hipporag", "bdtr:chain"])
def test_every_rank_in_a_pool_or_of_a_hop_opens_too(small: SmallWorld, method: str) -> None:
    events: list[Event] = []
    made = build(method, small.index, script(), small.embedder)
    answer(made, small.index, QUESTION, 8, events.append)
    pooled = [e for e in events if isinstance(e, Pooled | Fused)][-1]
    lists = rankings.part_lists(events)
    parts = [part for line in pooled.ranking for part in line.parts]
    assert parts and {part.source for part in parts} <= lists.keys()
    assert all(
        line.id in lists[part.source].passages for line in pooled.ranking for part in line.parts
    )


def test_another_constant_is_shown_as_it_was() -> None:
    from gear_app.events import ScorePart

    assert (
        rankings.term(ScorePart("beams", 3, round(1 / 13, 6)))
        == "1/(10 + 3) = 0.076923 · rank 3 in beams"
    )


def test_the_final_ranking_takes_its_parts_from_the_fusion_with_the_same_order() -> None:
    events = factories.gear_run()
    last = timeline.ranked(events)
    assert last
    bare = Ranked(
        tuple(p.__class__(p.id, p.key, p.title, p.score) for p in last.ranking), iteration=0
    )
    assert rankings.ranking_with_parts(bare, events) == (last.ranking, "sum")
    other = Ranked(bare.ranking[::-1], iteration=0)
    assert rankings.ranking_with_parts(other, events) == (other.ranking, "sum")


def test_bm25_and_dense_are_told_apart() -> None:
    ranking = factories.ranked(["clifton"], dense=["clifton"], bm25=["clifton"])
    (line,) = rankings.lines(ranking, ())["lines"]
    assert {part["kind"] for part in line["parts"]} == {"passage", "words"}
    assert line["total"] == "= 0.032786"  # the terms as stored, 1/61 twice, add up


@pytest.mark.parametrize("method", ["hybrid", "gear", "sync_ge", "hipporag", "ircot:hipporag"])
def test_what_is_shown_of_a_sum_adds_up_to_the_last_digit(small: SmallWorld, method: str) -> None:
    """Each term is rounded, and so is the score; 0.015152 + 0.015385 is not 0.030536."""
    events: list[Event] = []
    reader = LocalReader(small.embedder)
    made = build(method, small.index, reader, small.embedder)
    answer(made, small.index, QUESTION, 8, events.append)
    sums = [
        (
            [re.findall(r"0\.\d{6}", part["words"])[0] for part in line["parts"]],
            line["total"].removeprefix("= "),
        )
        for event in events
        if rankings.way_of(event) == "sum"
        for line in rankings.lines(of_event(event), ())["lines"]
        if line["parts"]
    ]
    for event in events:
        for passage in event.passages if isinstance(event, Walked) else ():
            *terms, (_, score) = walk.arithmetic(event, passage)
            sums.append(([value for _, value in terms], score))
    assert sums
    for shown, total in sums:
        assert sum(map(Decimal, shown)) == Decimal(total)


def test_a_score_whose_terms_are_not_all_there_stays_as_it_is() -> None:
    assert rankings.rounded_sum([0.016393, 0.016393], 0.032787) == 0.032786
    assert rankings.rounded_sum([0.016393], 0.032787) == 0.032787
    assert rankings.rounded_sum([], 0.5) == 0.5


def ordered(fusion: str) -> Ordered:
    lists = {"iteration 1": Ranking.of([(1, 0.9), (2, 0.8)]), "gist 1": Ranking.of([(2, 0.7)])}
    if fusion == "interleaved":
        found, parts = interleaved(lists)
    else:
        found, parts = put_first([2], rrf(list(lists.values())), terms(lists))
    shown = tuple(RankedPassage(i, f"p{i}", "", score, parts[i]) for i, score in found.hits)
    return Ordered("final", tuple(lists), shown, fusion)  # type: ignore[arg-type]


def test_turns_are_told_as_places_and_not_as_a_sum() -> None:
    event = ordered("interleaved")
    lines = rankings.lines(event.ranking, (), ("A is B",), way=rankings.way_of(event))["lines"]
    assert [line["total"] for line in lines] == [
        "= 1/1: its place, not a sum",
        "= 1/2: its place, not a sum",
    ]
    assert [part["words"] for part in lines[1]["parts"]] == [
        "rank 2 in iteration 1, after it was there already",
        "rank 1 in gist 1: A is B, whose turn brought it here",
    ]
    assert [(part["kind"], part["value"]) for part in lines[1]["bar"]] == [("gist", 0.5)]


def test_what_goes_first_has_a_whole_number_in_its_sum_and_a_full_bar() -> None:
    event = ordered("gist_first")
    lines = rankings.lines(event.ranking, (), way=rankings.way_of(event))["lines"]
    assert [(line["key"], line["share"]) for line in lines] == [("p2", 1.0), ("p1", 1.0)]
    assert lines[0]["total"] == "= 1.032522"
    assert [part["words"] for part in lines[0]["parts"]] == [
        "1/(60 + 2) = 0.016129 · rank 2 in iteration 1",
        "1/(60 + 1) = 0.016393 · rank 1 in gist 1",
        "1.000000 · number 1 of the passages that gist triples come from",
    ]
    assert [part["value"] for part in lines[0]["bar"]] == [1.0]
    assert [part["value"] for part in lines[1]["bar"]] == [0.016393]


def test_where_words_were_weighed_as_in_lucene_the_step_and_the_end_say_so() -> None:
    found = (RankedPassage(1, "lorn", "Lorn", 0.7),)
    plain = Retrieved("windy Lorn", "bm25", found)
    for event in (plain, replace(plain, lucene=True)):
        events = [event, Ranked(found, iteration=0)]
        steps = timeline.steps(events)
        assert [step.verb for step in steps] == ["retrieve", "rank"]
        for step in steps:
            scene = RunShown(run("shown", "bm25"), events, {}).scene(step, steps)
            said = SentenceBlock(rankings.WEIGHED_AS_IN_LUCENE) in view_of(scene).blocks
            assert said == event.lucene


@pytest.mark.parametrize(
    ("name", "constant", "told"),
    [
        ("gear", 1, "1/(1 + rank)"),
        ("gear", 7, "1/(7 + rank)"),
        ("gear", 60, ""),
        ("griever", 3, "1/(3 + rank)"),
    ],
)
def test_a_last_fusion_says_that_its_constant_is_not_the_papers(
    small: SmallWorld, name: str, constant: int, told: str
) -> None:
    config = overridden(config_for(name), {"fusion_constant": constant})
    events: list[Event] = []
    method = build(name, small.index, LocalReader(small.embedder), small.embedder, config)
    answer(method, small.index, QUESTION, 5, events.append)
    ranked = next(event for event in events if isinstance(event, Ranked))
    found, way = rankings.ranking_with_parts(ranked, events)
    note = rankings.constant_note(found, way)
    assert told in note and bool(told) == bool(note)
    steps = timeline.steps(events)
    scene = RunShown(run("a", name), events, {}).scene(steps[-1], steps)
    drawn = [block.html for block in view_of(scene).blocks if isinstance(block, MarkupBlock)]
    assert [told in one for one in drawn if "papers’ sources" in one] == [True] * bool(told)
