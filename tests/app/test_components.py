"""What Streamlit and style.css need of every component of ours."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import gear_app

PACKAGE = Path(gear_app.__file__).parent


def test_every_component_is_declared_once() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
    declared = [one["name"] for one in project["tool"]["streamlit"]["component"]["components"]]
    code = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "app").rglob("*.py"))
    assert sorted(declared) == sorted(re.findall(r'elements\.component\(\s*"(\w+)"', code))


def test_every_component_says_that_it_is_drawn() -> None:
    """A page with one that does not is shown three seconds late."""
    modules = [path.read_text(encoding="utf-8") for path in (PACKAGE / "app").rglob("*.js")]
    components = [code for code in modules if "export default function" in code]
    assert components
    for code in components:
        assert "ready(" in code.partition("export default function")[2]
