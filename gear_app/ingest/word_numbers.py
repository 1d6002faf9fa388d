"""What Word counts and names by itself: the numbers before paragraphs, and which are headings.

A paragraph names a list and a level, or its style does. The list says how each level is counted
(ECMA-376, part 1, 17.9): its first number, its letters or digits, and the text around them.
"""

from __future__ import annotations

import re
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DEEPEST = 8  # levels of a list are 0 to 8
_PARENTS = 20  # styles of which a style is made, at most
_HEADING = re.compile(r"heading ([1-9])")
_TITLES = {"title": 1, "subtitle": 2}
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
        strict=True,
    )
)
_BULLETS = ("bullet", "none")
Tree = Any  # lxml says nothing of its types


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
            level = _HEADING.fullmatch(name)
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
