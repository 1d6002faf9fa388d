"""Which words of a query are a name, and how well a name is mentioned."""

from __future__ import annotations

import pytest

from gear_app.language.query import Query


def anchors(query: Query) -> list[str]:
    return [query.text[query.words[a.first].start : query.words[a.last].end] for a in query.anchors]


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("Who directed Harbour Lights?", [], ["Harbour Lights"]),
        ("Who wrote The Lord of the Rings?", [], ["The Lord of the Rings"]),
        ("Was Bo Hale and Ada Quill born here?", ["Ada Quill"], ["Bo Hale", "Ada Quill"]),
        ("Who wrote Bo and Ada?", ["Bo and Ada", "Ada"], ["Bo and Ada"]),
        ("Which is longer?", ["which", "is"], []),
    ],
)
def test_anchors_are_the_longest_names_and_runs_of_capitals(
    text: str, names: list[str], found: list[str]
) -> None:
    assert anchors(Query(text, names)) == found


def test_a_part_of_a_longer_name_is_hardly_mentioned() -> None:
    query = Query("In which county is Johnnycake, West Virginia?", ["Johnnycake, West Virginia"])
    whole, part = query.mention("Johnnycake, West Virginia"), query.mention("Virginia")
    assert whole is not None
    assert part is not None
    assert whole.quality == 1
    assert part.quality == pytest.approx(1 / 3)


def test_accents_brackets_and_what_follows_a_comma_may_be_missing() -> None:
    query = Query("When did Akinoshu Kenji leave Lorn?", [])
    assert [
        query.mention(name) and round(query.mention(name).quality, 2)
        for name in (  # type: ignore[union-attr]
            "Akinoshū Kenji",
            "Akinoshū Kenji (wrestler)",
            "Lorn, Sel County",
            "Port Mira",
        )
    ] == [1.0, 0.97, 0.85, None]
