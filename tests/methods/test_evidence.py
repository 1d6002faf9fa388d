"""What was found among the first passages, on a collection of six and a question of two hops."""

from __future__ import annotations

import pytest

from gear_app.core.types import Passage, Ranking
from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods import evidence
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import EvidenceFound, from_row, to_row
from tests.small import index_over

PUMP, MILL, RIVER, MENU, WELL, CHOIR = range(1, 7)
TEXTS = {
    PUMP: ("Pump house", "The pump at the weir was mended. Orla Fenn held the lamp all night."),
    MILL: ("Mill", "Orla Fenn lives in the loft of the mill. It smells of flour."),
    RIVER: ("River", "The river rises in spring and takes the lower path."),
    MENU: ("Menu", "Soup on weekdays. Cake when there is cake."),
    WELL: ("Well", "The well was dug by Tobias Grell. Its pump is older than the one at the weir."),
    CHOIR: ("Choir", "Tobias Grell sings bass. So does the miller."),
}
QUESTION = "Where does the woman live who held the lamp at the pump?"


@pytest.fixture(scope="module")
def index() -> EmbeddedIndex:
    passages = [Passage(id_, f"k{id_}", *words) for id_, words in TEXTS.items()]
    return index_over(passages, [], HashingEmbedder())


def found(index: EmbeddedIndex, *ids: int, question: str = QUESTION) -> EvidenceFound:
    ranking = Ranking.of((id_, 1 - n / 10) for n, id_ in enumerate(ids))
    return evidence.gather(index, HashingEmbedder(), question, ranking)


def index_of(*texts: str) -> EmbeddedIndex:
    """Texts among as many others as make what two of them name rare."""
    named = [Passage(n, f"k{n}", f"Note {n}", text) for n, text in enumerate(texts, start=1)]
    rest = [Passage(n, f"k{n}", f"Note {n}", f"Day {n}.") for n in range(10, 40)]
    return index_over(named + rest, [], HashingEmbedder())


def test_the_two_that_a_name_joins_come_first_whatever_stands_between(index: EmbeddedIndex) -> None:
    one = found(index, RIVER, PUMP, MENU, MILL)
    assert [passage.id for passage in one.passages] == [PUMP, MILL, RIVER, MENU]
    assert [passage.rank for passage in one.passages] == [2, 4, 1, 3]
    assert one.size == 6
    (link,) = one.links
    assert (link.ends, link.mention, link.holders) == ((PUMP, MILL), "Orla Fenn", 2)
    for passage in one.passages[:2]:
        says = passage.excerpt[passage.sentence.start : passage.sentence.end]
        assert says.startswith("Orla Fenn")
        assert [passage.excerpt[slice(*mark)] for mark in passage.marks] == ["Orla Fenn"]
    assert from_row(to_row(one)) == one


def test_whom_the_question_calls_by_one_name_joins_nothing_and_who_is_new_does() -> None:
    index = index_of(
        "Hannah Reed was out, and Ben Holt took the parcel in.",
        "Hannah Reed moved in with a cat. Ben Holt moved in with a dog.",
    )
    for question, name in (
        ("Whose is the dog of who took Hannah's parcel?", "Ben Holt"),
        ("Whose is the dog of who took Ben's parcel?", "Hannah Reed"),
    ):
        assert [link.mention for link in found(index, 1, 2, question=question).links] == [name]


def test_a_month_leads_nowhere_and_a_day_is_told_without_the_year_that_only_one_has() -> None:
    index = index_of(
        "A box on 17 May 2024.", "Rain in May 2024.", "Closed on 17 May.", "Snow in January 2024."
    )
    ends = {link.ends: link.mention for link in found(index, 1, 2, 3).links}
    assert ends[1, 3] == "17 May"
    assert found(index, 2).leads == ()


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("Ask ines@yard.example for it.", "Mail ines@yard.example today.", ""),
        ("The Store was shut.", "Bring it to the store, and shut it.", ""),
        ("Rain in May 2024.", "Snow in May 2024.", ""),
        ("The Selkie No. 4 is dear.", "Grease: Selkie No. 4, a tin.", "Selkie No. 4"),
        ("Thomas Bouch planned it.", "Here Thomas Telford was born.", ""),
        ("Status: open\nPlace: yard", "Status: closed\nPlace: shed", ""),
        ("Murdo: I carved it.", "It was Murdo who did.", "Murdo"),
        ("Ian Curtis sang it.", "The singer, Ian Curtis, was ill.", "Ian Curtis"),
    ],
)
def test_only_a_name_joins_two_passages_in_its_longest_wording(
    one: str, other: str, name: str
) -> None:
    found_ = found(index_of(one, other), 1, 2, question="What is it, and when was it done?")
    assert [link.mention for link in found_.links] == ([name] if name else [])
    for passage in found_.passages if name else ():
        assert name in passage.excerpt[slice(*passage.sentence)]
        assert name in [passage.excerpt[slice(*mark)] for mark in passage.marks]


def test_the_sentence_that_has_the_answer_is_quoted_with_the_one_that_has_the_name() -> None:
    far = f"Ask Ada Reed. {'The river rises in spring. ' * 20}She lives in Lorn."
    index = index_of("Ada Reed keeps it.", "Ask Ada Reed. She is in Lorn.", far, "To Lornshire.")
    quotes = {2: "Ask Ada Reed. She is in Lorn.", 3: "She lives in Lorn.", 4: "To Lornshire."}
    ranking = Ranking.of((id_, 1 / id_) for id_ in (1, 2, 3, 4))
    evident = evidence.gather(index, HashingEmbedder(), "Where is she?", ranking, "Lorn")
    for passage in evident.passages:
        if passage.id in quotes:
            assert passage.excerpt[slice(*passage.sentence)] == quotes[passage.id]
        assert passage.answers == (passage.id in (2, 3))
