"""What pages cache ends: a server runs for weeks."""

from __future__ import annotations

import re
from pathlib import Path

import gear_app

CACHED = re.compile(r"st\.cache_(?:data|resource)\(([^)]*)\)\)?(?:\(\w+\))?\s+def (\w+)")


def test_every_cache_of_a_page_has_an_end_but_that_of_the_workspace() -> None:
    pages = (Path(gear_app.__file__).parent / "app").rglob("*.py")
    caches = [match for page in pages for match in CACHED.findall(page.read_text("utf-8"))]
    assert len(caches) > 5
    assert [name for options, name in caches if "max_entries" not in options] == ["workspace"]
