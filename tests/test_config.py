"""Settings by name, and what is refused."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import pytest

from gear_app.config import BaseConfig, BeamConfig, GearConfig, overridden, settings
from gear_app.errors import BadInput


def test_defaults_are_the_papers() -> None:
    """App. B.2: b = 10, l = 2, γ = 2b, 100 neighbours, 10 passages a round; 4 iterations."""
    assert settings(GearConfig()) == {
        "max_iterations": 4, "round_k": 10, "link_k": 10, "base.depth": 100, "base.constant": 60, "beam.width": 10,
        "beam.length": 2, "beam.gamma": "auto", "beam.neighbours": 100, "beam.scoring": "screened", "beam.screen": 32,
    }  # fmt: skip
    assert BeamConfig().penalty == 20
    assert BeamConfig(width=3).penalty == 6
    assert BeamConfig(gamma=7).penalty == 7
    assert BeamConfig(gamma="none").penalty is None


def test_fields_of_parts_are_set_by_short_or_full_name() -> None:
    changed = overridden(GearConfig(), {"width": "5", "beam.gamma": "none", "max_iterations": 2, "scoring": "exact"})
    assert changed == GearConfig(max_iterations=2, beam=BeamConfig(width=5, gamma="none", scoring="exact"))


@dataclass(frozen=True)
class _Two:
    first: BaseConfig = field(default_factory=BaseConfig)
    second: BaseConfig = field(default_factory=BaseConfig)


@pytest.mark.parametrize(
    ("config", "changes", "message"),
    [
        (GearConfig(), {"widht": "5"}, "Unknown setting 'widht'. Available: max_iterations"),
        (_Two(), {"depth": "5"}, "'depth' is ambiguous. Say which: first.depth, second.depth"),
        (GearConfig(), {"width": "five"}, "beam.width takes a whole number, not 'five'"),
        (GearConfig(), {"gamma": "off"}, "beam.gamma takes a whole number or"),
        (GearConfig(), {"scoring": "fast"}, "beam.scoring takes screened or exact, not 'fast'"),
        (GearConfig(), {"width": "0"}, "width must be at least 1, not 0"),
        (GearConfig(), {"gamma": "0"}, "gamma must be at least 1"),
    ],
)
def test_what_is_refused_says_what_is_possible(config: object, changes: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message.replace(".", r"\.").replace("(", r"\(")):
        overridden(config, changes)


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        BeamConfig().width = 3  # type: ignore[misc]
