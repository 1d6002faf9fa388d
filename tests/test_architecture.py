"""The drawing of the rooms is what the import rules say, and leaves none out."""

from __future__ import annotations

from tests import architecture


def test_the_drawing_is_the_rules() -> None:
    drawn = architecture.PAGE.read_text(encoding="utf-8")
    assert drawn == architecture.page(), "write it anew: python -m tests.architecture"


def test_every_room_has_its_place() -> None:
    placed = {room.partition(".")[0] for layer in architecture.layers() for room in layer}
    assert placed == architecture.rooms()
