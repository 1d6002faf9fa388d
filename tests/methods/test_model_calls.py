"""How often a method asks its index: a cluster may stand behind it, where every call is a round
trip. And how often it asks its reader, of how many passages, which an estimate is made from.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import cycle, islice, product
from typing import Any

import pytest

from gear_app.core.protocols import Embedder
from gear_app.core.types import ProximalTriple, Reading
from gear_app.evaluation.variants import variant
from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods import answer, build, config_for, most_calls
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import Emit, Event
from gear_app.workspace.runs.costs import answering
from gear_app.workspace.runs.runner import write_answers
from tests.acting import READY, Acting
from tests.demo import QUESTIONS, TRIPLES, demo_passages, demo_triples
from tests.index.counting import Counting
from tests.small import index_over

# The most calls of an iteration; of a single-step method that is a run. In brackets: once a run.
BOUNDS = {
    "bm25": 1,  # search
    "dense": 1,
    "hybrid": 1,
    "weighted": 1,
    "sentences": 3,  # what all passages name, with the sentences; an empty search, passages
    "composed": 3,  # BM25, what fills up, and the order
    "chain": 3,  # search, what the first passages share, once a round
    "colbert": 1,  # search, which brings the texts
    "rerank": 1,  # hybrid's, which brings texts and names
    "naive_ge": 4,  # search, triples of the passages, their vectors, neighbours, passages
    "sync_ge": 5,  # and the links of written triples
    "gear": 8,  # and what the gist reading takes, passages and triples, and the gist triples' links
    "hipporag": 2,  # names, and what follows the walk; where it knows no entity a dense search
    "hipporag ensemble=uncertainty": 2,  # the same, or the dense search, which brings the names
    "hipporag2": 2,  # passages, and facts
    "communities": 3,  # passages, facts, and the triples around the entities and communities
    "linearrag": 2,  # and what all passages name
    "raptor": 2,  # and all passages
    "griever": 7,  # how many passages there are, composed search (3 at most), triples of the page, joins, (what else BM25 finds)
    "griever composed=false": 4,
    "ircot": 2,  # search, triples of the pool's first
    "irgs": 2,
    "tog": 2,
    "gcot": 2,
    "bdtr": 4,  # two searches, triples of the pool's first, (of those the verifier looks at)
    "dtr": 3,
    "bgec": 3,
    "agent": 2,  # search, the texts of what is shown
    "agent form=search_o1": 2,
    "gear:chain": 12,  # gear's, twice two rounds, and what follows a short ranking
    "ircot:naive_ge": 6,  # naive_ge's, passages and triples of the pool's first
}
MOST = 12  # of a method that is not among these


class Writing(Acting):
    """Writes triples as a language model does: of which stored one it is none says anything, and
    some are of what no passage says that it read.
    """

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._elsewhere = cycle(TRIPLES[::7])

    def ask(self, request: Any, emit: Emit) -> Any:
        reply = super().ask(request, emit)
        if not isinstance(reply, Reading):
            return reply
        read = [replace(triple, triple_id=None) for triple in reply.triples]
        own = [
            ProximalTriple(row["subject"], "has to do with", row["object"])
            for row in islice(self._elsewhere, 2)
        ]
        return Reading((*read, *own))


@pytest.fixture(scope="module")
def index() -> EmbeddedIndex:
    """The demo collection: 80 passages, 600 triples."""
    return index_over(demo_passages(), demo_triples(), HashingEmbedder())


def calls(
    words: str, index: EmbeddedIndex, question: str, reader: LocalReader
) -> dict[int, Counter[str]]:
    """The calls of a run by iteration; what follows an event belongs to the next one's."""
    counting, asked = Counting(index), variant(words)
    method = build(asked.method, counting, reader, HashingEmbedder(), asked.config)
    counting.calls.clear()  # the graph of entities is there before the question
    found: dict[int, Counter[str]] = {}

    def sink(event: Event) -> None:
        found.setdefault(event.iteration, Counter()).update(counting.calls)
        counting.calls.clear()

    answer(method, counting, question, 15, sink)
    return found


@pytest.mark.parametrize("name", {**BOUNDS, **dict.fromkeys(READY)})
def test_an_iteration_asks_the_index_no_oftener_than_is_said(
    name: str, index: EmbeddedIndex
) -> None:
    most = 0
    questions = ["Lurgan?", *(row["question"] for row in QUESTIONS[::6])]
    for question, reader in product(questions, (Acting, Writing)):
        asked = calls(name, index, question, reader(HashingEmbedder()))
        most = max(most, *(found.total() for found in asked.values()))
        assert most <= BOUNDS.get(name, MOST), asked
    assert most == BOUNDS.get(name, most), "the bound could be lower"


class Recording:
    """A reader that notes of how many passages it is asked, by the prompt that a model would get;
    first and later readings are one.
    """

    def __init__(self, inner: LocalReader) -> None:
        self._inner = inner
        self.asked: dict[str, list[int]] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    def ask(self, request: Any, emit: Emit) -> Any:
        name = request.prompt.name
        prompt = ALIKE.get(name, name)
        self.asked.setdefault(prompt, []).append(len(getattr(request, "passages", ())))
        return self._inner.ask(request, emit)


ALIKE = {"read_gist": "read", "answer_alone": "answer"}
READING = [name for name in READY if most_calls(name, config_for(name), 15)]
READERS = (Acting, Writing)
ESTIMATED = [
    *READING,
    *("sync_ge:chain", "gear:chain", "bdtr:chain", "bdtr:sync_ge", "ircot:hipporag"),
    "gear round_k=2",
    "gear round_k=2 beam.length=4",
    "gear round_k=3 beam.width=2 beam.length=1",
    "bdtr pool_k=20 verify_k=60 least=40",
    "bgec rounds=3 first_k=25",
]


@pytest.mark.parametrize("words", ESTIMATED)
def test_no_call_has_more_passages_than_is_estimated(words: str, index: EmbeddedIndex) -> None:
    """The answer from what was found and from two gold passages, too."""
    asked = variant(words)
    estimated = [
        *most_calls(asked.method, asked.config, 15),
        *answering(asked.config, gold=2),
    ]
    said: dict[str, list[int]] = {}
    for call in estimated:
        said.setdefault(ALIKE.get(call.prompt, call.prompt), []).append(call.passages)
    gold = demo_passages()[:2]
    for question, kind in product([row["question"] for row in QUESTIONS[::22]], READERS):
        reader = Recording(kind(HashingEmbedder()))
        method = build(asked.method, index, reader, HashingEmbedder(), asked.config)
        events: list[Event] = []
        answer(method, index, question, 15, events.append)
        write_answers(reader, index, question, events, gold, events.append)
        assert reader.asked
        for prompt, passages in reader.asked.items():
            most = sorted(said[prompt], reverse=True)
            assert len(passages) <= len(most)
            pairs = zip(sorted(passages, reverse=True), most, strict=False)
            assert all(had <= can for had, can in pairs), (prompt, passages, most)
