"""What every retrieval method is: a class with the facts about it, built from parts over a base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import BaseConfig
from gear_app.core.errors import ModelFailed
from gear_app.core.protocols import Embedder, Index
from gear_app.core.threads import load_timer
from gear_app.core.types import Hit, Ranking
from gear_app.methods.lookup import DEPTH
from gear_app.models.errors import BudgetReached, Unusable
from gear_app.models.reader.roles import Reader, ReaderRequest, Reply
from gear_app.trace.events import Emit, Event, Failed, Stopped, at_step

Over = Literal["nothing", "search", "method", "step"]
DEFAULT_BASE = "hybrid"
READER = "reader"  # in `made_of`: the local reader
SEARCH = "search"  # in `most_calls`: the base's own calls take the place of this one


class Retriever(Protocol):
    """A method: a function from a query to a ranking of passages that emits events as
    it goes.
    """

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; k is the number of passages of the first, base retrieval."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that methods are built from."""

    index: Index
    reader: Reader
    embedder: Embedder
    explained: int = DEPTH  # passages of a ranking whose whole arithmetic an event has


class PromptCall(NamedTuple):
    """One call of a language model, at its largest."""

    prompt: str  # the file's name
    passages: int = 0  # in the prompt
    repeats: int = 0  # earlier replies in the prompt
    once: bool = False  # for the collection, not for each question; at most half its passages


class Method:
    """A retrieval method, with the facts about it; a class with a `name` is in METHODS."""

    name: ClassVar[str] = ""  # in addresses and commands: `name[:base]`
    label: ClassVar[str] = ""  # on screens
    inline: ClassVar[str] = ""  # the label within a sentence, if another
    summary: ClassVar[str] = ""  # in one line, for lists
    step_purpose: ClassVar[str] = ""  # of a base retrieval by it, in a sentence
    idea: ClassVar[str] = ""  # in one clause with the label, for the start page
    order: ClassVar[int] = 1_000  # in lists
    defaults: ClassVar[Any] = BaseConfig()  # its configuration unless somebody changes it
    # base: none, a base retriever, or a single-step method (iterative methods: "step")
    over: ClassVar[Over] = "nothing"
    single_step: ClassVar[bool] = False  # can itself be such a base
    by_rank: ClassVar[bool] = False  # scores are reciprocal ranks, which are no measure of nearness
    triples: ClassVar[bool] = True  # needs triples
    links: ClassVar[bool] = False  # follows links of the index's graph, which can be switched off
    graph_first: ClassVar[bool] = False  # needs the whole collection in memory
    proximal: ClassVar[bool] = False  # begins its searches from proximal triples
    baseline: ClassVar[bool] = False  # its first search is not hybrid, which is run to compare
    needs_model: ClassVar[bool] = False  # only a language model can be its reader
    needs_weights: ClassVar[bool] = False  # computes with a network that is not included
    ours: ClassVar[bool] = False  # no paper describes it
    compared: ClassVar[Literal["", "always", "with triples", "without triples"]] = ""  # by default
    # to be raised with every change that can change a ranking: older measurements are then repeated
    version: ClassVar[int] = 1
    # methods besides the base, and READER, whose versions count as well
    made_of: ClassVar[tuple[str, ...]] = ()
    # what settings of an iterative method over it are by default
    above: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def __init__(self, parts: Parts, config: Any = None, under: Any = None) -> None:  # noqa: ANN401
        """`under` is the base, a method as well."""
        self.parts, self.under = parts, under
        self.index, self.reader, self.embedder = parts.index, parts.reader, parts.embedder
        self.config = self.defaults if config is None else config

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for a query, best first, with an event for each step; k is the number of
        passages of the first retrieval.
        """
        raise NotImplementedError

    @staticmethod
    def most_calls(config: Any, k: int) -> Sequence[PromptCall]:  # noqa: ANN401
        """The largest calls of a language model that a run can make, for estimates."""
        return ()

    @classmethod
    def reads(cls) -> bool:
        """Whether it asks a reader itself."""
        return cls.most_calls is not Method.most_calls

    @classmethod
    def at_most(cls, config: Any) -> int:  # noqa: ANN401
        """Passages of a base's ranking that a method over a single-step one uses."""
        return int(max(config.pool_k, config.first_k))

    @property
    def full_name(self) -> str:
        """The name with its base's, unless that is the default one."""
        plain = self.under is None or self.under.name == DEFAULT_BASE
        return self.name if plain else f"{self.name}:{self.under.full_name}"

    def usable(self, request: ReaderRequest[Reply], step: str, emit: Emit) -> Reply | None:
        """The reader's reply; None, and an event, where it cannot be used."""
        try:
            return ask(self.reader, request, step, emit)
        except Unusable as error:
            emit(Failed(step, str(error), error.reply, replied=error.replied))
            return None


