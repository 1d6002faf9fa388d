"""Settings by name, and what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gear_app.core.config import BaseConfig, Config, paper_values, setting, setting_infos
from gear_app.core.errors import BadInput
from gear_app.core.overrides import alternatives, choices, overridden, settings
from gear_app.methods import METHODS, bases, config_for
from gear_app.methods.beam_search import BeamConfig
from gear_app.methods.expansion import GraphConfig
from gear_app.methods.gear import GearConfig
from gear_app.methods.iterative import ThoughtConfig

LINES = (Path(__file__).parent / "paper_values.jsonl").read_text(encoding="utf-8").splitlines()
PAPERS: dict[str, dict[str, object]] = {
    line["config"]: line["values"] for line in map(json.loads, LINES)
}  # what the papers say
BEAM = PAPERS["BeamConfig"]
SILENT = {  # settings of which no paper tells a value
    *("depth", "dense_share", "screen", "prompt_k"),
    *("candidates", "hop_k", "sure", "threshold", "max_iterations"),  # GRIEVER's
    *("judged", "cross_encoder", "weights", "reports"),
}


def test_every_field_is_of_a_paper_or_one_that_no_paper_tells() -> None:
    """A new setting, or a default that moves, is held against the paper before it is shipped."""
    for config in {type(one.defaults) for one in METHODS.values() if not one.ours}:
        as_in_paper = overridden(config(), paper_values(config()))
        own = {name for name in settings(config()) if "." not in name}
        stated = PAPERS[config.__name__]
        assert stated == {name: getattr(as_in_paper, name) for name in stated}, config
        assert own - set(stated) <= SILENT, config
    beam = overridden(BeamConfig(), paper_values(BeamConfig()))
    assert {name: getattr(beam, name) for name in BEAM} == BEAM
    assert set(settings(BeamConfig())) - set(BEAM) <= SILENT


def test_settings_of_a_method_within_a_method_are_set_by_as_much_of_their_name_as_is_unique() -> (
    None
):
    config = config_for("ircot:sync_ge")
    changes = {
        "width": "5",
        "beam.length": "3",
        "base.beam.gamma": "none",
        "base.constant": "9",
        "max_iterations": "2",
    }
    changed = overridden(config, changes)
    beam = BeamConfig(width=5, length=3, gamma="none")
    assert changed == ThoughtConfig(
        max_iterations=2, base=GraphConfig(base=BaseConfig(constant=9), beam=beam)
    )
    assert settings(changed)["base.base.constant"] == 9
    assert overridden(config, settings(changed)) == changed  # as a stored run is made again
    with pytest.raises(
        BadInput,
        match=r"Unknown setting 'eam\.width'\. Did you mean 'base\.beam\.width'\? Available: max_iterations, pool_k",
    ):
        overridden(config, {"eam.width": 5})


@pytest.mark.parametrize("name", METHODS)
def test_no_setting_of_a_method_is_hidden_by_one_of_its_base(name: str) -> None:
    """`max_iterations` of a method is never that of what it stands over: every short name is its
    own.
    """
    for full in (f"{name}:{base}" if base else name for base in bases(name) or [""]):
        last = [setting.split(".")[-1] for setting in settings(config_for(full))]
        assert len(set(last)) == len(last), full


@dataclass(frozen=True)
class _Two:
    first: BaseConfig = field(default_factory=BaseConfig)
    second: BaseConfig = field(default_factory=BaseConfig)


@pytest.mark.parametrize(
    ("config", "changes", "message"),
    [
        (
            GearConfig(),
            {"widht": "5"},
            "Unknown setting 'widht'. Did you mean 'width'? Available: max_iterations",
        ),
        (_Two(), {"depth": "5"}, "'depth' is ambiguous. Say which: first.depth, second.depth"),
        (
            ThoughtConfig(base=_Two()),
            {"depth": "5"},
            "'depth' is ambiguous. Say which: base.first.depth, base.second.depth",
        ),
        (GearConfig(), {"width": "five"}, "beam.width takes a whole number, not 'five'"),
        (GearConfig(), {"gamma": "off"}, "beam.gamma takes a whole number or"),
        (GearConfig(), {"scoring": "fast"}, "beam.scoring takes screened or exact, not 'fast'"),
        (GearConfig(), {"wait_for_memory": "no"}, "wait_for_memory takes true or false, not 'no'"),
        (GearConfig(), {"width": "0"}, "width must be at least 1 and at most 1000, not 0"),
        (GearConfig(), {"gamma": "0"}, "gamma must be at least 1"),
    ],
)
def test_what_is_refused_says_what_is_possible(
    config: object, changes: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        overridden(config, changes)


@pytest.mark.parametrize("value", [False, 0, "false", "0"])
def test_a_setting_is_switched_off_by_a_value_of_any_form(value: str | int) -> None:
    assert overridden(GearConfig(), {"wait_for_memory": value}).wait_for_memory is False


@pytest.mark.parametrize("method", METHODS)
def test_every_setting_has_other_values_that_it_takes(method: str) -> None:
    config = config_for(method)
    found, now = alternatives(config), settings(config)
    assert set(now) - set(found) == {"cross_encoder", "weights"} & set(now)  # any words
    for name, values in found.items():
        taken = [settings(overridden(config, {name: value}))[name] for value in values]
        assert now[name] not in taken and len(set(taken)) == len(values), name
        assert set(values) >= {*choices(config).get(name, ())} - {str(now[name])}


def test_a_fraction_between_whole_bounds_has_bounds_of_its_own_type() -> None:
    @dataclass(frozen=True)
    class Weighted(Config):
        weight: float = setting(0.5, "Weight", "Of a score", (0, 2), (0, 1, 2))

    info = setting_infos(Weighted())["weight"]
    assert info.within and [type(n) for n in (*info.within, *info.stops)] == [float] * 5
    assert repr(overridden(Weighted(), {"weight": "1"}).weight) == "1.0"
