"""Outcomes of extraction: how passages get them, and how they are stored.

They come in batches, or, of an extractor that asks a language model, in a stream: calls stay under
way from slice to slice. They run on the model's own thread, which keeps every reply as it comes in.
A slice takes in what has come, for half a second or until others want their turn, and begins a new
call for every one that ended; so the server always has as many as it allows, also while this thread
stores and encodes, and has its next ones as soon as a question that came in between is answered.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from gear_app.corpus.provenance import store_triples, with_sentences
from gear_app.embedders.cache import ENCODED_AT_ONCE
from gear_app.errors import Cancelled, GearError, ModelFailed
from gear_app.events import Event, Failed
from gear_app.llm.chat_model import ChatModel
from gear_app.llm.conversations import Conversation, ConversationPool, OpenConversation
from gear_app.llm.errors import BudgetReached, CallFailed, ServerFailed
from gear_app.llm.request import REPLY_LIMIT
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.store.extractions import Shortfall
from gear_app.store.rows import JobInfo, Spent
from gear_app.store.spending import add_event
from gear_app.text import shortened
from gear_app.thread_context import check_stop
from gear_app.turns import turn_wanted
from gear_app.types import Extraction, Passage

EXTRACTED_AT_ONCE = 16
LOOKED_AT_ONCE = 1000
Meanwhile = Callable[[int], bool]
GATHERED_S = 0.5
HEEDED_S = 0.1
MOST = 64  # outcomes of a slice: they are stored in one go, and a question waits for that too
ENCODED_BETWEEN = 16  # texts between two looks at the calls
CUT = (
    "The reply ended at the limit of tokens. What came before is kept; a higher limit gives more"
    f" ({REPLY_LIMIT})."
)


class Outcome(NamedTuple):
    """What came of a passage, and how the reply about it fell short, if it did."""

    passage: Passage
    result: Extraction | GearError | ValueError
    short: Shortfall | None = None


class NewOutcomes(NamedTuple):
    """What came in since the last time, and what it took."""

    outcomes: list[Outcome]
    spent: Spent = Spent()


class AcceptedOutcomes(NamedTuple):
    """The outcomes that were stored; of their triples `refused` were left out, since somebody had
    taken them out of the set.
    """

    outcomes: list[Outcome]
    refused: int


class OutcomeSource(ABC):
    """Extracts passages, slice by slice.

    `fingerprint` is of what makes the triples (seams.Extractor); `failure` is why no more will come
    although passages are left, None as long as some will.
    """

    failure: ModelFailed | None = None

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._outcomes: list[Outcome] = []
        self._spent = Spent()

    @abstractmethod
    def gather(self, meanwhile: Meanwhile) -> bool:
        """Let outcomes come in for a while; False when everything is done.

        `meanwhile` encodes up to so many texts that wait for it; it is False where none did.
        """

    def take(self) -> NewOutcomes:
        """What came in until now, to be stored, and what it took; it is handed out once."""
        outcomes, spent = self._outcomes, self._spent
        self._outcomes, self._spent = [], Spent()
        return NewOutcomes(outcomes, spent)

    def stop(self) -> None:  # noqa: B027
        """End what is under way; what came in until now is there to `take`."""


class PassageSource:
    """Passages to extract."""

    def __init__(self, passages: Sequence[Passage] = ()) -> None:
        self._left = list(passages)

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones, without those that somebody has in hand; fewer where there are no more."""
        some, self._left = self._left[:count], self._left[count:]
        return some


class PendingPassages(PassageSource):
    """The passages a set has not been made for, in order of their ids, as they are asked for."""

    def __init__(self, store: Store, job: JobInfo) -> None:
        super().__init__()
        assert job.set_id is not None
        self._store, self._collection, self._set = store, job.collection_id, job.set_id

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """As of any source; looks for more where none is left."""
        if not self._left:
            pending = self._store.extractions.pending(self._collection, self._set, LOOKED_AT_ONCE)
            self._left = [passage for passage in pending if passage.id not in in_hand]
        return super().take(count)


