"""An HTML document without scripts, in the application's styles: it asks no network and no server
for anything. Runs are carried as compressed JSON in an element that no browser runs.
"""

from __future__ import annotations

import base64
import functools
import gzip
from pathlib import Path

import gear_app
from gear_app.display import palette
from gear_app.display.markup import Html, tag
from gear_app.workspace.runs.share import ELEMENT

UI = Path(gear_app.__file__).parent / "app"
SHEETS = (UI / "style.css", UI / "frontend" / "columns.css", Path(__file__).parent / "page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def document(title: str, body: Html, runs: str = "") -> str:
    """A page; `runs` is the JSON of the runs that it carries."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="generator", content=f"gear_app {gear_app.__version__}"),
        tag("title", title),
        tag("style", Html(style())),
    )
    data = carried(runs) if runs else ""
    page = tag("body", tag("div", body, id="page"), data)
    return "<!doctype html>\n" + tag("html", head, page, lang="en")


def carried(runs: str) -> Html:
    """The JSON of runs in an element that an import finds by its type."""
    text = base64.b64encode(gzip.compress(runs.encode(), 9, mtime=0)).decode()
    return Html(f'<script type="{ELEMENT}" id="runs">{text}</script>')


@functools.cache
def style() -> str:
    """The style sheet: both palettes, as the reader's browser likes it, and the rules of the HTML
    that views make.
    """
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    rules = "".join(sheet.read_text(encoding="utf-8") for sheet in SHEETS)
    sheet = f"{light}@media(prefers-color-scheme:dark){{{dark}}}{rules}"
    return sheet.replace("</", "<\\/")
