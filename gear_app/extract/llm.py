"""A language model as an extractor (seams.Extractor).

Entities and triples of a passage in one call (GEAR App. K.1), or in two, the entities first
(HippoRAG App. I).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Literal, TypeVar

from gear_app import prompts
from gear_app.errors import ModelFailed
from gear_app.events import Emit, ignore
from gear_app.extract import LLM_EXTRACTOR, LLM_TWO_STEPS
from gear_app.llm import reply_parser
from gear_app.llm.chat_model import ChatModel, TypedRequest
from gear_app.llm.conversations import Conversation, run_conversations
from gear_app.llm.reply_parser import Parsed, StringTriple, at_least_one, without_example
from gear_app.llm.request import Schema, object_schema
from gear_app.prompts import data
from gear_app.types import ExtractedTriple, Extraction, Passage

VERSION = 2  # of how replies are parsed; raise it with every change that changes triples
Steps = Literal["joint", "two"]
Names = tuple[str, ...]
StringTriples = tuple[StringTriple, ...]
T = TypeVar("T")

_LIST = {"type": "array", "items": {"type": "string"}}
_LISTS = {"type": "array", "items": _LIST}
ENTITIES = object_schema(named_entities=_LIST)
TRIPLES = object_schema(triples=_LISTS)
JOINT = object_schema(named_entities=_LIST, triples=_LISTS)


class LlmExtractor:
    """Extracts triples by asking a model. Spans are unknown."""

    def __init__(self, model: ChatModel, steps: Steps = "joint", emit: Emit = ignore) -> None:
        """`emit` gets each call: Called, and Failed where parts of a reply could not be used."""
        self.model, self._steps, self._emit = model, steps, emit

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
        batch is asked to the end, and parsed replies are stored by the model. A blank passage is
        not asked about and gives nothing.
        """
        batch = 4 * self.model.server.at_once
        for start in range(0, len(passages), batch):
            for outcome in self.extract_all(passages[start : start + batch]):
                if isinstance(outcome, ModelFailed):
                    raise outcome
                yield outcome

    def extract_all(self, passages: Sequence[Passage]) -> list[Extraction | ModelFailed]:
        """The extraction of each passage, or why there is none, in order."""
        conversations = [self.conversation(passage) for passage in passages]
        return run_conversations(self.model, conversations, self._emit)

    def conversation(self, passage: Passage) -> Conversation[Extraction]:
        """The requests about one passage, none about a blank one.

        Replies that give no triples are not stored.
        """
        if not passage.text.strip():
            return Extraction((), ())
        if self._steps == "joint":
            extracted: Extraction = yield _request(
                "extraction", passage, joint, JOINT, _has_triples
            )
            return extracted
        names: Names = yield _request("entities", passage, entities, ENTITIES, bool)
        rows: StringTriples = yield _request(
            "triples", passage, triples, TRIPLES, bool, entities=_as_json(names)
        )
        return extraction(names, rows)


def _request(
    name: str,
    passage: Passage,
    parse: Callable[[Passage, str], Parsed[T]],
    schema: Schema,
    keep: Callable[[T], bool],
    **more: str,
) -> TypedRequest[T]:
    """A prompt by its file's name, about a passage; a reply that was cut off is of use."""
    prompt = prompts.prompt(name, title=data(passage.title), passage=data(passage.text), **more)
    return TypedRequest(name, prompt, partial(parse, passage), schema, whole=False, keep=keep)


def joint(passage: Passage, reply: str) -> Parsed[Extraction]:
    """Entities and triples of one reply; entities may be missing, and the list of triples empty."""
    rows = triples(passage, reply, prompt="extraction")
    names = without_example(
        reply_parser.listed_entities(reply), _example_entities("extraction"), passage.indexed
    )
    return Parsed(extraction(names.value, rows.value), (*rows.dropped, *names.dropped))


def entities(passage: Passage, reply: str) -> Parsed[Names]:
    """The entities of the first of two steps."""
    example = _example_entities("entities")
    parsed = without_example(reply_parser.entities(reply), example, passage.indexed)
    return at_least_one(parsed)


def triples(passage: Passage, reply: str, prompt: str = "triples") -> Parsed[StringTriples]:
    """The triples of a reply, as of the second of two steps; `prompt` names the prompt's file."""
    example = _example_triples(prompt)
    return at_least_one(without_example(reply_parser.triples(reply), example, passage.indexed))


@cache
def _example_triples(name: str) -> StringTriples:
    """The triples of a prompt's own example."""
    return reply_parser.triples(prompts.text(name)).value


@cache
def _example_entities(name: str) -> Names:
    """The entities of a prompt's own example."""
    return reply_parser.listed_entities(prompts.text(name)).value


def _has_triples(extracted: Extraction) -> bool:
    return bool(extracted.triples)


def extraction(names: Names, rows: Sequence[StringTriple]) -> Extraction:
    """An extraction without spans."""
    return Extraction(names, tuple(ExtractedTriple(*row) for row in rows))


def _as_json(names: Names) -> str:
    return json.dumps({"named_entities": [data(name) for name in names]}, ensure_ascii=False)
