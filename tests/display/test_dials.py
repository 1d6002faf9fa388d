"""The settings of a run as dials, and a change in words."""

from __future__ import annotations

import pytest

from gear_app.display import dials
from gear_app.store.rows import RunInfo
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


@pytest.fixture
def gear(films: Workspace) -> RunInfo:
    return films.runs.get(films.ask(QUESTION, "films", "gear").run)


def labels(run: RunInfo, name: str, change: RunChange | None = None) -> list[str]:
    found = dials.dials(run, change or RunChange())
    return [stop.label for dial in found for stop in dial.stops if dial.name == name]


def test_a_run_has_the_dials_of_its_method_alone(films: Workspace, gear: RunInfo) -> None:
    assert [dial.name for dial in dials.dials(gear)] == [
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
    assert [dial.name for dial in dials.dials(walk)] == ["unlinked", "restart", "k"]


def test_gamma_stops_at_multiples_of_the_width_that_is_turned_to(gear: RunInfo) -> None:
    assert labels(gear, "beam.gamma") == ["off", "1", "b = 10", "2b = 20", "4b = 40"]
    narrow = RunChange({"beam.width": "2"})
    assert labels(gear, "beam.gamma", narrow) == ["off", "1", "b = 2", "2b = 4", "4b = 8"]


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [
        ("weighted", "dense_share", 0.5),
        ("hipporag2", "passage_share", 0.2),
        ("communities", "level", 3),
        ("communities", "reports", 2),
        ("gear", "base.constant", 0),
    ],
)
def test_a_value_between_the_stops_of_a_setting_is_at_its_place(
    films: Workspace, method: str, name: str, value: float
) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", method, settings={name: value}).run)
    stops = [float(one) for one in labels(run, name)]
    assert value in stops and stops == sorted(stops)


def test_no_limit_of_proximal_triples_comes_after_every_number(gear: RunInfo) -> None:
    asked = RunChange({"proximal": "8"})
    assert labels(gear, "proximal", asked) == ["1", "2", "3", "5", "8", "all"]


def test_the_facts_that_a_reader_gave_are_listed_once_a_purpose(
    films: Workspace, gear: RunInfo
) -> None:
    found = dials.given_facts(films.runs.events(gear.id))
    assert len({(one.purpose, one.words) for one in found}) == len(found) > 1
    assert {one.purpose for one in found} == {"sync", "gist"}
    assert found[0].iteration == 1


def test_a_run_as_in_its_paper_is_one_change_and_one_word(films: Workspace, gear: RunInfo) -> None:
    change = dials.as_in_paper(gear)
    assert dials.change_words(gear, change) == "the paper’s settings"
    wider = RunChange({**change.settings, "beam.width": 5})
    assert dials.change_words(gear, wider) == "the paper’s settings, Width b 5"
    made = films.runs.get(films.ask(gear.question, "films", "gear", as_paper=True).run)
    assert made.config == dict(gear.config) | dict(change.settings)
    assert not dials.as_in_paper(made)
    assert final(films.reruns.rerun(gear.id, change)) == final(films.runs.events(made.id))
