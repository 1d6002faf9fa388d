"""What passages share, against a plain look through all of them."""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.core.rows import HubLimit, MentionQuery, SharedMentions
from gear_app.core.types import Passage
from gear_app.index import mentions
from gear_app.index.embedded import EmbeddedIndex
from gear_app.language.mentions import read, sentence_text
from gear_app.models.embedders.local import HashingEmbedder
from tests.demo import CORPUS
from tests.small import index_over

PASSAGES = [Passage(3 * n, row["id"], row["title"], row["text"]) for n, row in enumerate(CORPUS, 1)]
HELD = {p.id: {mention.name for mention in read(p.title, p.text).mentions} for p in PASSAGES}
BY_ID = {p.id: p for p in PASSAGES}
STARTS = [PASSAGES[7].id, PASSAGES[2].id, PASSAGES[40].id]
ASKED = ["bridge", "river", "no such name"]
LIMIT = HubLimit(most=12)


def holders(name: str) -> set[int]:
    return {id_ for id_, names in HELD.items() if name in names}


@pytest.fixture(scope="module", params=[1_000, 5])
def index(request: pytest.FixtureRequest) -> EmbeddedIndex:
    """Made at once, and in many slices."""
    made = index_over(PASSAGES, [], HashingEmbedder())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mentions, "AT_ONCE", request.param)
        made.mentions()
    return made


@pytest.fixture(scope="module")
def shared(index: EmbeddedIndex) -> SharedMentions:
    (found,) = index.shared_mentions([MentionQuery(STARTS, ASKED)], LIMIT)
    return found


def linking() -> list[str]:
    most = LIMIT.holders(len(PASSAGES))
    names = set.union(*(HELD[id_] for id_ in STARTS))
    return sorted(name for name in names if 2 <= len(holders(name)) <= most)


def test_mentions_link_where_two_passages_hold_them_and_not_too_many(
    shared: SharedMentions,
) -> None:
    assert list(shared.names) == linking()
    assert shared.holders.tolist() == [len(holders(name)) for name in shared.names]
    assert shared.size == len(PASSAGES)


def test_sentences_are_those_of_the_passages_with_their_mentions_and_vectors(
    shared: SharedMentions,
) -> None:
    wanted = [
        (passage.id, number, span)
        for passage in shared.passages
        for number, span in enumerate(read(passage.title, passage.text).sentences, start=1)
    ]
    places = [shared.passages[place].id for place in shared.sentence_passages.tolist()]
    spans = map(tuple, shared.spans.tolist())
    assert list(zip(places, spans, strict=True)) == [(id_, span) for id_, _, span in wanted]
    texts = [
        sentence_text(BY_ID[id_].title, BY_ID[id_].text[span.start : span.end])
        for id_, _, span in wanted
    ]
    assert np.allclose(shared.vectors, HashingEmbedder().embed(texts))
    named = {(s, shared.names[m]) for s, m in shared.named.tolist()}
    assert named == {
        (place, mention.name)
        for place, (id_, number, _) in enumerate(wanted)
        for mention in read(BY_ID[id_].title, BY_ID[id_].text).mentions
        if mention.sentence == number and mention.name in linking()
    }


def test_names_that_were_asked_for_are_looked_up_whether_they_link_or_not(
    shared: SharedMentions,
) -> None:
    assert shared.asked_holders.tolist() == [len(holders(name)) for name in ASKED]
    for place, passage in enumerate(shared.passages):
        title = {one.name for one in read(passage.title, passage.text).mentions if not one.sentence}
        assert shared.asked_in_titles[place].tolist() == [name in title for name in ASKED]
    in_sentences = {
        (shared.passages[shared.sentence_passages[s]].id, ASKED[q])
        for s, q in np.argwhere(shared.asked_in_sentences).tolist()
    }
    assert in_sentences == {
        (passage.id, mention.name)
        for passage in shared.passages
        for mention in read(passage.title, passage.text).mentions
        if mention.sentence and mention.name in ASKED
    }
