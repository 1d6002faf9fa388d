"""What an evaluation knows of one run, computed from its events once: a pure function of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, get_args

from gear_app.analysis.metrics import scored_answers, without_itself
from gear_app.analysis.rankings import final, keys, per_iteration
from gear_app.analysis.timeline import iterations, stopped
from gear_app.events import Called, Event
from gear_app.exports.trec import judged_keys
from gear_app.runs.runner import failure_of
from gear_app.types import Source

VERSION = 2  # raise it when the same events give other facts: then they are computed anew
FIRST = 20  # passages of a ranking that are kept by key

Ranks = tuple[int | None, ...]


class AnswerScore(NamedTuple):
    """EM and F1 of one answer."""

    em: float
    f1: float


class TokensTaken(NamedTuple):
    """What a model was given, and what it wrote."""

    input: int
    output: int

    @property
    def total(self) -> int:
        """Both."""
        return self.input + self.output


NO_TOKENS = TokensTaken(0, 0)
NO_ANSWER = AnswerScore(0.0, 0.0)
Scores = Mapping[Source, AnswerScore]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """`ranks` of the gold passages in the final ranking, from 1, in the order of the gold; None
    where it does not have them. `rounds` are the same after each iteration; one that made no
    ranking keeps the one before. `first` are the keys of the first passages, `tokens` those that a
    model had taken after each iteration, those before the first in the first. `stopped` is why the
    run ended, "" where its method never asks itself; `failure` why a model failed it. `itself` is
    the id of a question that is a passage of the collection, which no ranking here has.
    """

    ranks: Ranks
    rounds: tuple[Ranks, ...]
    first: tuple[str, ...] = ()
    tokens: tuple[TokensTaken, ...] = ()
    stopped: str = ""
    scores: Scores = field(default_factory=dict)
    failure: str = ""
    itself: str = ""

    def to_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> RunFacts:
        """What `to_json` wrote."""
        return cls(
            ranks=tuple(stored["ranks"]),
            rounds=tuple(tuple(ranks) for ranks in stored["rounds"]),
            first=tuple(stored["first"]),
            tokens=tuple(TokensTaken(*taken) for taken in stored["tokens"]),
            stopped=stored["stopped"],
            scores={source: AnswerScore(*score) for source, score in stored["scores"].items()},
            failure=stored["failure"],
            itself=stored["itself"],
        )


def run_facts(
    events: Sequence[Event],
    gold: Sequence[str],
    known: Sequence[str] = (),
    *,
    answer: bool = False,
    itself: str = "",
) -> RunFacts:
    """The facts of a run that has ended. `known` are the known answers; with `answer` the run was
    to write its own. `itself` is the id of a question that is a passage of the collection.
    """
    ranking = without_itself(keys(final(events)), itself)
    ranks, rounds, before = ranks_of(ranking, gold), [], ranks_of((), gold)
    found = per_iteration(events)
    for n in range(1, max(found, default=1) + 1):
        if n in found:
            before = ranks_of(without_itself(keys(found[n]), itself), gold)
        rounds.append(before)
    rounds[-1] = ranks
    end = stopped(events)
    return RunFacts(
        ranks=ranks,
        rounds=tuple(rounds),
        first=tuple(ranking[:FIRST]),
        tokens=_tokens(events),
        stopped=end.why if end else "",
        scores=answer_scores(events, known) if answer else {},
        failure=failure_of(events),
        itself=itself,
    )


def answer_scores(events: Sequence[Event], known: Sequence[str]) -> dict[Source, AnswerScore]:
    """A run's answers against the known ones; without known answers none, which is not counted.

    A source without an answer scores 0, whether the reader had none, its reply could not be used,
    or the run failed.
    """
    if not known:
        return {}
    measured = {
        one.source: AnswerScore(one.em or 0.0, one.f1 or 0.0)
        for one in scored_answers(events, known)
    }
    return {source: measured.get(source, NO_ANSWER) for source in get_args(Source)}


def ranks_of(ranking: Sequence[str], gold: Sequence[str]) -> Ranks:
    """Where each gold passage is in a ranking of keys, once; of a document that was cut, where its
    first part is.
    """
    places = {key: rank for rank, key in enumerate(judged_keys(ranking, gold), start=1)}
    return tuple(places.get(key) for key in dict.fromkeys(gold))


def _tokens(events: Sequence[Event]) -> tuple[TokensTaken, ...]:
    """What a model had taken after each iteration; () where none was asked."""
    calls = [event for event in events if isinstance(event, Called)]
    if not calls:
        return ()
    last = max(1, iterations(events))
    return tuple(
        TokensTaken(
            sum(call.input_tokens for call in calls if call.iteration <= n),
            sum(call.output_tokens for call in calls if call.iteration <= n),
        )
        for n in range(1, last + 1)
    )
