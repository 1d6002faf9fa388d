"""Definition of an evaluation: questions, methods with settings, and what is common to all runs."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any, NamedTuple

from gear_app.config import ENCODER
from gear_app.errors import BadInput, NotReady, Unknown
from gear_app.llm.server import Spec
from gear_app.models import check_reader, spec_for
from gear_app.overrides import full_name, overridden
from gear_app.reader import LLM_READER
from gear_app.retrievers import AS_PAPER, as_paper, config_for, most_calls
from gear_app.runs.request import Options, RunRequest
from gear_app.text import count, quoted, split_quoted, unquoted
from gear_app.types import Question
from gear_app.workspace import Workspace

KS = (5, 10, 15)
MOST_METHODS = 200  # of one evaluation, with those of a sweep

Ranks = Mapping[str, int | None]  # of a question's gold passages by key; None: not in the ranking


class Variant(NamedTuple):
    """A method with settings: `gear`, `hipporag synonymy=false`, `gear as-paper width=5`."""

    method: str
    settings: Mapping[str, str]  # the settings that are named
    as_paper: bool = False  # the other settings are those of the method's paper

    @property
    def changes(self) -> Mapping[str, Any]:
        """Settings that differ from the method's defaults. Raises BadInput or Unknown."""
        return {**(as_paper(self.method) if self.as_paper else {}), **self.settings}

    @property
    def config(self) -> Any:  # noqa: ANN401
        """The method's configuration with these settings. Raises BadInput or Unknown."""
        return overridden(config_for(self.method), self.changes)


def variant(words: str) -> Variant:
    """Parse `method[:base] [as-paper] [setting=value ...]`; a value with blanks is in quotes.

    Raises BadInput or Unknown for a wrong name or value.
    """
    name, *pairs = _parts(words) or [""]
    settings = {}
    for pair in pairs:
        if pair == AS_PAPER:
            continue
        setting, equals, value = pair.partition("=")
        if not (setting and equals):
            raise BadInput(
                f"After the method come settings, as in 'hipporag synonymy=false', or {AS_PAPER},"
                f" not {pair!r}"
            )
        settings[setting] = value
    parsed = Variant(name, settings, AS_PAPER in pairs)
    _ = parsed.config
    return parsed


def canonical(words: str) -> str:
    """A method with settings as it is stored: single blanks, and quotes if a value needs them."""
    return _joined(_parts(words))


def _parts(words: str) -> list[str]:
    return [unquoted(part) for part in split_quoted(words)]


def _joined(parts: Iterable[str]) -> str:
    pairs = (part.partition("=") for part in parts)
    return " ".join(f"{name}{equals}{quoted(value)}" for name, equals, value in pairs)


def pairs_of(words: str) -> dict[str, str]:
    """Settings by name, as the words for a method give them."""
    pairs = (pair.partition("=") for pair in _parts(words)[1:])
    return {name: value for name, _, value in pairs}


def encoder_of(words: str) -> dict[str, str]:
    """The embedder that the words for a method name, as a setting; {} if they name none."""
    return {name: value for name, value in pairs_of(words).items() if name == ENCODER}


def with_paper(words: str) -> str:
    """Words for the method with its paper's settings; unchanged if these are its defaults, or it
    has no paper. Raises BadInput or Unknown.
    """
    parsed = variant(words)
    if parsed.as_paper or not as_paper(parsed.method):
        return words
    name, *pairs = _parts(words)
    return _joined([name, AS_PAPER, *pairs])


