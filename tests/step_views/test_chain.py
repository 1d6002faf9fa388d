from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gear_app.analysis import gold as golds
from gear_app.analysis.paths import LinkPath
from gear_app.events import Retrieved
from gear_app.step_views import chain, chain_score
from gear_app.step_views.chain_round import Round
from gear_app.types import Span
from gear_app.views.origin_words import origin_words
from tests.views.chained import MIRA, QUILL, changed, rounds, run, without_link

EVIL = "<script>alert('q')</script>"


def cards(shown: Round) -> dict[str, dict[str, object]]:
    return {card["id"]: card for of in chain.graph(shown)["columns"] for card in of["cards"]}


def test_what_rose_without_a_link_is_neither_blue_nor_pink() -> None:
    first, second = rounds((), without_link(QUILL))
    assert cards(second)["c2"]["kind"] == "plain"
    assert ("muted-text", "risen without a link") in chain.legend(second)
    assert ("muted-text", "risen without a link") not in chain.legend(rounds(gold=())[1])
    assert chain.best_card(second) != f"c{QUILL}"
    assert QUILL not in {link.id for link in first.event.links}


def test_a_line_carries_the_name_and_is_wide_where_few_have_it() -> None:
    data = chain.graph(rounds()[0])
    lines = {(line["from"], line["to"]): line for line in data["links"]}
    quill = lines["c1", "c2"]
    assert (quill["label"], quill["kind"], quill["dashed"]) == ("Ada Quill", "gold", False)
    assert lines["c5", "c6"]["dashed"]
    assert "quiet" not in quill
    assert quill["strength"] > lines["c1", "c5"]["strength"]  # 2 passages hold it, and 3
    assert lines["c5", "c6"]["strength"] < quill["strength"]  # both are of 2: a near miss is thin
    assert chain.rarity(2) == 1
    assert chain.rarity(8) == 0.25


def test_near_misses_are_few_but_gold_ones_are_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "MISSES", 1)
    right = chain.graph(rounds()[1])["columns"][1]
    assert right["order"] == ["rule", "c6", f"c{MIRA}"]
    assert right["more"] == 1


def test_the_card_to_open_first_is_a_gold_passage_that_links_raised() -> None:
    first, second = rounds()
    assert chain.best_card(first) == f"c{QUILL}"
    assert chain.best_card(second) == f"c{QUILL}"  # a start by now
    assert chain.best_card(rounds(gold=())[0]) == f"c{QUILL}"
    assert chain.best_card(rounds(gold=("winter",))[0]) == "c5"
    assert chain.passage_of(first, f"c{QUILL}") == QUILL
    assert chain.passage_of(first, "c99") is None


ARITHMETIC: Mapping[str, object] = {"__builtins__": {}, "ln": math.log}


def computed(words: str) -> float:
    """What an expression as it is shown comes to."""
    written = words.replace("×", "*").replace("−", "-").partition(", ")[0]
    assert re.fullmatch(r"[\dln.()+\-*/ ]+", written)
    return float(eval(written, dict(ARITHMETIC)))


@pytest.mark.parametrize("number", [0, 1])
def test_every_number_of_a_score_comes_to_what_the_event_has(number: int) -> None:
    shown = rounds()[number]
    for passage in shown.event.ranking:
        terms = chain_score.terms(shown, passage.id)
        assert [term.name for term in terms] == [one.term for one in shown.event.weights]
        for term in terms:
            assert computed(term.how) == pytest.approx(term.value, abs=1e-6), term
            assert term.value * term.weight == pytest.approx(term.part, abs=1e-6)
        assert sum(term.part for term in terms) == pytest.approx(passage.score, abs=5e-6)
        drawn = chain_score.score(shown, passage.id)
        for term in terms:
            assert term.how in drawn
            assert f"{term.value:.6f} × {term.weight:g}".replace("-", "−") in drawn


def test_the_question_is_covered_in_three_states_with_the_shares_of_its_mentions() -> None:
    first, _ = rounds()
    drawn = chain_score.covered(first, first.links[QUILL])
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
    all_of_it = replace(link.here, covers=tuple(share))
    assert ">0.000000</mark> in neither" in chain_score.covered(
        first, replace(link, here=all_of_it, covered=0.999998, cover=0.0)
    )


def test_words_of_passages_are_never_markup() -> None:
    first, _ = rounds()
    link = first.links[QUILL]
    sentence = replace(link.there, text=EVIL, marks=(Span(0, 8),))
    hostile = replace(link, mention=EVIL, here=sentence, there=sentence)
    ranking = [replace(one, title=EVIL) for one in first.event.ranking]
    shown = changed(first, links=(hostile,), ranking=tuple(ranking), query=EVIL)
    drawn = chain_score.explained(shown, QUILL)
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_a_rank_that_only_the_terms_tell_is_the_first_rank() -> None:
    shown = [
        replace(event, ranking=event.ranking[:3]) if isinstance(event, Retrieved) else event
        for event in run()
    ]
    (quill,) = golds.gold_passages(shown, ("quill",))
    assert quill.first == 6
    assert isinstance(quill.origin.way, LinkPath)


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
    assert origin_words(passage.origin).endswith("only 2 of 8 passages do, at rank 8")
