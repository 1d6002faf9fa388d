from __future__ import annotations

import pytest

from gear_app.core.config import ENCODER
from gear_app.core.overrides import settings as fields
from gear_app.display import settings
from gear_app.methods import METHODS, bases, config_for


def by_name(method: str) -> dict[str, settings.Setting]:
    """A method's own settings."""
    return {one.name: one for one in settings.form(method) if one.name != ENCODER}


@pytest.mark.parametrize("method", METHODS)
def test_every_setting_has_a_label_its_default_and_its_bounds(method: str) -> None:
    for name, one in by_name(method).items():
        assert one.info.label
        assert one.default == fields(config_for(method))[name]
        low, high = one.info.within or (one.default, one.default)
        assert one.kind in ("switch", "choice", "words") or low <= one.default <= high
        assert one.kind != "choice" or one.default in one.choices


@pytest.mark.parametrize("method", [*METHODS, *(f"{m}:{b}" for m in METHODS for b in bases(m))])
def test_a_setting_has_the_label_of_its_own_method(method: str) -> None:
    for one in settings.form(method):
        assert settings.label(method, one.name) == one.info.label
