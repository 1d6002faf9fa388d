"""A Word file to blocks: its XML is made plain, then mammoth makes HTML of it, which is read as a
page is (ingest.html).

mammoth knows Word's lists, tables, notes and changes. What it passes over is made plain before:
fields, formulas and text boxes, the numbers that Word counts by itself, headings that only say how
high they are, headers and footers. How a list counts is ECMA-376, part 1, 17.9: the first number of
each level, its letters or digits, and the text around them.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any

import mammoth
from lxml import etree

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.archive import admit_format, broken
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.blocks import ReadDocument, shown
from gear_app.ingest.html import ITEM, NOTE, add_html

MOST_XML, MOST_ELEMENTS, MOST_PARAGRAPHS = 16 * MEGABYTE, 3_000_000, 60_000
_MAIN = "word/document.xml"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
# Two editions of the standard name the same things.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", _R_ID[1:-3].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", _M[1:-1].encode()),
)
_NO_TEXT = ("customXml", "_xmlsignatures")  # folders
_AROUND_RUNS = [W + name for name in ("fldSimple", "bdo", "dir", "customXml", "smartTag")]
_DROPPED, _OFF = ("drop", "margin"), ("0", "false", "off")
_HEADING, _ITEM, _NOTE = "GearHeading", "GearItem", "GearNote"  # styles of plain paragraphs
_STYLES = "\n".join(
    [f"p.{_HEADING}{level} => h{min(level, 6)}:fresh" for level in range(1, 10)]
    + [f"p.{_ITEM}{level} => {ITEM}{level}:fresh" for level in range(9)]
    + [f"p.{_NOTE} => {NOTE}:fresh"]
)
_BROKEN = (*archive.DAMAGE, LookupError, AttributeError, TypeError, etree.LxmlError)
Tree = Any  # lxml says nothing of its types


def read_docx(content: bytes) -> ReadDocument:
    """Everything that stands in a Word file, insertions too; headers and footers come last, each
    once, and comments, deletions and pictures are counted. Raises BadInput where it is broken,
    Refused where it is too large.
    """
    document = ReadDocument()
    try:
        admit_format(content, "Word file")
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            parts = {info.filename: _part(opened, info) for info in _needed(opened)}
        page = _Plain(parts, document).html()
    except RecursionError as error:
        raise Refused("the Word file's tables are nested too deeply; save it as PDF") from error
    except _BROKEN as error:
        raise broken("Word file") from error
    return add_html(document, page)


def _needed(opened: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The parts that hold text or say what is where. Raises Refused where one is too large."""
    for info in opened.infolist():
        name = info.filename
        if name.endswith((".xml", ".rels")) and name.partition("/")[0] not in _NO_TEXT:
            if info.file_size > MOST_XML:
                raise Refused(
                    f"the Word file's text takes {archive.megabytes(info.file_size)} of XML; at"
                    f" most {archive.megabytes(MOST_XML)} are taken; split it"
                )
            yield info


