"""Labels that people gave to runs: the case that was judged (`Case`), the form as it was filled in
(`Label`), and both with person and time (`Record`). Of each case and person the last label counts.

pydantic checks what comes from outside, by the annotations of fields (`from_row`); a
refusal is a sentence. Values that are made here are not checked.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from gear_app.core.errors import BadInput
from gear_app.core.text import MOST_NAME, MOST_QUESTION, is_method, name_words, reason

VERDICTS = ("pass", "fail", "defer")
SEVERITIES = ("low", "middle", "high")
MOST_SETTINGS = 200


def person(name: str) -> str:
    """An annotator's name in one spelling, whatever blanks and invisible characters were typed.
    Raises BadInput where nothing is left, or where it is too long.
    """
    visible = (
        character
        for character in unicodedata.normalize("NFC", name)
        if unicodedata.category(character) != "Cf"
    )
    return name_words("An annotator", " ".join("".join(visible).split()))


def _utc(time: str) -> str:
    """A time in UTC to the second, as text that sorts; one without a zone is in UTC."""
    at = datetime.fromisoformat(time)
    return (
        (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    )


def _method(text: str) -> str:
    if not is_method(text):
        raise ValueError(text)
    return text


def _pairs(settings: object) -> object:
    return tuple(sorted(settings.items())) if isinstance(settings, Mapping) else settings


Name = Annotated[str, Field(max_length=MOST_NAME)]
Settings = Annotated[
    tuple[tuple[Name, Name], ...], BeforeValidator(_pairs), Field(max_length=MOST_SETTINGS)
]


@dataclass(frozen=True)
class Case:
    """A question under a method, which is judged wherever it is asked."""

    question: Annotated[str, Field(min_length=1, max_length=MOST_QUESTION)]
    method: Annotated[str, AfterValidator(_method)]
    settings: Settings = ()  # those that differ from the method's defaults, by full name
    reader: Name = "local"
    triples: Name = ""
    k: Annotated[int, Field(ge=1)] = 15
    run: Name = ""  # where a language model was asked, for its replies differ; else ""

    @cached_property
    def id(self) -> str:
        """An id that equal cases have in every workspace."""
        text = json.dumps(case_row(self), ensure_ascii=False, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


@dataclass(frozen=True)
class SuggestedCause:
    """The cause that the events of a run suggest, and what the annotator said of it."""

    cause: Name = ""
    shown: Literal["", "before", "after"] = ""  # when, seen from the choice of a category
    confirmed: bool | None = None  # None: nothing was said


@dataclass(frozen=True)
class Label:
    """A form as it is filled in."""

    note: Annotated[str, Field(max_length=10_000)] = ""
    category: Name = ""
    verdict: Literal["", "pass", "fail", "defer"] = ""
    severity: Literal["", "low", "middle", "high"] = ""
    step: Name = ""  # the step at fault; "" for the whole run
    suggestion: SuggestedCause = SuggestedCause()
    complete: bool = False  # the annotator is done with it


EMPTY = Label()


class Key(NamedTuple):
    """The case (by id) and the person of a record, and whether it is a decision; each key has one
    record.
    """

    case: str
    annotator: str
    adjudicates: bool = False


@dataclass(frozen=True)
class Record:
    """A person's label of a case, or the decision between the labels of others."""

    case: Case
    annotator: Annotated[str, AfterValidator(person)]
    at: Annotated[str, Field(max_length=40), AfterValidator(_utc)]
    label: Label
    adjudicates: bool = False  # a decision, which is kept next to the person's own label
    run: Name = ""  # the run that was looked at,
    corpus: Name = ""  # its passages, by hash,
    code: Name = ""  # and the version of the program

    @property
    def key(self) -> Key:
        """The key whose one record this is."""
        return Key(self.case.id, self.annotator, self.adjudicates)


Labels = Mapping[Key, Record]


def latest(records: Iterable[Record]) -> dict[Key, Record]:
    """The record that counts for each key: the last; of several at the same time the later one in
    order.
    """
    return {record.key: record for record in sorted(records, key=lambda record: record.at)}


def judged(labels: Labels) -> dict[str, list[Record]]:
    """The complete labels of each case, people by name, without deferrals and decisions."""
    judged_cases: dict[str, list[Record]] = {}
    for key in sorted(labels):
        label = labels[key].label
        if label.complete and label.verdict != "defer" and not key.adjudicates:
            judged_cases.setdefault(key.case, []).append(labels[key])
    return judged_cases


def decisions(labels: Labels) -> dict[str, Record]:
    """The last decision on each case."""
    decided = (record for record in labels.values() if record.adjudicates and record.label.complete)
    return {record.case.id: record for record in sorted(decided, key=lambda record: record.at)}


def case_row(case: Case) -> dict[str, Any]:
    """A case as JSON."""
    names = ("question", "method", "reader", "triples", "k", "run")
    return {name: getattr(case, name) for name in names} | {"settings": dict(case.settings)}


def to_row(record: Record) -> dict[str, Any]:
    """A record as JSON, its label's fields next to its own."""
    row = asdict(record)
    label: dict[str, Any] = row.pop("label")
    return {**row, "case": case_row(record.case), **label}


def from_row(row: Mapping[str, Any]) -> Record:
    """A record from JSON. Raises BadInput."""
    try:
        return _RECORD.validate_python({**row, "label": row})
    except (ValueError, OverflowError) as error:
        raise BadInput(reason(error)) from error


_RECORD = TypeAdapter(Record)
