"""Which words of a query are a name, and how well a name is mentioned."""

from __future__ import annotations

import pytest

from gear_app.language.query import Query, rarity


def anchors(query: Query) -> list[str]:
    return [query.text[query.words[a.first].start : query.words[a.last].end] for a in query.anchors]


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("Who directed Harbour Lights?", [], ["Harbour Lights"]),
        ("Who is the wife of Kim Jong-chul?", [], ["Kim Jong-chul"]),
        ("Who wrote The Lord of the Rings?", [], ["The Lord of the Rings"]),
        (
            "Do both Harbour Lights and Winter Lights come from Lorn?",
            [],
            ["Harbour Lights", "Winter Lights", "Lorn"],
        ),
        ("Was Bo Hale and Ada Quill born here?", ["Ada Quill"], ["Bo Hale", "Ada Quill"]),
        ("Who wrote Bo and Ada?", ["Bo and Ada", "Ada"], ["Bo and Ada"]),
        ("who sang moon river", ["moon river"], ["moon river"]),
        (
            "Where is Johnnycake, West Virginia?",
            ["West Virginia", "Johnnycake, West Virginia"],
            ["Johnnycake, West Virginia"],
        ),
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


def test_another_name_that_shares_a_word_is_no_match() -> None:
    mention = Query("What happened in Akinoshu Kenji's home town?", []).mention("Kenji Fujimori")
    assert mention is not None
    assert mention.quality == pytest.approx(0.25)


def test_a_noun_of_the_question_mentions_only_what_is_called_by_no_more() -> None:
    names = ["Orle County", "county", "county of Lorn"]
    query = Query("Which county is next to the county where Ada Quill died?", names)
    assert query.mention("Orle County") is None
    assert query.mention("county") is not None
    assert query.mention("The county") is not None
    lower = Query("which county is next to orle", names)
    assert lower.mention("Orle County") is not None  # without capitals every noun may be a name


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


def test_function_words_alone_mention_nothing() -> None:
    assert Query("Who wrote The Lord of the Rings?", []).mention("The Of") is None


def test_the_place_of_a_mention_takes_its_bracket_along() -> None:
    query = Query("Who directed The Zone (2017 Film)?", [])
    start, end = query.place(query.anchors[0])
    assert query.text[start:end] == "The Zone (2017 Film)"


def test_rarity_is_one_for_a_word_of_one_text_and_less_the_commoner_it_is() -> None:
    rare = rarity(["a film", "a song", "a film"])
    assert rare["song"] == 1
    assert rare["a"] < rare["film"] < rare["song"]
