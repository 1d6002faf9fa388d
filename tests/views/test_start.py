"""The start screen's sentence, captions and suggested questions, from events alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.events import BeamStep, Event, Expanded, Ranked, Reasoned, Retrieved, Started
from gear_app.types import Question
from gear_app.views.start.captions import captions
from gear_app.views.start.sentence import beginnings, sentence_of
from gear_app.views.start.story import Caption, CaptionItem, Recall, Story, StoryPiece, story_of
from tests import factories, rivals
from tests.factories import GOLD, QUESTION
from tests.views import chained

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


def test_a_method_without_iterations_is_the_one_that_finds() -> None:
    sentence = told(rivals.hippo_run(), "hipporag").sentence
    assert sentence == "One search by HippoRAG finds 2 of the 3 passages that answer the question."
    searched = [Started(QUESTION, "chain"), *factories.gear_run()[1:6]]
    assert sentence_of(searched, "chain", GOLD, ()) == (
        "Chain follows the names that passages share: one search finds 1 of 3, it finds 2 of 3."
    )


def test_a_run_that_finds_no_more_says_so() -> None:
    events = factories.gear_run()
    first = next(event for event in events if isinstance(event, Retrieved))
    same = [replace(e, ranking=first.ranking) if isinstance(e, Ranked) else e for e in events]
    sentence = sentence_of(same, "gear", GOLD, ())
    assert sentence.endswith("one search finds 1 of 3, two iterations find 1 of 3 too.")


@pytest.mark.parametrize(("gold", "found"), [(GOLD[:1], "the one passage too"), (GOLD[:2], "both")])
def test_all_of_few_passages_have_their_words(gold: tuple[str, ...], found: str) -> None:
    assert (
        f"two iterations find {found}" in told(factories.gear_run(), gold=gold, known=()).sentence
    )


def test_without_gold_there_is_the_answer_and_no_star_and_no_recall() -> None:
    story = told(factories.gear_run(), gold=(), known=())
    assert story.sentence.endswith(
        "two iterations lead from this question to an answer: François Carpentier."
    )
    assert [caption.title for caption in story.captions] == [
        "One search",
        "A fact leads on",
        "The memory holds it",
    ]
    assert "".join(piece.text for piece in story.captions[2].words).startswith("Each iteration ")
    assert not any(item.star for caption in story.captions for item in caption.items)
    assert all(caption.recall is None for caption in story.captions)


def test_a_run_without_gold_and_without_an_answer_claims_neither() -> None:
    events = [
        replace(e, answerable=False, answer="") if isinstance(e, Reasoned) else e
        for e in factories.gear_run()
    ]
    story = told(events, gold=(), known=())
    assert story.sentence.endswith(": two iterations find no answer to this question.")
    assert story.captions[2].title == "The memory is not enough"
    searched = [event for event in events if not isinstance(event, Reasoned)]
    sentence = told(searched, gold=()).sentence
    assert sentence.endswith(": two iterations bring four other passages into the first five.")
    first = next(event for event in events if isinstance(event, Retrieved))
    same = [replace(e, ranking=first.ranking) if isinstance(e, Ranked) else e for e in searched]
    sentence = sentence_of(same, "gear", (), ())
    assert sentence.endswith(": two iterations change nothing among the first five passages.")


def test_chain_is_said_to_bring_what_links_lead_to_alone() -> None:
    idea = "Chain follows the names that passages share: "
    linked = sentence_of(chained.run(), "chain", (), ())
    assert linked == f"{idea}it brings one other passage into the first five."
    unlinked = sentence_of(chained.without_link(chained.QUILL), "chain", (), ())
    assert unlinked == f"{idea}it leads to none of the new passages among the first five."


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


def test_a_gold_passage_is_only_said_to_be_missing_as_far_as_the_run_tells() -> None:
    """The first search of a loop tells ten passages and ranks more: Compare may know its rank."""
    caption = told(factories.gear_run(), gold=(*GOLD, "rouen")).captions[0]
    last = caption.items[-1]
    assert (last.kind, last.star, last.note) == ("missed", True, "not among the first 10")
    said = words(caption.words)
    assert "not among the first 10" in said and "not found" not in said


def test_a_base_that_finds_all_does_not_fail() -> None:
    caption = told(factories.gear_run(), gold=GOLD[:1]).captions[0]
    assert caption.title == "One search finds them"
    assert words(caption.words) == "One search ranks what sounds like the question. "


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


def test_a_beam_search_without_pruned_triples_claims_none() -> None:
    events = [
        replace(e, steps=tuple(BeamStep(step.kept, ()) for step in e.steps))
        if isinstance(e, Expanded)
        else e
        for e in factories.gear_run()
    ]
    caption = told(events).captions[1]
    assert "pruned" not in {item.kind for item in caption.items}
    assert "pruned" not in words(caption.words)


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


def test_a_search_alone_has_one_caption() -> None:
    story = told(factories.hybrid_run(), "hybrid")
    assert [caption.title for caption in story.captions] == ["One search fails"]
    assert story.sentence == ("One search finds 1 of the 3 passages that answer the question.")
    for gold, found in (
        (GOLD[:1], "the one passage that answers"),
        (("clifton", "menai"), "both passages that answer"),
    ):
        sentence = told(factories.hybrid_run(), "hybrid", gold).sentence
        assert sentence == f"One search finds {found} the question."


@pytest.mark.parametrize("name", list(rivals.RUNS))
def test_every_method_has_a_story_that_tells_of_nothing_it_has_not(name: str) -> None:
    story = told(rivals.RUNS[name](), name.split()[0])
    assert story.captions[0].items
    assert "fact" not in {
        item.kind for caption in story.captions[2:] for item in caption.items
    } and not any("memory" in caption.title for caption in story.captions)


def test_a_run_without_beams_says_what_brought_in_what_was_missing() -> None:
    caption = told(rivals.ircot_run(), "ircot").captions[1]
    assert caption.title == "Then it searches on"
    assert caption.items and all("iteration" in words(item.words) for item in caption.items)
    assert all(item.step is not None for item in caption.items)


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


def test_suggestions_make_do_with_what_there_is() -> None:
    assert beginnings([], "x") == []
    typed = Question("t", "Typed?")
    asked = [question("a", 1), typed]
    assert beginnings(asked, "") == [(asked[0], "1 passage"), (typed, "")]