def ask(reader: Reader, request: ReaderRequest[Reply], step: str, emit: Emit) -> Reply:
    """The reader's reply. The model's calls, what failed, and an error carry the step."""
    try:
        return reader.ask(request, at_step(emit, step))
    except ModelFailed as error:
        error.step = step
        raise


Cached = TypeVar("Cached")
Kind = TypeVar("Kind", bound=Method)


def declare_method(**values: object) -> Callable[[type[Kind]], type[Kind]]:
    """A decorator that sets facts of a method's class."""

    def declared(kind: type[Kind]) -> type[Kind]:
        for name, value in values.items():
            if name not in Method.__annotations__:
                raise TypeError(f"{kind.__name__}: a method has no fact {name!r}")
            setattr(kind, name, value)
        return kind

    return declared


@declare_method(
    single_step=True,
    graph_first=True,
    baseline=True,
)
class EntityMethod(Method):
    """A single-step method over the graph of all entities."""

    def __init__(self, parts: Parts, config: Any = None, under: Any = None) -> None:  # noqa: ANN401
        """Load the graph of entities."""
        super().__init__(parts, config, under)
        self.entities = parts.index.entities()
        # (nodes,): how many passages name the entity
        self.passages_naming: NDArray[np.int64] = cached(
            self.entities,
            "passages",
            lambda: np.asarray((self.entities.counts > 0).sum(axis=1)).ravel(),
        )


_MEMOS: WeakKeyDictionary[object, dict[str, Any]] = WeakKeyDictionary()


def cached(owner: object, key: str, make: Callable[[], Cached]) -> Cached:
    """A value that is computed once of an index's array or graph, for all questions."""
    store = _MEMOS.setdefault(owner, {})
    if key not in store:
        with load_timer():
            store[key] = make()
    value: Cached = store[key]
    return value


def retrieved(
    method: Retriever, query: str, k: int, emit: Emit
) -> tuple[Ranking, ModelFailed | None]:
    """A method's ranking; where its model fails or its budget ends, the last ranking that it
    emitted, and the error. Raises the error where there is no ranking yet.
    """
    last: Ranking | None = None

    def watch(event: Event) -> None:
        nonlocal last
        if event.listed:
            last = Ranking(tuple(Hit(line.id, line.score) for line in event.listed))
        emit(event)

    try:
        return method.retrieve(query, k, watch), None
    except ModelFailed as error:
        if last is None:
            raise
        return last, error


UNUSABLE = Stopped("reply unusable", "A reply could not be used; the ranking is of what was found.")


def stop_after(error: ModelFailed, emit: Emit) -> Stopped:
    """Why a run ends with this error; emits Failed, unless its budget has ended: then nothing
    failed.
    """
    if isinstance(error, BudgetReached):
        return Stopped("budget", str(error))
    emit(Failed(error.step, str(error), error.reply, replied=error.replied))
    if error.replied:
        return UNUSABLE
    return Stopped("model failed", f"{str(error).rstrip('.')}. The ranking is of what was found.")
