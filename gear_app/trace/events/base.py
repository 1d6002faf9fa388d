"""The class of all events, the parts that several kinds share, and the sinks of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from gear_app.core.text import count
from gear_app.core.types import EntityName, NamedPassage, PassageId, Span, TripleId, TripleWords
from gear_app.trace.events.pipeline import VERBS

if TYPE_CHECKING:
    from gear_app.trace.events.gear import BeamStep

Way = Literal["sum", "mean", "greatest", "terms", "walk"]
"""How a score is made of its parts: reciprocal ranks added up, normalised scores averaged, the
greatest taken, terms weighted and added up, or probabilities of a walk times triples added up."""

BY_SCORE = " score"  # what a list's name ends with where its scores were fused, not its ranks
# parts of a score that no entity or summary gives
ITSELF, START, OTHER_ENTITIES = "passage itself", "the start", "other entities"

KINDS: dict[str, type[Event]] = {}


class _Summary(Formatter):
    """The template of a summary, filled with an event's fields.

    `{ranking}` is a ranking in words, `{lists}` its items, `{facts:fact}` "3 facts",
    `{nodes:#}` their number; an empty text is "none".
    """

    def get_value(self, key: int | str, args: Sequence[Any], _kwargs: object) -> Any:  # noqa: ANN401
        return getattr(args[0], str(key))

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401
        if not isinstance(value, tuple):
            return str(value) or "none"
        if format_spec:
            word, _, plural = format_spec.partition("/")
            return str(len(value)) if word == "#" else count(len(value), word, plural)
        return ", ".join(text for text in value if isinstance(text, str)) or in_words(value)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run.

    A kind is a subclass in a module of this folder, with its flags, those below, in its class line.
    A field called `ranking` is a ranking of passages: all that draws and compares rankings finds it
    by that name.
    """

    VERB: ClassVar[str] = ""  # the step that came to it
    VARIANT: ClassVar[str] = ""  # the field that says which variant of the step this is
    SUMMARY: ClassVar[str] = ""  # the template of its summary
    WAY: ClassVar[Way] = "sum"
    CAME_BY: ClassVar[str] = ""  # how it came to a passage, with {} for the greatest part's source
    SO_FAR: ClassVar[bool] = False  # its ranking is of all iterations "as if it were the last"
    BEGINS_SEARCH: ClassVar[bool] = False  # a query is asked: a search begins with it
    AUXILIARY: ClassVar[bool] = False  # made for what follows: it begins and ends no search

    # the iteration it happened in (the paper's n), from 1; 0 before the first and after the last
    iteration: int = field(default=1, kw_only=True)

    def __init_subclass__(cls, **flags: str | bool) -> None:
        for name, value in flags.items():
            if not hasattr(cls, name.upper()):
                raise TypeError(f"Events have no flag {name!r}.")
            setattr(cls, name.upper(), value)
        KINDS[cls.__name__] = cls

    @property
    def verb(self) -> str:
        """Name of the step that came to it; "" for none."""
        return self.VERB

    @property
    def explanation(self) -> str:
        """Purpose of its step, in a sentence for the screen; "" without a step."""
        verb = VERBS.get(self.verb)
        return verb.purposes.get(getattr(self, self.VARIANT, ""), verb.purpose) if verb else ""

    @property
    def summary(self) -> str:
        """One line for a terminal."""
        return _Summary().format(self.SUMMARY, self)

    @property
    def listed(self) -> tuple[RankedPassage, ...]:
        """Passages, best first: its ranking, where it has one."""
        return getattr(self, "ranking", ())

    @property
    def query_text(self) -> str:
        """The query that it asks, or that follows from it; "" for none."""
        return getattr(self, "query", "")

    @property
    def reached(self) -> tuple[RankedPassage, ...]:
        """The passages without those that only fill up the ranking: the last `below`."""
        below: int = getattr(self, "below", 0)
        return self.listed[: len(self.listed) - below]

    @property
    def so_far(self) -> bool:
        """Whether its ranking is that of all iterations until then "as if it were the last"."""
        return self.SO_FAR

    @property
    def way(self) -> Way:
        """How its scores are made of their parts."""
        return self.WAY

    def came_by(self, key: str) -> str:
        """How it came to a passage, by the part that adds most to the score; "" where its kind says
        nothing of it.
        """
        parts = next((line.parts for line in self.reached if line.key == key), ())
        named = [part for part in parts if part.source not in (START, OTHER_ENTITIES)]
        best = max(named, key=lambda part: part.value, default=None)
        return self.CAME_BY.format(best.source) if best and best.source != ITSELF else ""

    @property
    def beams(self) -> tuple[BeamStep, ...]:
        """The steps of its beam search, one for each length."""
        return ()

    def is_of(self, *verbs: str) -> bool:
        """Whether it belongs to a step of one of these names."""
        return self.verb in verbs


Emit = Callable[[Event], None]
"""A sink. `events.append` is one."""


def ignore(event: Event) -> None:
    """Drop the event: a sink."""


def during(emit: Emit, iteration: int) -> Emit:
    """A sink that stamps the iteration on every event before it passes it on."""
    return lambda event: emit(replace(event, iteration=iteration))


@dataclass(frozen=True, slots=True)
class PassageOfRun(NamedPassage):
    """A passage in an event."""

    id: PassageId
    key: str
    title: str


@dataclass(frozen=True, slots=True)
class RankedPassage(PassageOfRun):
    """A line of a ranking."""

    score: float  # higher is better
    parts: tuple[ScorePart, ...] = ()  # in a fused ranking they add up to the score


@dataclass(frozen=True, slots=True)
class ScorePart:
    """A term of a score that was made of several lists."""

    source: str  # the list
    rank: int  # the place in it, from 1
    value: float  # what it contributes
    # the list's own score; from 0 to 1, before its weight, where scores were fused
    score: float | None = None
    formula: str = ""  # the arithmetic of `value`, as in "1/(60 + 3)"; "" where it is told as it is


@dataclass(frozen=True, slots=True)
class ShownTriple(TripleWords):
    """A stored triple, ready to be drawn."""

    id: TripleId
    subject: EntityName
    predicate: str
    object: EntityName
    passage_id: PassageId
    passage_key: str
    passage_title: str
    sentence: str = ""  # the source sentence
    span: Span | None = None  # where the sentence is in the passage's text
    closest: bool = False  # the sentence is only the closest match

    @property
    def passage_name(self) -> str:
        """The title of its passage, or its key where it has none."""
        return self.passage_title or self.passage_key


def in_words(ranking: Sequence[RankedPassage]) -> str:
    """A ranking in a few words: how many passages it has, and which is the first."""
    first = f", first {ranking[0].key}" if ranking else ""
    return count(len(ranking), "passage") + first
