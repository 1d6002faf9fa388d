"""Code books: the categories of failures of two papers (data/codebooks), and people's own.

Records hold a category's key, so that name and definition can be made clearer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from gear_app.core.errors import BadInput
from gear_app.core.paths import packaged_data

OWN = "own"
Part = Literal["reader", "triples"]


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of failure."""

    key: str
    name: str
    definition: str  # when to choose it
    source: str = OWN  # the paper's table it comes from, or "own"
    part: Part | None = None  # the part of a method that fails; None: any method can fail so
    cases: int = 0  # in the paper


@cache
def paper_book(paper: str) -> tuple[Category, ...]:
    """The categories of "gear" (its Table 14) or "hipporag" (its Table 10)."""
    book = tomllib.loads((packaged_data("codebooks") / f"{paper}.toml").read_text(encoding="utf-8"))
    return tuple(Category(source=book["source"], **category) for category in book["category"])


def code_book(categories: Sequence[Category] = ()) -> tuple[Category, ...]:
    """All categories, people's own between those of the papers, in the order of their number
    keys.
    """
    return (*paper_book("gear"), *categories, *paper_book("hipporag"))


def offered(
    method: str, categories: Sequence[Category], lacking: Collection[Part] = ()
) -> tuple[Category, ...]:
    """The categories to choose from for a run of a method, without those of parts that the method
    is `lacking`; HippoRAG's only where the method builds on HippoRAG.
    """
    hidden = () if "hipporag" in method.split(":") else paper_book("hipporag")
    return tuple(
        category
        for category in code_book(categories)
        if category.part not in lacking and category not in hidden
    )


def own_category(name: str, definition: str, categories: Sequence[Category] = ()) -> Category:
    """A person's own category. Raises BadInput where it lacks a name or a definition, or is one of
    the papers' or of `categories`.
    """
    name, definition = " ".join(name.split()), " ".join(definition.split())
    key = re.sub(r"[^\w]+", "-", name.casefold()).strip("-")
    if not (key and definition):
        raise BadInput("A category needs a name, and a sentence that says when to choose it.")
    if len(name) > 60 or len(definition) > 300:
        raise BadInput("A name has at most 60 characters, a definition at most 300.")
    if any(key == category.key or name == category.name for category in code_book(categories)):
        raise BadInput(f"{name!r} is in the code book already.")
    return Category(key, name, definition)
