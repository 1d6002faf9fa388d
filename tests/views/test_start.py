"""The start screen's sentence, captions and suggested questions, from events alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.events import Event, Reasoned, Retrieved
from gear_app.types import Question
from gear_app.views.start.captions import captions
from gear_app.views.start.sentence import beginnings
from gear_app.views.start.story import Caption, CaptionItem, Recall, Story, StoryPiece, story_of
from tests import factories, rivals
from tests.factories import GOLD, QUESTION

ANSWER = ("François Carpentier",)


def told(
    events: list[Event],
    method: str = "gear",
    gold: tuple[str, ...] = GOLD,
    known: tuple[str, ...] = ANSWER,
) -> Story:
    story = story_of(events, QUESTION, method, gold, known)
    assert story is not None
    return story


def words(pieces: tuple[StoryPiece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def line(item: CaptionItem) -> tuple[str, str, str, bool]:
    return item.kind, words(item.head), words(item.words), item.star


def lines(caption: Caption) -> list[tuple[str, str, str, bool]]:
    return [line(item) for item in caption.items]


def test_the_sentence_counts_what_one_search_and_the_iterations_find() -> None:
    assert told(factories.gear_run()).sentence == (
        "GEAR reads facts from passages and follows them: one search finds 1 of 3, two iterations"
        " find all three and the answer."
    )


def test_an_answer_that_is_not_known_to_be_right_is_not_claimed() -> None:
    for known in ((), ("Somebody else",)):
        assert told(factories.gear_run(), known=known).sentence.endswith("find all three.")


def test_one_search_has_its_first_five_a_line_and_every_gold_passage() -> None:
    caption = told(factories.gear_run()).captions[0]
    ranking = next(e for e in factories.gear_run() if isinstance(e, Retrieved)).ranking
    assert caption.title == "One search fails"
    kinds = [item.kind for item in caption.items]
    assert kinds[:7] == ["passage"] * 5 + ["cut", "passage"]
    assert [words(item.words) for item in caption.items[:5]] == [p.title for p in ranking[:5]]
    stars = {words(item.words): item.kind for item in caption.items if item.star}
    assert set(stars) == {factories.TEXTS[key][0] for key in GOLD}
    assert caption.items[0].step == 0


def test_the_beam_is_the_one_that_leads_to_what_was_missed_and_what_was_pruned_is_beside_it() -> (
    None
):
    caption = told(factories.gear_run()).captions[1]
    assert lines(caption)[:3] == [
        (
            "fact",
            "Clifton Suspension Bridge",
            "Clifton Suspension Bridge was designed by Isambard Kingdom Brunel",
            True,
        ),
        ("link", "", "the same name: Isambard Kingdom Brunel", False),
        (
            "fact",
            "Isambard Kingdom Brunel",
            "Isambard Kingdom Brunel was the only son of Marc Isambard Brunel",
            True,
        ),
    ]
    assert [item.note for item in caption.items if item.kind == "pruned"] == ["pruned", "pruned"]
    assert {item.step for item in caption.items if item.kind != "link"} == {3}
    assert words(caption.words).startswith("A passage that was found names Isambard Kingdom Brunel")


def test_the_memory_grows_by_iteration_with_its_verdict_and_the_next_query() -> None:
    caption = told(factories.gear_run()).captions[2]
    assert [(words(i.head), i.tone, i.note, i.more) for i in caption.items] == [
        ("1", "no", "not answerable yet", f"asks next: {factories.NEXT_QUERY}"),
        ("2", "yes", "answerable: François Carpentier", ""),
    ]
    assert caption.recall == Recall((3, 3), 1, 3, "GEAR")


def test_a_name_that_facts_share_has_the_same_mark_in_every_caption() -> None:
    story = told(factories.gear_run())
    marked: dict[str, set[int]] = {}
    for caption in story.captions:
        for item in caption.items:
            for piece in (*item.head, *item.words):
                if piece.mark is not None:
                    marked.setdefault(piece.text, set()).add(piece.mark)
    assert {"Isambard Kingdom Brunel", "Marc Isambard Brunel"} <= marked.keys()
    assert all(len(marks) == 1 for marks in marked.values())
    assert len({mark for marks in marked.values() for mark in marks}) == len(marked)
    assert "François Carpentier" not in marked


@pytest.mark.parametrize("name", list(rivals.RUNS))
def test_every_method_has_a_story_that_tells_of_nothing_it_has_not(name: str) -> None:
    story = told(rivals.RUNS[name](), name.split()[0])
    assert story.captions[0].items
    assert "fact" not in {
        item.kind for caption in story.captions[2:] for item in caption.items
    } and not any("memory" in caption.title for caption in story.captions)


def test_a_run_that_has_searched_nothing_has_no_story() -> None:
    assert story_of([], QUESTION, "gear") is None
    assert story_of([Reasoned(False, "nothing")], QUESTION, "gear") is None


def test_every_card_of_the_captions_links_to_its_step_and_words_stay_text() -> None:
    story = replace(told(factories.gear_run()), question="<b>Where?</b>")
    drawn = captions(story, "r1", "<demo>")
    assert "&lt;b&gt;Where?" in drawn and "&lt;demo&gt;" in drawn
    items = [one for caption in story.captions for one in caption.items]
    cards = [one for one in items if one.kind not in ("cut", "link")]
    assert drawn.count('data-run="r1"') == len(cards)
    steps = re.findall(r'href="./explore\?run=r1&amp;step=(\d+)"', drawn)
    assert steps == [str(one.step) for one in cards if one.step is not None]


def question(id_: str, passages: int, type_: str = "bridge") -> Question:
    keys = tuple(f"k{n}" for n in range(passages))
    return Question(id_, f"Question {id_}?", (), keys, type_, passages)


def test_suggested_are_a_long_question_a_short_one_and_one_without_an_answer() -> None:
    asked = [
        question("a", 3),
        question("b", 5),
        question("c", 2),
        question("d", 3),
        question("e", 3),
        question("f", 0, "unanswerable"),
    ]
    found = beginnings(asked, "Question a?")
    assert [(one.id, note) for one, note in found] == [
        ("d", "3 passages"),
        ("c", "2 passages"),
        ("f", "nowhere: see how it says so"),
    ]
