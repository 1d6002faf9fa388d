"""The shortest way between entities, on the small collection."""

from __future__ import annotations

import pytest

from gear_app.core.errors import Unknown
from gear_app.workspace.corpus import neighbourhood
from gear_app.workspace.corpus.neighbourhood import EntityPath, entity_path
from gear_app.workspace.workspace import Workspace


def _path(films: Workspace, start: str, end: str) -> EntityPath | None:
    return entity_path(
        films.store, films.collections["films"].curation().triple_set, [start], [end]
    )


def test_a_way_follows_triples_in_either_direction(films: Workspace) -> None:
    there, back = _path(films, "law", "Harbour Lights"), _path(films, "Harbour Lights", "law")
    assert there and back and there.names == ("law", "Ada Quill", "Harbour Lights")
    assert back.names == there.names[::-1] and back.triples == there.triples[::-1]
    assert [one.predicate for one in there.triples] == ["studied", "was directed by"]


def test_there_is_no_way_beyond_the_limit_or_to_what_is_apart(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _path(films, "Harbour Lights", "Tom Vane") is not None
    monkeypatch.setattr(neighbourhood, "MOST_STEPS", 2)
    assert _path(films, "Harbour Lights", "Tom Vane") is None
    assert _path(films, "Harbour Lights", "Festival of Lights") is None
    with pytest.raises(Unknown, match="nobody"):
        _path(films, "Lorn", "nobody")
