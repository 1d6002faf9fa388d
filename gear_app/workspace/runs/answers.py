"""An answer to a run's question once its ranking is there, and what it is measured against (GEAR
App. K.3, Table 3).

From the first passages of the ranking; and as bounds from the gold passages, which is the most that
retrieval could have given the reader, and from nothing, which is what the reader knows by itself.
No method is called here, and none has been given anything that this needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Index
from gear_app.core.types import Passage, Source
from gear_app.index.cache import RowCache
from gear_app.methods import lookup
from gear_app.models.reader.roles import AnswerRequest, Reader, ReaderRequest, Reply
from gear_app.trace.events import (
    Answered,
    Emit,
    Event,
    Failed,
    Promoted,
    Ranked,
    RankedPassage,
    at_step,
    during,
)

TOP = 5  # passages that an answer is written from (GEAR Table 3)
MOST_GOLD = 20  # passages of the bound (ours): a gold document may have been cut into many
FROM: Mapping[Source, str] = {
    "retrieved": "from the retrieved passages",
    "gold": "from the gold passages",
    "nothing": "without passages",
}


@runtime_checkable
class _BatchReader(Protocol):
    """A reader that can be asked several things at once."""

    def ask_all(
        self, requests: Sequence[ReaderRequest[Reply]], emit: Emit
    ) -> list[Reply | ModelFailed]:
        """As Reader.ask, each of them; what failed stands in its place."""
        ...


def answer_passages(happened: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """Passages to answer from: those that BDTR's cut keeps (Eq. 6), else the first five."""
    for event in reversed(happened):
        if isinstance(event, Promoted):
            return tuple(line for line in event.ranking if line.id in event.kept)
    ranking = next((event.ranking for event in reversed(happened) if isinstance(event, Ranked)), ())
    return ranking[:TOP]


def write(
    reader: Reader,
    index: Index,
    question: str,
    happened: Sequence[Event],
    gold: Sequence[Passage],
    emit: Emit,
) -> None:
    """Have the reader answer from each source, and tell what it said; `happened` ends with the
    ranking.

    Emits Answered, or Failed where a reply could not be used or none came: the ranking is not
    touched by that. Where retrieval found nothing, or no gold passage is known, the reader is not
    asked.
    """
    scores = {
        line.id: line.score
        for event in happened
        if isinstance(event, Ranked)
        for line in event.ranking
    }
    lines: dict[Source, tuple[RankedPassage, ...]] = {
        "retrieved": tuple(
            RankedPassage(p.id, p.key, p.title, p.score) for p in answer_passages(happened)
        ),
        "gold": tuple(
            RankedPassage(p.id, p.key, p.title, scores.get(p.id, 0.0)) for p in gold[:MOST_GOLD]
        ),
        "nothing": (),
    }
    if not gold:
        del lines["gold"]
    sources = [source for source in lines if lines[source] or source == "nothing"]
    ids = [[line.id for line in lines[source]] for source in sources]
    answers = _answers(reader, _requests(index, question, ids), at_step(during(emit, 0), "answer"))
    by_source = dict(zip(sources, answers, strict=True))
    for source in lines:
        answer = by_source.get(source, "")
        if isinstance(answer, ModelFailed):
            reason = f"No answer {FROM[source]}. {answer}"
            emit(Failed("answer", reason, answer.reply, replied=answer.replied, iteration=0))
        else:
            emit(Answered(source, answer, lines[source], iteration=0))


def _requests(
    index: Index, question: str, ids: Sequence[Sequence[int]]
) -> list[ReaderRequest[str]]:
    rows = RowCache(index)
    lookup.material(rows, [id_ for group in ids for id_ in group])  # all at once
    return [AnswerRequest(*lookup.material(rows, group), question) for group in ids]


def _answers(
    reader: Reader, requests: Sequence[ReaderRequest[str]], emit: Emit
) -> list[str | ModelFailed]:
    try:
        if isinstance(reader, _BatchReader):
            return reader.ask_all(requests, emit)
    except ModelFailed as error:
        return [error] * len(requests)
    return [_answer(reader, request, emit) for request in requests]


def _answer(reader: Reader, request: ReaderRequest[str], emit: Emit) -> str | ModelFailed:
    try:
        return reader.ask(request, emit)
    except ModelFailed as error:
        return error
