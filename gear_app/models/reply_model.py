"""Replies as pydantic models: one class gives the JSON schema of a reply and parses it.

The form is forgiven: prose and fences around JSON, JSON in a string or in the arguments of a tool,
almost-JSON (repaired once), and the papers' own lines. Content is never added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from gear_app.core.text import normalise_entity, storable
from gear_app.models.messages import Parsed, Unparsed, check_refusal, reply_text

MAX_BROKEN = 100  # brackets that begin no JSON
MAX_REPAIR = 12_000  # characters; json_repair takes the square of the length of a loop
StringTriple = tuple[str, str, str]

# Names of fields that models use in the place of ours.
_ALIASES = {
    "reason": "why",
    "next_question": "question",
    "next_query": "question",
    "query": "question",
    "entities": "named_entities",
    "next_thought": "thought",
    "judgement": "thought",
    "brief_reasoning": "reasoning",
    "fast": "fast_thought",
    "slow": "slow_thought",
    "chain": "nodes",
}
_SIDES = (
    ("subject", "head", "subj", "s"),
    ("predicate", "relation", "relationship", "pred", "verb", "p"),
    ("object", "tail", "obj", "o"),
)
_NUMBER = re.compile(r"[^\d-]*(-?\d{1,4})\W*")
_NONE = re.compile(r"\W*(?:none|nothing|no|null|n/a|not applicable)?\W*", re.IGNORECASE)
_ROW = re.compile(r"^[\s*•>–-]{0,4}(?:\d{1,3}[.)]\s*)?[(⟨](.+?)[)⟩]?[\s,;.]*$", re.MULTILINE)
_CELL = re.compile(r"""\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|([^,]+))\s*(?:,|\Z)""")
_MARKS = re.compile(r"^(?:[\s*_`>•–-]|\d{1,2}[.)](?=\s))+|[\s*_`]+$")
_QUOTED = re.compile(r"""(["'“])\s*([^"'“”]*?)\s*["'”]""")
_CONTROL = re.compile(r"[\x01-\x1f\x7f-\x9f]")
_OPENING = re.compile(r"[{\[]")
_ALMOST_JSON = re.compile(
    r"""\{\s*(?:["'“]|\w+\s*[:=])|(?:^|:\s)\W{0,3}\[\s*["'“\[({\w]""", re.MULTILINE
)
_PART_END = re.compile(r"""[\]})]|["'](?=\s*\Z)|["'\w](?=\s*,)""")
_ASCII = str.maketrans("｛｝［］，：", "{}[],:")


@dataclass
class Source:
    """Texts that a reply is checked against: the prompt's example, and what the model was given;
    `dropped` are the parts of no use.
    """

    example: Collection[object] = ()
    material: str = ""
    dropped: list[str] = field(default_factory=list)

    def words(self, item: object) -> str:
        """An item on one line, without control characters; "" for one without words."""
        text = "" if isinstance(item, Mapping | list | None) else _CONTROL.sub(" ", str(item))
        text = storable(" ".join(text.split())).strip(" \t\"'“”`")
        return text if re.search(r"\w", text) else ""

    def accepts(self, item: object, *names: str) -> bool:
        """Whether an item has all its names, and is no repetition of the prompt's example, of which
        the material says nothing.
        """
        if item not in self.example and item != ("subject", "predicate", "object"):
            return all(names)
        return any(f" {normalise_entity(name)} " in self.material for name in names)


def _triples(data: object, info: ValidationInfo) -> tuple[StringTriple, ...]:
    """Each triple once: rows of three, objects with three sides, and lines ("a", "b", "c")."""
    source, rows = cast(Source, info.context), list(_rows(data))
    if not rows and data and not says_none(str(data)):
        raise Unparsed("holds no triples")
    triples: dict[StringTriple, None] = {}
    for row in rows:
        triple = tuple(map(source.words, row))
        if len(triple) == 3 and triple[1] and source.accepts(triple, triple[0], triple[2]):
            triples[triple] = None
        else:
            source.dropped.append(", ".join(map(str, row)))
    return tuple(triples)


def _rows(data: object) -> Iterator[list[object]]:
    """The lists, objects and lines within data that are, or were meant to be, triples."""
    if isinstance(data, str):
        yield from ([max(cell) for cell in _CELL.findall(row)] for row in _ROW.findall(data))
    elif isinstance(data, Mapping):
        named = {str(name).lower(): _name(item) for name, item in data.items()}
        sides = [next((named[name] for name in side if name in named), None) for side in _SIDES]
        inner = [item for item in data.values() if isinstance(item, Mapping | list)]
        yield from [sides] if sides.count(None) < 2 else _rows(inner)
    elif isinstance(data, list) and all(isinstance(item, Mapping | list) for item in data):
        for item in data:
            yield from _rows(item)
    elif isinstance(data, list):
        yield [_name(item) for item in data]


def _name(item: object) -> object:
    if not isinstance(item, Mapping):
        return item
    return next(
        (item[n] for n in ("name", "entity", "text", "label", "value") if item.get(n)), item
    )


def _names(data: object, info: ValidationInfo) -> tuple[str, ...]:
    source = cast(Source, info.context)
    names = {source.words(_name(item)): str(item) for item in _items(data, "names")}
    source.dropped += [names[name] for name in names if not source.accepts(name, name)]
    return tuple(name for name in names if source.accepts(name, name))


def _numbers(data: object, info: ValidationInfo) -> tuple[int, ...]:
    matches = {str(item): _NUMBER.fullmatch(str(item)) for item in _items(data, "numbers")}
    cast(Source, info.context).dropped += [item for item, match in matches.items() if not match]
    return tuple(int(match[1]) for match in matches.values() if match)


def _items(data: object, what: str) -> list[object]:
    if not isinstance(data, str):
        return _flat(data)
    if not says_none(data):
        raise Unparsed(f"holds no list of {what}")
    return []


def _flat(data: object) -> list[object]:
    return [item for part in data for item in _flat(part)] if isinstance(data, list) else [data]


def _line(data: object) -> str:
    text = bare(storable(" ".join(str("" if data is None else data).split())))
    check_refusal(text)
    return text


def bare(text: str) -> str:
    """A line without the list marks, bold type and quotes around it."""
    words = _MARKS.sub("", text).strip()
    quoted = _QUOTED.fullmatch(words)
    return quoted[2] if quoted else words


def _decision(data: object) -> object:
    """The first word of a text, which pydantic reads as true or false; not of "Yes/No"."""
    first = re.match(r"\W*(\w+)\b(?!\s*[/|])", data) if isinstance(data, str) else None
    return first[1] if first else data


_LIST = {"type": "array", "items": {"type": "string"}}
Line = Annotated[str, PlainValidator(_line), WithJsonSchema({"type": "string"})]
Decision = Annotated[bool, BeforeValidator(_decision)]
Names = Annotated[tuple[str, ...], PlainValidator(_names), WithJsonSchema(_LIST)]
Triples = Annotated[
    tuple[StringTriple, ...],
    PlainValidator(_triples),
    WithJsonSchema({"type": "array", "items": {**_LIST, "minItems": 3, "maxItems": 3}}),
]
Numbers = Annotated[
    tuple[int, ...],
    PlainValidator(_numbers),
    WithJsonSchema({"type": "array", "items": {"type": "integer"}}),
]


class ReplyModel(BaseModel):
    """A reply with these fields. A list or a text without names is the first that a reply must
    have, or the first.
    """

    # What a chat model can call in place of writing its reply.
    tools: ClassVar[tuple[Mapping[str, Any], ...]] = ()

    @classmethod
    def is_list(cls) -> bool:
        """Whether the main field is a list, so that a reply that was cut off is of use."""
        return cls.model_fields[cls._main()].annotation not in (str, bool)

    @classmethod
    def schema_of(cls) -> Mapping[str, Any] | None:
        """The JSON schema, as strict as servers take it; None: the reply is in words."""
        fields = {
            name: {key: value for key, value in schema.items() if key not in ("title", "default")}
            for name, schema in cls.model_json_schema()["properties"].items()
        }
        return {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }

    @classmethod
    def parse(cls, reply: str, prompt: str = "", material: str = "") -> Parsed[Self]:
        """The reply without the prompt's example, unless the material speaks of it. Raises
        Unparsed.
        """
        lists = vars(cls.parse(prompt).value).values() if prompt and cls.is_list() else ()
        example = {item for items in lists for item in items}
        source, text = Source(example, f" {normalise_entity(material)} "), reply_text(reply)
        data = cls._from_json(text)
        if data is None and text[:1] in ("{", "["):
            raise Unparsed(f"has no field {' or '.join(map(repr, cls.model_fields))}")
        try:
            parsed = cls.model_validate(cls.of_text(text) if data is None else data, context=source)
        except ValidationError as error:
            raise Unparsed(f"has no usable '{error.errors()[0]['loc'][0]}'") from error
        if source.dropped and not getattr(parsed, cls._main()):
            raise Unparsed(f"holds nothing of use, only {source.dropped[0]!r}")
        return Parsed(parsed, tuple(source.dropped))

    @classmethod
    def of_text(cls, text: str) -> Mapping[str, object]:
        """The fields of a reply in words: texts behind their names, "Answer: …", each up to the
        next name; or one text.
        """
        names = "|".join([*cls.model_fields, *_ALIASES]).replace("_", "[ _-]?")
        pattern = rf"^[^\w\n]*(?:the\s|\d\W+)?({names})(?:\s\d+)?\W{{0,4}}?:[^\S\n*]*\**"
        labels = [
            label
            for label in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE)
            if cls._field(label[1])
        ]
        ends = [label.start() for label in labels[1:]] + [len(text)]
        fields: dict[str, str] = {}
        for label, end in zip(labels, ends, strict=False):
            fields.setdefault(cls._field(label[1]), text[label.end() : end].strip())
        return fields or {cls._main(): text}

    @classmethod
    def _main(cls) -> str:
        return max(cls.model_fields, key=lambda name: cls.model_fields[name].is_required())

    @classmethod
    def _field(cls, name: str) -> str:
        plain = re.sub(r"\W+", "_", name.strip().lower())
        return next(
            (field for field in cls.model_fields if field in (plain, _ALIASES.get(plain))), ""
        )

    @classmethod
    def _from_json(cls, text: str) -> Mapping[str, object] | None:
        """The fields of the JSON in a text; None where it has none. Of several objects those that
        the text begins with count more, behind prose the last.
        """
        values = [] if _ROW.match(text) else _json_values(text)
        objects = list(filter(None, map(cls._fields, values)))
        ordered = reversed(objects) if text.startswith("{") else objects
        if objects:
            return {name: value for fields in ordered for name, value in fields.items()}
        return {cls._main(): values} if values and cls.is_list() else None

    @classmethod
    def _fields(cls, value: object) -> dict[str, object]:
        """The model's fields in a value, or in an object or a string of JSON within it."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = next(iter(_json_values(value)), None)
        if not isinstance(value, Mapping):
            return {}
        fields = {cls._field(str(name)): item for name, item in value.items()}
        fields.pop("", None)
        return fields or next(filter(None, map(cls._fields, value.values())), {})


class TriplesReply(ReplyModel):
    """Triples alone."""

    triples: Triples


def says_none(text: str) -> bool:
    """Whether a reply says that there is nothing."""
    return _NONE.fullmatch(text) is not None


def _json_values(text: str) -> list[object]:
    """The JSON values in a text, in order; where a bracket begins none, and there is no object, the
    value of almost-JSON, if any.
    """
    values, broken, at = list[object](), 0, 0
    while broken < MAX_BROKEN and (opening := _OPENING.search(text, at)):
        try:
            value, at = json.JSONDecoder().raw_decode(text, opening.start())
            values.append(value)
        except (ValueError, RecursionError):
            broken, at = broken + 1, opening.end()
    is_whole = (values and not broken) or any(isinstance(value, Mapping) for value in values)
    return values if is_whole else _repaired(text) or values


def _repaired(text: str) -> list[object]:
    """The value of almost-JSON, without the part that is cut off at its end; none of other text."""
    import json_repair  # most replies need no repair

    text = text.translate(_ASCII)
    start = _ALMOST_JSON.search(text)
    if start is None:
        return []
    broken = text[start.start() :][:MAX_REPAIR]
    *_, last = len(broken), *(end.end() for end in _PART_END.finditer(broken))
    with suppress(ValueError, RecursionError):
        return [json_repair.loads(broken[:last], skip_json_loads=True)]
    return []
