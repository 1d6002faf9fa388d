"""Markdown and notebooks to blocks: CommonMark with tables, footnotes, definitions, front matter,
and the links of note programs.

markdown-it-py makes HTML of it, which is read as a page is (ingest.html). Lines end where they end,
as note programs show them.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from gear_app.errors import BadInput
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode, storable
from gear_app.ingest.html import add_html
from gear_app.ingest.rows import pairs

_DEEPEST = 100  # what is nested deeper, markdown-it leaves out
_MOST_FRONT = 5_000  # characters of front matter: YAML takes their square
_FRONT = re.compile(r"---+[ \t]*\n((?:[\w\"'#].*?)?)\n(?:---+|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_HEADING = re.compile(r"(?:\A|\n[ \t]*\n)#[^\n]*\n[ \t]*\n")  # alone: no comment of YAML
_FOOTNOTE = re.compile(r"(?m)^\[\^([^\]\s]{1,60})\]:")
_CODE = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]+`)", re.S)
_COMMENT = re.compile(r"%%.*?%%", re.S)
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]{0,300}\]\]")
# `[[Page#part|words]]` is its words, else the page's name.
_WIKI = re.compile(
    r"\[\[([^\[\]|#^\n]{0,300})([#^][^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]"
)
_MARKED = re.compile(r"==(?=[^\s=])([^=\n]{1,500})(?<=\S)==")
_CALLOUT = re.compile(r"(?m)^(>[ \t]*)\[!\w+\][+-]?[ \t]?")
_BLOCK_ID = re.compile(r"(?m)[ \t]\^[\w-]{1,60}$")
# A sign between words that is no tag: `<Ada>`, `a <b`.
_NO_TAG = re.compile(
    r"<(?!/?(?:a|abbr|b|big|blockquote|br|caption|center|cite|code|dd|del|details|dfn|div|dl|dt|em"
    r"|figcaption|figure|font|h[1-6]|hr|i|iframe|img|input|ins|kbd|li|main|mark|nav|ol|p|pre|q|s"
    r"|samp|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot"
    r"|th|thead|tr|tt|u|ul|var|video)\b[^<>]*>|https?:|mailto:|!--|[\w.+-]+@)",
    re.IGNORECASE,
)


def read_markdown(content: bytes) -> ReadDocument:
    """A Markdown file."""
    text, note = decode(content)
    return add_markdown(ReadDocument(notes=[note] if note else []), text)


def add_markdown(document: ReadDocument, text: str) -> ReadDocument:
    """Add the blocks of a Markdown text, and the title in its front matter."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    front = _FRONT.match(text)
    if front and _add_front_matter(document, front[1]):
        text = text[front.end() :]
    text = _FOOTNOTE.sub(
        lambda note: note[0] if text.count(f"[^{note[1]}]") > 1 else f"[{note[1]}]", text
    )
    parts = _CODE.split(text)  # text and code by turns
    parts[::2] = [_plain(document, part) for part in parts[::2]]
    return add_html(document, _parser().render("".join(parts)))


def _plain(document: ReadDocument, text: str) -> str:
    """Text without the marks of note programs."""
    for what, pattern in (("comment", _COMMENT), ("embedded file", _EMBEDDED)):
        text, number = pattern.subn("", text)
        document.left_out[what] += number
    text = _NO_TAG.sub("&lt;", _wiki_words(text))
    text = _CALLOUT.sub(r"\1", _MARKED.sub(r"\1", text))
    return _BLOCK_ID.sub("", text)


def _wiki_words(text: str) -> str:
    return _WIKI.sub(lambda link: link[3] or link[1] or (link[2] or "").lstrip("#^"), text)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"])
    return parser.use(footnote_plugin).use(deflist_plugin)


def _add_front_matter(document: ReadDocument, text: str) -> bool:
    """Add the title and pairs of fields; False for what is no front matter."""
    if len(text) > _MOST_FRONT or _HEADING.search(text):
        return False
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            return False
        fields = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - words alone
    except (yaml.YAMLError, RecursionError, ValueError):
        lines = [line.partition(": ") for line in text.splitlines() if line.strip()]
        fields = {key: value for key, _, value in lines}
    if not isinstance(fields, dict) or not all(fields.values()):
        return False
    for name, value in fields.items():
        for key, words in pairs(str(name), value):
            if key.lower() == "title":
                document.title = _wiki_words(words)
            else:
                document.add_pair(key, _wiki_words(words))
    return True


# Notebooks (.ipynb): what is written in them, and their code; results are counted only


def read_notebook(content: bytes) -> ReadDocument:
    """Cells of a notebook. Raises BadInput where it is broken."""
    document = ReadDocument()
    try:
        notebook = json.loads(decode(content)[0])
        title = notebook.get("metadata", {}).get("title")
        document.title = storable(title) if isinstance(title, str) else ""
        sheets = notebook.get("worksheets") or [notebook]  # of older notebooks
        for cell in [cell for sheet in sheets for cell in sheet["cells"]]:
            _add_cell(document, cell)
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError) as error:
        raise BadInput(
            "it is not a notebook of Jupyter, or broken; save it anew, or as .html"
        ) from error
    return document


def _add_cell(document: ReadDocument, cell: dict[str, Any]) -> None:
    text = cell.get("source", cell.get("input", ""))
    text = storable("".join(text))
    kind = cell.get("cell_type")
    if kind == "markdown":
        add_markdown(document, text)
    elif kind == "heading":
        document.add(BlockKind.HEADING, text, level=min(6, max(1, int(cell.get("level", 1)))))
    else:
        document.add(BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH, text)
    document.left_out["output"] += len(cell.get("outputs") or ())
