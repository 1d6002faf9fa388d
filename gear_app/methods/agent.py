"""An agent's loop: a chat model thinks, searches for what it wants to know, reads, and answers.

Search-R1 (arXiv 2503.09516): the first documents of each search are put between its thoughts.
Search-o1 (2501.05366): a second call reads them, and only its analysis is put there. Composes:
thought with a query → the single-step method → pool → (analysis) → the next thought, at most
`max_iterations` searches. The model calls the tool `search` or writes the papers' marks. The
question itself is not searched. The ranking is ours, the papers give none: what the agent was
given, in that order, then the pool of all its searches. Leaves out: training, a web's pages,
sampling, Search-o1's cuts of long pages and long reasoning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gear_app.core.config import ITERATIONS, MOST_K, BaseConfig, Config, setting
from gear_app.core.protocols import Index
from gear_app.core.types import Action, Passage, Ranking
from gear_app.language.mentions import sentences
from gear_app.language.words import content
from gear_app.methods import lookup
from gear_app.methods.iterative import (
    FIRST_K,
    LATER_POWER,
    NOTHING_NEW,
    POOL_K,
    Next,
    Searches,
    iterate,
)
from gear_app.methods.method import SEARCH, Method, PromptCall, ask, declare_method
from gear_app.models.prompts import documents
from gear_app.models.reader.roles import ACT, ANALYSE, Reader, ReaderRequest
from gear_app.trace.events import Analysed, AnalysedPassage, Emit, Stopped, Thought, during

TRIES = 3  # replies in a row that search nothing
INVALID = "Neither a query nor an answer stood between its marks."
REPEATED = "The same was searched before"
REFUSALS = {  # what the agent is told in the place of documents
    INVALID: "That was no action. Write a query or the answer between its marks, as shown above.",
    REPEATED: "You have searched this query before. Look at what it found.",
}
LAST = "No further search is possible. Give the answer now."
ANSWERED = Stopped("answerable", "The agent gave its answer.")
NO_ACTION = Stopped("reply unusable", f"{TRIES} replies in a row neither searched nor answered.")
SAME_AGAIN = Stopped("query repeated", f"{TRIES} replies in a row searched for nothing new.")


@dataclass(frozen=True, slots=True)
class AgentConfig(Config):
    """An agent's loop over a single-step method, in the form of Search-R1 or Search-o1."""

    # search_o1: a second call reads the documents, and the agent sees only its analysis
    form: Literal["search_r1", "search_o1"] = setting(
        "search_r1", "Form", "search_r1: it reads the documents; search_o1: an analysis of them"
    )
    # Search-o1's searches; Search-R1's script has no limit
    max_iterations: int = setting(10, *ITERATIONS)
    # Search-R1; Search-o1 has 10
    shown_k: int = setting(
        3,
        "Documents a search",
        "So many of a query's passages are read",
        (1, MOST_K),
        (1, 3, 5, 10),
    )
    pool_k: int = setting(10, *POOL_K)  # ours, as of the thoughts
    first_k: int = setting(0, *FIRST_K, paper=0)
    later_power: float = setting(1.0, *LATER_POWER, paper=1.0)
    base: Any = field(default_factory=BaseConfig)


