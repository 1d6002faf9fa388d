"""Replies to a reader's requests: a pydantic model for each role, which gives schema and parser.

`value` is what the reply means, as methods take it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gear_app.llm.reply_model import (
    Decision,
    Line,
    Names,
    Numbers,
    ReplyModel,
    Source,
    TriplesReply,
    bare,
    says_none,
)
from gear_app.llm.reply_text import Unparsed
from gear_app.text import cut
from gear_app.types import (
    Action,
    Analysis,
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Summary,
    Thinking,
    Verdict,
    Verification,
)

if TYPE_CHECKING:
    from gear_app.reader.roles import EntitiesRequest, FactsRequest

MAX_QUERY = 1_000  # characters; more is a model that goes on without end
MAX_THOUGHT = 2_000
MAX_NODES = 30
_ARROW = r"(?:→|⟶|⇒|➔|-{1,3}>|={1,2}>)"
_FINAL = re.compile(
    r"(?:^|[.!?\n][\"')*\s]*)\W{0,3}(?:so,? the (?:final )?answer is\s*:?|the (?:final )?answer"
    r" is\s*:)",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"<search>(?P<query>.*?)(?:</search>|\Z)|<answer>(?P<answer>.*?)(?:</answer>|\Z)"
    r"|<\|begin_search_query\|>(?P<query_o1>.*?)(?:<\|end_search_query\|>|\Z)"
    r"|\\boxed\{(?:\\text\{)?(?P<answer_o1>[^{}]*)\}{1,2}",
    re.IGNORECASE | re.DOTALL,
)
_ACTION_MARKS = re.compile(r"</?(?:think|search|answer)>", re.IGNORECASE)


class ReadReply(TriplesReply):
    """Proximal triples in the order written (GEAR K.2)."""

    def value(self, request: object) -> Reading:
        """The reading; it names no stored triple."""
        return Reading(tuple(ProximalTriple(*triple) for triple in self.triples))


class ReasonReply(ReplyModel):
    """Whether the facts answer the question (GEAR K.2)."""

    answerable: Decision
    answer: Line = ""
    why: Line = ""

    def value(self, request: object) -> Verdict:
        """The verdict; one that is negative has no answer."""
        return Verdict(self.answerable, self.why, self.answer if self.answerable else "")


class RewriteReply(ReplyModel):
    """The next query (GEAR K.2)."""

    question: Line

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """The label's question, the only line, or the first question of several lines."""
        lines = [bare(line) for line in str(super().of_text(text)["question"]).splitlines()]
        lines = list(filter(None, lines))
        questions = lines if len(lines) == 1 else [line for line in lines if line.endswith("?")]
        return {"question": questions[0]} if questions else {}

    def value(self, request: object) -> Rewriting:
        """The query; empty where nothing is left to ask for."""
        return Rewriting("" if says_none(self.question) else _short(self.question))


class EntitiesReply(ReplyModel):
    """Named entities (HippoRAG App. I)."""

    named_entities: Names

    def value(self, request: EntitiesRequest) -> tuple[str, ...]:
        """In the order and spelling of the question; names that it spells otherwise come last."""
        question = request.question
        matches = [re.search(re.escape(n), question, re.IGNORECASE) for n in self.named_entities]
        written = sorted((match.span(), match[0]) for match in matches if match)
        pairs = zip(self.named_entities, matches, strict=True)
        others = [name for name, match in pairs if match is None]
        return tuple(dict.fromkeys([*(name for _, name in written), *others]))


class FactsReply(ReplyModel):
    """Numbers of the chosen facts (HippoRAG 2)."""

    facts: Numbers

    def value(self, request: FactsRequest) -> tuple[int, ...]:
        """Positions from 0. Raises Unparsed where no number is of a fact that was given."""
        valid = [n for n in self.facts if 1 <= n <= len(request.facts)]
        if self.facts and not valid:
            raise Unparsed("holds no number of a fact that was given")
        self.dropped.extend(str(n) for n in self.facts if n not in valid)
        return tuple(dict.fromkeys(n - 1 for n in valid))


class SummariseReply(ReplyModel):
    """A summary of several texts (RAPTOR App. D)."""

    summary: Line

    def value(self, request: object) -> Summary:
        """The summary, cut where it is far longer than was asked for."""
        return Summary(cut(_present(self.summary), MAX_THOUGHT))


class ReportReply(ReplyModel):
    """A report on a community of entities (GraphRAG)."""

    report: Line

    def value(self, request: object) -> str:
        """The report, cut where it is far longer than was asked for."""
        return cut(_present(self.report), MAX_THOUGHT)


class ThinkReply(ReplyModel):
    """One thought (BDTR Fig. 10 to 12)."""

    thought: Line

    def value(self, request: object) -> Thinking:
        """The thought; final where a sentence of it begins "So the answer is:"."""
        if says_none(self.thought):
            return Thinking("")
        final = _FINAL.search(self.thought)
        answer = _present(bare(self.thought[final.end() :])) if final else ""
        return Thinking(_short(self.thought, MAX_THOUGHT), final is not None, answer)


class IrgsReply(ReplyModel):
    """Reasoning and a final answer (BDTR Fig. 13); either may be missing."""

    reasoning: Line = ""
    final_answer: Line = ""

    def value(self, request: object) -> Thinking:
        """The reasoning as the thought."""
        text = _present(self.reasoning or self.final_answer)
        return Thinking(_short(text, MAX_THOUGHT), answer=self.final_answer)


