"""Word files to blocks: mammoth makes HTML of them, which is read as a page is (ingest.html).

mammoth passes over formulas and text boxes, so these are written into the text before. Headers and
footers come last, each once. Numbers that Word counts by itself are left out of headings.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import mammoth
from lxml import etree

from gear_app.errors import Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument, visible
from gear_app.ingest.files import DAMAGE, broken, parse_xml
from gear_app.ingest.html import add_html

_MAIN, _STYLES = "word/document.xml", "word/styles.xml"
_COMMENTS, _CORE = "word/comments.xml", "docProps/core.xml"
_EDGE = re.compile(r"word/(?:header|footer|hdr|ftr)\d*\.xml")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_STRICT, _TRANSITIONAL = b"http://purl.oclc.org/ooxml/", b"http://schemas.openxmlformats.org/"
_OFF = ("0", "false", "off")
_AROUND_RUNS = [W + name for name in ("fldSimple", "bdo", "dir", "customXml", "smartTag")]
_STYLE_MAP = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => h2:fresh"
_ERRORS = (*DAMAGE, LookupError, AttributeError, TypeError, etree.LxmlError)
Tree = Any  # lxml says nothing of its types


def read_docx(content: bytes) -> ReadDocument:
    """A Word file, insertions included; comments, deletions and pictures are counted. Raises
    BadInput where it is broken, Refused where it is nested too deeply.
    """
    document = ReadDocument()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist() if _is_text(name)}
        page = _html(parts, document)
        add_html(document, page)
        _add_edges(document, parts)
    except RecursionError as error:
        raise Refused("the Word file's tables are nested too deeply; save it as PDF") from error
    except _ERRORS as error:
        raise broken("Word file") from error
    return document


def _is_text(name: str) -> bool:
    return name.endswith((".xml", ".rels")) and not name.startswith(("customXml", "_xmlsig"))


def _html(parts: dict[str, bytes], document: ReadDocument) -> str:
    for name in parts:
        parts[name] = _transitional(parts[name])
    styles = _tree(parts, _STYLES)
    for style in [] if styles is None else styles.iter(W + "style"):
        style.set(W + "type", style.get(W + "type", "paragraph"))  # mammoth needs it
    if styles is not None:
        parts[_STYLES] = etree.tostring(styles)
    core = _tree(parts, _CORE)
    if core is not None:
        document.title = "".join(core.xpath("//*[local-name()='title']/text()"))
    comments = _tree(parts, _COMMENTS)
    if comments is not None:
        document.left_out["comment"] += len(comments.findall(f"{W}comment"))
        del parts[_COMMENTS]
    for name in (_MAIN, "word/footnotes.xml", "word/endnotes.xml"):
        tree = _tree(parts, name)
        if tree is not None:
            _make_plain(tree, document)
            parts[name] = etree.tostring(tree)
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as target:
        for name, part in parts.items():
            target.writestr(name, part)
    no_image = mammoth.images.img_element(lambda _: {"src": ""})
    result = mammoth.convert_to_html(plain, style_map=_STYLE_MAP, convert_image=no_image)
    return str(result.value)


def _transitional(part: bytes) -> bytes:
    """A part by the names of the usual edition of the standard."""
    part = part.replace(_STRICT + b"wordprocessingml/main", W[1:-1].encode())
    part = part.replace(_STRICT + b"officeDocument/math", _M[1:-1].encode())
    return part.replace(
        _STRICT + b"officeDocument/relationships",
        _TRANSITIONAL + b"officeDocument/2006/relationships",
    )


def _tree(parts: dict[str, bytes], name: str) -> Tree:
    return parse_xml(parts[name]) if name in parts else None


def _add_edges(document: ReadDocument, parts: dict[str, bytes]) -> None:
    """Add the words of headers and footers, each once, without those of no letters ("1 / 3")."""
    added = set[str]()
    for name in filter(_EDGE.fullmatch, parts):
        for paragraph in parse_xml(parts[name]).iter(W + "p"):
            words = visible("".join(paragraph.itertext(W + "t")))
            letters = "".join(filter(str.isalpha, words))
            if len(letters) > 1 and letters not in added:
                added.add(letters)
                document.add(BlockKind.NOTE, words)


def _make_plain(tree: Tree, document: ReadDocument) -> None:
    """Write what mammoth passes over as text, and count what is left out."""
    left_out = document.left_out
    left_out["deletion"] += sum(1 for _ in tree.iter(W + "delText"))
    for again in list(tree.iter(_FALLBACK)):
        if next(again.getparent().iter(W + "txbxContent"), None) is not None:
            again.getparent().remove(again)
    for box in list(tree.iter(W + "txbxContent")):
        paragraph = next(box.iterancestors(W + "p"), None)
        if paragraph is not None:
            for inner in reversed(list(box)):
                paragraph.addnext(inner)
    numbered = (mark.getparent() for mark in tree.iter(W + "numPr"))
    headings = (mark for mark in numbered if mark.find(W + "outlineLvl") is not None)
    left_out["number of a heading"] += sum(1 for _ in headings)
    left_out["picture"] += sum(1 for _ in tree.iter(W + "drawing", W + "pict", W + "object"))
    for formula in list(tree.iter(_M + "oMath")):
        formula.getparent().replace(formula, _run(_linear(formula)))
    for around in list(tree.iter(*_AROUND_RUNS, _M + "oMathPara")):
        for child in list(around):
            around.addprevious(child)
        around.getparent().remove(around)
    marks = [mark for mark in tree.iter(W + "vanish") if mark.get(W + "val") not in _OFF]
    for hidden in [mark.getparent().getparent() for mark in marks]:
        if hidden.tag == W + "r" and hidden.getparent() is not None:
            hidden.getparent().remove(hidden)
            left_out["hidden text"] += 1


def _linear(formula: Tree) -> str:
    """A formula in one line: `(a)/(b)`, `a^2`, `sqrt(a)`."""
    kind = etree.QName(formula).localname
    if kind == "t":
        return formula.text or ""
    parts = {etree.QName(child).localname: _linear(child) for child in formula}
    if kind == "f":
        return f"({parts.get('num', '')})/({parts.get('den', '')})"
    if kind == "rad":
        degree = parts.get("deg", "")
        return f"root({degree}, {parts.get('e', '')})" if degree else f"sqrt({parts.get('e', '')})"
    if kind in ("sSup", "sSub", "sSubSup"):
        lower, upper = parts.get("sub", ""), parts.get("sup", "")
        return parts.get("e", "") + (f"_{lower}" if lower else "") + (f"^{upper}" if upper else "")
    return "".join(_linear(child) for child in formula)


def _run(words: str) -> Tree:
    run = etree.Element(W + "r")
    text = etree.SubElement(run, W + "t")
    text.text = words
    return run