def _part(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    part = b"".join(archive.pieces(opened, info))
    for strict, usual in _STRICT:
        part = part.replace(strict, usual)
    if b"<!DOCTYPE" in part.replace(b"\0", b""):  # in UTF-16, too
        raise BadInput("the Word file declares entities, which Word does not; save it anew in Word")
    return part


class _Plain:
    """The parts of a Word file, of which mammoth reads everything once `html` has changed them."""

    def __init__(self, parts: dict[str, bytes], document: ReadDocument) -> None:
        self._parts, self._document = parts, document
        root = self._relations("")
        self._main = root.get("officeDocument", [_MAIN])[0]
        self._of_main = self._relations(self._main)
        styles, numbering = (self._tree(self._first(kind)) for kind in ("styles", "numbering"))
        self._styles = Styles(styles)
        self._numbers = Numbers(numbering, self._styles)
        core = self._tree(root.get("core-properties", [""])[0])
        if core is not None:
            document.title = "".join(core.xpath("//*[local-name()='title']/text()"))

    def html(self) -> str:
        """The file as a page."""
        main = self._parsed(self._main)
        links = self._parts.get(_relations_of(self._main), b"").decode("utf-8", "replace")
        self._append(main, [*self._of_main.get("header", []), *self._of_main.get("footer", [])])
        trees = {self._main: main}
        for kind in ("footnotes", "endnotes"):
            trees[self._first(kind)] = self._tree(self._first(kind))
        styles = self._tree(self._first("styles"))
        if styles is not None:
            for style in styles.iter(W + "style"):
                style.set(W + "type", style.get(W + "type", "paragraph"))  # as the standard has it
            self._parts[self._first("styles")] = etree.tostring(styles)
        comments = self._tree(self._first("comments"))
        if comments is not None:
            self._document.left_out["comment"] += len(comments.findall(f"{W}comment"))
            self._parts.pop(self._first("comments"))
        for name, tree in trees.items():
            if tree is not None:
                self._make_plain(tree, links)
                self._parts[name] = etree.tostring(tree)
        plain = io.BytesIO()
        with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as zipped:
            for name, part in self._parts.items():
                zipped.writestr(name, part)
        unseen = mammoth.images.img_element(lambda _: {"src": ""})
        result = mammoth.convert_to_html(plain, style_map=_STYLES, convert_image=unseen)
        return str(result.value)

    def _append(self, main: Tree, names: list[str]) -> None:
        """Put the words of headers and footers at the end, each once, without those of no letters
        ("1 / 3").
        """
        body, seen = main.find(W + "body"), set[str]()
        for tree in map(self._tree, names):
            for paragraph in [] if tree is None else tree.iter(W + "p"):
                words = shown("".join(paragraph.itertext(W + "t")))
                letters = "".join(filter(str.isalpha, words))
                if len(letters) > 1 and letters not in seen:
                    seen.add(letters)
                    note = etree.SubElement(body, W + "p")
                    _set_style(note, _NOTE)
                    note.extend(deepcopy(run) for run in paragraph if run.tag != W + "pPr")

    def _make_plain(self, tree: Tree, links: str) -> None:
        for paragraphs, _ in enumerate(tree.iter(W + "p", W + "tr")):
            if paragraphs >= MOST_PARAGRAPHS:
                raise Refused(
                    f"the Word file has more than {MOST_PARAGRAPHS:,} paragraphs; split it"
                )
        left_out = self._document.left_out
        left_out["deletion"] += sum(1 for _ in tree.iter(W + "delText"))
        for twice in list(tree.iter(_MC + "Fallback")):
            if next(twice.getparent().iter(W + "txbxContent"), None) is not None:
                twice.getparent().remove(twice)
        for box in list(tree.iter(W + "txbxContent")):
            _put_after_paragraph(box)
        for frame in [f for f in tree.iter(W + "framePr") if f.get(W + "dropCap") in _DROPPED]:
            _put_before_next(frame.getparent().getparent())
        left_out["picture"] += sum(1 for _ in tree.iter(W + "drawing", W + "pict", W + "object"))
        for around in list(tree.iter(*_AROUND_RUNS, _M + "oMathPara")):
            _unwrap(around)
        for formula in list(tree.iter(_M + "oMath")):
            run = _run("".join(words.text or "" for words in formula.iter(_M + "t")))
            formula.getparent().replace(formula, run)
        marks = [mark for mark in tree.iter(W + "vanish") if mark.get(W + "val") not in _OFF]
        for hidden in [mark.getparent().getparent() for mark in marks]:
            if hidden.tag == W + "r" and hidden.getparent() is not None:
                hidden.getparent().remove(hidden)
                left_out["hidden text"] += 1
        for end in list(tree.iter(W + "cr")):
            end.tag = W + "br"
        for link in tree.iter(W + "hyperlink"):
            if f'"{link.get(_R_ID)}"' not in links:
                link.attrib.pop(_R_ID, None)
        for paragraph in tree.iter(W + "p"):
            self._name(paragraph)

    def _name(self, paragraph: Tree) -> None:
        """Write out a paragraph's number, and say by its style whether it is a heading or item."""
        style = value(paragraph, "pPr/pStyle", "")
        if style == _NOTE:
            return
        level = self._styles.heading(paragraph, style)
        label, depth = self._numbers.of(paragraph, style)
        if not "".join(paragraph.itertext(W + "t")).strip():
            return
        if label:
            _remove(paragraph, "numPr")
            paragraph.insert(1, _run(label + " "))
        if level:
            _set_style(paragraph, f"{_HEADING}{level}")
        elif label:
            _set_style(paragraph, f"{_ITEM}{depth}")

    def _relations(self, part: str) -> dict[str, list[str]]:
        """The parts that belong to one, by the last word of what they are."""
        found: dict[str, list[str]] = {}
        tree = self._tree(_relations_of(part))
        folder = PurePosixPath(part).parent if part else PurePosixPath()
        for relation in [] if tree is None else tree:
            target = str(relation.get("Target") or "")
            where = target[1:] if target.startswith("/") else str(folder / target)
            found.setdefault(str(relation.get("Type")).rpartition("/")[2], []).append(where)
        return found

    def _first(self, kind: str) -> str:
        usual = str(PurePosixPath(self._main).with_name(f"{kind}.xml"))
        return self._of_main.get(kind, [usual])[0]

    def _tree(self, name: str) -> Tree:
        return self._parsed(name) if name in self._parts else None

    def _parsed(self, name: str) -> Tree:
        tree = archive.xml(self._parts[name])
        for elements, _ in enumerate(tree.iter()):
            if elements >= MOST_ELEMENTS:
                raise Refused(f"the Word file has more than {MOST_ELEMENTS:,} elements; split it")
        return tree


def _relations_of(part: str) -> str:
    path = PurePosixPath(part)
    return str(path.parent / "_rels" / f"{path.name}.rels")


def _remove(paragraph: Tree, name: str) -> Tree:
    """The properties of a paragraph, which stand first in it, without those of a name."""
    properties = paragraph.find(W + "pPr")
    if properties is None:
        properties = etree.Element(W + "pPr")
        paragraph.insert(0, properties)
    for named in properties.findall(W + name):
        properties.remove(named)
    return properties


def _set_style(paragraph: Tree, style: str) -> None:
    named = etree.Element(W + "pStyle")
    named.set(W + "val", style)
    _remove(paragraph, "pStyle").insert(0, named)


def _run(words: str) -> Tree:
    run = etree.Element(W + "r")
    text = etree.SubElement(run, W + "t")
    text.text = words
    text.set(_SPACE, "preserve")
    return run


def _unwrap(element: Tree) -> None:
    """Put what is in an element in its place."""
    parent = element.getparent()
    place = parent.index(element)
    for number, child in enumerate(list(element)):
        parent.insert(place + number, child)
    parent.remove(element)


def _put_before_next(initial: Tree) -> None:
    """Put a large initial, which is a paragraph for itself, before the words that go on with it."""
    following = initial.getnext()
    if following is not None and following.tag == W + "p":
        place = 0 if following.find(W + "pPr") is None else 1
        for run in reversed([child for child in initial if child.tag != W + "pPr"]):
            following.insert(place, run)
        initial.getparent().remove(initial)


def _put_after_paragraph(box: Tree) -> None:
    """Put the paragraphs of a text box after the one it hangs on, and take the box away."""
    paragraph = next(box.iterancestors(W + "p"), None)
    if paragraph is None:
        return
    for inner in reversed(list(box)):
        paragraph.addnext(inner)
    drawn = (W + "drawing", W + "pict", W + "object", _MC + "AlternateContent")
    shapes = [one for one in box.iterancestors(*drawn) if paragraph in one.iterancestors()]
    box.getparent().remove(box)
    if shapes:
        shape = shapes[-1]  # the outermost
        if next(shape.iter(W + "txbxContent"), None) is None:
            shape.getparent().remove(shape)


# What Word counts and names by itself: the numbers before paragraphs, and which are headings

_DEEPEST = 8  # levels of a list are 0 to 8
_PARENTS = 20  # styles of which a style is made, at most
_HEADING_NAME = re.compile(r"heading ([1-9])")
_TITLES = {"title": 1, "subtitle": 2}
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
        strict=True,
    )
)
_BULLETS = ("bullet", "none")


