"""Pages that stand alone: what is in them, what may run in them, and that documents stay text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gear_app.core.paths import packaged_data
from gear_app.core.types import Question
from gear_app.display import share_pages
from gear_app.trace import timeline
from gear_app.workspace.runs.share import ELEMENT
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import write_pack
from tests.small import QUESTION
from tests.workspaces import workspace

MOST = 3_000_000  # bytes of a page


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script":
            self.scripts.append((self.found[-1][1], data))


@pytest.fixture
def world(tmp_path: Path) -> Workspace:
    """A workspace with the factories' collection, in which one passage is hostile."""
    made = workspace(tmp_path)
    made.imports.do(write_pack(tmp_path / "pages"), "demo")
    return made


def test_a_page_has_every_step_of_the_run_with_its_picture_arithmetic_and_tables(
    films: Workspace,
) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    page = share_pages.page(films, [run], licence="CC <0>").html
    steps = re.findall(r"<summary>(\d+ · .*?)</summary>", page)
    verbs = [step.split("iteration 1, ")[-1].split(":")[0] for step in steps]
    assert verbs[:5] == ["retrieve", "read", "link", "expand", "fuse"]
    assert len(steps) == len(timeline.steps(films.runs.events(run)))
    assert 'data-card="1.k.0"' in page and "Selected triple" in page and "= score" in page
    for words in ("revision", "CC &lt;0&gt;", "hashing-", "films"):
        assert words in page
    unknown = share_pages.page(films, [run]).html
    assert "whoever hands this page on answers for its texts" in unknown


def test_no_script_runs_in_a_page_and_nothing_is_fetched_or_sent(films: Workspace) -> None:
    page = share_pages.page(films, [films.ask(QUESTION, "films", "gear").run]).html
    read = Elements(page)
    (policy,) = [
        about["content"]
        for name, about in read.found
        if name == "meta" and about.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy and policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert not re.search(r"https?:|\*|unsafe-eval|script-src", policy)
    assert [about["type"] for about, _ in read.scripts] == [ELEMENT]
    addressed = [v for _, about in read.found for k, v in about.items() if k in ("src", "href")]
    assert addressed == []


def test_documents_stay_text(world: Workspace) -> None:
    world.collections["demo"].save_question(
        Question("", "Who wrote </script><script>alert(7)</script>?")
    )
    run = world.ask("</script><script>alert(7)</script> page that says", "demo", "gear").run
    page = share_pages.page(world, [run]).html
    assert len([name for name, _ in Elements(page).found if name == "script"]) == 1
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert not re.search(r"<[^>&]*\son\w+=", page)


def test_a_page_of_several_runs_compares_them_and_has_the_steps_of_each(films: Workspace) -> None:
    ids = [films.ask(QUESTION, "films", method).run for method in ("hybrid", "gear", "chain")]
    made = share_pages.page(films, ids)
    assert made.runs == tuple(ids)
    assert made.html.count("What this run is made of") == 3
    assert "<h2>Rankings</h2>" in made.html


def test_a_page_of_the_demo_is_under_three_megabytes(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.imports.do(packaged_data("demo"), "demo")
    question = made.collections["demo"].questions()[0].question
    ids = [made.ask(question, "demo", method).run for method in ("hybrid", "gear", "ircot")]
    assert len(share_pages.page(made, ids[1:2]).html) < MOST / 2
    assert len(share_pages.page(made, ids).html) < MOST
