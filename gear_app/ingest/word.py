"""Word files to blocks: mammoth makes HTML of them, which is read as a page is (ingest.html).

mammoth passes over formulas and the numbers that Word counts by itself, so these are written into
the text before; headers and footers come last, each once. How a list counts is ECMA-376, part 1,
17.9: the first number of each level, its letters or digits, and the text around them.
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
from gear_app.ingest.html import ITEM, add_html

_MAIN, _STYLES, _NUMBERING = "word/document.xml", "word/styles.xml", "word/numbering.xml"
_COMMENTS, _CORE = "word/comments.xml", "docProps/core.xml"
_EDGE = re.compile(r"word/(?:header|footer|hdr|ftr)\d*\.xml")
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_STRICT, _TRANSITIONAL = b"http://purl.oclc.org/ooxml/", b"http://schemas.openxmlformats.org/"
_OFF = ("0", "false", "off")
_AROUND_RUNS = [W + name for name in ("fldSimple", "bdo", "dir", "customXml", "smartTag")]
_HEADING, _LIST = "GearHeading", "GearItem"  # styles of paragraphs whose kind is known
_STYLE_MAP = "\n".join(
    [f"p.{_HEADING}{level} => h{min(level, 6)}:fresh" for level in range(1, 10)]
    + [f"p.{_LIST}{level} => {ITEM}{level}:fresh" for level in range(9)]
)
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
    styles = Styles(_tree(parts, _STYLES))
    numbers = Numbers(_tree(parts, _NUMBERING), styles)
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
            for paragraph in tree.iter(W + "p"):
                _write_number(paragraph, styles, numbers)
            parts[name] = etree.tostring(tree)
    if styles.tree is not None:
        parts[_STYLES] = etree.tostring(styles.tree)
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
    seen = set[str]()
    for name in filter(_EDGE.fullmatch, parts):
        for paragraph in parse_xml(parts[name]).iter(W + "p"):
            words = visible("".join(paragraph.itertext(W + "t")))
            letters = "".join(filter(str.isalpha, words))
            if len(letters) > 1 and letters not in seen:
                seen.add(letters)
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


def _write_number(paragraph: Tree, styles: Styles, numbers: Numbers) -> None:
    """Write a paragraph's number into it, and say by its style whether it is a heading or item."""
    style = value(paragraph, "pPr/pStyle", "")
    level = styles.heading(paragraph, style)
    label, depth = numbers.of(paragraph, style)
    if not "".join(paragraph.itertext(W + "t")).strip() or not (level or label):
        return
    properties = paragraph.find(W + "pPr")
    if properties is None:
        properties = etree.Element(W + "pPr")
        paragraph.insert(0, properties)
    if label:
        _remove(properties, "numPr")
        paragraph.insert(1, _run(label + " "))
    _remove(properties, "pStyle")
    named = etree.Element(W + "pStyle")
    named.set(W + "val", f"{_HEADING}{level}" if level else f"{_LIST}{depth}")
    properties.insert(0, named)


def _remove(properties: Tree, name: str) -> None:
    for child in properties.findall(W + name):
        properties.remove(child)


def _run(words: str) -> Tree:
    run = etree.Element(W + "r")
    text = etree.SubElement(run, W + "t")
    text.text = words
    return run


def value(element: Tree, path: str, default: str) -> str:
    """Value of the child at a path of names."""
    child = element.find("/".join(W + name for name in path.split("/")))
    return default if child is None else str(child.get(W + "val", default))


_PARENTS = 20  # styles that a style is based on, at most
_HEADING_NAME = re.compile(r"heading ([1-9])")
_TITLES = {"title": 1, "subtitle": 2}
_NO_NUMBERS = ("bullet", "none")


