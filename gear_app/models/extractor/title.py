"""A passage's title as the entity its text is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gear_app.core.text import told_of
from gear_app.models.extractor.words import THINGS, folded

_DISAMBIGUATOR = re.compile(r"\s*\([^()]*\)")
_FILE = re.compile(
    r"\.(?:txt|md|pdf|docx?|xlsx?|pptx?|csv|tsv|html?|json|xml|eml|epub|ipynb|zip|jpe?g|png)$",
    re.IGNORECASE,
)
_REIGN = re.compile(r"\w+ [IVX]+(?= of )")
# An id that a label follows: "CHG-17 | new disk", "RB-4: by hand", "INC-9 scanners dead"
_NUMBERED = re.compile(
    r"\s*(?:([^\W\d_]{1,12}[-_]?\d[\w-]*)(?:\s*[|:–—,]|\s+-|\s+\()"
    r"|([^\W\d_]{1,12}[-_]\d[\w-]*)\s+(?=[^\W\dA-Z_]))"
)
SUFFIXES = frozenset("jr sr i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split())


@dataclass(frozen=True, slots=True)
class Title:
    """A title as a name and its forms; all fields are empty for a title that is no name.

    `name` is the form other passages are likely to use, `forms` all that may stand in the text.
    `words` are the name's, without case and diacritics; `surname` is what a person of this name is
    called by.
    """

    name: str = ""
    forms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    surname: str = ""


def title_of(title: str, text: str) -> Title:
    """Read a title: "The Zone (2017 film)" is The Zone. Of a document's title with a heading it is
    the one that the text tells of. "INC-9: disk full" is INC-9. A title without a capital or with a
    file's ending names nothing.
    """
    title = told_of(title, text)
    number = _NUMBERED.match(title)
    if number:
        name = number[1] or number[2]
        return Title(name, (title.strip(), name), folded(name))
    full = _DISAMBIGUATOR.sub("", title).strip() or title.strip()
    if _FILE.search(full) or not any(c.isupper() or c.isdigit() for c in full):
        return Title()
    first, *rest = (part.strip() for part in full.split(","))
    ranked = (
        bool(first and rest)
        and re.match(rf"(?:The )?{re.escape(first)}(?! ?,| of )(?!\w)", text) is not None
    )
    name = first if ranked else full
    if name.startswith("The ") and re.search(rf"\bthe {re.escape(name[4:])}\b", text):
        name = name[4:]
    reign = _REIGN.match(name)
    first_part = re.escape(full.partition(":")[0])
    subtitle = re.match(
        rf"{first_part}: ([^.,]{{1,200}}?)(?: \([^()]{{0,200}}\))? (?:is|was) an?"
        r" ([^.,]{1,200}?)(?: (?:by|from|in|of|that) |[.,])",
        text,
    )
    is_work = subtitle is not None and THINGS & set(folded(subtitle[2]))
    forms = (
        full,
        name,
        first if ranked else full,
        reign[0] if reign else name,
        subtitle[1] if subtitle and is_work else full,
    )
    ordinary = [word for word in folded(first) if word not in SUFFIXES]
    surname = ordinary[-1] if ordinary else ""
    return Title(name, tuple(dict.fromkeys(forms)), folded(name), surname)


def subject_of(title: str, named: Title) -> str:
    """What a text of this title is about where its own words do not say: the title's name, or the
    title as it stands; "" for the name of a file.
    """
    return named.name or ("" if _FILE.search(title) else title.strip())
