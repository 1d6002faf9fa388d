"""Markdown and notebooks to blocks: CommonMark with tables, footnotes, definitions, front matter,
and the links of note programs.

markdown-it-py makes HTML of it. Lines end where they end, as note programs show them.
"""

from __future__ import annotations

import json
import re
from functools import cache

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, ReadDocument
from gear_app.documents.decode import decode, storable
from gear_app.documents.html import add_html
from gear_app.documents.rows import pairs

_DEEPEST = 100  # what is nested deeper, markdown-it leaves out
_MOST_FRONT = 5_000  # characters of front matter: YAML takes their square
_FRONT = re.compile(r"---+[ \t]*\n([\w\"'#].*?)\n(?:---+|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_HEADING = re.compile(r"(?:\A|\n[ \t]*\n)#[^\n]*\n[ \t]*\n")  # alone: no comment of YAML
_FOOTNOTE = re.compile(r"(?m)^\[\^([^\]\s]{1,60})\]:")
_CODE = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]+`)", re.S)
_COMMENT = re.compile(r"%%.*?%%", re.S)
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]{0,300}\]\]")
# `[[Page#part|words]]` is its words, else the page's name.
_WIKI = re.compile(
    r"\[\[([^\[\]|#^\n]{0,300})([#^][^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]"
)
# Marks, callouts and ids of blocks, with the text that stays.
_MARKS = (
    (re.compile(r"==(?=[^\s=])([^=\n]{1,500})(?<=\S)=="), r"\1"),
    (re.compile(r"(?m)^(>[ \t]*)\[!\w+\][+-]?[ \t]?"), r"\1"),
    (re.compile(r"(?m)[ \t]\^[\w-]{1,60}$"), ""),
)
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
    return _add_markdown(ReadDocument(notes=[note] if note else []), text)


def _add_markdown(document: ReadDocument, text: str) -> ReadDocument:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    front = _FRONT.match(text)
    if front and _add_front_matter(document, front[1]):
        text = text[front.end() :]
    text = _FOOTNOTE.sub(  # a note that nothing refers to is text
        lambda note: note[0] if text.count(f"[^{note[1]}]") > 1 else f"[{note[1]}]", text
    )
    parts = _CODE.split(text)  # text and code by turns
    parts[::2] = [_without_marks(document, part) for part in parts[::2]]
    return add_html(document, _parser().render("".join(parts)))


def _without_marks(document: ReadDocument, text: str) -> str:
    for noun, pattern in (("comment", _COMMENT), ("embedded file", _EMBEDDED)):
        text, number = pattern.subn("", text)
        document.left_out[noun] += number
    text = _NO_TAG.sub("&lt;", _wiki_words(text))
    for pattern, words in _MARKS:
        text = pattern.sub(words, text)
    return text


def _wiki_words(text: str) -> str:
    return _WIKI.sub(lambda link: link[3] or link[1] or (link[2] or "").lstrip("#^"), text)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"])
    return parser.use(footnote_plugin).use(deflist_plugin)


def _add_front_matter(document: ReadDocument, text: str) -> bool:
    """Add the title and pairs of fields; False for what is no front matter."""
    try:
        aliases = (isinstance(event, yaml.AliasEvent) for event in yaml.parse(text))
        if len(text) > _MOST_FRONT or _HEADING.search(text) or any(aliases):
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


def read_notebook(content: bytes) -> ReadDocument:
    """Text and code of a notebook; outputs are counted. Raises BadInput where it is broken."""
    document = ReadDocument()
    try:
        notebook = json.loads(decode(content)[0])
        document.title = str(notebook.get("metadata", {}).get("title") or "")
        for cell in notebook["cells"]:
            text = storable("".join(cell.get("source", "")))
            document.left_out["output"] += len(cell.get("outputs") or ())
            if cell.get("cell_type") == "markdown":
                _add_markdown(document, text)
            else:
                code = cell.get("cell_type") == "code"
                document.add(BlockKind.CODE if code else BlockKind.PARAGRAPH, text)
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError) as error:
        raise BadInput(
            "it is not a notebook of Jupyter, or broken; save it anew, or as .html"
        ) from error
    return document
