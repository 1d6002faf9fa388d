"""A language model as an extractor: entities and triples of a passage in one call (GEAR App. K.1),
or in two, the entities first (HippoRAG App. I).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Literal, TypeVar

from gear_app import prompts
from gear_app.errors import ModelFailed
from gear_app.events import Emit, ignore
from gear_app.llm import reply_parser
from gear_app.llm.chat_model import Ask, Model
from gear_app.llm.conversations import Talk, together
from gear_app.llm.reply_parser import Fact, Parsed, at_least_one, without_example
from gear_app.llm.request import Schema
from gear_app.prompts import data
from gear_app.types import ExtractedTriple, Extraction, Passage

VERSION = 1  # of how replies are understood; raise it with every change that changes triples
Steps = Literal["joint", "two"]
Names = tuple[str, ...]
Facts = tuple[Fact, ...]
T = TypeVar("T")


def _schema(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_LIST = {"type": "array", "items": {"type": "string"}}
ENTITIES = _schema(named_entities=_LIST)
TRIPLES = _schema(triples={"type": "array", "items": _LIST})
JOINT = _schema(named_entities=_LIST, triples={"type": "array", "items": _LIST})


class LlmExtractor:
    """Extracts triples by asking a model (seams.Extractor). Spans are unknown."""

    def __init__(self, model: Model, steps: Steps = "joint", told: Emit = ignore) -> None:
        """`told` gets the events of every call: Called, and Failed where parts of a reply could not
        be used.
        """
        self.model, self._steps, self._told = model, steps, told

    @property
    def name(self) -> str:
        """The default name of the triple set it makes."""
        return "llm" if self._steps == "joint" else "llm:two"

    @property
    def fingerprint(self) -> str:
        """Server, model and prompts."""
        server = self.model.server
        names = ("extraction",) if self._steps == "joint" else ("entities", "triples")
        hashes = "+".join(prompts.hash_of(name) for name in names)
        return f"llm-{VERSION}/{server.base_url}/{server.model}/{self._steps}/{hashes}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order; as many at once as the server allows, in batches of
        four times that.

        Raises ModelFailed at the first passage whose reply cannot be used, with the reply; its
        batch is asked to the end, and what was understood is kept by the model. A blank passage is
        not asked about and gives nothing.
        """
        batch = 4 * self.model.server.at_once
        for start in range(0, len(passages), batch):
            for found in self.extract_all(passages[start : start + batch]):
                if isinstance(found, ModelFailed):
                    raise found
                yield found

    def extract_all(self, passages: Sequence[Passage]) -> list[Extraction | ModelFailed]:
        """What came of each passage, in order."""
        return together(self.model, [self.talk(passage) for passage in passages], self._told)

    def talk(self, passage: Passage) -> Talk[Extraction]:
        """What is asked about one passage, nothing about a blank one. Replies that give no triples
        are not kept.
        """
        if not passage.text.strip():
            return Extraction((), ())
        if self._steps == "joint":
            found: Extraction = yield _ask("extraction", passage, joint, JOINT, _any_triples)
            return found
        names: Names = yield _ask("entities", passage, entities, ENTITIES, bool)
        facts: Facts = yield _ask(
            "triples", passage, triples, TRIPLES, bool, entities=_listed(names)
        )
        return extraction(names, facts)


def _ask(
    name: str,
    passage: Passage,
    parse: Callable[[Passage, str], Parsed[T]],
    schema: Schema,
    keep: Callable[[T], bool],
    **more: str,
) -> Ask[T]:
    """A prompt by its file's name, about a passage; of a reply that was cut off, what came before
    is of use.
    """
    asked = prompts.prompt(name, title=data(passage.title), passage=data(passage.text), **more)
    return Ask(name, asked, partial(parse, passage), schema, whole=False, keep=keep)


def joint(passage: Passage, reply: str) -> Parsed[Extraction]:
    """Entities and triples of one reply. Entities may be missing; triples may not, but a list of
    none is a reply.
    """
    facts = at_least_one(
        without_example(
            reply_parser.triples(reply), _example_triples("extraction"), passage.indexed
        )
    )
    names = without_example(
        reply_parser.named(reply), _example_names("extraction"), passage.indexed
    )
    return Parsed(extraction(names.value, facts.value), (*facts.dropped, *names.dropped))


def entities(passage: Passage, reply: str) -> Parsed[Names]:
    """The entities of the first of two steps."""
    return at_least_one(
        without_example(reply_parser.entities(reply), _example_names("entities"), passage.indexed)
    )


def triples(passage: Passage, reply: str) -> Parsed[Facts]:
    """The triples of the second of two steps."""
    return at_least_one(
        without_example(reply_parser.triples(reply), _example_triples("triples"), passage.indexed)
    )


@cache
def _example_triples(name: str) -> Facts:
    """The triples of a prompt's own example."""
    return reply_parser.triples(prompts.text(name)).value


@cache
def _example_names(name: str) -> Names:
    """The entities of a prompt's own example."""
    return reply_parser.named(prompts.text(name)).value


def _any_triples(found: Extraction) -> bool:
    return bool(found.triples)


def extraction(names: Names, facts: Sequence[Fact]) -> Extraction:
    """What was found in one passage."""
    return Extraction(names, tuple(ExtractedTriple(*fact) for fact in facts))


def _listed(names: Names) -> str:
    return json.dumps({"named_entities": [data(name) for name in names]}, ensure_ascii=False)
