"""Which of the places that lie in one another a noun asks for."""

from __future__ import annotations

import pytest

from gear_app.events import ignore
from gear_app.reader.kinds import Kinds
from gear_app.reader.local import LocalReader
from gear_app.reader.places import Places
from gear_app.types import Passage, Triple

TEXT = "Ada Quill was born in Ostwick, Orle County, Mira, Norland."
BORN = [
    Triple(1, 1, "Ada Quill", "was born in", "Ostwick"),
    Triple(2, 1, "Ada Quill", "was born in", "Orle County"),
    Triple(3, 1, "Ada Quill", "was born in", "Mira"),
    Triple(4, 1, "Ada Quill", "was born in", "Norland"),
]
LIES = [
    Triple(5, 1, "Ostwick", "located in", "Orle County"),
    Triple(6, 1, "orle county", "is in", "Mira"),
    Triple(7, 1, "Mira", "is located in", "Norland"),
]


def left(noun: str, triples: list[Triple]) -> list[str]:
    places = Places(triples)
    return [triple.object for triple in BORN if not places.conflict(noun, triple)]


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("town", ["Ostwick"]),
        ("birthplace", ["Ostwick"]),
        ("thing", ["Ostwick"]),
        ("", ["Ostwick"]),
        ("county", ["Ostwick", "Orle County"]),  # by its name
        ("state", ["Orle County", "Mira", "Norland"]),
        ("native country", ["Norland"]),
    ],
)
def test_the_narrowest_place_is_asked_for_unless_the_noun_asks_for_a_wider_one(
    noun: str, expected: list[str]
) -> None:
    assert left(noun, [*BORN, *LIES]) == expected


def test_places_that_nothing_tells_to_lie_in_one_another_are_all_left() -> None:
    assert left("town", BORN) == ["Ostwick", "Orle County", "Mira", "Norland"]
    beside = [Triple(5, 1, "Ostwick", "lies near", "Orle County")]
    assert left("town", [*BORN, *beside]) == ["Ostwick", "Orle County", "Mira", "Norland"]


def test_only_what_is_told_of_one_thing_in_one_way_is_compared() -> None:
    moved = Triple(2, 1, "Ada Quill", "moved to", "Orle County")
    other = Triple(3, 1, "Bo Hale", "was born in", "Mira")
    later = Triple(4, 2, "Ada Quill", "was born in", "Norland")
    lies = [Triple(n, 1, "Ostwick", "located in", to.object) for n, to in enumerate(BORN, 5)]
    places = Places([BORN[0], moved, other, later, *lies])
    assert not any(places.conflict("town", triple) for triple in (BORN[0], moved, other, later))


@pytest.mark.parametrize(
    ("noun", "name", "conflict"),
    [
        ("county", "U.S. Route 52", True),
        ("home town", "East Coast Highway", True),
        ("county", "Orle County", False),
        ("road", "Orm Road", False),
        ("town", "Street", False),  # a town in Mira
    ],
)
def test_a_road_is_no_county(noun: str, name: str, conflict: bool) -> None:
    assert Kinds([]).conflict(noun, name) is conflict


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Who is the mayor of the town where Ada Quill was born?", "Ostwick"),
        ("Who is the king of the country where Ada Quill was born?", "Norland"),
    ],
)
def test_the_reader_takes_the_place_that_is_asked_for(
    reader: LocalReader, question: str, place: str
) -> None:
    two = [BORN[3], BORN[0], Triple(8, 1, "Ostwick", "located in", "Norland")]
    two.sort(key=lambda triple: triple.object != ("Norland" if place == "Ostwick" else "Ostwick"))
    passages = [Passage(1, "p1", "Ada Quill", TEXT)]
    reading = reader.read(passages, two, question, (), ignore)
    assert [fact.object for fact in reading.triples] == [place]