def value(element: Tree, path: str, otherwise: str) -> str:
    """What the child at a path of names says."""
    child = element.find("/".join(W + name for name in path.split("/")))
    return otherwise if child is None else str(child.get(W + "val", otherwise))


class Styles:
    """The styles of paragraphs, each with those it is made of."""

    def __init__(self, styles: Tree) -> None:
        """`styles` is the part of the file that has them; None where there is none."""
        found = [] if styles is None else styles.iter(W + "style")
        self._styles = {str(style.get(W + "styleId")): style for style in found}

    def heading(self, paragraph: Tree, style: str) -> int:
        """A heading's level, 1 the highest, by the name of its style or its outline level; 0 for
        any other paragraph.
        """
        told = value(paragraph, "pPr/outlineLvl", "")
        for made_of in self._chain(style):
            name = value(made_of, "name", "").lower()
            level = _HEADING_NAME.fullmatch(name)
            if level or name in _TITLES:
                return int(level[1]) if level else _TITLES[name]
            told = told or value(made_of, "pPr/outlineLvl", "")
        return _depth(told) + 1 if told and told in "012345678" else 0

    def numbering(self, style: str) -> Tree:
        """What the style says of a list, None where it says nothing."""
        found = (made_of.find(f"{W}pPr/{W}numPr") for made_of in self._chain(style))
        return next((listed for listed in found if listed is not None), None)

    def _chain(self, style: str) -> list[Tree]:
        chain: list[Tree] = []
        while style in self._styles and len(chain) < _PARENTS:
            chain.append(self._styles[style])
            style = value(chain[-1], "basedOn", "")
        return chain


