"""Pages that stand alone: what is in them, what may run in them, and that documents stay text."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.errors import BadInput, NotReady
from gear_app.events import VERBS
from gear_app.paths import packaged_data
from gear_app.reader.edits import ReadingEdit
from gear_app.runs.request import RunRequest
from gear_app.runs.rerun import RunChange
from gear_app.runs.share import ELEMENT
from gear_app.step_views.view import StepView
from gear_app.views import dials
from gear_app.views.share import document, pages
from gear_app.workspace import Workspace
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


def data_of(page: str) -> dict[str, Any]:
    """What page.js draws."""
    carried = next(text for about, text in Elements(page).scripts if about.get("id") == "data")
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(carried)))
    return found


@pytest.fixture
def world(tmp_path: Path) -> Workspace:
    """A workspace with the factories' collection, in which one passage is hostile."""
    made = workspace(tmp_path)
    made.import_path(write_pack(tmp_path / "pages"), "demo")
    return made


def test_every_step_that_a_run_can_have_is_told() -> None:
    assert set(StepView.VERBS) == set(VERBS)


def test_a_page_has_every_step_of_the_run_with_its_pictures_tables_and_details(
    films: Workspace,
) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    (told,) = data_of(pages.page(films, [run]).html)["runs"]
    assert told["id"] == run
    verbs = [stop["verb"] for stop in told["strip"]["steps"]]
    assert verbs[:5] == ["retrieve", "read", "link", "expand", "fuse"]
    assert len(told["steps"]) == len(verbs)
    expand = told["steps"][3]
    (beams,) = [block for block in expand["blocks"] if block.get("picture") == "beam"]
    shown = [card["id"] for column in beams["data"]["columns"] for card in column["cards"]]
    assert set(beams["details"]) == set(shown)
    assert all(beams["details"][id_] in told["details"] for id_ in shown)
    chosen = told["details"][beams["details"][beams["data"]["selected"]]]
    assert "Selected triple" in chosen
    assert "= score" in chosen
    (everything,) = [block for block in expand["blocks"] if block.get("table")]
    assert "score" in everything["heads"]
    assert QUESTION in told["head"]
    for words in ("revision", "Licence of the texts", "hashing-", "films"):
        assert words in told["about"]


def test_a_page_says_what_its_run_was_set_to_and_what_fact_it_went_without(
    films: Workspace,
) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    fact = dials.given_facts(films.runs.events(run))[0]
    change = RunChange({"beam.width": "2"}, edits=(ReadingEdit(fact.purpose, fact.words),))
    kept = films.runner.ask(films.reruns.request(run, change)).run
    (told,) = data_of(pages.page(films, [kept]).html)["runs"]
    assert "Set to: Width b 2" in told["head"]
    assert f"without the proximal triple “{' '.join(fact.words)}”" in told["head"]


