"""What the pages of golden traces say in a browser, step by step, with everything unfolded and
everything selected that can be (`tests/screens.py`). Explore draws the same cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from gear_app.views.share.document import document
from gear_app.views.share.pages import comparison_data
from gear_app.views.share.run import page_data
from tests import screens

COMPARED = ("bm25", "hybrid", "gear", "hipporag", "chain", "bdtr")
WORDS = """() => {
  const UNREAD = new Set(["STYLE", "SCRIPT", "TEMPLATE"]);
  const block = (node) => {
    if (node.namespaceURI !== "http://www.w3.org/1999/xhtml") return node.tagName === "text" || node.tagName === "g";
    const display = getComputedStyle(node).display;
    return !display.startsWith("inline") && display !== "contents";
  };
  const words = (node, out) => {
    if (node.nodeType === Node.TEXT_NODE) { out.push(node.textContent.replace(/\\s+/g, " ")); return; }
    if (node.nodeType !== Node.ELEMENT_NODE && node.nodeType !== Node.DOCUMENT_FRAGMENT_NODE) return;
    if (UNREAD.has(node.tagName) || node.hidden) return;
    const apart = node.nodeType === Node.ELEMENT_NODE && block(node);
    const cell = ["TD", "TH", "DD"].includes(node.tagName);
    if (apart) out.push(cell ? " | " : "\\n");
    const name = node.getAttribute?.("aria-label") ?? node.querySelector?.(":scope > title")?.textContent;
    if (name && !node.textContent.trim()) out.push(`{${name}}`);
    for (const child of (node.shadowRoot ?? node).childNodes) words(child, out);
    if (apart && !cell) out.push("\\n");
  };
  const lines = (node) => {
    const out = [];
    words(node, out);
    return out.join("").split("\\n").map((line) => line.replace(/\\s+/g, " ").trim()).filter(Boolean);
  };
  const page = document.getElementById("page");
  page.querySelectorAll("details").forEach((one) => (one.open = true));
  const told = lines(page);
  const selected = () => page.querySelector(".st-key-selected");
  const seen = new Set();
  const hosts = [...page.querySelectorAll(".host")].filter((host) => !host.shadowRoot.querySelector(".strip"));
  for (const host of hosts) {
    const names = () => [...host.shadowRoot.querySelectorAll("[data-card], tr[data-id]")];
    for (let at = 0; at < names().length; at += 1) {
      const one = names()[at];
      const target = one.matches("tr") ? one.querySelector("button[aria-expanded]") ?? one : one;
      target.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
      const sum = host.shadowRoot.querySelector("tr.sum");
      for (const made of [sum, selected()].filter((x) => x && !x.hidden)) {
        const text = lines(made).join("\\n    ");
        if (!seen.has(text)) told.push(`> ${text}`);
        seen.add(text);
      }
    }
  }
  return told;
}"""


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    """A page that is opened from a disk without network."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", screens.NAMES)
def test_the_page_of_a_run_says_what_was_reviewed(name: str, reader: Page, tmp_path: Path) -> None:
    data = page_data(screens.stored(name))
    lines: list[str] = []
    before: set[str] = set()
    open_page(reader, tmp_path, [data])
    for number in range(len(data["steps"])):
        reader.evaluate("(address) => (location.hash = address)", f"run={name}&step={number}")
        place = f"{number + 1} of {len(data['steps'])}"
        expect(reader.locator(".walk > span")).to_have_text(place)
        told = reader.evaluate(WORDS)
        lines += [f"## step {number + 1}", *(line for line in told if line not in before)]
        before = set(told)
    screens.compare("\n".join(lines).split("\n"), f"{name}.page")


def test_the_page_of_a_comparison_says_what_was_reviewed(reader: Page, tmp_path: Path) -> None:
    runs = [screens.stored(name) for name in COMPARED]
    comparison = comparison_data(runs, None, None)
    open_page(reader, tmp_path, [page_data(one) for one in runs], comparison)
    screens.compare("\n".join(reader.evaluate(WORDS)).split("\n"), "comparison.page")


def open_page(
    reader: Page,
    folder: Path,
    runs: Sequence[Mapping[str, Any]],
    comparison: Mapping[str, Any] | None = None,
) -> None:
    data = {"runs": runs, "comparison": comparison, "k": "5", "name": "golden", "back": None}
    file = folder / "page.html"
    html = document("golden", {**data, "file": "", "made": ""}, runs="")
    file.write_text(html, encoding="utf-8")
    reader.goto(file.as_uri())
    reader.locator("#page > footer").wait_for(state="attached")
