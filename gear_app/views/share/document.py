"""One HTML document out of data, the screen's own components and styles, and the font: it asks no
network and no server for anything.

The modules of ui/frontend become one script, in which every module is a function; the policy of the
page lets this script run, by its hash, and no other, and nothing be fetched from or sent anywhere.
Data and runs are compressed, as base64, in elements that no browser runs: whatever is written in
a document, it begins and ends no element here.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gear_app
from gear_app.rendering import chart
from gear_app.runs.share import ELEMENT
from gear_app.views import palette
from gear_app.views.markup import Html, tag

FRONTEND = Path(gear_app.__file__).parent / "ui" / "frontend"
HERE = Path(__file__).parent
COMPONENTS: Mapping[str, tuple[str, str]] = {  # the module and the style sheet of each
    "strip": ("strip.js", "components.css"),
    "beam": ("beam.js", "cards.css"),
    "flow": ("flow.js", "cards.css"),
    "ranking": ("ranking.js", "components.css"),
    "aligned": ("compare.js", "compare.css"),
    "grid": ("grid.js", "compare.css"),
}
SHARED = ("dom.js", "pointing.js", "cards.js", "redraw.js")  # components import them
_FONT = "static/static/media/SourceSansVF-Upright*.woff2"  # that of the application, in Streamlit
_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const) (\w+)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default function ", re.MULTILINE)


def document(title: str, data: Mapping[str, Any], runs: str) -> str:
    """A page that draws `data` (page.js says how) and carries `runs`, which is their JSON."""
    code = script()
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(code)),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="generator", content=f"gear_app {gear_app.__version__}"),
        tag("title", title),
        tag("style", Html(style())),
    )
    body = tag(
        "body",
        tag("noscript", "This page draws itself with a script, which this browser does not run."),
        tag("div", id="page"),
        carried("application/json", "data", _json(data)),
        carried(ELEMENT, "runs", runs),
        Html(f"<script>{code}</script>"),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


def plain_document(title: str, body: Html) -> str:
    """A page of HTML alone, in the same style; no script may run in it."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy("")),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(style())),
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", body), lang="en")


def policy(code: str) -> str:
    """What the page may do: run this very script, use its own styles, font and pictures. Nothing
    is fetched and nothing sent.
    """
    runs = f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {runs if code else chr(39) + 'none' + chr(39)}",
            "style-src 'unsafe-inline'",
            "font-src data:",
            "img-src data: blob:",
            "connect-src 'none'",
            "form-action 'none'",
            "base-uri 'none'",
        ]
    )


def carried(kind: str, name: str, json_text: str) -> Html:
    """JSON in an element that no browser runs; page.js and an import find it by its name."""
    text = base64.b64encode(gzip.compress(json_text.encode(), 9, mtime=0)).decode()
    return Html(f'<script type="{kind}" id="{name}">{text}</script>')


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@functools.cache
def script() -> str:
    """The components and the page's own code as one script."""
    names = [*SHARED, *dict.fromkeys(module for module, _ in COMPONENTS.values())]
    modules = [linked(name, (FRONTEND / name).read_text(encoding="utf-8")) for name in names]
    kinds = {kind: module for kind, (module, _) in COMPONENTS.items()}
    sheets = {
        kind: (FRONTEND / sheet).read_text(encoding="utf-8")
        for kind, (_, sheet) in COMPONENTS.items()
    }
    own = (HERE / "page.js").read_text(encoding="utf-8")
    return (
        '"use strict";const MODULES={};'
        + "".join(modules)
        + f"const KINDS={json.dumps(kinds)};const SHEETS={_json(sheets)};(()=>{{\n{own}\n}})();"
    ).replace("</script", "<\\/script")


def linked(name: str, code: str) -> str:
    """A module as a function whose result has what the module exports."""
    exported = [name for _, name in _EXPORT.findall(code)]
    code = _IMPORT.sub(r'const { \1 } = MODULES["\2"];', code)
    code = _EXPORT.sub(r"\1 \2", code)
    code, defaults = _DEFAULT.subn("function component_of ", code)
    if re.search(r"^(import|export)\b", code, re.MULTILINE):
        raise ValueError(f"{name} imports or exports in a way that is not known here")
    names = [*exported, *(["component_of"] if defaults else [])]
    return f'MODULES["{name}"]=(()=>{{\n{code}\nreturn {{{",".join(names)}}};}})();\n'


@functools.cache
def style() -> str:
    """The page's style sheet: both palettes, as the reader's browser likes it or as was chosen,
    and the rules of the HTML that views make.
    """
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    chosen = dark.replace(":root{", ':root[data-theme="dark"]{')
    preferred = dark.replace(":root{", ':root:not([data-theme="light"]){')
    rules = (FRONTEND.parent / "style.css").read_text(encoding="utf-8")
    own = chart.STYLE + (HERE / "page.css").read_text(encoding="utf-8")
    sheet = f"{light}{chosen}@media(prefers-color-scheme:dark){{{preferred}}}{rules}{own}"
    return _font() + sheet.replace("</", "<\\/")


def _font() -> str:
    """The application's font as a rule; "" where this Streamlit has none of that name."""
    found = importlib.util.find_spec("streamlit")
    places: Sequence[str] = (found.submodule_search_locations or []) if found else []
    files = sorted(path for place in places for path in Path(place).glob(_FONT))
    if not files:
        return ""
    data = base64.b64encode(files[0].read_bytes()).decode()
    return (
        '@font-face{font-family:"Source Sans";font-weight:200 900;'
        f'src:url(data:font/woff2;base64,{data}) format("woff2");}}'
    )
