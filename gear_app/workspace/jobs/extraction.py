"""The job that extracts: triples of passages slice by slice, and the vectors to search them. A kill
loses at most the passages in flight.

The rules of the local extractor read passages in groups: in this process, in several, or on a Ray
cluster. A language model is asked about single passages on a pool of threads: calls stay under way
from slice to slice. This process alone writes.

The triples of a slice are stored in one transaction, which is one revision of the collection: a run
asked between two slices sees the triples of the slices before, and a replay sees the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from functools import cache, partial, reduce
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import gear_app
from gear_app.core.errors import Cancelled, GearError, ModelFailed, NotReady
from gear_app.core.protocols import Embedder, Extractor
from gear_app.core.text import count, shortened
from gear_app.core.threads import check_stop, turn_wanted, working
from gear_app.core.types import Extraction, Passage
from gear_app.language.english import NOT_ENGLISH
from gear_app.models.errors import BudgetReached, CallFailed, ServerFailed
from gear_app.models.server import REPLY_LIMIT
from gear_app.store import REFUSED, Store
from gear_app.store.extractions import Shortfall
from gear_app.store.models import add_event
from gear_app.store.rows import JobInfo, Progress, Spent, asked_at
from gear_app.trace.events import Called, Event, Failed
from gear_app.workspace.corpus.vectors import encode

if TYPE_CHECKING:
    from gear_app.models.extractor.llm import LlmExtractor

EXTRACTED_AT_ONCE = 16  # passages that the local extractor reads as a group
LOOKED_AT_ONCE = 1000
GATHERED_S = 0.5
HEEDED_S = 0.1
MOST = 16  # outcomes of a slice: a question waits until they are stored and encoded
MOST_NAMED = 3  # documents that are not English
CUT = (
    "The reply ended at the limit of tokens. What came before is kept; a higher limit gives more"
    f" ({REPLY_LIMIT})."
)


class Outcome(NamedTuple):
    """The extraction of a passage, None where it failed: why, or how the reply fell short; the
    calls it took, and the last call's failure.
    """

    passage: Passage
    extraction: Extraction | None
    short: Shortfall | None = None
    events: Sequence[Event] = ()
    failure: CallFailed | None = None


class Inline(Executor):
    """Does at once, on this thread, what is submitted."""

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:  # type: ignore[override]  # noqa: ANN401
        """The future has ended. Raises as the work does."""
        future = Future[Any]()
        future.set_result(work(*arguments))
        return future


class RayPool(Executor):
    """The workers of a Ray cluster, `size` of them, with this process's code; the packages that it
    needs are on their nodes. Ray repeats what a lost node did.
    """

    def __init__(self, address: str) -> None:
        """Raises NotReady where no cluster is at the address, or the package ray is missing."""
        try:
            import ray

            code = {"py_modules": list(gear_app.__path__)}
            ray.init(address, runtime_env=code, logging_level="ERROR", log_to_driver=False)
        except ImportError as error:
            raise NotReady(
                "This needs the package ray. Run: pip install 'gear-app[ray]'"
            ) from error
        except (ConnectionError, ValueError) as error:
            raise NotReady(f"No Ray cluster answers at {address}: {error}") from error
        self.size = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._remote, self._leave = cache(ray.remote), ray.shutdown

    def submit(self, work: partial[Any], *arguments: Any) -> Any:  # type: ignore[override]  # noqa: ANN401
        """A future that can be cancelled until it has ended. Ray takes functions alone."""
        return self._remote(work.func).remote(*work.args, *arguments).future()

    def shutdown(self, wait: bool = True, **_: bool) -> None:
        """Leave the cluster, which ends what is still under way."""
        self._leave()


class ExtractionJob:
    """Entities and triples of every passage the set has not been made for, and the vectors to
    search them.
    """

    def __init__(
        self,
        store: Store,
        job: JobInfo,
        extractor: Extractor,
        embedder: Embedder,
        workers: int | str = 1,
    ) -> None:
        """`workers`: so many processes, or the address of a Ray cluster."""
        assert job.set_id is not None and job.collection_id is not None
        self._store, self._job, self._embedder = store, job, embedder
        self._collection, self._set = job.collection_id, job.set_id
        self._extractor, self._closed = extractor, False
        # Groups of so many passages, of which so many are under way at once in the pool.
        self._size, self._at_once = EXTRACTED_AT_ONCE, 1
        self._pool: Executor = Inline()
        self._ask: Callable[[list[Passage]], list[Outcome]] = partial(extract, extractor)
        # Twice as many groups as workers: none waits while triples are stored here.
        if isinstance(workers, str):
            self._pool = pool = RayPool(workers)
            self._at_once = 2 * pool.size
        elif workers > 1:
            self._at_once = 2 * workers
            self._pool = ProcessPoolExecutor(
                workers, get_context("spawn"), signal, (SIGINT, SIG_IGN)
            )
        if job.model:
            llm = cast("LlmExtractor", extractor)
            self._size, self._at_once = 1, llm.model.server.at_once
            self._pool = ThreadPoolExecutor(self._at_once, "extraction")
            check = partial(self._check_open, llm.model.server.key.check)
            self._ask = partial(_ask_model, llm, check, asked_at(job.created))
        self._calls: dict[Future[list[Outcome]], list[Passage]] = {}
        self._pending: list[Passage] = []
        self._outcomes: list[Outcome] = []
        self._last = self._refused = 0
        self._failure: CallFailed | None = None  # why nothing more is asked

    def slices(self) -> Generator[Progress, None, None]:
        """Let outcomes come in, and store them with their vectors. Raises why no more will come."""
        try:
            while self._gather():
                # The vectors first: a kill leaves no triple without them.
                texts = [outcome.passage.indexed for outcome in self._outcomes]
                extractions = [
                    outcome.extraction for outcome in self._outcomes if outcome.extraction
                ]
                texts += [triple.text for each in extractions for triple in each.triples]
                missing = self._store.embeddings.missing(self._embedder.fingerprint, texts)
                encode(self._store, self._embedder, missing)
                self._store_outcomes()
                yield self._progress()
            if self._failure:
                raise self._failure
        finally:  # it has ended, or somebody stopped it: passages in flight wait for the next job
            self._closed = True
            self._pool.shutdown(cancel_futures=True)
            self._take([call for call in self._calls if not (call.cancel() or call.exception())])
            self._store_outcomes()
        # The vectors of names and of partial triples.
        self._store.tasks.ensure("vectors", self._collection, self._set)
        yield self._progress()._replace(message=self._summary())

    def _gather(self) -> bool:
        """Take what comes in for half a second, or until others want their turn; False at the end.
        Calls that were under way when one failed can end: they were paid for.
        """
        until = time.monotonic() + GATHERED_S
        self._top_up()
        while self._calls and time.monotonic() < until and not turn_wanted():
            check_stop()
            self._take(wait(self._calls, HEEDED_S, FIRST_COMPLETED).done)
            if len(self._outcomes) >= MOST:
                break
            self._top_up()
        return bool(self._outcomes or self._calls)

    def _top_up(self) -> None:
        """Ask about as many groups as can be under way: none waits for a thread, so that no call
        begins after another process took the job over.
        """
        while len(self._calls) < self._at_once and not self._failure:
            # From the first again where nothing is under way: failures may be tried again.
            last = self._last if self._calls or self._outcomes else 0
            self._pending = self._pending or self._store.extractions.pending(
                self._collection, self._set, last, LOOKED_AT_ONCE
            )
            group, self._pending = self._pending[: self._size], self._pending[self._size :]
            if not group:
                break
            self._last = group[-1].id
            self._calls[self._pool.submit(self._ask, group)] = group

    def _check_open(self, check_key: Callable[[], None]) -> None:
        if self._closed:
            raise Cancelled("The extraction has ended.")
        check_key()

    def _take(self, done: Iterable[Future[list[Outcome]]]) -> None:
        for future in done:
            del self._calls[future]
            for outcome in future.result():
                if isinstance(outcome.failure, ServerFailed | BudgetReached):
                    self._failure = self._failure or outcome.failure
                if not (self._failure and outcome.failure):
                    self._outcomes.append(outcome)

    def _store_outcomes(self) -> None:
        """Store triples with a revision of their own, and failures with their replies, in one
        transaction with what they took.

        A passage that is gone, or that somebody else has extracted meanwhile, is left as it is.
        """
        outcomes, self._outcomes = self._outcomes, []
        stored, set_id, fingerprint = (
            self._store.extractions,
            self._set,
            self._extractor.fingerprint,
        )
        spent = reduce(add_event, (e for outcome in outcomes for e in outcome.events), Spent())
        with self._store.transaction():
            self._store.tasks.spend(self._job.number, spent)
            waiting = stored.waiting(set_id, [outcome.passage.id for outcome in outcomes])
            present = [outcome for outcome in outcomes if outcome.passage.id in waiting]
            extractions = {o.passage: o.extraction for o in present if o.extraction is not None}
            short = {o.passage.id: o.short for o in present if o.short is not None}
            for passage in (o.passage for o in present if o.extraction is None):
                reason = short.pop(passage.id)
                stored.mark_failed(set_id, passage.id, fingerprint, reason.note, reason.reply)
            rows = [*extractions.items()]
            self._refused += self._store.add_extractions(
                self._collection, set_id, rows, fingerprint, short
            )

    def _progress(self) -> Progress:
        done, failed, *_ = self._store.extractions.counts(self._set).values()
        total = self._store.passages.counts(self._collection)["passages"]
        return Progress(done, total, f"{done:,} extracted", failed)

    def _summary(self) -> str:
        done, failed, empty, short, _ = self._store.extractions.counts(self._set).values()
        triples = count(self._store.triples.count(self._set), "triple")
        foreign = self._store.extractions.noted(self._set, NOT_ENGLISH)
        more = max(0, len(foreign) - MOST_NAMED)
        remarks = (
            (1, f"{triples} from {count(done, 'passage')}"),
            (empty, f"{count(empty, 'passage')} gave none"),
            (short, f"the replies about {count(short, 'passage')} were used in part"),
            (failed, f"{count(failed, 'passage')} failed; extract again to retry"),
            (self._refused, f"{count(self._refused, 'triple')} {REFUSED}"),
            *((1, f"{name} {NOT_ENGLISH}") for name in foreign[:MOST_NAMED]),
            (more, f"nor do {count(more, 'other document')}"),
        )
        return "; ".join(words for number, words in remarks if number) + "."


def _ask_model(
    llm: LlmExtractor, check: Callable[[], None], asked_at: float, passages: list[Passage]
) -> list[Outcome]:
    events: list[Event] = []
    with working(check=check, asked_at=asked_at):
        (result,) = llm.with_emit(events.append).extract_all(passages)
    if isinstance(result, ModelFailed):
        if result.replied:
            events.append(Failed("extract", str(result), result.reply, replied=True))
        failure = result if isinstance(result, CallFailed) else None
        reason = Shortfall(result.reply, note=result.reason)
        return [Outcome(passages[0], None, reason, events, failure)]
    calls = [event for event in events if isinstance(event, Called) and not event.failed]
    dropped = sum(event.dropped for event in events if isinstance(event, Failed))
    note = CUT if any(call.cut for call in calls) else ""
    reply = shortened("\n\n".join(call.reply for call in calls))
    whole = result.triples and not (dropped or note)
    short = None if whole else Shortfall(reply, dropped, note)
    return [Outcome(passages[0], result, short, events)]


def extract(extractor: Extractor, passages: Sequence[Passage]) -> list[Outcome]:
    """The outcome of each passage, in order: all in one call, or where that fails each alone, so
    that only those fail that cannot be extracted.

    Raises Cancelled.
    """
    try:
        return [
            Outcome(passage, result, Shortfall("", note=result.note) if result.note else None)
            for passage, result in zip(passages, extractor.extract(passages), strict=True)
        ]
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) > 1:
            return [outcome for passage in passages for outcome in extract(extractor, [passage])]
        reason = Shortfall(getattr(error, "reply", ""), note=getattr(error, "reason", str(error)))
        return [Outcome(passages[0], None, reason)]
