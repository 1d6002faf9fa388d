from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from gear_app.core.types import Span
from gear_app.display import chain
from gear_app.display.markup import NO_NAMES
from gear_app.display.origin_words import origin_words
from gear_app.display.step import telling
from gear_app.display.telling import Telling
from gear_app.trace import gold as golds
from gear_app.trace.events import Event, Retrieved
from tests.display.chained import GOLD, MIRA, QUILL, changed, rounds, run
from tests.display.told import scenes

EVIL = "<script>alert('q')</script>"


def follows(events: Sequence[Event] | None = None, gold: Sequence[str] = GOLD) -> list[Telling]:
    """The rounds of links as they are told."""
    events = run() if events is None else events
    return [telling(one) for one in scenes(events, gold) if one.step.verb == "follow"]


def test_a_line_is_wide_where_few_have_the_name_that_its_card_gives() -> None:
    first = follows()[0]
    lines = {(line.start, line.end): line for line in first.lines}
    quill = lines["c1", "c2"]
    assert (quill.kind, quill.dashed, quill.quiet) == ("gold", False, False)
    assert lines["c5", "c6"].dashed
    assert quill.strength > lines["c1", "c5"].strength  # 2 passages hold it, and 3
    assert lines["c5", "c6"].strength < quill.strength  # both are of 2: a near miss is thin
    card = next(one for column in first.columns for one in column.cards if one.id == "c2")
    assert ("Ada Quill", "mark") in card.pieces


def test_near_misses_are_few_but_gold_ones_are_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "MISSES", 1)
    right = follows()[1].columns[1]
    assert [card.id for card in right.cards] == ["c6", f"c{MIRA}"]
    assert right.more == 1


def test_the_card_to_open_first_is_a_gold_passage_that_links_raised() -> None:
    first, second = follows()
    assert (first.opens, second.opens) == (f"c{QUILL}", f"c{MIRA}")
    assert follows(gold=())[0].opens == f"c{QUILL}"
    assert follows(gold=("winter",))[0].opens == "c5"


ARITHMETIC: Mapping[str, object] = {"__builtins__": {}, "ln": math.log}


@pytest.mark.parametrize("number", [0, 1])
def test_every_number_of_a_score_comes_to_what_the_event_has(number: int) -> None:
    shown = rounds()[number]
    for passage in shown.event.ranking:
        *lines, (_, total) = chain.arithmetic(shown, passage.id)
        for (words, value), part in zip(lines, passage.parts, strict=True):
            *formulas, product = words.partition(": ")[2].replace("×", "*").split(" = ")
            for expected, written in [*((part.score, f) for f in formulas), (part.value, product)]:
                assert re.fullmatch(r"[\dln.()+*/ ]+", written)
                assert eval(written, dict(ARITHMETIC)) == pytest.approx(expected, abs=5e-6), words
            assert float(value) == part.value
        assert float(total) == pytest.approx(passage.score, abs=5e-6)


def test_the_question_is_covered_in_three_states_with_the_shares_of_its_mentions() -> None:
    first, _ = rounds()
    drawn = chain.covered(first, first.links[QUILL], NO_NAMES)
    assert '<mark class="gear-had">Harbour</mark> <mark class="gear-had">Lights</mark>' in drawn
    assert '<mark class="gear-fresh">born</mark>' in drawn
    assert '<mark class="gear-neither">director</mark>' in drawn
    shares = re.findall(r'<mark class="gear-\w+">(\d\.\d+)</mark>', drawn)
    link = first.links[QUILL]
    share = {mention.name: mention.share for mention in first.event.mentions}
    had, fresh = set(link.here.covers), set(link.there.covers) - set(link.here.covers)
    for drawn_share, names in zip(
        map(float, shares), (had, fresh, share.keys() - had - fresh), strict=True
    ):
        assert drawn_share == pytest.approx(
            sum(share[name] for name in names & share.keys()), abs=5e-6
        )


def test_words_of_passages_are_never_markup() -> None:
    first, _ = rounds()
    link = first.links[QUILL]
    sentence = replace(link.there, text=EVIL, marks=(Span(0, 8),))
    hostile = replace(link, mention=EVIL, here=sentence, there=sentence)
    ranking = [replace(one, title=EVIL) for one in first.event.ranking]
    shown = changed(first, links=(hostile,), ranking=tuple(ranking), query=EVIL)
    drawn = chain.pair(shown, hostile, NO_NAMES) + chain.covered(shown, hostile, NO_NAMES)
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_a_passage_that_links_bring_nearer_but_not_among_the_first_opens_at_the_greatest_gain() -> (
    None
):
    """Ranks 12, 9 and 8: the first round did more, and the words tell where it ended."""
    first, second = (one.event for one in rounds())
    quill = next(one for one in first.ranking if one.id == QUILL)
    others = [replace(quill, id=90 + n, key=f"other {n}", parts=()) for n in range(8)]
    base = replace(quill, parts=(replace(quill.parts[0], rank=12), *quill.parts[1:]))
    moved = [
        replace(first, ranking=(*others, base)),
        replace(second, ranking=(*others[1:], base, others[0])),
    ]
    found = next(event for event in run() if isinstance(event, Retrieved))
    events = [replace(found, ranking=found.ranking[:1]), *moved]
    (passage,) = golds.gold_passages(events, ("quill",))
    assert (passage.first, passage.final, passage.step) == (12, 8, 1)
    assert origin_words(passage.origin).endswith("2 of 8 passages do, at rank 8")
