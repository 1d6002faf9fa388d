"""A language model as a reader: for every role a prompt, the model's reply, and its parser.

Prompts are in `gear_app/prompts`, parsers of their replies in `replies.py`, both under the role's
name. A reply that cannot be used at all raises ModelFailed; parts that cannot are a Failed event.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.chat_model import ChatModel, TypedRequest
from gear_app.llm.request import Schema
from gear_app.prompts import data, documents, hashes, prompt, text
from gear_app.reader import replies
from gear_app.types import (
    DualThoughts,
    Passage,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Thinking,
    Triple,
    Verdict,
    Verification,
)

NONE = "(none)"


def _list_schema(name: str, item: str) -> Schema:
    """The schema of an object with one list of items of this JSON type."""
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": {"type": item}}},
        "required": [name],
        "additionalProperties": False,
    }


SCHEMAS: Mapping[str, Schema] = {  # of roles that reply in JSON
    "named_entities": _list_schema("named_entities", "string"),
    "verify": _list_schema("covered_doc_indices", "integer"),
}


class LlmReader:
    """Reads the passages' text and leaves their stored triples aside (seams.Reader).

    Every role raises ModelFailed: Unusable with the raw reply, CallFailed where no reply came.
    """

    def __init__(self, model: ChatModel) -> None:
        """Ask this model."""
        self._model = model
        self.name = model.server.model
        # With the name, what a run is made of.
        self.versions = {"server": model.server.base_url, "prompts": hashes()}

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        """Proximal triples (GEAR Eq. 1 and 4). An empty memory is left out, as in K.2."""
        shown = _documents(passages)
        values = {"documents": shown, "question": data(query)}
        if memory:
            filled = prompt("read_gist", **values, facts=_facts(memory))
        else:
            filled = prompt("read", **values)
        parse = partial(replies.read, text(filled.name), shown)
        return self._model.ask(TypedRequest("read", filled, parse, whole=False), emit)

    def reason(
        self,
        memory: Sequence[ProximalTriple],
        question: str,
        emit: Emit,
        *,
        passed_over: Sequence[ProximalTriple] = (),
    ) -> Verdict:
        """Whether the gist memory answers the question (GEAR Eq. 6, K.2)."""
        filled = prompt("reason", question=data(question), facts=_facts(memory))
        return self._model.ask(TypedRequest("reason", filled, replies.reason), emit)

    def rewrite(
        self,
        memory: Sequence[ProximalTriple],
        question: str,
        reason: str,
        emit: Emit,
        *,
        passed_over: Sequence[ProximalTriple] = (),
        asked: Sequence[str] = (),
    ) -> Rewriting:
        """The next query (GEAR Eq. 7, K.2)."""
        filled = prompt(
            "rewrite", question=data(question), facts=_facts(memory), reason=_line(reason)
        )
        return self._model.ask(TypedRequest("rewrite", filled, replies.rewrite), emit)

    def named_entities(self, question: str, known: Collection[str], emit: Emit) -> tuple[str, ...]:
        """The question's named entities (HippoRAG App. I); `known` is of no use here."""
        filled = prompt("query_entities", question=data(question))
        parse = partial(replies.query_entities, text("query_entities"), question)
        return self._model.ask(
            TypedRequest("named_entities", filled, parse, SCHEMAS["named_entities"], whole=False),
            emit,
        )

    def think(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[Thinking],
        style: Style,
        emit: Emit,
    ) -> Thinking:
        """The next thought (BDTR Fig. 10 to 13). IRGS's prompt shows no earlier thoughts."""
        values = {"documents": _documents(passages), "question": data(question)}
        if style == "irgs":
            return self._model.ask(
                TypedRequest("think", prompt("irgs", **values), replies.irgs), emit
            )
        filled = prompt(style, **values, thoughts=_lines(thought.text for thought in thoughts))
        return self._model.ask(TypedRequest("think", filled, replies.thought), emit)

    def dual_thoughts(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[DualThoughts],
        emit: Emit,
    ) -> DualThoughts:
        """A fast and a slow thought (BDTR Fig. 8)."""
        before = _lines(
            words for thought in thoughts for words in (thought.fast, thought.slow) if words
        )
        filled = prompt(
            "thoughts", documents=_documents(passages), question=data(question), thoughts=before
        )
        return self._model.ask(TypedRequest("dual_thoughts", filled, replies.thoughts), emit)

    def chain(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        because: Sequence[ProximalTriple],
        emit: Emit,
    ) -> ReasoningChain:
        """The reasoning chain from the final pool (BDTR §3.2)."""
        filled = prompt(
            "chain", documents=_documents(passages), question=data(question), facts=_facts(because)
        )
        return self._model.ask(TypedRequest("chain", filled, replies.chain), emit)

    def verify(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        chain: ReasoningChain,
        emit: Emit,
    ) -> Verification:
        """Which passages support the chain (BDTR Eq. 5, Fig. 9); numbers are the reply's own."""
        filled = prompt(
            "verify",
            documents=_documents(passages),
            question=data(question),
            chain=_line(chain.text),
        )
        return self._model.ask(
            TypedRequest("verify", filled, replies.verify, SCHEMAS["verify"], whole=False), emit
        )

    def answer(
        self, passages: Sequence[Passage], triples: Sequence[Triple], question: str, emit: Emit
    ) -> str:
        """A short answer from the passages, or where there are none from the model (GEAR K.3)."""
        return self._model.ask(_answer_request(passages, question), emit)

    def answers(
        self, of: Sequence[tuple[Sequence[Passage], Sequence[Triple]]], question: str, emit: Emit
    ) -> list[str | ModelFailed]:
        """As `answer`, from each of several sets of passages; what failed stands in its place."""
        return self._model.ask_all(
            [_answer_request(passages, question) for passages, _ in of], emit
        )


def _answer_request(passages: Sequence[Passage], question: str) -> TypedRequest[str]:
    if passages:
        filled = prompt("answer", documents=_documents(passages), question=data(question))
    else:
        filled = prompt("answer_alone", question=data(question))
    return TypedRequest("answer", filled, replies.answer)


def _documents(passages: Sequence[Passage]) -> str:
    return documents([(passage.title, passage.text) for passage in passages]) or NONE


def _facts(triples: Sequence[ProximalTriple]) -> str:
    """One triple a line, as the prompts ask for them."""
    rows = [triple.words for triple in triples]
    quoted = [[json.dumps(data(part), ensure_ascii=False) for part in row] for row in rows]
    return "\n".join(f"({', '.join(row)})" for row in quoted) or NONE


def _lines(texts: Iterable[str]) -> str:
    numbered = (f"{number}. {_line(text)}" for number, text in enumerate(texts, start=1))
    return "\n".join(numbered) or NONE


def _line(text: str) -> str:
    return data(" ".join(text.split()))
