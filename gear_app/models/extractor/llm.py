"""A language model as an extractor (protocols.Extractor).

Entities and triples of a passage in one call (GEAR App. K.1), or in two, the entities first
(HippoRAG App. I).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.core.errors import ModelFailed
from gear_app.core.types import ExtractedTriple, Extraction, Passage
from gear_app.models import prompts
from gear_app.models.chat_model import ChatModel
from gear_app.models.extractor import LLM_EXTRACTOR, LLM_TWO_STEPS
from gear_app.models.messages import Request
from gear_app.models.prompts import data
from gear_app.models.reply_model import Names, ReplyModel, StringTriple, Triples, TriplesReply
from gear_app.trace.events import Emit, ignore

VERSION = 3  # of how replies are parsed; raise it with every change that changes triples
Steps = Literal["joint", "two"]


class EntitiesReply(ReplyModel):
    """The entities, as the first of two steps."""

    named_entities: Names

    def value(self, request: object) -> tuple[str, ...]:
        return self.named_entities


class FactsReply(TriplesReply):
    """The triples, as the second of two steps."""

    def value(self, request: object) -> tuple[StringTriple, ...]:
        return self.triples


class GraphReply(ReplyModel):
    """Entities and triples in one step; the entities may be missing, and no triples be there."""

    named_entities: Names = ()
    triples: Triples

    def value(self, request: object) -> Extraction:
        return _extraction(self.named_entities, self.triples)


MODELS: dict[str, type[EntitiesReply | FactsReply | GraphReply]] = {
    "entities": EntitiesReply,
    "triples": FactsReply,
    "extraction": GraphReply,
}


class LlmExtractor:
    """Extracts triples by asking a model. Spans are unknown."""

    def __init__(self, model: ChatModel, steps: Steps = "joint", emit: Emit = ignore) -> None:
        """`emit` gets each call: Called, and Failed where parts of a reply could not be used."""
        self.model, self._steps, self._emit = model, steps, emit

    def with_emit(self, emit: Emit) -> LlmExtractor:
        """The same extractor whose calls go to another sink."""
        return LlmExtractor(self.model, self._steps, emit)

    @property
    def name(self) -> str:
        """The default name of the triple set it makes."""
        return LLM_EXTRACTOR if self._steps == "joint" else LLM_TWO_STEPS

    @property
    def fingerprint(self) -> str:
        """Server, model and prompts."""
        server = self.model.server
        names = ("extraction",) if self._steps == "joint" else ("entities", "triples")
        hashes = "+".join(prompts.hash_of(name) for name in names)
        return f"llm-{VERSION}/{server.base_url}/{server.model}/{self._steps}/{hashes}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order; in batches of four times the calls at once.

        Raises ModelFailed at the first passage whose reply cannot be used, with the reply; its
        batch is asked to the end, and parsed replies are stored by the model.
        """
        batch = 4 * self.model.server.at_once
        for start in range(0, len(passages), batch):
            for outcome in self.extract_all(passages[start : start + batch]):
                if isinstance(outcome, ModelFailed):
                    raise outcome
                yield outcome

    def extract_all(self, passages: Sequence[Passage]) -> list[Extraction | ModelFailed]:
        """The extraction of each passage, or why there is none, in order. A blank passage is not
        asked about and gives nothing.
        """
        blank = Extraction((), ())
        texts = {n: passage for n, passage in enumerate(passages) if passage.text.strip()}
        role = "extraction" if self._steps == "joint" else "entities"
        outcomes = self._ask({n: PassageRequest(role, texts[n]) for n in texts})
        if self._steps == "two":
            names = {n: value for n, value in outcomes.items() if isinstance(value, tuple)}
            triples = self._ask(
                {n: PassageRequest("triples", texts[n], _names_json(names[n])) for n in names}
            )
            for n, value in triples.items():
                outcomes[n] = _extraction(names[n], value) if isinstance(value, tuple) else value
        return [outcomes.get(n, blank) for n in range(len(passages))]

    def _ask(self, requests: Mapping[int, PassageRequest]) -> dict[int, Any]:
        outcomes = self.model.ask_all(list(requests.values()), self._emit)
        return dict(zip(requests, outcomes, strict=True))


@dataclass(frozen=True)
class PassageRequest(Request[Any]):
    """A prompt about a passage; `entities`: the reply to the first of two steps."""

    role: str
    passage: Passage
    entities: str = ""

    @property
    def model(self) -> type[EntitiesReply | FactsReply | GraphReply]:
        """The model of the reply."""
        return MODELS[self.role]

    def values(self) -> dict[str, str]:
        """The passage, and for the second step the entities."""
        values = {"title": data(self.passage.title), "passage": data(self.passage.text)}
        return values | ({"entities": self.entities} if self.entities else {})

    def keep(self, value: Extraction | tuple[object, ...]) -> bool:
        """Whether the reply has content."""
        return bool(value.triples if isinstance(value, Extraction) else value)


def _names_json(names: Sequence[str]) -> str:
    reply = {"named_entities": [data(name) for name in names]}
    return json.dumps(reply, ensure_ascii=False)


def _extraction(names: tuple[str, ...], triples: tuple[StringTriple, ...]) -> Extraction:
    return Extraction(names, tuple(ExtractedTriple(*triple) for triple in triples))
