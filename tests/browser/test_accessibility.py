"""axe looks at every page: it finds nothing there that it calls serious; in the dark theme, to which
a page that is open turns, it looks at colours alone. On the way each page is photographed, and made
as narrow as a phone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import gear_app
from tests import factories
from tests.app.played import missing_runs
from tests.browser.conftest import serving_app, settled
from tests.browser.test_journeys import shoot

pytestmark = pytest.mark.models
METHODS = ("gear", "chain", "hipporag", "griever", "bdtr")  # together they have every kind of step
TABS = ("Documents", "Passages", "Triples", "Entities", "Questions")
SECTIONS = ("Language model", "Costs", "Index", "About")
PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1440, "height": 960}
JUDGED = 2  # runs that lack gold, one for each theme's annotator
BEGUN = 200  # milliseconds, where no script may still begin
GRAVE = ("serious", "critical")
COLOURS = ["color-contrast", "link-in-text-block"]
BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 21, 28)"}
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


def grave(page: Page, *rules: str, late_ms: int = 700) -> list[str]:
    """What is wrong with a page that Streamlit draws, once it is drawn."""
    settled(page, late_ms)
    return seriously_wrong(page, *rules)


def seriously_wrong(page: Page, *rules: str) -> list[str]:
    """The rules of axe that the page breaks, of these or of all, and the elements that break them."""
    only = {"runOnly": list(rules)} if rules else {}
    options = {"resultTypes": ["violations"], **only}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


def fine(page: Page, picture: str = "") -> bool:
    """Whether nothing is wrong in either theme; a picture of each is kept under this name."""
    found = grave(page)
    if picture:
        shoot(page, f"{picture}-light")
    turned(page, "dark")
    found += grave(page, *COLOURS, late_ms=BEGUN)
    if picture:
        shoot(page, f"{picture}-dark")
    turned(page, "light")
    assert found == [], picture
    return True


def turned(page: Page, theme: Literal["light", "dark"]) -> None:
    """Turn the page to a theme, and draw it anew: some colours come from Python."""
    page.emulate_media(color_scheme=theme)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[theme])
    page.keyboard.press("r")  # Streamlit's own key: from now on the page says that it is not idle


def narrow(page: Page) -> bool:
    """Whether the page fits a phone, with words that are longer than one is wide. Afterwards it is
    as wide as before.
    """
    page.set_viewport_size(PHONE)
    page.evaluate(
        "document.querySelectorAll('.gear-table td[dir] b')"
        ".forEach((name) => { name.textContent = 'Donaudampfschifffahrt'.repeat(4) })"
    )
    settled(page, BEGUN)
    widths = [
        page.evaluate(f"{of}.scrollWidth")
        for of in ("document.scrollingElement", "document.querySelector('[data-testid=stMain]')")
    ]
    page.set_viewport_size(WIDE)
    return max(widths) <= PHONE["width"]


def test_nothing_is_serious_on_any_page_and_none_is_wider_than_a_phone(
    page: Page, site: Site
) -> None:
    address, runs = site
    for place in (
        "/",
        f"/compare?runs={','.join(runs.values())}",
        *(f"/collections?collection=demo&tab={tab}" for tab in TABS),
        *(f"/settings?section={section}" for section in SECTIONS),
    ):
        page.goto(address + place)
        assert fine(page, named(place)), place
        assert narrow(page), place


def named(place: str) -> str:
    """What the picture of a page is called: "collections-triples"."""
    words = re.findall(r"^/(\w+)|(?:tab|section)=(\w+)", place)
    return "-".join(page or part for page, part in words) or "start"


def test_nothing_is_serious_in_an_evaluation(page: Page, site: Site) -> None:
    page.goto(f"{site[0]}/evaluate")
    settled(page)
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.get_by_text(re.compile("runs complete"))).to_be_visible(timeout=90_000)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    assert fine(page, "evaluate")
    assert narrow(page)
    for name in ("Causes", "Kinds of question", "Papers’ tables", "Files"):
        page.get_by_role("tab", name=name).click()
        assert fine(page), name
        assert narrow(page), name


@pytest.fixture(scope="module")
def seen() -> set[str]:
    """The kinds of steps that were looked at: they are drawn alike, whatever the method."""
    return set()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_serious_at_any_step(
    page: Page, site: Site, method: str, seen: set[str]
) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs[method]}&step=0")
    steps = page.locator(".strip [data-step]")
    expect(steps.last).to_have_text("rank")
    for number, kind in enumerate(steps.all_inner_texts()):
        if kind in seen - {"rank"}:  # a ranking has the terms of its method
            continue
        seen.add(kind)
        steps.nth(number).click()
        expect(steps.nth(number)).to_have_attribute("aria-current", "step")
        assert fine(page, re.sub(r"\W+", "-", f"explore-{method}-{kind}")), kind


# Where keys mean something else than to Streamlit, each theme has a page of its own.
in_both_themes = pytest.mark.parametrize("page", ["light", "dark"], indirect=True)


@pytest.fixture
def theme(request: pytest.FixtureRequest) -> str:
    """The theme of this test's page."""
    return str(request.node.callspec.params["page"])


@pytest.fixture
def rules(theme: str) -> list[str]:
    """The rules that a page of this theme is held against."""
    return COLOURS if theme == "dark" else []


@in_both_themes
def test_nothing_is_serious_in_presenter_mode(page: Page, site: Site, rules: list[str]) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs['gear']}&step=3")
    settled(page)
    expect(page.locator(".strip [data-step]").first).to_be_visible()  # what listens to keys
    page.keyboard.press("p")
    expect(page.locator("dialog.presenter")).to_be_visible()
    assert grave(page, *rules) == []
    page.keyboard.press("a")
    expect(page.locator("dialog.presenter .card mark").first).to_be_visible()
    assert grave(page, *rules) == []


def test_nothing_is_serious_in_a_what_if(page: Page, site: Site) -> None:
    address, runs = site
    page.goto(f"{address}/explore?run={runs['gear']}&what={GAMMA_OFF}")
    expect(page.locator(".gear-what-told")).to_contain_text("γ off")
    assert fine(page)
    assert narrow(page)
    page.goto(f"{address}/explore?run={runs['chain']}")
    page.get_by_role("button", name="What if", exact=True).click()
    expect(page.locator(".st-key-what-dial-unlinked")).to_be_visible()
    assert fine(page)
    assert narrow(page)


@in_both_themes
def test_nothing_is_serious_where_runs_are_judged(
    page: Page, site: Site, theme: str, rules: list[str]
) -> None:
    page.goto(f"{site[0]}/annotate?collection=demo")
    assert grave(page, *rules) == []
    page.get_by_label("Your name").fill(theme)
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-judgement")).to_contain_text("run 1 of")
    assert grave(page, *rules) == []
    page.keyboard.press("1")
    expect(page.locator(".st-key-judgement")).to_contain_text("Suggested cause")
    assert grave(page, *rules) == []
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name=re.compile("^1 of .* judged"))).to_be_visible()
    for name in ("Agreement", "Charts", "Code book", "Files"):
        page.get_by_role("tab", name=name).click()
        assert grave(page, *rules) == [], name
