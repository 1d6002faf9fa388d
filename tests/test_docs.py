"""The documentation says what the code says: methods, events, settings, and an example that
runs.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gear_app import config as config_module
from gear_app import events, retrievers
from gear_app.analysis import timeline
from gear_app.analysis.rankings import of_event
from gear_app.cli import main
from gear_app.config import BaseConfig
from gear_app.events import Event, Fused, Retrieved, Verb
from gear_app.llm import environment
from gear_app.llm.server import PRESETS
from gear_app.overrides import settings
from gear_app.retrievers import METHODS, Method, as_paper, config_for
from gear_app.ui.shared import visitors
from tests import events_page
from tests.cli import commands_page
from tests.retrievers.checks import CHECKS, Check, run
from tests.small import QUESTION, SmallWorld
from tests.step_views.told import purpose
from tests.workspaces import filled

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    *(str(file.relative_to(ROOT)) for file in sorted((ROOT / "docs").rglob("*.md"))),
]
EVENTS = {  # kinds of events, and what they are made of
    name: value
    for name, value in vars(events).items()
    if name in events.__all__ and dataclasses.is_dataclass(value) and value not in (Event, Verb)
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def sections(page: str, level: str) -> dict[str, str]:
    """The text under every heading of a level, up to the next heading of any."""
    found = re.findall(rf"^{level} (.+)\n((?:(?!#).*\n?)*)", page, re.MULTILINE)
    return {heading.strip("`"): text for heading, text in found}


# The lists


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_the_table_of_methods(name: str) -> None:
    rows = [
        line
        for line in sections(read("docs/methods.md"), "##")["The methods"].splitlines()
        if f"`{name}`" in line
    ]
    assert len(rows) == 1
    assert re.search(r"\]\(\.\./gear_app/retrievers/\w+\.py\)", rows[0])


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    gone = [
        (page, link, heading)
        for page in PAGES
        for link, heading in re.findall(r"\]\((?!http)([^)#\s]*)#?([^)\s]*)\)", read(page))
        if not _leads_somewhere(((ROOT / page).parent / link) if link else ROOT / page, heading)
    ]
    assert gone == []


def _leads_somewhere(file: Path, heading: str) -> bool:
    if not heading or not file.is_file():
        return file.exists() and not heading
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def test_every_page_stands_in_the_index_of_its_folder() -> None:
    for folder in ("docs", "docs/decisions", "docs/results"):
        pages = {file.name for file in (ROOT / folder).glob("*.md")} - {"README.md"}
        notes = {name for name in pages if name.endswith("-notes.md")}  # they stand in their page
        listed = set(re.findall(r"\]\(([\w.-]+\.md)\)", read(f"{folder}/README.md")))
        assert pages - notes == listed & pages, folder


def test_decisions_say_where_they_are_in_files_that_are_there() -> None:
    named = [
        (decision.name, file)
        for decision in (ROOT / "docs" / "decisions").glob("*.md")
        for where in read(f"docs/decisions/{decision.name}").split("**Where.**")[1:]
        for file in re.findall(r"`([\w./-]+/(?:[\w-]+\.\w+)?)`", where)
    ]
    there = (ROOT, ROOT / "gear_app")
    assert [one for one in named if not any((at / one[1]).exists() for at in there)] == []
    assert len(named) > 100


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_and_every_part_is_described_field_by_field(name: str) -> None:
    described = events_page.fields(EVENTS[name])
    own = [field.name for field in dataclasses.fields(EVENTS[name])]
    assert list(described) == [field for field in own if field != "iteration"]
    assert all(described.values())


def test_the_page_of_events_is_written_from_the_docstrings() -> None:
    assert read("docs/events.md") == events_page.page(), events_page.HEAD
    assert set(sections(read("docs/events.md"), "###")) == set(EVENTS)


def test_the_page_of_commands_is_written_from_the_parser() -> None:
    assert read("docs/commands.md") == commands_page.page(), commands_page.HEAD
    assert "gear-app why" in sections(read("docs/commands.md"), "##")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_described_with_its_settings_and_their_defaults(name: str) -> None:
    section = sections(read("docs/methods.md"), "###")[name]
    assert METHODS[name].summary in " ".join(section.split())
    own = {path: value for path, value in settings(METHODS[name].config).items() if "." not in path}
    usual = settings(type(METHODS[name].config)())
    for path, value in own.items():
        if value != usual[path]:
            assert f"`{path}={value}`" in section


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_is_described_with_its_default(name: str) -> None:
    tables = sections(read("docs/methods.md"), "###")
    for config in _configs(config_for(name)):
        rows = re.findall(
            r"^\| `(\w+)` \| `([^`]+)` \| \S", tables[type(config).__name__], re.MULTILINE
        )
        plain = [
            f
            for f in dataclasses.fields(config)
            if not dataclasses.is_dataclass(getattr(config, f.name))
        ]
        assert rows == [(field.name, str(getattr(type(config)(), field.name))) for field in plain]


def test_what_a_paper_has_in_place_of_our_default_stands_beside_it() -> None:
    for section in sections(read("docs/methods.md"), "###").items():
        config = getattr(config_module, section[0], None)
        for item in dataclasses.fields(config) if config else ():
            (row,) = re.findall(rf"^\| `{item.name}` .*", section[1], re.MULTILINE) or [""]
            told = re.findall(r"in the paper `(\S+)`", row)
            assert told == [
                str(v) for key, v in item.metadata.items() if key == config_module.PAPER
            ], (section[0], item.name)


def test_the_page_says_of_every_method_what_its_paper_sets_back() -> None:
    found = {}
    for row in sections(read("docs/methods.md"), "##")["As in the paper"].splitlines():
        if row.startswith("| `"):
            names, settings_ = row.strip("| ").split("|")
            usual, _, over_chain = settings_.partition("over `chain`")
            for name in re.findall(r"`(\w+)`", names):
                found[name] = set(re.findall(r"`(\S+=\S+)`", usual))
                if over_chain:
                    found[f"{name}:chain"] = set(re.findall(r"`(\S+=\S+)`", settings_))
    assert set(METHODS) <= set(found)
    for name, told in found.items():
        assert told == {f"{key}={value}" for key, value in as_paper(name).items()}, name


def test_the_page_says_which_methods_a_cluster_refuses() -> None:
    _, _, told = read("docs/cluster.md").partition("whole collection in memory (")
    listed = told.partition(", and what")[0]
    refused = [name for name, method in METHODS.items() if method.graph_first]
    assert re.findall(r"`(\w+)`", listed) == refused


def test_what_is_counted_in_words_is_counted_right() -> None:
    """Numbers in prose grow old: only the page about the judgements gives theirs."""
    judged = read("data/demo/annotations.jsonl").count('"kind": "annotation"')
    written = re.findall(r"brings ([\w-]+) judgements", read("docs/annotating.md"))
    assert (written, judged) == (["twenty-three"], 23)
    assert not re.search(r"\w+teen methods", read("README.md"))


FOLDERS = ("gear_app", "docs", "data", "tests", ".ci", ".streamlit")
EXAMPLES = {"gear_app/retrievers/two_step.py", "random.py"}  # what a reader would write


def test_modules_that_the_documentation_names_are_there() -> None:
    """With its folder, or alone where the page says the folder under Where: other rooms may have a
    module of the same name.
    """
    there = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*")]
    there += [*ROOT.iterdir(), *(ROOT / "gear_app").iterdir()]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "data").rglob("*.md")]
    gone = [
        (page.name, name)
        for page in pages
        for name in _modules_named(page.read_text(encoding="utf-8"))
        if name not in EXAMPLES and not _is_there(name, page.read_text(encoding="utf-8"), there)
    ]
    assert gone == []
    assert _modules_named("In `a/{b,c}.py` and `d.py`, `e/`.") == ["d.py", "a/b.py", "a/c.py"]


def _modules_named(text: str) -> list[str]:
    found: list[str] = re.findall(r"`([\w./-]+\.py)`", text)
    for folder, names in re.findall(r"`([\w./-]+/)\{([\w, ]+)\}\.py`", text):
        found += [f"{folder}{name.strip()}.py" for name in names.split(",")]
    return found


def _is_there(name: str, page: str, there: list[Path]) -> bool:
    files = [file for file in there if f"/{file.relative_to(ROOT)}".endswith(f"/{name}")]
    where = " ".join(page.split("**Where.**")[1:])
    if "/" in name or not where:
        return bool(files)
    homes = (ROOT, ROOT / "gear_app")
    return any(file.parent in homes or f"{file.parent.name}/" in where for file in files)


def _configs(config: Any) -> list[Any]:
    inner = [getattr(config, field.name) for field in dataclasses.fields(config)]
    return [
        config,
        *(found for part in inner if dataclasses.is_dataclass(part) for found in _configs(part)),
    ]


# docs/adding-a-method.md


@pytest.fixture
def two_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The page's example as a module, and its line in METHODS."""
    source, line = re.findall(r"```python\n(.*?)```", read("docs/adding-a-method.md"), re.DOTALL)
    file = tmp_path / "two_step.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("two_step", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(
        sys.modules, "two_step", module
    )  # where dataclasses look for the types of their fields
    spec.loader.exec_module(module)
    names = {"Method": Method, "TwoStep": module.TwoStep, "TwoStepConfig": module.TwoStepConfig}
    monkeypatch.setitem(METHODS, "two_step", eval("{" + line + "}", names)["two_step"])
    return module


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "name", ["two_step", "two_step:bm25", "ircot:two_step:dense", "bdtr:two_step"]
)
@pytest.mark.usefixtures("two_step")
def test_the_example_does_what_every_method_must(
    name: str, check: Check, small: SmallWorld
) -> None:
    check(name, small)


