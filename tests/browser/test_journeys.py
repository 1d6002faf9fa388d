"""What people do, in a real browser. Extraction here is the real one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCREENSHOTS, pick, settled, unfold

pytestmark = pytest.mark.models
DOCUMENTS = {
    "bridge.txt": "Saltash Bridge crosses the Tamar. Saltash Bridge was designed by Robert Hale.",
    "engineer.txt": "Robert Hale was an engineer. Robert Hale was born in Lorn.",
    "town.txt": "Lorn is a town on the river Sel. Lorn is known for its market.",
}
QUESTION = "Where was the designer of Saltash Bridge born?"
EVIL = "<script>window.__taken = 1; alert('taken')</script>"
EVIL_IMAGE = (
    "<img src='http://evil.example/x.png' onerror='window.__taken = 1'>"
    " ![x](http://evil.example/y.png)"
)


def on_collections(page: Page, server: str) -> None:
    page.goto(f"{server}/collections")
    settled(page)


def new_collection(page: Page, name: str) -> None:
    if page.get_by_role("button", name="New", exact=True).count():
        page.get_by_role("button", name="New", exact=True).click()
    page.get_by_label("Name of the new collection").fill(name)
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("0 documents · 0 passages")).to_be_visible()
    settled(page)
    expect(page.get_by_label("Name of the new collection")).to_be_hidden()


def upload(page: Page, files: dict[str, str]) -> None:
    payload = [
        {"name": n, "mimeType": "text/plain", "buffer": text.encode()} for n, text in files.items()
    ]
    page.locator("input[type=file]").set_input_files(payload)  # type: ignore[arg-type]
    expect(page.get_by_text(re.compile(r"\.(txt|jsonl)")).first).to_be_visible()
    page.get_by_role("button", name="Add", exact=True).click()


RUN_SHOWN = "new URLSearchParams(location.search).get('run')"


def ask(page: Page, question: str, method: str = "GEAR") -> None:
    before = page.evaluate(RUN_SHOWN)
    unfold(page)
    field = page.get_by_label("Question", exact=True)
    field.fill(question)
    chosen = page.locator(".st-key-method").get_by_role("combobox")
    if not chosen.input_value().startswith(f"{method} — "):
        pick(page, "method", re.compile(f"^{method} — "))
    page.get_by_role("button", name="Run", exact=True).click()
    # The one before may have the same question and last step.
    page.wait_for_function(f"before => {RUN_SHOWN} !== before", arg=before)
    expect(page.locator(".gear-header h1")).to_have_text(question)
    expect(page.locator(".strip [data-step]").last).to_have_text("rank", timeout=60_000)
    expect_step(page, "Rank")  # it was followed to its last step
    settled(page)


def choose_collection(page: Page, name: str) -> None:
    unfold(page)
    pick(page, "collection", name)


def expect_step(page: Page, name: str) -> None:
    """The one step that is shown. While a script runs Streamlit leaves the last run's card beside the
    new one; a list is waited for until there is one again, where a text would be ambiguous.
    """
    expect(page.locator(".st-key-stage .gear-title h2")).to_have_text([name])


def test_upload_extract_ask_step_reload(page: Page, server: str) -> None:
    on_collections(page, server)
    new_collection(page, "journey")
    upload(page, DOCUMENTS)
    expect(page.get_by_text("3 files: 3 accepted.")).to_be_visible()
    expect(page.get_by_text("is finished")).to_be_visible(timeout=90_000)
    page.get_by_role("link", name="Explore").click()
    settled(page)
    choose_collection(page, "journey")
    ask(page, QUESTION, "SyncGE")
    expect_step(page, "Rank")
    run = re.search(r"run=(\w+)", page.url)
    assert run
    page.keyboard.press("ArrowLeft")
    expect_step(page, "Fuse")
    page.keyboard.press("ArrowLeft")
    expect_step(page, "Expand")
    expect(page.locator(".st-key-stage .columns")).to_contain_text("Robert Hale")
    page.wait_for_url(re.compile("step=3"))  # after retrieve, read and link
    page.reload()
    settled(page)
    expect_step(page, "Expand")
    assert run[1] in page.url


def test_gold_of_a_question_of_ones_own_is_marked_in_the_ranking(page: Page, server: str) -> None:
    page.goto(f"{server}/explore")
    settled(page)
    choose_collection(page, "demo")
    ask(page, "Which town has a market on the river?", "Hybrid")
    first = page.locator(".ranking tr[data-id]").first
    title = first.locator("td.title").inner_text()
    first.get_by_role("checkbox").check()
    expect(page.locator(".st-key-gold .gear-rows [scope=row]").first).to_have_text(title)
    expect(page.locator(".gear-figure b").nth(1)).to_have_text("1 of 1")
    page.reload()
    settled(page)
    expect(page.locator(".ranking tr[data-id]").first.get_by_role("checkbox")).to_be_checked()
    page.locator(".ranking tr[data-id]").first.get_by_role("checkbox").uncheck()
    expect(page.locator(".st-key-gold")).to_have_count(0)


def test_a_hostile_document_is_words_everywhere(page: Page, server: str) -> None:
    corpus = [{"id": "evil", "title": f"Evil {EVIL}", "text": f"Evil text. {EVIL_IMAGE} {EVIL}"}]
    triples = [
        {
            "passage_id": "evil",
            "subject": f"Evil {EVIL}",
            "predicate": "href=javascript:alert(1)",
            "object": EVIL_IMAGE,
        },
        {"passage_id": "evil", "subject": EVIL_IMAGE, "predicate": EVIL, "object": "the end"},
    ]
    on_collections(page, server)
    new_collection(page, "hostile")
    page.get_by_text("Extract triples right away (local").click()
    upload(
        page,
        {
            "corpus.jsonl": "\n".join(map(json.dumps, corpus)),
            "triples.evil.jsonl": "\n".join(map(json.dumps, triples)),
            f"{EVIL_IMAGE[:20].replace('/', '')}.txt": f"{EVIL} {EVIL_IMAGE}",
        },
    )
    expect(page.get_by_text(re.compile("files: ")).first).to_be_visible()
    for tab in ("Passages", "Triples", "Entities", "Questions"):
        page.get_by_role("tab", name=tab, exact=True).click()
        settled(page)
    page.get_by_role("link", name="Explore").click()
    settled(page)
    choose_collection(page, "hostile")
    ask(page, f"evil text {EVIL}", "NaiveGE")
    for verb in ("retrieve", "expand", "fuse", "rank"):
        page.locator(".strip").get_by_role("button", name=verb).click()
        settled(page)
    expect(page.locator(".ranking")).to_contain_text("<script>")
    assert page.evaluate("window.__taken") is None
    assert all(frame.evaluate("window.__taken") is None for frame in page.frames)


def shoot(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    path: Path = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=path)
    assert path.stat().st_size > 10_000  # not an empty page