class ExtractionBatches(OutcomeSource):
    """Passages that an extractor works on itself, sixteen a slice; texts that wait to be encoded
    come first.
    """

    def __init__(self, passages: PassageSource, extractor: Extractor) -> None:
        super().__init__(extractor.fingerprint)
        self._passages, self._extractor = passages, extractor

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Encode what waits for it, or else extract the next passages."""
        if meanwhile(ENCODED_AT_ONCE):
            return True
        passages = self._passages.take(EXTRACTED_AT_ONCE)
        self._outcomes = _extract(self._extractor, passages) if passages else []
        return bool(passages)


def _extract(extractor: Extractor, passages: Sequence[Passage]) -> list[Outcome]:
    """The outcome of each passage, in order: all in one call, or where that fails each alone, so
    that only those fail that cannot be extracted.

    Raises Cancelled.
    """
    try:
        made = zip(passages, extractor.extract(passages), strict=True)
        return [Outcome(passage, one, _noted(one)) for passage, one in made]
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) == 1:
            return [Outcome(passages[0], error)]
    return [outcome for passage in passages for outcome in _extract(extractor, [passage])]


def _noted(extraction: Extraction) -> Shortfall | None:
    """What an extractor says of a passage that it took nothing from."""
    return Shortfall("", note=extraction.note) if extraction.note else None


def with_places(outcomes: Sequence[Outcome]) -> tuple[list[tuple[Passage, Extraction]], bool]:
    """What was found in each passage that did not fail, and whether the sentences of triples are
    only the closest ones, which are taken where the extractor told of none.
    """
    made = [(one.passage, one.result) for one in outcomes if isinstance(one.result, Extraction)]
    guessed = not any(triple.span for _, extraction in made for triple in extraction.triples)
    if guessed:
        made = [(passage, with_sentences(passage, extraction)) for passage, extraction in made]
    return made, guessed


def store_outcomes(
    store: Store, collection_id: int, set_id: int, outcomes: Sequence[Outcome], fingerprint: str
) -> AcceptedOutcomes:
    """Store triples with a revision of their own, and failures with their replies, in one
    transaction.

    A passage that is gone, or that somebody else has extracted meanwhile, is left as it is.
    """
    with store.transaction():
        waiting = store.extractions.not_extracted(set_id, [one.passage.id for one in outcomes])
        stored = [outcome for outcome in outcomes if outcome.passage.id in waiting]
        made, guessed = with_places(stored)
        refused = store_triples(
            store,
            collection_id,
            set_id,
            [(passage.id, extraction) for passage, extraction in made],
            fingerprint,
            closest=guessed,
            short={one.passage.id: one.short for one in stored if one.short},
        )
        for passage, error, _ in stored:
            if isinstance(error, Exception):
                why, reply = str(error), ""
                if isinstance(error, ModelFailed):
                    why, reply = error.reason, error.reply
                store.extractions.mark_failed(set_id, passage.id, why, fingerprint, reply)
    return AcceptedOutcomes(stored, refused)


@runtime_checkable
class ConversationalExtractor(Protocol):
    """An extractor that asks a model, one thing after another about each passage (extract.llm)."""

    @property
    def model(self) -> ChatModel:
        """The model that is asked."""
        ...

    @property
    def fingerprint(self) -> str:
        """Server, model and prompts."""
        ...

    def conversation(self, passage: Passage) -> Conversation[Extraction]:
        """What is asked about a passage, and what comes of the replies."""
        ...


class ExtractionStream(OutcomeSource):
    """Passages that a language model is asked about, as many at once as its server allows."""

    def __init__(self, passages: PassageSource, extractor: ConversationalExtractor) -> None:
        super().__init__(extractor.fingerprint)
        self._passages, self._extractor = passages, extractor
        self._pool: ConversationPool[Passage, Extraction] = ConversationPool(
            extractor.model, self._spend
        )
        # Passages that are asked about, or came in and are not stored yet.
        self._in_hand: set[int] = set()
        self._reached: BudgetReached | None = None
        self._exhausted = False

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Take in what comes within half a second, and keep the calls topped up."""
        # What came before is stored by now.
        self._in_hand = {passage.id for passage in self._pool.subjects}
        self._exhausted = False
        until = time.monotonic() + GATHERED_S
        self._top_up()
        worked = busy = meanwhile(ENCODED_BETWEEN)
        while (
            (self._going or busy)
            and not self.failure
            and len(self._outcomes) < MOST
            and time.monotonic() < until
            and not turn_wanted()
        ):
            check_stop()
            self._extractor.model.server.key.check()
            if not (self._pool.subjects or busy):  # all places are taken by others
                time.sleep(HEEDED_S)
            self._sort(self._pool.poll(0 if busy else HEEDED_S))
            self._top_up()
            busy = busy and meanwhile(ENCODED_BETWEEN)
        # Calls that were under way could end: they were paid for.
        if self._reached and not self._pool.subjects:
            self.failure = self._reached
        return bool(self._outcomes or self._going or worked or self.failure)

    def stop(self) -> None:
        """Close the connections; passages that were not replied to wait for the next job."""
        self._sort(self._pool.close())

    @property
    def _going(self) -> bool:
        """Whether calls are under way, or passages left to ask about."""
        return bool(self._pool.subjects) or not (self._exhausted or self._reached)

    def _top_up(self) -> None:
        """Ask about as many more passages as there are places; those whose replies were kept take
        none.
        """
        for _ in range(MOST):
            if self._pool.free_slots <= 0 or self._reached or self._exhausted:
                return
            some = self._passages.take(1, self._in_hand)
            self._exhausted = not some
            for passage in some:
                self._in_hand.add(passage.id)
                self._pool.start(passage, self._extractor.conversation(passage))
                self._sort(self._pool.poll(0))

    def _sort(self, ended: list[OpenConversation[Passage, Extraction]]) -> None:
        """What is of use, why no more will come, and what failed for a reason of its own."""
        gone = next((one.value for one in ended if isinstance(one.value, ServerFailed)), None)
        if gone and not self.failure:
            self.failure = gone
            ended = ended + self._pool.close()
        for one in ended:
            if isinstance(one.value, BudgetReached):
                self._reached = one.value
            elif not (self.failure and isinstance(one.value, CallFailed)):
                self._outcomes.append(self._outcome(one))

    def _outcome(self, ended: OpenConversation[Passage, Extraction]) -> Outcome:
        if isinstance(ended.value, ModelFailed):
            if ended.value.replied:
                self._spend(Failed("extract", str(ended.value), ended.value.reply, replied=True))
            return Outcome(ended.subject, ended.value)
        if not (ended.dropped or ended.cut) and ended.value.triples:
            return Outcome(ended.subject, ended.value)
        reply = shortened("\n\n".join(ended.replies))
        short = Shortfall(reply, ended.dropped, CUT if ended.cut else "")
        return Outcome(ended.subject, ended.value, short)

    def _spend(self, event: Event) -> None:
        self._spent = add_event(self._spent, event)


def outcome_source(passages: PassageSource, extractor: Extractor) -> OutcomeSource:
    """Outcomes of the extractor: streamed where it asks a model, else in batches."""
    if isinstance(extractor, ConversationalExtractor):
        return ExtractionStream(passages, extractor)
    return ExtractionBatches(passages, extractor)
