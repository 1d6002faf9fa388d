"""axe looks at every page, in both themes: it finds nothing there that it calls serious. On the way
each is photographed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import gear_app
from tests import factories
from tests.app.judged import missing_runs
from tests.browser.conftest import serving_app, settled
from tests.browser.test_journeys import shoot

pytestmark = pytest.mark.models
METHODS = ("gear", "chain", "hipporag", "griever", "bdtr")  # together they have every kind of step
TABS = ("documents", "sets", "passages", "triples", "entities", "questions")
SECTIONS = ("model", "costs", "index", "cluster", "about")
PHONE = {"width": 390, "height": 844}
GRAVE = ("serious", "critical")
JUDGED = 2  # runs that lack gold, one for each theme's annotator
GAMMA_OFF = quote('{"settings":{"beam.gamma":"none"}}')
Site = tuple[str, dict[str, str]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The address of an application, and its run of each method by name."""
    with (
        pytest.MonkeyPatch.context() as patch,
        serving_app(tmp_path_factory.mktemp("axe")) as (address, path),
    ):
        patch.setenv("GEAR_EMBEDDER", "hashing")
        workspace = gear_app.open(path)
        runs = {one: workspace.ask(factories.QUESTION, "demo", one).run for one in METHODS}
        workspace.runs.pin(runs["gear"])
        missing_runs(workspace, JUDGED)
        workspace.close()
        yield address, runs


def grave(page: Page) -> list[str]:
    """What is wrong with a page that Streamlit draws, once it is drawn."""
    settled(page)
    return seriously_wrong(page)


def seriously_wrong(page: Page) -> list[str]:
    """The rules of axe that the page breaks, and the elements that break them."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


@pytest.fixture
def theme(request: pytest.FixtureRequest) -> str:
    """The theme of this test's page."""
    return str(request.node.callspec.params["page"])


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_serious_on_any_page(page: Page, site: Site, theme: str) -> None:
    address, runs = site
    for place in (
        "/",
        f"/compare?runs={','.join(runs.values())}",
        *(f"/collections?collection=demo&tab={tab}" for tab in TABS),
        "/class",
        *(f"/settings?section={section}" for section in SECTIONS),
    ):
        page.goto(address + place)
        assert grave(page) == [], place
        shoot(page, f"{named(place)}-{theme}")
    background = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 21, 28)"}[theme]


def named(place: str) -> str:
    """What the picture of a page is called: "collections-triples"."""
    words = re.findall(r"^/(\w+)|(?:tab|section)=(\w+)", place)
    return "-".join(page or part for page, part in words) or "start"


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_serious_in_an_evaluation(page: Page, site: Site, theme: str) -> None:
    begin_evaluation(page, site[0])
    assert grave(page) == []
    for name in ("Causes", "Kinds of question", "Settings", "Files"):
        page.get_by_role("tab", name=name).click()
        assert grave(page) == [], name
    page.get_by_role("tab", name="Result").click()
    settled(page)
    shoot(page, f"evaluate-{theme}")


def begin_evaluation(page: Page, address: str) -> None:
    """Open the evaluation; the first test that comes begins it."""
    page.goto(f"{address}/evaluate")
    settled(page)
    begin = page.get_by_role("button", name=re.compile("^Evaluate .* on the "))
    if begin.count():
        begin.click()
    expect(page.get_by_text(re.compile("All .* are there"))).to_be_visible(timeout=90_000)
    expect(page.locator(".evaluation table").first).to_be_visible()


def test_no_page_is_wider_than_a_phone(page: Page, site: Site) -> None:
    address, runs = site
    page.set_viewport_size(PHONE)
    begin_evaluation(page, address)
    evaluated = page.url.removeprefix(address)
    for place in (
        evaluated,
        *(f"{evaluated}&tab={tab}" for tab in ("causes", "kinds", "files")),
        f"/compare?runs={runs['gear']},{runs['chain']}",
        *(f"/collections?collection=demo&tab={tab}" for tab in TABS),
        "/class",
        *(f"/settings?section={section}" for section in SECTIONS),
        f"/explore?run={runs['gear']}&what={GAMMA_OFF}",
        f"/explore?run={runs['chain']}&what=open",
    ):
        page.goto(address + place)
        settled(page)
        for of in ("document.scrollingElement", "document.querySelector('[data-testid=stMain]')"):
            assert page.evaluate(f"{of}.scrollWidth") <= page.evaluate("innerWidth"), place


# GEAR has the commonest cards, so both themes; the others' own are seen in one each.
@pytest.mark.parametrize(
    ("page", "method"),
    [("dark", "gear"), *zip(cycle(("light", "dark")), METHODS, strict=False)],
    indirect=["page"],
)
def test_axe_finds_nothing_serious_at_any_step(
    page: Page, site: Site, method: str, theme: str
) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs[method]}&step=0&all=1")
    steps = page.locator(".strip [data-step]")
    expect(steps.last).to_have_text("rank")
    kinds: dict[str, int] = {}
    for number, words in enumerate(steps.all_inner_texts()):
        kinds.setdefault(words, number)
    for kind, number in kinds.items():
        page.goto(f"{address}/explore?run={runs[method]}&step={number}&all=1")
        expect(steps.last).to_have_text("rank")
        assert grave(page) == [], kind
        shoot(page, re.sub(r"\W+", "-", f"explore-{method}-{kind}-{theme}"))


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_serious_in_presenter_mode(page: Page, site: Site) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs['gear']}&step=3")
    settled(page)
    expect(page.locator(".strip [data-step]").first).to_be_visible()  # what listens to keys
    page.keyboard.press("p")
    expect(page.locator("dialog.presenter")).to_be_visible()
    assert grave(page) == []
    page.keyboard.press("a")
    expect(page.locator("dialog.presenter .card mark").first).to_be_visible()
    assert grave(page) == []


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_serious_in_a_what_if(page: Page, site: Site) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs['gear']}&what={GAMMA_OFF}")
    expect(page.locator(".gear-what-told")).to_contain_text("γ off")
    assert grave(page) == []
    page.goto(f"{address}/explore?run={runs['chain']}")
    page.get_by_role("button", name="What if", exact=True).click()
    expect(page.get_by_role("slider", name="weight of base")).to_be_visible()
    assert grave(page) == []


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_serious_where_runs_are_judged(
    page: Page, site: Site, theme: str
) -> None:
    page.goto(f"{site[0]}/annotate?collection=demo")
    settled(page)
    assert grave(page) == []
    page.get_by_label("Your name").fill(theme)
    page.keyboard.press("Enter")
    expect(page.locator(".form .head").first).to_contain_text("run 1 of")
    assert grave(page) == []
    for key in ("Enter", "Escape", "ArrowDown", "1", "2", "1", "Control+Enter"):
        page.keyboard.press(key)  # category, fail, low, complete
    expect(page.locator(".queue .head b")).to_have_text(re.compile("^1 of"))
    for name in ("Agreement", "Charts", "Code book", "Files"):
        page.get_by_role("tab", name=name).click()
        assert grave(page) == [], name
