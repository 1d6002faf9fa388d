"""Plain text, transcripts, Markdown and notebooks.

markdown-it-py makes HTML of CommonMark with tables, footnotes, front matter, and the links of note
programs. Lines end where they end, as note programs show them.
"""

from __future__ import annotations

import json
import re
from html import unescape

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from gear_app.documents.blocks import ReadDocument, plain_document
from gear_app.documents.files import decode
from gear_app.documents.formats import document_format
from gear_app.documents.formats.web import add_html
from gear_app.language.blocks import Kind

# Base64 as mails and pages embed pictures.
_DATA = re.compile(
    r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{200,}={0,2}(?:\s+[A-Za-z0-9+/=]{40,})*"
)
_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?m)^\s*{_TIME}\s+-->\s+{_TIME}.*$")
_TAGS = re.compile(r"<[^>]{0,200}>|\{\\[^}]{0,200}\}")
_SPEAKER = re.compile(r"<v(?:\.[^ <>]{1,80})?\s+([^<>]{1,200})>|([A-Z][\w.' -]{0,40}):\s+")


@document_format("plain text", "", ".txt", ".text", ".log", ".rst", ".tex", ".org", ".adoc")
def read_plain(content: bytes) -> ReadDocument:
    """A text as it is, but for embedded files."""
    text, notes = decode(content)
    document = plain_document(_DATA.sub("", text))
    document.notes += notes
    document.left_out["embedded file"] = len(_DATA.findall(text))
    return document


@document_format("a transcript", ".vtt", ".srt")
def read_speech(content: bytes) -> ReadDocument:
    """A transcript; cues of one speaker are one paragraph."""
    text, notes = decode(content)
    document = ReadDocument(notes=notes)
    paragraphs: list[str] = []
    for part in _CUE.split("\n".join(text.splitlines()))[1:]:
        # After a blank line: the id of the next cue.
        cue = re.split(r"\n[^\S\n]*\n", part.strip("\n"), maxsplit=1)[0]
        speaker = _SPEAKER.match(cue)
        words = unescape(_TAGS.sub("", cue[speaker.end() :] if speaker else cue)).strip()
        said = f" {paragraphs[-1]}" if paragraphs else ""  # captions that roll say a line again
        words = " ".join(ln for ln in words.split("\n") if not said.endswith(f" {ln}"))
        name = f"{(speaker[1] or speaker[2]).strip()}: " if speaker else ""
        if paragraphs and (not name or paragraphs[-1].startswith(name)):
            paragraphs[-1] += f" {words}".rstrip()
        else:
            paragraphs.append(f"{name}{words}")
    for paragraph in paragraphs:
        document.add(Kind.PROSE, " ".join(paragraph.split()))
    return document


# Markdown

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


@document_format("Markdown", ".md", ".markdown")
def read_markdown(content: bytes) -> ReadDocument:
    """A Markdown file."""
    text, notes = decode(content)
    document = ReadDocument(notes=notes)
    parts = _CODE.split(text)  # text and code by turns
    for pattern, words in _MARKS:
        parts[::2] = [pattern.sub(words, part) for part in parts[::2]]
    footnotes: dict[str, object] = {}
    tokens = _PARSER.parse("".join(parts), footnotes)
    if tokens and tokens[0].type == "front_matter":
        _add_front_matter(document, tokens[0].content)
    return add_html(document, _PARSER.renderer.render(tokens, _PARSER.options, footnotes))


_PARSER = (
    MarkdownIt("commonmark", {"breaks": True, "maxNesting": 100})  # what is deeper, is left out
    .use(footnote_plugin)
    .use(front_matter_plugin)
    .enable(["table", "strikethrough"])
)


def _add_front_matter(document: ReadDocument, text: str) -> None:
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


@document_format("a notebook", ".ipynb")
def read_notebook(content: bytes) -> ReadDocument:
    """Text and code of a notebook; outputs are counted."""
    notebook = json.loads(content)
    cells = [
        ("```\n{}\n```" if cell["cell_type"] == "code" else "{}").format("".join(cell["source"]))
        for cell in notebook["cells"]
    ]
    document = read_markdown("\n\n".join(cells).encode("utf-8", "replace"))
    document.left_out["output"] = sum(len(cell.get("outputs", ())) for cell in notebook["cells"])
    return document
