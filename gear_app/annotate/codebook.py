"""The categories of failures: those of two papers, and one's own.

A category is named by a short key, which records hold; its name and its definition can be made
clearer without touching a record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from gear_app.errors import BadInput

OWN = "own"


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of failure. `source` is the paper's table it comes from, or "own"."""

    key: str
    name: str
    definition: str
    source: str = OWN


GEAR = (
    Category(
        "base-retriever",
        "Base retriever",
        "The first search brings passages that only look alike, and nothing to start from.",
        "GEAR, Table 14",
    ),
    Category(
        "reasoner",
        "Reasoner hallucination",
        "It says answerable, or why not, without support in the gist memory.",
        "GEAR, Table 14",
    ),
    Category(
        "reader",
        "Reader hallucination",
        "A fact that was read is in no passage, or does not answer what was asked.",
        "GEAR, Table 14",
    ),
    Category(
        "data-set",
        "Data set issue",
        "The question, its gold or its answer is wrong or cannot be told from the corpus.",
        "GEAR, Table 14",
    ),
    Category(
        "triple-extraction",
        "Missing details in triple extraction",
        "The passage says it, none of its triples does.",
        "GEAR, Table 14",
    ),
    Category(
        "graph",
        "Quality of the graph",
        "Triples are there, but names are split, mixed up, or nothing joins them.",
        "GEAR, Table 14",
    ),
)
HIPPORAG = (
    Category(
        "ner",
        "NER limitation",
        "The question's entities were not all recognised, or are not what it turns on.",
        "HippoRAG, Table 10",
    ),
    Category(
        "openie",
        "Incorrect or missing OpenIE",
        "A triple on the way is wrong or was not extracted.",
        "HippoRAG, Table 10",
    ),
    Category(
        "ppr",
        "PageRank",
        "Entities and triples are right; the walk spreads to passages on alike topics.",
        "HippoRAG, Table 10",
    ),
)
CODE_BOOK = (*GEAR, *HIPPORAG)

TABLE_14 = {
    "base-retriever": 2,
    "reasoner": 2,
    "reader": 7,
    "data-set": 5,
    "triple-extraction": 1,
    "graph": 3,
}
"""GEAR's own count of 20 failures on MuSiQue."""


Part = Literal["reader", "triples"]
OF_PARTS: dict[str, Part] = {
    "reasoner": "reader",
    "reader": "reader",
    "triple-extraction": "triples",
}
"""The part of a method that fails in a category, by its key; others can fail in any method."""


def offered(
    method: str, own: Sequence[Category], lacking: Collection[Part] = ()
) -> tuple[Category, ...]:
    """The categories to choose among for a run of a method, without those of the parts that it is
    `lacking`; HippoRAG's where it takes part.
    """
    theirs = HIPPORAG if "hipporag" in method.split(":") else ()
    gears = [one for one in GEAR if OF_PARTS.get(one.key) not in lacking]
    return (*gears, *own, *theirs)


def number_keys(own: Sequence[Category]) -> dict[str, int]:
    """The number of every category, by its key: the same whichever of them are offered."""
    return {one.key: number for number, one in enumerate((*GEAR, *own, *HIPPORAG), start=1)}


def own_category(name: str, definition: str) -> Category:
    """A category of one's own. Raises BadInput where it lacks a name or a definition, or is one of
    the papers'.
    """
    name, definition = " ".join(name.split()), " ".join(definition.split())
    key = re.sub(r"[^\w]+", "-", name.casefold()).strip("-")
    if not (key and definition):
        raise BadInput("A category needs a name, and a sentence that says when to choose it.")
    if len(name) > 60 or len(definition) > 300:
        raise BadInput("A name has at most 60 characters, a definition at most 300.")
    if key in {one.key for one in CODE_BOOK} or name in {one.name for one in CODE_BOOK}:
        raise BadInput(f"{name!r} is in the code book already.")
    return Category(key, name, definition)