class Numbers:
    """The numbers before paragraphs, asked for in the document's order."""

    def __init__(self, numbering: Tree, styles: Styles) -> None:
        """`numbering` is the part of the file that has the lists; None where there is none."""
        self._styles = styles
        self._levels: dict[tuple[str, int], Tree] = {}
        self._lists: dict[str, str] = {}  # what a paragraph names to the list that counts
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for kind in [] if numbering is None else numbering.iter(W + "abstractNum"):
            for level in kind.iter(W + "lvl"):
                depth = _depth(level.get(W + "ilvl"))
                self._levels.setdefault((str(kind.get(W + "abstractNumId")), depth), level)
        for number in [] if numbering is None else numbering.iter(W + "num"):
            id_ = str(number.get(W + "numId"))
            self._lists[id_] = value(number, "abstractNumId", "")
            self._restarts[id_] = {
                _depth(change.get(W + "ilvl")): _number(value(change, "startOverride", "1"))
                for change in number.iter(W + "lvlOverride")
                if change.find(W + "startOverride") is not None
            }

    def of(self, paragraph: Tree, style: str) -> tuple[str, int]:
        """The number as Word shows it, "" where it is a bullet or none, and the level."""
        listed = paragraph.find(f"{W}pPr/{W}numPr")
        of_style = self._styles.numbering(style)
        listed = of_style if listed is None else listed
        if listed is None:
            return "", 0
        id_ = value(listed, "numId", value(of_style, "numId", "") if of_style is not None else "")
        given = value(listed, "ilvl", "")
        depth = _depth(given) if given else self._linked(self._lists.get(id_, ""), style)
        level = self._levels.get((self._lists.get(id_, ""), depth))
        if level is None or value(level, "numFmt", "decimal") in _BULLETS:
            return "", 0
        return self._counted(id_, depth, level).strip(), depth

    def _linked(self, list_: str, style: str) -> int:
        """The level that a list has for a style."""
        levels = ((depth, self._levels.get((list_, depth))) for depth in range(_DEEPEST + 1))
        named = (
            d for d, level in levels if level is not None and value(level, "pStyle", "") == style
        )
        return next(named, 0) if style else 0

    def _counted(self, id_: str, depth: int, level: Tree) -> str:
        list_ = self._lists[id_]
        counts = self._counts.setdefault(list_, {})
        restart = self._restarts[id_].pop(depth, None)
        before = (_number(value(level, "start", "1")) if restart is None else restart) - 1
        counts[depth] = (before if restart is not None else counts.get(depth, before)) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        legal = level.find(W + "isLgl") is not None

        def shown(mark: re.Match[str]) -> str:
            other = self._levels.get((list_, int(mark[1]) - 1))
            first = "1" if other is None else value(other, "start", "1")
            number = counts.get(int(mark[1]) - 1, _number(first))
            form = "decimal" if other is None or legal else value(other, "numFmt", "decimal")
            return written(number, form)

        return re.sub(r"%([1-9])", shown, value(level, "lvlText", f"%{depth + 1}."))


def _depth(told: object) -> int:
    """A level as it is told; the outermost where that makes no sense."""
    text = str(told)
    return int(text) if text in "012345678" and len(text) == 1 else 0


def _number(told: str) -> int:
    return int(told) if told.isascii() and told.isdigit() and len(told) < 7 else 1


def written(number: int, form: str) -> str:
    """A number in one of Word's forms; in digits where the form is another than the usual ones."""
    text = str(number)
    if form.endswith("Letter") and number > 0:
        text = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
    elif form.endswith("Roman") and 0 < number < 4000:
        text = ""
        for worth, letters in _ROMAN:
            text += letters * (number // worth)
            number %= worth
    elif form == "decimalZero":
        text = f"{number:02}"
    return text.upper() if form.startswith("upper") else text
