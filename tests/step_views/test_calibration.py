from __future__ import annotations

from dataclasses import replace

from gear_app.events import Chained, Promoted, Verified
from gear_app.step_views import calibration
from tests import rivals
from tests.factories import GOLD, KEYS
from tests.views.drawn import plain

EVENTS = rivals.bdtr_run()
CHAINED = next(event for event in EVENTS if isinstance(event, Chained))
VERIFIED = next(event for event in EVENTS if isinstance(event, Verified))
PROMOTED = next(event for event in EVENTS if isinstance(event, Promoted))
MARC = KEYS.index("marc") + 1


def test_the_chain_has_arrows_and_its_facts() -> None:
    drawn = calibration.chain(CHAINED)
    assert drawn.count("→ <span") == 3
    assert "Isambard Kingdom Brunel was the only son of" in plain(drawn)
    assert "<script" not in calibration.chain(replace(CHAINED, nodes=(rivals.EVIL,)))


def test_no_chain_is_one_sentence() -> None:
    assert "found no chain" in calibration.chain(Chained(()))


def test_the_verified_stand_strongest_first_with_their_reasons() -> None:
    drawn = calibration.verified_passages(VERIFIED, GOLD)
    assert "Of the pool's first 11 passages, 3 support the chain" in plain(drawn)
    assert (
        plain(drawn).index("Clifton Suspension Bridge")
        < plain(drawn).index("Isambard Kingdom Brunel")
        < plain(drawn).index("★ Marc")
    )
    assert "his father" in drawn
    assert "&lt;script&gt;" in drawn
    assert "name no passage, or one again: 40" in drawn
    assert "Isambard" in calibration.verified_passages(
        replace(VERIFIED, reasons=()), ()
    )  # a reader need not give reasons


def test_promoted_lines_are_thick_gold_is_green_and_what_is_cut_is_dashed() -> None:
    data = calibration.slope(PROMOTED, ("marc",))
    cards = {card["id"]: card for card in data["columns"][1]["cards"]}
    strength = {link["to"]: link["strength"] for link in data["links"]}
    assert cards[f"a{MARC}"]["kind"] == "gold"
    assert cards["a1"]["kind"] == "kept"
    assert strength["a1"] > strength[f"a{KEYS.index('telford') + 1}"]
    assert not cards[f"a{MARC}"]["dashed"]
    assert cards[f"a{KEYS.index('rouen') + 1}"]["dashed"]


def test_a_card_is_a_passage_on_either_side() -> None:
    assert (
        calibration.passage_of(PROMOTED, f"a{MARC}")
        == calibration.passage_of(PROMOTED, f"b{MARC}")
        == MARC
    )
    assert calibration.passage_of(PROMOTED, "a99") is None
    assert calibration.best_card(PROMOTED, ("marc",)) == f"a{MARC}"
    assert calibration.best_card(PROMOTED, ()) == "a1"


def test_a_score_at_the_threshold_is_above_it() -> None:
    last = PROMOTED.kept[-1]
    ranking = tuple(
        replace(p, score=PROMOTED.threshold) if p.id == last else p for p in PROMOTED.ranking
    )
    assert "2 at or above the threshold, 0 to make up" in calibration.cut_sentence(
        replace(PROMOTED, ranking=ranking)
    )
