"""Which of the places that lie in one another a noun asks for."""

from __future__ import annotations

import pytest

from gear_app.language.query import Query
from gear_app.reader.bridges import candidates
from gear_app.reader.kinds import Kinds, Places
from gear_app.reader.roles import ReadRequest
from gear_app.types import Passage, Triple
from tests.reader.asking import ask

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
        ("country town", ["Ostwick"]),
        ("county", ["Ostwick", "Orle County"]),  # by its name
        ("state", ["Orle County", "Mira", "Norland"]),
        ("province", ["Orle County", "Mira", "Norland"]),
        ("native country", ["Norland"]),
        ("region", ["Ostwick"]),  # which is found from there
        ("continent", ["Norland"]),
        ("song", ["Ostwick", "Orle County", "Mira", "Norland"]),  # no place
    ],
)
def test_the_narrowest_place_is_asked_for_unless_the_noun_asks_for_a_wider_one(
    noun: str, expected: list[str]
) -> None:
    assert left(noun, [*BORN, *LIES]) == expected


@pytest.mark.parametrize(
    ("noun", "inner", "outer", "expected"),
    [
        ("state", "Mira", "Norland", ["Mira", "Norland"]),
        ("country", "Norland", "Europe", ["Norland", "Europe"]),
        ("country", "Norland", "South America", ["Norland", "South America"]),
        ("country", "Mira", "Norland", ["Norland"]),
        ("town", "Norland", "Europe", ["Norland"]),
        ("town", "Mira", "Mira", ["Mira", "Mira"]),
    ],
)
def test_two_places_either_of_which_may_be_a_state_and_no_continent_is_a_country(
    noun: str, inner: str, outer: str, expected: list[str]
) -> None:
    born = [Triple(n, 1, "Ada Quill", "was born in", to) for n, to in enumerate((inner, outer), 1)]
    places = Places([*born, Triple(3, 1, inner, "is in", outer)])
    assert [triple.object for triple in born if not places.conflict(noun, triple)] == expected


@pytest.mark.parametrize("predicate", ["lies near", "works in", "was not in", "was founded in"])
def test_places_that_nothing_tells_to_lie_in_one_another_are_all_left(predicate: str) -> None:
    beside = [Triple(5, 1, "Ostwick", predicate, "Orle County")]
    assert left("town", [*BORN, *beside]) == ["Ostwick", "Orle County", "Mira", "Norland"]
    both = [Triple(5, 1, "Mira", "is in", "Norland"), Triple(6, 1, "Norland", "is in", "Mira")]
    assert left("town", [*BORN, *both]) == ["Ostwick", "Orle County", "Mira", "Norland"]


def test_only_what_is_told_of_one_thing_in_one_way_is_compared() -> None:
    moved = Triple(2, 1, "Ada Quill", "moved to", "Orle County")
    other = Triple(3, 1, "Bo Hale", "was born in", "Mira")
    later = Triple(4, 2, "Ada Quill", "was born in", "Norland")
    lies = [Triple(n, 1, "Ostwick", "located in", to.object) for n, to in enumerate(BORN, 5)]
    places = Places([BORN[0], moved, other, later, *lies])
    assert not any(places.conflict("town", triple) for triple in (BORN[0], moved, other, later))


def test_what_is_told_with_no_place_is_not_compared() -> None:
    won = [
        Triple(1, 1, "Orm Prize", "was won by", "Bo Hale"),
        Triple(2, 1, "Orm Prize", "was won by", "Nixe"),
        Triple(3, 1, "Bo Hale", "was in", "Nixe"),
    ]
    assert not any(Places(won).conflict("", triple) for triple in won)


def test_only_what_a_fact_leads_to_is_the_wrong_place() -> None:
    two = [BORN[0], BORN[3], Triple(5, 1, "Ostwick", "is in", "Norland")]
    passages = [Passage(1, "p1", "Ada Quill", TEXT)]

    def conflicts(question: str) -> dict[str, float]:
        query = Query(question, ["Ada Quill", "Ostwick", "Norland"])
        found = candidates(query, passages, two, frozenset())
        return {bridge.new: bridge.features.conflict for bridge in found}

    assert conflicts("Where was Ada Quill born?") == {"Ostwick": 0.0, "Norland": 1.0}
    assert conflicts("Who was born in Norland?")["Ada Quill"] == 0.0


@pytest.mark.parametrize(
    ("noun", "name", "conflict"),
    [
        ("county", "U.S. Route 52", True),
        ("home town", "East Coast Highway", True),
        ("county", "Route 66", True),
        ("state", "Interstate 80", True),
        ("country", "Highway A9", True),
        ("county", "Orle County", False),
        ("venue", "Abbey Road", False),
        ("road", "Orm Road", False),
        ("town", "Street", False),  # a town
        ("town", "Chester-le-Street", False),
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
def test_the_reader_takes_the_place_that_is_asked_for(question: str, place: str) -> None:
    two = [BORN[3], BORN[0], Triple(8, 1, "Ostwick", "located in", "Norland")]
    two.sort(key=lambda triple: triple.object != ("Norland" if place == "Ostwick" else "Ostwick"))
    passages = [Passage(1, "p1", "Ada Quill", TEXT)]
    reading = ask(ReadRequest(passages, two, question, ()))
    assert [fact.object for fact in reading.triples] == [place]
