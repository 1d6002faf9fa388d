"""The shortest way between entities, on the small collection."""

from __future__ import annotations

import pytest

from gear_app.core.errors import Unknown
from gear_app.core.types import Triple
from gear_app.workspace.corpus import neighbourhood
from gear_app.workspace.corpus.neighbourhood import entity_path
from gear_app.workspace.workspace import Workspace


def _path(films: Workspace, start: str, end: str) -> tuple[list[str], list[Triple]]:
    return entity_path(
        films.store, films.collections["films"].curation().triple_set, [start], [end]
    )


def test_a_way_follows_triples_in_either_direction(films: Workspace) -> None:
    there, back = _path(films, "law", "Harbour Lights"), _path(films, "Harbour Lights", "law")
    assert there[0] == ["law", "Ada Quill", "Harbour Lights"]
    assert back == (there[0][::-1], there[1][::-1])
    assert [one.predicate for one in there[1]] == ["studied", "was directed by"]


def test_there_is_no_way_beyond_the_limit_or_to_what_is_apart(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _path(films, "Harbour Lights", "Tom Vane") != ([], [])
    monkeypatch.setattr(neighbourhood, "MOST_STEPS", 2)
    assert _path(films, "Harbour Lights", "Tom Vane") == ([], [])
    assert _path(films, "Harbour Lights", "Festival of Lights") == ([], [])
    with pytest.raises(Unknown, match="nobody"):
        _path(films, "Lorn", "nobody")
