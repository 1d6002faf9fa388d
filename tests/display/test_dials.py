"""The settings of a run as dials, and a change in words."""

from __future__ import annotations

import pytest

from gear_app.display import settings
from gear_app.store.rows import RunInfo
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


@pytest.fixture
def gear(films: Workspace) -> RunInfo:
    return films.runs.get(films.ask(QUESTION, "films", "gear").run)


def test_a_run_has_the_dials_of_its_method_alone(films: Workspace, gear: RunInfo) -> None:
    assert [dial.name for dial in settings.dials(gear)] == [
        "base",
        "unlinked",
        "proximal",
        "max_iterations",
        "round_k",
        "fusion_constant",
        "base.constant",
        "beam.width",
        "beam.length",
        "beam.gamma",
        "beam.neighbours",
        "k",
    ]
    walk = films.runs.get(films.ask(QUESTION, "films", "hipporag").run)
    assert [dial.name for dial in settings.dials(walk)] == ["unlinked", "restart", "k"]


def test_a_run_as_in_its_paper_is_one_change_and_one_word(films: Workspace, gear: RunInfo) -> None:
    change = settings.as_in_paper(gear)
    assert settings.change_words(gear, change) == "the paper’s settings"
    wider = RunChange({**change.settings, "beam.width": 5})
    assert settings.change_words(gear, wider) == "the paper’s settings, Width b 5"
    made = films.runs.get(films.ask(gear.question, "films", "gear", as_paper=True).run)
    assert made.config == dict(gear.config) | dict(change.settings)
    assert not settings.as_in_paper(made)
    assert final(films.reruns.rerun(gear.id, change)) == final(films.runs.events(made.id))


def test_none_is_all_of_proximal_triples_and_of_nothing_else(gear: RunInfo) -> None:
    stops = {dial.name: dial.stops for dial in settings.dials(gear)}
    assert [name for name, labels in stops.items() if "all" in labels.values()] == ["proximal"]
    assert stops["proximal"]["0"] == "all"
