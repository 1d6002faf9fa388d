"""Markdown and notebooks to blocks: CommonMark with tables, notes and definitions, and what note
programs add.

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
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from gear_app.errors import BadInput, Refused
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode, decoded, storable
from gear_app.ingest.html import ELEMENTS, add_html
from gear_app.ingest.rows import pairs

MOST_CHARACTERS = 20 * MEGABYTE
_DEEPEST = 100  # what is nested deeper, markdown-it leaves out
_MOST_FRONT = 5_000  # characters of front matter that are read as YAML, which takes their square
_KEY = r"[\w\"'][^:\n]{0,99}:(?=\s)"
# Between rules at the beginning; comments may stand over its first key.
_FRONT = re.compile(rf"---+[ \t]*\n((?:#[^\n]*\n)*{_KEY}.*?)\n(?:---+|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_HEADING_ALONE = re.compile(r"\n[ \t]*\n#{1,6} [^\n]*\n[ \t]*\n")
_FRONT_PAIR = re.compile(r"([\w\"'][^:]*):\s+(\S.*)")
_FRONT_LINE = re.compile(rf"{_KEY}|[ \t#-]|\Z")
# `[Ada]: Hello.` defines no link: what follows leads nowhere.
_NO_DEFINITION = re.compile(
    r"(?m)^( {0,3})(\[[^\]\n^][^\]\n]{0,199}\]:[ \t]+(?!\S*(?:[/#:@<]|\w\.\w)))"
)
_WIKI = re.compile(
    r"!?\[\[([^\[\]|#^\n]{0,300})([#^][^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]"
)
_MARKED = re.compile(r"==(?=[^\s=])([^=\n]{1,500})(?<=\S)==")
_CALLOUT = re.compile(r"\[!\w+\][+-]?[ \t]?")
_BLOCK_ID = re.compile(r"[ \t]\^[\w-]{1,60}$")
_CODE_OR_COMMENT = re.compile(r"(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)|%%")
_POWER = re.compile(r"[\w)\]]$")
_TAG = re.compile(r"</?([a-zA-Z][\w-]*)")


def read_markdown(content: bytes) -> ReadDocument:
    """A Markdown file. Raises Refused for more than MOST_CHARACTERS."""
    found = decoded(content)
    return add_markdown(ReadDocument(notes=[found.note] if found.note else []), found.text)


def add_markdown(document: ReadDocument, text: str) -> ReadDocument:
    """Add the blocks of a Markdown text, and the title in its front matter. Raises Refused."""
    if len(text) > MOST_CHARACTERS:
        raise Refused(f"it has more than {megabytes(MOST_CHARACTERS)} of Markdown; split it")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    front = _FRONT.match(text)
    if front and _add_front_matter(document, front[1]):
        text = text[front.end() :]
    parser = _parser()
    state: dict[str, object] = {"document": document}
    tokens = parser.parse(_NO_DEFINITION.sub(r"\1\\\2", text), state)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        document.notes.append(f"what is nested more than {_DEEPEST // 2} deep is left out")
    return add_html(document, parser.renderer.render(tokens, parser.options, state))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"breaks": True, "maxNesting": _DEEPEST})
    parser.enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin)
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)
    parser.core.ruler.after("block", "comments", _without_comments)
    parser.core.ruler.after("inline", "notes", _unasked_notes)
    parser.core.ruler.push("note_programs", _note_programs)
    return parser


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """`[[Page#part|words]]` is its words, else the page's name; `![[Page]]` shows another file."""
    found = _WIKI.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        if found[0].startswith("!"):
            _document(state.env).left_out["embedded file"] += 1
        else:
            words = found[3] or found[1] or (found[2] or "").lstrip("#^")
            state.push("text", "", 0).content = words
    state.pos = found.end()
    return True


def _without_comments(state: StateCore) -> None:
    """Leave out what stands between `%%` and `%%`, in a line or over blocks; code keeps its own."""
    marks = [
        (token, [found for found in _CODE_OR_COMMENT.finditer(token.content) if not found[1]])
        for token in state.tokens
    ]
    left = sum(len(found) for token, found in marks if token.type == "inline") // 2 * 2
    inside = False
    for token, found in marks:
        if token.type != "inline":
            if inside and token.content:
                token.content = ""
            continue
        kept, place = "", 0
        for mark in found[:left]:
            kept += "" if inside else token.content[place : mark.start()]
            inside, place = not inside, mark.end()
            _document(state.env).left_out["comment"] += inside
        left -= len(found[:left])
        token.content = kept + ("" if inside else token.content[place:])


def _unasked_notes(state: StateCore) -> None:
    """A footnote that nothing refers to stands where it is written; so does another of its name."""
    notes = state.env.get("footnotes", {}).get("refs", {})
    kept: list[Token] = []
    label = ""  # of such a note, while its words are to come
    asked = True
    for token in state.tokens:
        if token.type == "footnote_reference_open":
            asked = notes.pop(f":{token.meta['label']}", -1) >= 0
            label = "" if asked else f"[{token.meta['label']}] "
        if label and token.children:
            token.children.insert(0, Token("text", "", 0, content=label))
            label = ""
        if asked or not token.type.startswith("footnote_reference"):
            kept.append(token)
        asked = asked or token.type == "footnote_reference_close"
    state.tokens[:] = kept