class Styles:
    """Styles of paragraphs, each with those it is based on."""

    def __init__(self, styles: Tree) -> None:
        """`styles` is the part of the file that has them; None where there is none."""
        self.tree = styles
        nodes = [] if styles is None else list(styles.iter(W + "style"))
        for style in nodes:
            style.set(W + "type", style.get(W + "type", "paragraph"))  # mammoth needs it
        self._styles = {str(style.get(W + "styleId")): style for style in nodes}

    def heading(self, paragraph: Tree, style: str) -> int:
        """Level of a heading, 1 the highest, by the name of its style or its outline level; 0 for
        any other paragraph.
        """
        outline = value(paragraph, "pPr/outlineLvl", "")
        for base in self._chain(style):
            name = value(base, "name", "").lower()
            level = _HEADING_NAME.fullmatch(name)
            if level or name in _TITLES:
                return int(level[1]) if level else _TITLES[name]
            outline = outline or value(base, "pPr/outlineLvl", "")
        return _number(outline, 9) + 1 if _number(outline, 9) < 9 else 0

    def numbering(self, style: str) -> Tree:
        """List of a style, None where it has none."""
        lists = (base.find(f"{W}pPr/{W}numPr") for base in self._chain(style))
        return next((properties for properties in lists if properties is not None), None)

    def _chain(self, style: str) -> list[Tree]:
        chain: list[Tree] = []
        while style in self._styles and len(chain) < _PARENTS:
            chain.append(self._styles[style])
            style = value(chain[-1], "basedOn", "")
        return chain


class Numbers:
    """Numbers before paragraphs, which have to be passed in the document's order."""

    def __init__(self, numbering: Tree, styles: Styles) -> None:
        """`numbering` is the part of the file that has the lists; None where there is none."""
        self._styles = styles
        self._levels: dict[tuple[str, int], Tree] = {}
        self._lists: dict[str, str] = {}  # the id in paragraphs to the list that counts
        self._counts: dict[str, dict[int, int]] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        for kind in [] if numbering is None else numbering.iter(W + "abstractNum"):
            for level in kind.iter(W + "lvl"):
                key = str(kind.get(W + "abstractNumId")), _number(level.get(W + "ilvl"), 0)
                self._levels.setdefault(key, level)
        for number in [] if numbering is None else numbering.iter(W + "num"):
            id_ = str(number.get(W + "numId"))
            self._lists[id_] = value(number, "abstractNumId", "")
            for change in number.iter(W + "lvlOverride"):
                if change.find(W + "startOverride") is not None:
                    start = _number(value(change, "startOverride", "1"), 1)
                    self._restarts[id_, _number(change.get(W + "ilvl"), 0)] = start

    def of(self, paragraph: Tree, style: str) -> tuple[str, int]:
        """Number of a paragraph as Word shows it, "" where it has none, and its level."""
        own, inherited = paragraph.find(f"{W}pPr/{W}numPr"), self._styles.numbering(style)
        properties = inherited if own is None else own
        if properties is None:
            return "", 0
        default = value(inherited, "numId", "") if inherited is not None else ""
        id_ = value(properties, "numId", default)
        list_ = self._lists.get(id_, "")
        linked = (
            depth
            for (of, depth), level in self._levels.items()
            if of == list_ and style and value(level, "pStyle", "") == style
        )
        depth = _number(value(properties, "ilvl", ""), next(linked, 0))
        level = self._levels.get((list_, depth))
        if level is None or value(level, "numFmt", "decimal") in _NO_NUMBERS:
            return "", 0
        return self._counted(id_, depth, level).strip(), depth

    def _counted(self, id_: str, depth: int, level: Tree) -> str:
        list_ = self._lists[id_]
        counts = self._counts.setdefault(list_, {})
        first = _number(value(level, "start", "1"), 1)
        restart = self._restarts.pop((id_, depth), None)
        counts[depth] = counts.get(depth, first - 1) + 1 if restart is None else restart
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        legal = level.find(W + "isLgl") is not None

        def number(mark: re.Match[str]) -> str:
            place = int(mark[1]) - 1
            other = self._levels.get((list_, place))
            form = "decimal" if other is None or legal else value(other, "numFmt", "decimal")
            start = "1" if other is None else value(other, "start", "1")
            return written(counts.get(place, _number(start, 1)), form)

        return re.sub(r"%([1-9])", number, value(level, "lvlText", f"%{depth + 1}."))


def _number(text: object, default: int) -> int:
    digits = str(text)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 7 else default


_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
        strict=True,
    )
)


def written(number: int, form: str) -> str:
    """A number in one of Word's forms, in digits for rare ones."""
    text = str(number)
    if form.endswith("Letter") and number > 0:
        text = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
    elif form.endswith("Roman") and 0 < number < 4000:
        text = ""
        for worth, letters in _ROMAN:
            text += letters * (number // worth)
            number %= worth
    return text.upper() if form.startswith("upper") else text
