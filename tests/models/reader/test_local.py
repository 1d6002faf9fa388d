"""The local reader on eight passages: what it selects, when it stops, what it asks for next."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gear_app.core.protocols import Vectors
from gear_app.core.text import tokenise
from gear_app.core.types import Passage, ProximalTriple, Reading
from gear_app.methods import build
from gear_app.methods.gear import GearConfig
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader import rules
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import READ, READ_GIST, REASON, ReaderRequest, Role
from gear_app.trace.events import Event, Read, Reasoned, Rewrote, Stopped, ignore
from tests.models.reader.asking import READER, ask
from tests.small import QUESTION, SmallWorld

BUILT = "Who built the bridge of Port Mira?"


class PrefixedEmbedder(HashingEmbedder):
    """Notes which texts came as queries, and encodes all alike."""

    query_prefix = "ask: "

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.told = set[str](), set[str]()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked |= {t.removeprefix("ask: ") for t in texts if t.startswith("ask: ")}
        self.told |= {t for t in texts if not t.startswith("ask: ")}
        return super().embed([t.removeprefix("ask: ") for t in texts])


def facts(triples: tuple[ProximalTriple, ...]) -> list[str]:
    return [triple.text for triple in triples]


def test_a_comparison_takes_one_bridge_from_each_side(small: SmallWorld) -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    reading = ask(ReaderRequest(READ_GIST, question, small.passages, small.triples))
    assert facts(reading.triples) == [
        "Harbour Lights was directed by Ada Quill",
        "Winter Lights was directed by Bo Hale",
    ]


def test_without_a_bridge_the_search_starts_from_the_nearest_triples(small: SmallWorld) -> None:
    reading = ask(ReaderRequest(READ, "who studied it?", small.passages, small.triples))
    assert facts(reading.triples[:2]) == ["Ada Quill studied law", "Bo Hale studied music"]
    assert reading.triples[0].why.startswith("no bridge, but near to the query")
    assert len(reading.triples) == 10


def test_gear_follows_the_chain_and_stops_at_the_answer(small: SmallWorld) -> None:
    events: list[Event] = []
    ranking = build("gear", small.index, READER, small.embedder, GearConfig()).retrieve(
        QUESTION, 15, events.append
    )
    assert [e.query for e in events if isinstance(e, Rewrote)] == ["Where was Ada Quill born?"]
    assert [e.answer for e in events if isinstance(e, Reasoned)] == ["", "Port Mira"]
    assert [facts(e.triples) for e in events if isinstance(e, Read) and e.purpose == "gist"] == [
        ["Harbour Lights was directed by Ada Quill"],
        ["Ada Quill was born in Port Mira"],
    ]
    assert [e.why for e in events if isinstance(e, Stopped)] == ["answerable"]
    assert {small.passage("harbour").id, small.passage("quill").id} == set(ranking.ids[:2])


@pytest.mark.parametrize(
    ("question", "role"), [(QUESTION, READ_GIST), ("who studied it?", READ), (BUILT, READ_GIST)]
)
def test_what_is_asked_is_encoded_as_a_query_and_what_passages_say_is_not(
    small: SmallWorld, question: str, role: Role[Reading]
) -> None:
    embedder = PrefixedEmbedder()
    request = ReaderRequest(role, question, small.passages, small.triples)
    assert LocalReader(embedder).ask(request, ignore) == ask(request)
    shot = ProximalTriple("Harbour Lights", "was shot by", "Ada Quill", 2)
    LocalReader(embedder).ask(ReaderRequest(REASON, question, memory=[shot]), ignore)
    said = " ".join(
        [f"{one.title} {one.text}" for one in small.passages]
        + [one.text for one in (*small.triples, shot)]
    )
    assert question in embedder.asked
    assert all(
        set(tokenise(text)) <= set(tokenise(f"{question} is thing")) for text in embedder.asked
    )
    assert all(set(tokenise(text)) <= set(tokenise(said)) for text in embedder.told)


def test_a_linked_fact_names_what_only_a_title_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_EVEN", 0.0)
    texts = {"Movies": "A list of what was shown.", "Fair": "The movies were seen on the pier."}
    texts |= {f"Note {n}": f"Nothing happened on day {n}." for n in range(100, 104)}
    passages = [Passage(n, title, title, text) for n, (title, text) in enumerate(texts.items(), 1)]
    reading = ask(ReaderRequest(READ_GIST, "Where were those seen that the list names?", passages))
    assert {fact.object for fact in reading.triples} == {"Movies", "movies"}