def swept(methods: Sequence[str], sweeps: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Combine every method with every combination of the values, the last setting fastest: `gear`
    over width = 1, 5 is `gear width=1`, `gear width=5`. A method without all of these settings is
    unchanged. Raises BadInput if no method has them, if a method already sets one, or for too many.
    """
    result: list[str] = []
    for words in methods:
        config = variant(words).config
        try:
            _ = overridden(config, {name: values[0] for name, values in sweeps.items()})
        except BadInput:
            result.append(canonical(words))
            continue
        for values in product(*sweeps.values()):
            settings = (f"{name}={value}" for name, value in zip(sweeps, values, strict=True))
            result.append(_joined([*_parts(words), *settings]))
    for words in result:
        _check_once(words)
    if sweeps and result == list(map(canonical, methods)):
        raise BadInput(
            f"None of these methods takes {' and '.join(sweeps)} with such values:"
            f" {', '.join(methods)}. gear-app methods lists the settings."
        )
    return tuple(dict.fromkeys(result))


def _check_once(words: str) -> None:
    """Raise BadInput if the words give a setting two values, by whatever names."""
    config = config_for(variant(words).method)
    pairs: dict[str, str] = {}
    for pair in (part for part in _parts(words)[1:] if part != AS_PAPER):
        name = full_name(config, pair.partition("=")[0])
        if name in pairs:
            raise BadInput(
                f"{words!r} gives {name} two values, {pairs[name]} and {pair}. Name it once; to"
                " sweep over a setting, leave it out of the method."
            )
        pairs[name] = pair


class QuestionChoice(NamedTuple):
    """Choice among the questions that have gold: the first `limit`, or `sample` drawn with a seed,
    or those with these ids; all of them by default.
    """

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    ids: tuple[str, ...] = ()
    origin: str = "by id"  # how the ids were chosen

    def among(self, questions: Sequence[Question]) -> QuestionChoice:
        """This choice, or ALL_QUESTIONS if it leaves no question out. Raises Unknown for an id
        that is not among the questions.
        """
        available = {question.id for question in questions}
        for id_ in self.ids:
            if id_ not in available:
                raise Unknown("question with gold", id_, sorted(available))
        size = len(questions) if self.sample is None else self.sample
        size = size if self.limit is None else self.limit
        return self if self.ids or size < len(questions) else ALL_QUESTIONS

    def select(self, questions: Sequence[Question]) -> list[Question]:
        """The chosen questions in their order."""
        if self.ids:
            return [question for question in questions if question.id in set(self.ids)]
        if self.sample is not None:
            generator = random.Random(self.seed)  # noqa: S311
            places = sorted(generator.sample(range(len(questions)), self.sample))
            return [questions[place] for place in places]
        return list(questions[: self.limit])

    @property
    def words(self) -> str:
        """How the questions were chosen; "" for all that have gold."""
        if self.ids:
            return f"{count(len(self.ids), 'question')} {self.origin}"
        if self.sample is not None:
            return f"{self.sample} drawn with seed {self.seed}"
        return "" if self.limit is None else f"the first {self.limit}"


class ReaderChoice(NamedTuple):
    """The reader, the language model of the reader "llm" (None: that of the environment), and
    whether every run writes an answer.
    """

    reader: str = "local"
    model: Spec | None = None
    answer: bool = False


ALL_QUESTIONS, LOCALLY = QuestionChoice(), ReaderChoice()


@dataclass(frozen=True, slots=True)
class Definition:
    """An evaluation before any run."""

    collection: str
    questions: tuple[str, ...]  # ids
    methods: tuple[str, ...]  # words as `variant` parses them
    ks: tuple[int, ...] = KS
    triples: str | None = None
    reader: str = "local"
    model: str = ""  # the Spec of a language model as JSON; "": none
    key_from: str = ""
    answer: bool = False
    choice: QuestionChoice = ALL_QUESTIONS
    before: Mapping[str, Mapping[str, Ranks]] = field(default_factory=dict)
    # by method and question, when the questions were picked to be measured again (question_set)

    @property
    def spec(self) -> Spec | None:
        """The language model."""
        return Spec.from_json(self.model, self.key_from) if self.model else None

    def request(self, words: str, question: str) -> RunRequest:
        """The run of a question's text under a method, at the deepest cut-off."""
        method = variant(words)
        return RunRequest(
            question=question,
            collection=self.collection,
            method=method.method,
            triples=self.triples,
            settings=method.changes,
            k=max(self.ks),
            reader=self.reader,
            model=self.spec,
            options=Options(answer=self.answer),
        )

    def asks_model(self, words: str) -> bool:
        """Whether a language model is called under this method."""
        method = variant(words)
        return self.reader == LLM_READER and bool(
            self.answer or most_calls(method.method, method.config, max(self.ks))
        )

    @property
    def needs_model(self) -> bool:
        """Whether a language model is called under any of the methods."""
        return self.reader == LLM_READER and any(map(self.asks_model, self.methods))

    def with_methods(self, methods: Sequence[str]) -> Definition:
        """A copy with other methods. Raises BadInput or Unknown."""
        return replace(self, methods=_checked(methods))

    def to_json(self) -> dict[str, Any]:
        """Fields as they are stored; the collection is a column."""
        names = [field_.name for field_ in fields(self) if field_.name != "collection"]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, collection: str, stored: Mapping[str, Any]) -> Definition:
        """The inverse of `to_json`."""
        values = dict(stored)
        values |= {name: tuple(stored[name]) for name in ("questions", "methods", "ks")}
        limit, sample, seed, ids, origin = stored["choice"]
        return cls(
            collection,
            **values | {"choice": QuestionChoice(limit, sample, seed, tuple(ids), origin)},
        )


def define(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    ks: Sequence[int] = KS,
    triples: str | None = None,
    chosen: QuestionChoice = ALL_QUESTIONS,
    reading: ReaderChoice = LOCALLY,
) -> Definition:
    """A definition with names as they resolve now: the active triple set, the environment's model.
    Questions without gold have no recall and are left out.

    Raises NotReady if no question has gold, BadInput or Unknown for wrong names and numbers.
    """
    check_reader(reading.reader, reading.model)
    spec = spec_for(reading.model) if reading.reader == LLM_READER else None
    questions = workspace.collections.questions(collection)
    questions = [question for question in questions if question.supporting_keys]
    if not questions:
        raise NotReady(
            f"No question of {collection!r} has gold passages. Import a question set, or mark some."
        )
    choice = chosen.among(questions)
    active = workspace.collections.get(collection).active
    return Definition(
        collection=collection,
        questions=tuple(question.id for question in choice.select(questions)),
        methods=_checked(methods),
        ks=tuple(sorted(set(ks))),
        triples=active.name if triples is None and active else triples,
        reader=reading.reader,
        model=spec.to_json() if spec else "",
        key_from=spec.key_from if spec else "",
        answer=reading.answer,
        choice=choice,
    )


def listed(ids: Sequence[str]) -> str:
    """Ids with commas between, as `--questions` takes them: in quotes if an id has a comma, a quote
    or blanks at its ends, or looks like a file.
    """
    plain = not any(
        {",", '"', "\n", "\r"} & set(id_) or id_ != id_.strip() or id_[:1] == "@" for id_ in ids
    )
    if plain:
        return ",".join(ids)
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="").writerow(ids)
    return line.getvalue()


def _checked(methods: Sequence[str]) -> tuple[str, ...]:
    """Words of the methods as they are stored, without repetitions. Raises BadInput or Unknown."""
    result = tuple(dict.fromkeys(map(canonical, methods)))
    if not result:
        raise BadInput("No method is named. As in: hybrid, gear, gear width=5")
    if len(result) > MOST_METHODS:
        raise BadInput(
            f"{len(result):,} methods are too many for one evaluation; at most {MOST_METHODS} are"
            " taken. Sweep over fewer values."
        )
    for words in result:
        _check_once(words)
    return result
