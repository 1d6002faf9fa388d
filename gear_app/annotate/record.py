"""One line of the history of a judgement: what was judged, by whom, and what it says now.

A record is a whole form, never a change of one: what a person says now is her newest record. It is
named by its content, so that the same record imported twice is one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from gear_app.bounds import MOST_NAME, MOST_QUESTION, is_method, is_time, name_words
from gear_app.errors import BadInput

VERDICTS = ("pass", "fail", "defer")
SEVERITIES = ("low", "middle", "high")
SHOWN = ("", "before", "after")
NOTHING = "nothing"  # an undo that goes back to the empty form
MOST_NOTE = 10_000  # characters
MOST_SETTINGS = 200


@dataclass(frozen=True)
class JudgedCase:
    """What is judged: a question under a method with its settings, as it is asked in any workspace.

    `settings` are those that differ from the method's own, by full name. `run` is the run's id
    where a language model was asked: its replies differ from run to run; else "".
    """

    question: str
    method: str
    settings: tuple[tuple[str, str], ...] = ()
    reader: str = "local"
    triples: str = ""
    k: int = 15
    run: str = ""

    @cached_property
    def id(self) -> str:
        """The same wherever the case is met."""
        return _digest(_plain(self))


@dataclass(frozen=True, slots=True)
class SuggestedCause:
    """The cause that the events suggest: when the annotator saw it, and what she said of it.

    `shown` is "" for not yet, "before" or "after" her own category. `confirmed` is None until she
    says; only True counts.
    """

    cause: str = ""
    shown: str = ""
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A form as it is filled in. `step` is where it went wrong, "" for the whole run; `complete`:
    the annotator is done with it.
    """

    note: str = ""
    category: str = ""
    verdict: str = ""
    severity: str = ""
    step: str = ""
    suggestion: SuggestedCause = field(default_factory=SuggestedCause)
    complete: bool = False


EMPTY = Label()


@dataclass(frozen=True)
class Record:
    """A label as somebody left it at a time (UTC).

    `adjudicates`: it decides between the labels of others, and stands beside them. `supersedes` is
    the record that was this person's newest before, `restores` the one that an undo went back to.
    `run`, `corpus` and `code` say on which run, passages and version of the program it was judged.
    """

    case: JudgedCase
    annotator: str
    at: str
    label: Label
    adjudicates: bool = False
    supersedes: str = ""
    restores: str = ""
    run: str = ""
    corpus: str = ""
    code: str = ""

    @cached_property
    def id(self) -> str:
        """By its whole content."""
        return _digest(_plain(self))


_FIELDS = {
    kind: tuple(one.name for one in fields(kind))
    for kind in (JudgedCase, SuggestedCause, Label, Record)
}


def _plain(value: Any) -> Any:  # noqa: ANN401
    """A value as `asdict` gives it, without its deep copies: ten thousand are read at once."""
    names = _FIELDS.get(type(value))
    return value if names is None else {name: _plain(getattr(value, name)) for name in names}


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def to_row(record: Record) -> dict[str, Any]:
    """A record as JSON, one level deep but for its case and its suggestion."""
    row: dict[str, Any] = {"id": record.id, **asdict(record)}
    label: dict[str, Any] = row.pop("label")
    return {**row, **label, "case": case_row(record.case)}


def case_row(case: JudgedCase) -> dict[str, Any]:
    """A case as JSON."""
    return asdict(case) | {"settings": dict(case.settings)}


def from_row(row: Mapping[str, Any]) -> Record:
    """A record from JSON. What a form cannot hold is refused. Raises BadInput."""
    try:
        case = dict(row["case"])
        record = Record(
            case=JudgedCase(
                question=_words(case, "question", MOST_QUESTION),
                method=_words(case, "method"),
                settings=_settings(case["settings"]),
                reader=_words(case, "reader"),
                triples=_words(case, "triples"),
                k=int(case["k"]),
                run=_words(case, "run"),
            ),
            annotator=_words(row, "annotator"),
            at=_words(row, "at"),
            label=label_from(row),
            adjudicates=bool(row.get("adjudicates", False)),
            **{name: _words(row, name) for name in ("supersedes", "restores", *_SEEN)},
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(f"it is no annotation: {error!r}") from error
    if not (record.annotator and record.at and record.case.question and record.case.method):
        raise BadInput("an annotation names its annotator, its time, a question and a method")
    name_words("An annotator", record.annotator)
    if not (is_time(record.at) and is_method(record.case.method)):
        raise BadInput(f"{record.at!r} is no time, or {record.case.method!r} no method")
    return record


def named(record: Record, id_: str, case: str) -> Record:
    """A record with its own name and that of its case, as they were stored with it: computing them
    takes longer than reading it.
    """
    vars(record)["id"], vars(record.case)["id"] = id_, case
    return record


def label_from(row: Mapping[str, Any]) -> Label:
    """A form from JSON. Raises BadInput, or ValueError where it is none."""
    told = dict(row.get("suggestion") or {})
    confirmed = told.get("confirmed")
    return Label(
        note=_words(row, "note", MOST_NOTE),
        category=_words(row, "category"),
        verdict=_one_of(row, "verdict", ("", *VERDICTS)),
        severity=_one_of(row, "severity", ("", *SEVERITIES)),
        step=_words(row, "step"),
        suggestion=SuggestedCause(
            _words(told, "cause"),
            _one_of(told, "shown", SHOWN),
            None if confirmed is None else bool(confirmed),
        ),
        complete=bool(row.get("complete", False)),
    )


_SEEN = ("run", "corpus", "code")


def _settings(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    found = tuple(sorted((str(name), str(value)) for name, value in given.items()))
    if len(found) > MOST_SETTINGS or any(len(part) > MOST_NAME for one in found for part in one):
        raise BadInput("it has more settings, or longer ones, than any method")
    return found


def _words(row: Mapping[str, Any], name: str, most: int = MOST_NAME) -> str:
    value = row.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise BadInput(f"{name!r} is to be text of at most {most:,} characters")
    return value


def _one_of(row: Mapping[str, Any], name: str, values: tuple[str, ...]) -> str:
    value = _words(row, name)
    if value not in values:
        raise BadInput(f"{name!r} is to be one of {', '.join(filter(None, values))}, not {value!r}")
    return value
