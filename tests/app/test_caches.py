"""What pages cache ends, since a server runs for weeks; and what fails in a browser is seen."""

from __future__ import annotations

import re
from pathlib import Path

import gear_app

APP = Path(gear_app.__file__).parent / "app"
CACHED = re.compile(r"st\.cache_(?:data|resource)\(([^)]*)\)\)?(?:\(\w+\))?\s+def (\w+)")


def test_every_cache_of_a_page_has_an_end_but_that_of_the_workspace() -> None:
    caches = [
        match for page in APP.rglob("*.py") for match in CACHED.findall(page.read_text("utf-8"))
    ]
    assert len(caches) > 5
    assert [name for options, name in caches if "max_entries" not in options] == ["workspace"]


def test_no_script_of_a_page_swallows_an_exception() -> None:
    scripts = {file.name: file for file in (APP / "frontend").glob("*.js")}
    assert "graph.js" in scripts
    assert not [name for name, file in scripts.items() if "catch" in file.read_text("utf-8")]