def _note_programs(state: StateCore) -> None:
    """Marks of note programs go: `==marked==`, `[!note]` of a callout, `^name` of a block. A tag of
    no HTML element is text.
    """
    for block in state.tokens:
        children = block.children or []
        _keep_powers(children)
        for place, token in enumerate(children):
            if token.type == "html_inline" and _is_foreign(token.content):
                token.type = "text"
            elif token.type == "text":
                token.content = _MARKED.sub(r"\1", token.content)
                if place == 0:
                    token.content = _CALLOUT.sub("", token.content, count=1)
                if place == len(children) - 1:
                    token.content = _BLOCK_ID.sub("", token.content)
        if block.type == "html_block" and _is_foreign(block.content.lstrip()):
            block.type, block.tag = "code_block", "code"


def _keep_powers(tokens: list[Token]) -> None:
    """`x**2 + y**2` has no strong words: stars between a letter and a digit are a sign."""
    opened: list[bool] = []
    for place, token in enumerate(tokens):
        if token.type == "strong_open":
            before, after = tokens[place - 1 : place], tokens[place + 1 : place + 2]
            opened.append(
                bool(before and after)
                and _POWER.search(before[0].content) is not None
                and after[0].content[:1].isdigit()
            )
        if token.type in ("strong_open", "strong_close") and opened and opened[-1]:
            token.content = token.markup
        if token.type == "strong_close" and opened:
            opened.pop()
        if token.content and token.type.startswith("strong"):
            token.type, token.nesting = "text", 0


def _is_foreign(html: str) -> bool:
    tag = _TAG.match(html)
    return tag is not None and tag[1].lower() not in ELEMENTS


def _add_front_matter(document: ReadDocument, text: str) -> bool:
    """Add the title, and pairs of what else stands there, or its lines where it is no plain YAML;
    False for what is no front matter, of which nothing is added.
    """
    if _HEADING_ALONE.search(text):
        return False
    try:
        plain = len(text) <= _MOST_FRONT and not any(
            isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)
        )
        stated = yaml.load(text, yaml.BaseLoader) if plain else None  # noqa: S506 - words alone
    except (yaml.YAMLError, RecursionError, ValueError):
        stated = None
    lines = text.splitlines()
    if isinstance(stated, dict):
        fields = [pair for name, value in stated.items() for pair in pairs(str(name), value)]
    elif all(map(_FRONT_LINE.match, lines)):
        found = (_FRONT_PAIR.fullmatch(line) for line in lines)
        fields = [
            (pair[1], pair[2]) if pair else ("", line)
            for pair, line in zip(found, lines, strict=True)
        ]
    else:
        return False
    for key, value in fields:
        words = _WIKI.sub(lambda found: found[3] or found[1], value)
        if key.lower() == "title":
            document.title = words
        elif key:
            document.add_pair(key, words)
        else:
            document.add(BlockKind.PARAGRAPH, words)
    return True


def _document(state: object) -> ReadDocument:
    document = state["document"] if isinstance(state, dict) else None
    assert isinstance(document, ReadDocument)
    return document


# A notebook (.ipynb): what is written in it, and its code; results are counted only


def read_notebook(content: bytes) -> ReadDocument:
    """The cells of a notebook in their order. Raises BadInput where it is broken."""
    try:
        notebook = json.loads(decode(content))
    except (ValueError, RecursionError) as error:
        raise _broken() from error
    if not isinstance(notebook, dict):
        raise _broken()
    about = notebook.get("metadata")
    title = about.get("title") if isinstance(about, dict) else None
    document = ReadDocument(title=storable(title) if isinstance(title, str) else "")
    for cell in _cells(notebook):
        _add_cell(document, cell)
    return document


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells; older notebooks have them in worksheets."""
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else [])]
    lists = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    cells = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    if not cells and not any(isinstance(some, list) for some in lists):
        raise _broken()
    return [cell for cell in cells if isinstance(cell, dict)]


def _add_cell(document: ReadDocument, cell: dict[str, Any]) -> None:
    text = cell.get("source", cell.get("input", ""))
    if isinstance(text, list):
        text = "".join(line for line in text if isinstance(line, str))
    if not isinstance(text, str):
        raise _broken()
    text = storable(text)
    kind = cell.get("cell_type")
    if kind == "markdown":
        add_markdown(document, text)
    elif kind == "heading":
        level = cell.get("level")
        level = min(6, max(1, level)) if isinstance(level, int) else 1
        document.add(BlockKind.HEADING, text, level=level)
    else:
        document.add(BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH, text)
    outputs = cell.get("outputs")
    document.left_out["output"] += len(outputs) if isinstance(outputs, list) else 0


def _broken() -> BadInput:
    return BadInput("it is not a notebook of Jupyter, or broken; save it anew, or as .html")