def test_what_the_texts_licence_is_stands_on_the_page(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    unknown = data_of(pages.page(films, [run]).html)["runs"][0]["about"]
    assert "whoever hands this page on answers for its texts" in unknown
    known = data_of(pages.page(films, [run], licence="CC <0>").html)["runs"][0]["about"]
    assert "CC &lt;0&gt;" in known


def test_one_script_may_run_in_a_page_and_nothing_may_be_fetched_or_sent(
    films: Workspace,
) -> None:
    page = pages.page(films, [films.ask(QUESTION, "films", "gear").run]).html
    read = Elements(page)
    policies = [
        about["content"]
        for name, about in read.found
        if name == "meta" and about.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == rules["form-action"] == "'none'"
    assert not re.search(r"https?:|\*|unsafe-eval", policy)
    run = [text for about, text in read.scripts if "type" not in about]
    (code,) = run
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    carried = {about["id"]: about["type"] for about, _ in read.scripts if "type" in about}
    assert carried == {"data": "application/json", "runs": ELEMENT}
    addressed = [v for _, about in read.found for k, v in about.items() if k in ("src", "href")]
    assert addressed == []


def test_documents_stay_text(world: Workspace) -> None:
    world.collections.add_question("demo", "Who wrote </script><script>alert(7)</script>?")
    run = world.ask("</script><script>alert(7)</script> page that says", "demo", "gear").run
    page = pages.page(world, [run]).html
    assert len([name for name, _ in Elements(page).found if name == "script"]) == 3
    assert "<script>alert" not in page
    (told,) = data_of(page)["runs"]
    made = json.dumps([told["details"], told["head"], told["about"], told["below"]])
    made += json.dumps([step["blocks"] for step in told["steps"]])
    html = [*re.findall(r'"html": "(.*?)(?<!\\)"', made), *told["details"].values(), told["head"]]
    assert any("alert" in one for one in html), "the hostile passage is on the page"
    allowed = r"</?(?:div|span|h[1-6]|p|dl|dt|dd|b|i|em|mark|a|ul|ol|li|table|thead|tbody|tr|t[dh]|" \
        r"details|summary|sup|del|ins|q|small|strong|section|button|pre|code)\b"  # fmt: skip
    for one in html:
        for opened in re.findall(r"<[^>]{0,40}", one):
            assert re.match(allowed, opened), opened
        assert not re.search(r"<[^>]*\son\w+=", one)


def test_a_page_of_several_runs_compares_them_and_steps_through_each(films: Workspace) -> None:
    ids = [films.ask(QUESTION, "films", method).run for method in ("hybrid", "gear", "chain")]
    made = pages.page(films, ids)
    data = data_of(made.html)
    assert made.runs == tuple(ids)
    assert [run["id"] for run in data["runs"]] == ids
    first = data["comparison"]["cuts"]["5"][1]
    (lines,) = [block["data"] for block in first if block.get("picture") == "aligned"]
    assert [column["run"] for column in lines["columns"]] == ids
    assert set(data["comparison"]["cuts"]) == {"5", "10", "15"}


def test_runs_of_other_questions_and_runs_that_wait_make_no_page(films: Workspace) -> None:
    one = films.ask(QUESTION, "films", "bm25").run
    other = films.ask("Who studied music?", "films", "bm25").run
    with pytest.raises(BadInput, match=other):
        pages.page(films, [one, other])
    waits = films.runs.enqueue(RunRequest(QUESTION, "films", "dense"))
    with pytest.raises(NotReady, match="it is queued"):
        pages.page(films, [waits])


def test_a_page_of_the_demo_is_under_three_megabytes(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.import_path(packaged_data("demo"), "demo")
    question = made.collections.questions("demo")[0].question
    ids = [made.ask(question, "demo", method).run for method in ("hybrid", "gear", "ircot")]
    assert pages.page(made, ids[1:2]).bytes < MOST / 2
    assert pages.page(made, ids).bytes < MOST


def test_a_folder_has_a_page_for_each_run_and_an_index_that_leads_to_all(
    films: Workspace, tmp_path: Path
) -> None:
    ids = [films.ask(QUESTION, "films", method).run for method in ("hybrid", "gear")]
    ids.append(films.ask("Who studied music?", "films", "bm25").run)
    target = tmp_path / "site"
    files = ["--html-folder", str(target), "--workspace", str(films.path), "--licence", "CC0"]
    assert main(["export", "--collection", "films", *files]) == 0
    names = {path.name for path in target.iterdir()}
    assert names == {"index.html", f"compare-{ids[0]}.html", *(f"run-{id_}.html" for id_ in ids)}
    index = (target / "index.html").read_text(encoding="utf-8")
    links = {about["href"] for name, about in Elements(index).found if name == "a"}
    assert links == names - {"index.html"}
    assert "Licence of the texts: CC0" in index
    for name in names - {"index.html"}:
        back = data_of((target / name).read_text(encoding="utf-8"))["back"]
        assert back == {"words": "All runs", "href": "index.html"}
    assert main(["export", "--collection", "films", *files]) == 2, "nothing is overwritten unasked"


def test_a_module_that_is_written_otherwise_is_not_put_into_a_page() -> None:
    with pytest.raises(ValueError, match=r"strange\.js imports or exports"):
        document.linked("strange.js", 'import all from "./paths.js";\n')


def test_the_font_of_the_application_is_in_the_page() -> None:
    assert "font/woff2" in document.style()
