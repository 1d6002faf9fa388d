"""An answer to a run's question once its ranking is there, and what it is measured against (GEAR
App. K.3, Table 3).

From the first passages of the ranking; and as bounds from the gold passages, which is the most that
retrieval could have given the reader, and from nothing, which is what the reader knows by itself.
No method is called here, and none has been given anything that this needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Index
from gear_app.core.types import Passage, Source
from gear_app.index.cache import RowCache
from gear_app.methods import lookup
from gear_app.models.reader.roles import AnswerRequest, Reader
from gear_app.trace.events import (
    Answered,
    Emit,
    Event,
    Failed,
    Promoted,
    RankedPassage,
    at_step,
    during,
)
from gear_app.trace.rankings import final

TOP = 5  # passages that an answer is written from (GEAR Table 3)
MOST_GOLD = 20  # passages of the bound (ours): a gold document may have been cut into many
FROM: Mapping[Source, str] = {
    "retrieved": "from the retrieved passages",
    "gold": "from the gold passages",
    "nothing": "without passages",
}


def answer_passages(events: Sequence[Event]) -> Sequence[RankedPassage]:
    """Passages to answer from: those that BDTR's cut keeps (Eq. 6), else the first five."""
    for event in reversed(events):
        if isinstance(event, Promoted):
            return [line for line in event.ranking if line.id in event.kept]
    return final(events)[:TOP]


def write(
    reader: Reader,
    index: Index,
    question: str,
    events: Sequence[Event],
    gold: Sequence[Passage],
    emit: Emit,
) -> None:
    """Have the reader answer from each source; `events` end with the ranking.

    Emits Answered, or Failed where a reply could not be used or none came: the ranking is not
    touched by that. Where retrieval found nothing, or no gold passage is known, the reader is not
    asked.
    """
    scores, rows = {line.id: line.score for line in final(events)}, RowCache(index)
    sources: dict[Source, Sequence[Passage | RankedPassage]] = {
        "retrieved": answer_passages(events),
        "gold": gold[:MOST_GOLD],
        "nothing": (),
    }
    if not gold:
        del sources["gold"]
    step, replies = at_step(during(emit, 0), "answer"), dict[Source, str | ModelFailed]()
    for source, passages in sources.items():
        if passages or source == "nothing":
            material = lookup.material(rows, [passage.id for passage in passages])
            try:
                replies[source] = reader.ask(AnswerRequest(*material, question), step)
            except ModelFailed as error:
                replies[source] = error
    for source, passages in sources.items():
        reply = replies.get(source, "")
        if isinstance(reply, ModelFailed):
            reason = f"No answer {FROM[source]}. {reply}"
            emit(Failed("answer", reason, reply.reply, replied=reply.replied, iteration=0))
        else:
            lines = [RankedPassage(p.id, p.key, p.title, scores.get(p.id, 0.0)) for p in passages]
            emit(Answered(source, reply, tuple(lines), iteration=0))