@pytest.mark.usefixtures("two_step")
def test_the_example_finds_what_one_search_does_not(small: SmallWorld) -> None:
    """Ada Quill's passage has no word of the question; "Port Mira", a title found first, leads to
    it.
    """
    _, events = run("two_step:bm25", small.index, "Who built bridges?", k=3)
    first, second, fused, _ = events
    assert isinstance(first, Retrieved) and [line.key for line in first.ranking] == ["vane", "mira"]
    assert isinstance(second, Retrieved) and second.query == "Who built bridges? Tom Vane Port Mira"
    assert isinstance(fused, Fused)
    assert [(line.key, line.score) for line in fused.ranking] == [
        ("vane", pytest.approx(2 / 61, abs=1e-6)),
        ("mira", pytest.approx(2 / 62, abs=1e-6)),
        ("quill", pytest.approx(1 / 63, abs=1e-6)),
    ]


@pytest.mark.usefixtures("two_step")
def test_the_example_can_be_asked_drawn_replayed_and_set(tmp_path: Path) -> None:
    films = filled(tmp_path)
    answer = films.ask(QUESTION, "films", "two_step:bm25", settings={"titles": 1})
    own = {f"base.{name}": value for name, value in settings(BaseConfig()).items()}
    assert answer.config == {"titles": 1} | own
    assert films.runs.replay(answer.run).difference == ""
    drawn = timeline.steps(films.runs.events(answer.run))
    assert [step.verb for step in drawn] == ["retrieve", "retrieve", "fuse", "rank"]
    assert all(purpose(step, answer.events) for step in drawn)
    assert "beams" not in " ".join(purpose(step, answer.events) for step in drawn)
    for key in ("vane", "mira", "quill", "sel"):  # in the ranking or not, the reason can be asked
        assert films.why_not.explain(answer.run, key, 1).trail
    (fused,) = (event for event in answer.events if isinstance(event, Fused))
    assert of_event(fused)[0].parts and all(event.summary for event in answer.events)


