"""Runs and collections in the formats of other tools.

A format is a function marked with `export_form`: its name is the option of the command, its first
paragraph the help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

RUNS, COLLECTION = "runs", "collection"
# The contents of a form's files by their paths in its folder; a form that is one file has "".
Files: TypeAlias = Mapping[str, Iterable[str | bytes]]


class Options(NamedTuple):
    """What one can choose for an export."""

    triples: str | None = None  # the name of a triple set; None for the active one
    licence: str = ""  # of the texts, as each page states it


class Form(NamedTuple):
    """A format: what it holds (RUNS or a COLLECTION), its option's metavar and help, its files."""

    source: str
    metavar: str
    help: str
    files: Callable[..., Files]


FORMS: dict[str, Form] = {}


def export_form(
    source: str, metavar: str
) -> Callable[[Callable[..., Files]], Callable[..., Files]]:
    """Register a format under its function's name. The function takes the workspace, the ids of
    runs or the name of a collection, and the options.
    """

    def register(files: Callable[..., Files]) -> Callable[..., Files]:
        FORMS[files.__name__] = Form(source, metavar, files.__doc__ or "", files)
        return files

    return register