@declare_method(
    name="agent",
    label="Agent",
    summary="a chat model that thinks, searches with queries of its own, and answers",
    order=27,
    defaults=AgentConfig(),
    over="step",
    baseline=True,
    needs_model=True,
)
class Agent(Method):
    """A single-step method as the tool of a chat model."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question; empty where the agent answers without a search. k is not
        used.
        """
        config = self.config
        searches = Searches(self, query, config, config.shown_k)
        conversation = _Conversation(self.index, self.reader, config, searches)
        before = during(emit, 0)  # nothing is searched yet
        first = conversation.act(before)
        if first.stopped:
            before(first.stopped)
            return Ranking()
        limit = config.max_iterations
        n, stopped = iterate(searches, limit, conversation.go_on, emit, first)
        if stopped:
            during(emit, n)(stopped)
        return searches.pool.ranking

    @staticmethod
    def most_calls(config: AgentConfig, k: int) -> Sequence[PromptCall]:
        """The calls of a run that goes to its limit, each reply an action."""
        calls = [PromptCall(config.form)]
        for n in range(1, config.max_iterations + 1):
            calls.append(PromptCall(SEARCH, config.pool_k))
            if config.form == "search_o1":
                calls.append(PromptCall("analyse", config.shown_k, 2 * n - 1))
            documents_read = n * config.shown_k if config.form == "search_r1" else 0
            calls.append(PromptCall(config.form, documents_read, n if documents_read else 2 * n))
        return calls


@dataclass(slots=True)
class _Conversation:
    """The agent's actions so far, each with what it was shown of it."""

    index: Index
    reader: Reader
    config: AgentConfig
    searches: Searches
    turns: list[tuple[Action, str]] = field(default_factory=list)
    action: Action = field(default_factory=lambda: Action(""))  # the one that is searched

    def go_on(self, last: bool, emit: Emit) -> Next:
        """Show what was found, and take the next action; `last`: it can only be the answer."""
        material = lookup.material(self.index, self.searches.documents(since=-1))
        documents_text = self._documents_text(material.passages, emit)
        self.turns.append((self.action, documents_text))
        if not last:
            return self.act(emit)
        self.turns.append((Action(""), LAST))
        limit = self.config.max_iterations
        sentence = f"That was search {limit}, the limit set for this run."
        return self.act(emit, Stopped("iteration limit", sentence))

    def act(self, emit: Emit, reached: Stopped | None = None) -> Next:
        """The next query, or why there is none; what is no action, or was searched before, is told
        the agent, who tries again.
        """
        form, question = self.config.form, self.searches.question
        refused = ""
        for _ in range(TRIES):
            request = ReaderRequest(ACT, question, turns=tuple(self.turns), style=form)
            action = ask(self.reader, request, "think", emit)
            self.action, final = action, bool(action.answer)
            stopped = ANSWERED if final else reached
            refused = "" if stopped else self._refused(action.query)
            query = "" if stopped or refused else action.query
            reason = refused or (stopped.sentence if stopped else "")
            if refused == REPEATED:
                reason = f"{REPEATED}: {action.query}"
            emit(Thought(form, action.text, query, final, action.answer, (), reason))
            if not refused:
                return Next((query,), stopped)
            self.turns.append((Action(f"{action.text} {action.query}".strip()), REFUSALS[refused]))
        return Next(stopped=NO_ACTION if refused == INVALID else SAME_AGAIN)

    def _refused(self, query: str) -> str:
        again = self.searches.repetition(query)
        return "" if again is None else INVALID if again is NOTHING_NEW else REPEATED

    def _documents_text(self, passages: Sequence[Passage], emit: Emit) -> str:
        if self.config.form == "search_r1":
            return documents([(passage.title, passage.text) for passage in passages])
        question, query = self.searches.question, self.action.query
        request = ReaderRequest(ANALYSE, question, passages, turns=tuple(self.turns), query=query)
        analysis = ask(self.reader, request, "analyse", emit).text
        read = tuple(_coverage(passage, analysis) for passage in passages)
        emit(Analysed(query, analysis, read))
        return analysis


def _coverage(passage: Passage, analysis: str) -> AnalysedPassage:
    """Which of a passage's sentences have at least half of their content words in the analysis."""
    stated = {word.text for word in content(analysis)}
    used: list[str] = []
    left: list[str] = []
    for start, end in sentences(passage.text):
        sentence = passage.text[start:end]
        words = {word.text for word in content(sentence)}
        (used if 2 * len(words & stated) >= len(words) else left).append(sentence)
    return AnalysedPassage(passage.id, passage.key, passage.title, tuple(used), tuple(left))