@pytest.mark.usefixtures("two_step")
def test_the_example_is_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    films = filled(tmp_path)
    common = ["--workspace", str(films.path), "--collection", "films", "--json"]
    assert main(["query", QUESTION, *common, "--method", "two_step", "--set", "titles=3"]) == 0
    assert json.loads(capsys.readouterr().out)["config"]["titles"] == 3
    assert main(["eval", *common, "--methods", "hybrid,two_step,two_step titles=1"]) == 0
    measured = json.loads(capsys.readouterr().out)["methods"]
    assert [row["method"] for row in measured] == ["hybrid", "two_step", "two_step titles=1"]
    assert main(["query", QUESTION, *common, "--method", "two_step:gear"]) == 2
    assert "must be single-step" in capsys.readouterr().err


@pytest.mark.usefixtures("two_step")
def test_the_example_stands_in_the_list_of_methods(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods"]) == 0
    assert (
        "two_step: searches twice, the second time with the titles found first"
        in capsys.readouterr().out
    )
    assert retrievers.parse("two_step") == ("two_step", "hybrid")


def test_every_preset_and_variable_of_language_models_is_documented() -> None:
    page = read("docs/language-models.md")
    rows = {line for line in page.splitlines() if line.startswith("| ")}
    for preset in PRESETS:
        if preset.address:
            assert any(
                f"| {preset.name}" in row and f"| `{preset.address}` |" in row for row in rows
            ), preset.name
    for variable in (environment.KEY, environment.ADDRESS, environment.MODEL, visitors.OPENED):
        assert any(row.startswith(f"| `{variable}` |") for row in rows), variable


def test_no_two_classes_share_a_name() -> None:
    """Who reads a name in one room should not have to ask which of two it is."""
    files = (ROOT / "gear_app").rglob("*.py")
    found = re.findall(r"^class ([A-Z]\w*)", "\n".join(f.read_text("utf-8") for f in files), re.M)
    assert [name for name, times in Counter(found).items() if times > 1] == []
