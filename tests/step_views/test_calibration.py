from __future__ import annotations

from dataclasses import replace

from gear_app.events import Promoted
from gear_app.step_views import calibration
from tests import rivals
from tests.factories import KEYS

EVENTS = rivals.bdtr_run()
PROMOTED = next(event for event in EVENTS if isinstance(event, Promoted))
MARC = KEYS.index("marc") + 1


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
