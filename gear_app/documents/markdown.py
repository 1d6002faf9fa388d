"""Markdown and notebooks to blocks: CommonMark with tables, footnotes, front matter, and the
links of note programs.

markdown-it-py makes HTML of it. Lines end where they end, as note programs show them.
"""

from __future__ import annotations

import json
import re
from functools import cache

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from gear_app.documents.blocks import ReadDocument
from gear_app.documents.files import decode
from gear_app.documents.html import add_html

_DEEPEST = 100  # what is nested deeper, markdown-it leaves out
_CODE = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]+`)", re.S)
_HTML = (
    "a|abbr|b|big|blockquote|br|caption|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption"
    "|figure|font|h[1-6]|hr|i|iframe|img|input|ins|kbd|li|main|mark|nav|ol|p|pre|q|s|samp|script"
    "|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr"
    "|tt|u|ul|var|video"
)
# What note programs write, and the text that stays: comments, embedded files, wiki links, marked
# words, callouts, ids of blocks, and signs between words that are no tag (`<Ada>`, `a <b`).
_MARKS = (
    (re.compile(r"%%.*?%%", re.S), ""),
    (re.compile(r"!\[\[[^\[\]\n]{0,300}\]\]"), ""),
    (re.compile(r"\[\[[^\[\]|\n]{0,300}\|([^\[\]\n]{0,300})\]\]"), r"\1"),
    (re.compile(r"\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]\n]{0,300})?\]\]"), r"\1"),
    (re.compile(r"==(?=[^\s=])([^=\n]{1,500})(?<=\S)=="), r"\1"),
    (re.compile(r"(?m)^(>[ \t]*)\[!\w+\][+-]?[ \t]?"), r"\1"),
    (re.compile(r"(?m)[ \t]\^[\w-]{1,60}$"), ""),
    (re.compile(rf"<(?!/?(?:{_HTML})\b[^<>]*>|https?:|mailto:|!--|[\w.+-]+@)", re.I), "&lt;"),
)


def read_markdown(content: bytes) -> ReadDocument:
    """A Markdown file."""
    text, note = decode(content)
    document = ReadDocument(notes=[note] if note else [])
    parts = _CODE.split(text)  # text and code by turns
    for pattern, words in _MARKS:
        parts[::2] = [pattern.sub(words, part) for part in parts[::2]]
    footnotes: dict[str, object] = {}
    tokens = _parser().parse("".join(parts), footnotes)
    if tokens and tokens[0].type == "front_matter":
        _add_front_matter(document, tokens[0].content)
    add_html(document, str(_parser().renderer.render(tokens, _parser().options, footnotes)))
    return document


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"])
    return parser.use(footnote_plugin).use(front_matter_plugin)


def _add_front_matter(document: ReadDocument, text: str) -> None:
    """Add the title, and pairs of fields with words or lists of words."""
    try:
        fields = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - words alone
    except yaml.YAMLError:
        fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    for name, value in fields.items() if isinstance(fields, dict) else ():
        words = value if isinstance(value, list) else [value]
        line = ", ".join(word for word in words if isinstance(word, str))
        if str(name).lower() == "title":
            document.title = line
        else:
            document.add_pair(str(name), line)


def read_notebook(content: bytes) -> ReadDocument:
    """Text and code of a notebook; outputs are counted."""
    notebook = json.loads(content)
    fences = {"code": "```\n{}\n```", "markdown": "{}"}
    cells = [
        fences.get(cell["cell_type"], "{}").format("".join(cell["source"]))
        for cell in notebook["cells"]
    ]
    document = read_markdown("\n\n".join(cells).encode("utf-8", "replace"))
    outputs = (len(cell.get("outputs", ())) for cell in notebook["cells"])
    document.left_out["output"] = sum(outputs)
    return document
