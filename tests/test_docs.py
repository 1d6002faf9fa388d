"""The documents: links lead somewhere, every method is described, examples run."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path

import pytest

from gear_app.cli import parser
from gear_app.methods import METHODS, methods_in
from tests.methods.checks import CHECKS
from tests.small import SmallWorld

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "data" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8"))
    for link, heading in links:
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not heading or heading in headings(target), f"{link}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_modules_named_in_the_documents_exist(page: Path) -> None:
    for name in re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|toml))`", page.read_text(encoding="utf-8")):
        example = name.endswith("/two_step.py")
        assert example or (ROOT / name).exists() or (ROOT / "gear_app" / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_in_the_documents_can_be_given(page: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
        words = [w for w in shlex.split(line, comments=True) if not re.match(r"[A-Z_]+=", w)]
        if words[:1] == ["make"]:
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        if words[:1] == ["gear-app"] and "--help" not in words:
            parser().parse_args(words[1:])


def test_the_example_of_a_new_method_does_what_every_method_must(
    small: SmallWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "two_step.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("two_step", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "two_step", module)  # dataclasses look there for types
    spec.loader.exec_module(module)
    monkeypatch.setitem(METHODS, "two_step", methods_in([module])["two_step"])
    for check in CHECKS:
        for name in ("two_step", "two_step:bm25", "ircot:two_step:dense"):
            check(name, small)