class DualThoughtsReply(ReplyModel):
    """A fast and a slow thought (BDTR Fig. 8); one that is missing or without end is empty."""

    fast_thought: Line = ""
    slow_thought: Line = ""

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """The lines with labels."""
        return cls.labelled(text)

    def value(self, request: object) -> DualThoughts:
        """Both thoughts. Raises Unparsed where both are empty."""
        both = (self.fast_thought, self.slow_thought)
        self.dropped.extend(thought for thought in both if len(thought) > MAX_QUERY)
        fast, slow = (thought if len(thought) <= MAX_QUERY else "" for thought in both)
        if not fast and not slow:
            raise Unparsed("holds neither a fast nor a slow thought")
        return DualThoughts(fast, slow)


class ActReply(ReplyModel):
    """An agent's thought, and a query or an answer (Search-R1, Search-o1)."""

    thought: Line = ""
    query: Line = ""
    answer: Line = ""

    @classmethod
    def schema_of(cls) -> None:
        """The papers' marks are no JSON."""

    @classmethod
    def parse(cls, reply: str, prompt: str = "", material: str = "") -> ActReply:
        """The first action between its marks, in either form, or a call of a tool with a query.
        What follows an action, as documents that nobody retrieved, is dropped.
        """
        if not reply.strip():
            raise Unparsed("is empty")
        action = _ACTION.search(reply, reply.rfind("</think>") + 1) or _ACTION.search(reply)
        if action is None:
            call = cls._from_json(reply.rpartition("</think>")[2], Source())
            return cls.model_validate(call or {"thought": _unmarked(reply)})
        kind = str(action.lastgroup)
        words = _unmarked(action[kind])
        fields = {"thought": _unmarked(reply[: action.start()])[:MAX_THOUGHT]}
        fields[kind.removesuffix("_o1")] = words if len(words) <= MAX_QUERY else ""
        parsed = cls.model_validate(fields)
        rest = re.sub(r"[.\s$\\\])*]+\Z", "", _ACTION_MARKS.sub("", reply[action.end() :])).strip()
        parsed.dropped.extend([rest] if rest else [])
        return parsed

    def value(self, request: object) -> Action:
        """The action; one without query and answer is none."""
        return Action(self.thought[:MAX_THOUGHT], self.query, "" if self.query else self.answer)


class AnalyseReply(ReplyModel):
    """What documents say for a query (Search-o1)."""

    final_information: Line

    def value(self, request: object) -> Analysis:
        """The analysis, without its label."""
        label = re.compile(r"^\W*final information\W*", re.IGNORECASE)
        return Analysis(_present(label.sub("", self.final_information)))


class ChainReply(ReplyModel):
    """A chain of reasoning (BDTR §3.2)."""

    nodes: Names

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """Nodes between arrows, on one line or on several that begin or end with one."""
        joined = re.sub(rf"\s*\n\s*(?={_ARROW})|(?<=[→⟶⇒➔>])\s*\n\s*", " ", text)
        lines = [line for line in joined.splitlines() if re.search(_ARROW, line)]
        if not lines and not says_none(text):
            raise Unparsed("holds no chain of nodes with arrows")
        line = re.sub(r"^\W*(?:the )?chain[^\w\n]{0,3}:", "", lines[0], flags=re.I) if lines else ""
        return {"nodes": [node for node in map(bare, re.split(_ARROW, line)) if node]}

    def value(self, request: object) -> ReasoningChain:
        """The chain; no nodes where the model sees none."""
        if len(self.nodes) == 1 or len(self.nodes) > MAX_NODES:
            raise Unparsed(f"is a chain of {len(self.nodes)} nodes")
        return ReasoningChain(self.nodes)


class VerifyReply(ReplyModel):
    """Numbers of the documents that support the chain (BDTR Fig. 9)."""

    covered_doc_indices: Numbers

    def value(self, request: object) -> Verification:
        """The numbers as they are, also those of no document."""
        return Verification(self.covered_doc_indices)


class AnswerReply(ReplyModel):
    """A short answer (GEAR K.3)."""

    answer: Line

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """The first line with words, without its label."""
        answer = str(super().of_text(text)["answer"])
        return {"answer": next(filter(None, map(bare, answer.splitlines())), "")}

    def value(self, request: object) -> str:
        """The answer."""
        return _present(self.answer)


def _unmarked(text: str) -> str:
    return bare(" ".join(_ACTION_MARKS.sub(" ", text).split()))


def _present(text: str) -> str:
    if not re.search(r"\w", text):
        raise Unparsed("holds no words")
    return text


def _short(text: str, limit: int = MAX_QUERY) -> str:
    if len(text) > limit:
        raise Unparsed(f"is {len(text):,} characters long, too long to be one")
    return text


REPLIES: dict[str, type[Any]] = {
    "read": ReadReply,
    "reason": ReasonReply,
    "rewrite": RewriteReply,
    "named_entities": EntitiesReply,
    "choose_facts": FactsReply,
    "summarise": SummariseReply,
    "report": ReportReply,
    "think": ThinkReply,
    "irgs": IrgsReply,
    "dual_thoughts": DualThoughtsReply,
    "act": ActReply,
    "analyse": AnalyseReply,
    "chain": ChainReply,
    "verify": VerifyReply,
    "answer": AnswerReply,
}
