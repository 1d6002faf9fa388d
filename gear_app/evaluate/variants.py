"""A method with settings, as an evaluation names it: `gear`, `ircot:hipporag`, `hipporag
synonymy=false`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gear_app.errors import BadInput
from gear_app.overrides import overridden
from gear_app.retrievers import config_for


class Variant(NamedTuple):
    """A method's name, and the settings that are not its defaults."""

    method: str
    settings: Mapping[str, str]

    @property
    def config(self) -> Any:  # noqa: ANN401
        """The method's configuration with these settings. Raises BadInput or Unknown where there is
        no such.
        """
        return overridden(config_for(self.method), self.settings)


def variant(words: str) -> Variant:
    """Take `method[:base] [setting=value ...]` apart. Raises BadInput or Unknown where a name or a
    value is wrong.
    """
    name, *pairs = words.split() or [""]
    settings = {}
    for pair in pairs:
        setting, equals, value = pair.partition("=")
        if not (setting and equals):
            raise BadInput(
                f"After the method come settings, as in 'hipporag synonymy=false', not {pair!r}"
            )
        settings[setting] = value
    found = Variant(name, settings)
    _ = found.config
    return found
