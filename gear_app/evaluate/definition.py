"""What is to be measured: questions, methods with settings, and what is the same for all."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

from gear_app.config import ENCODER
from gear_app.errors import BadInput, NotReady, Unknown
from gear_app.evaluate.run_facts import Ranks
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
MOST_METHODS = 200  # of one evaluation, those of a sweep counted


class Variant(NamedTuple):
    """A method with settings, as an evaluation names it: `gear`, `hipporag synonymy=false`,
    `gear as-paper width=5`.

    `settings` are those that are named; `as_paper`: the others are its paper's.
    """

    method: str
    settings: Mapping[str, str]
    as_paper: bool = False

    @property
    def changes(self) -> Mapping[str, Any]:
        """All that is not the method's default, its paper's settings before those that are named.
        Raises BadInput or Unknown.
        """
        return {**(as_paper(self.method) if self.as_paper else {}), **self.settings}

    @property
    def config(self) -> Any:  # noqa: ANN401
        """The method's configuration with these settings. Raises BadInput or Unknown."""
        return overridden(config_for(self.method), self.changes)


def variant(words: str) -> Variant:
    """Take `method[:base] [as-paper] [setting=value ...]` apart; a value with blanks is in quotes.

    Raises BadInput or Unknown where a name or a value is wrong.
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
    found = Variant(name, settings, AS_PAPER in pairs)
    _ = found.config
    return found


def canonical(words: str) -> str:
    """A method with settings as it is kept: single blanks, and quotes where a value needs them."""
    return _joined(_parts(words))


def _parts(words: str) -> list[str]:
    return [unquoted(part) for part in split_quoted(words)]


def _joined(parts: Iterable[str]) -> str:
    pairs = (part.partition("=") for part in parts)
    return " ".join(f"{name}{equals}{quoted(value)}" for name, equals, value in pairs)


def encoder_of(words: str) -> dict[str, str]:
    """The embedder that an evaluation's words for a method name, as a setting; nothing where they
    name none.
    """
    return {name: value for name, value in pairs_of(words).items() if name == ENCODER}


def pairs_of(words: str) -> dict[str, str]:
    """The settings that an evaluation's words for a method name, as they name them."""
    pairs = (pair.partition("=") for pair in _parts(words)[1:])
    return {name: value for name, _, value in pairs}


def with_paper(words: str) -> str:
    """The same method with its paper's settings, in words; as it is where they are its defaults, or
    it has no paper. Raises BadInput or Unknown.
    """
    found = variant(words)
    if found.as_paper or not as_paper(found.method):
        return words
    name, *pairs = _parts(words)
    return _joined([name, AS_PAPER, *pairs])


def swept(methods: Sequence[str], sweeps: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Every method with every combination of these values of settings, the last setting turning
    fastest: `gear` swept over width = 1, 5 is `gear width=1`, `gear width=5`. A method that has not
    all of these settings stays as it is, once. Raises BadInput where none has, where a method says
    one of them already, or for too many.
    """
    found: list[str] = []
    for words in methods:
        plain = variant(words)
        try:
            _ = overridden(plain.config, {name: values[0] for name, values in sweeps.items()})
        except BadInput:
            found.append(canonical(words))
            continue
        for values in product(*sweeps.values()):
            settings = (f"{name}={value}" for name, value in zip(sweeps, values, strict=True))
            found.append(_joined([*_parts(words), *settings]))
    for words in found:
        _check_once(words)
    if sweeps and len(found) == len(methods) and found == list(map(canonical, methods)):
        raise BadInput(
            f"None of these methods takes {' and '.join(sweeps)} with such values:"
            f" {', '.join(methods)}. gear-app methods lists the settings."
        )
    return tuple(dict.fromkeys(found))


def _check_once(words: str) -> None:
    """Raise BadInput where a method's words give a setting two values, by whatever names, and what
    `variant` raises.
    """
    config = config_for(variant(words).method)
    said: dict[str, str] = {}
    for pair in _parts(words)[1:]:
        if pair == AS_PAPER:
            continue
        name = full_name(config, pair.partition("=")[0])
        if name in said:
            raise BadInput(
                f"{words!r} gives {name} two values, {said[name]} and {pair}. Name it once; to"
                " sweep over a setting, leave it out of the method."
            )
        said[name] = pair


@dataclass(frozen=True, slots=True)
class Definition:
    """An evaluation before anything is asked. `questions` are ids, `methods` words as `variant`
    takes them, `model` the Spec of a language model as JSON, "" where none is asked. `choice` says
    in words how the questions were chosen, "" for all that have gold. `before` is what was found
    when somebody chose them to be asked again (question_set): by method and question the ranks of
    the gold passages.
    """

    collection: str
    questions: tuple[str, ...]
    methods: tuple[str, ...]
    ks: tuple[int, ...] = KS
    triples: str | None = None
    reader: str = "local"
    model: str = ""
    key_from: str = ""
    answer: bool = False
    choice: str = ""
    before: Mapping[str, Mapping[str, Ranks]] = field(default_factory=dict)

    @property
    def is_set(self) -> bool:
        """Whether its questions were picked one by one, so that only their ids say which."""
        words = self.choice.split()
        return bool(words) and words[:2] != ["the", "first"] and "seed" not in words

    def request(self, words: str, question: str) -> RunRequest:
        """The run of a question, in words, under a method: at the deepest cut-off."""
        method = variant(words)
        return RunRequest(
            question=question,
            collection=self.collection,
            method=method.method,
            triples=self.triples,
            settings=method.changes,
            k=max(self.ks),
            reader=self.reader,
            model=Spec.from_json(self.model, self.key_from) if self.model else None,
            options=Options(answer=self.answer),
        )

    def asks_model(self, words: str) -> bool:
        """Whether a language model is asked under this method."""
        method = variant(words)
        return self.reader == LLM_READER and bool(
            self.answer or most_calls(method.method, method.config, max(self.ks))
        )

    @property
    def asks(self) -> bool:
        """Whether a language model is asked under any of its methods."""
        return self.reader == LLM_READER and any(map(self.asks_model, self.methods))

    def with_methods(self, methods: Sequence[str]) -> Definition:
        """The same of other methods. Raises BadInput or Unknown."""
        return replace(self, methods=_checked(methods))

    def to_json(self) -> dict[str, Any]:
        """As it is stored; the collection is stored beside it."""
        names = [name for name in self.__dataclass_fields__ if name != "collection"]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, collection: str, stored: Mapping[str, Any]) -> Definition:
        """What `to_json` wrote."""
        lists = {name: tuple(stored[name]) for name in ("questions", "methods", "ks")}
        before = {
            words: {id_: tuple(ranks) for id_, ranks in of.items()}
            for words, of in stored["before"].items()
        }
        return cls(collection, **dict(stored) | lists | {"before": before})


class QuestionChoice(NamedTuple):
    """Which of the questions that have gold: the first `limit`, or `sample` drawn with a seed, or
    those with these ids; all of them where nothing is said.
    """

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    ids: Sequence[str] = ()

    def of(self, questions: Sequence[Question]) -> tuple[Sequence[Question], str]:
        """These questions in their order, and in words how they were chosen. Raises Unknown for an
        id that is not there or has no gold.
        """
        if self.ids:
            there = {one.id for one in questions}
            for id_ in self.ids:
                if id_ not in there:
                    raise Unknown("question with gold", id_, sorted(there))
            named = [one for one in questions if one.id in set(self.ids)]
            return named, f"{count(len(named), 'question')} by id"
        if self.sample is not None and self.sample < len(questions):
            chance = random.Random(self.seed)  # noqa: S311
            places = sorted(chance.sample(range(len(questions)), self.sample))
            drawn = [questions[place] for place in places]
            return drawn, f"{self.sample} drawn with seed {self.seed}"
        if self.limit is not None and self.limit < len(questions):
            return questions[: self.limit], f"the first {self.limit}"
        return questions, ""


class ReaderChoice(NamedTuple):
    """Who reads, the language model that the reader "llm" asks (None: that of the environment), and
    whether every run writes an answer.
    """

    reader: str = "local"
    model: Spec | None = None
    answer: bool = False


ALL_QUESTIONS, LOCALLY = QuestionChoice(), ReaderChoice()


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
    """A definition with everything named as it is now: the active triple set, the model of the
    environment. Questions without gold (unanswerable ones) cannot have a recall and are left out.

    Raises NotReady where no question has gold, BadInput or Unknown for wrong names and numbers.
    """
    check_reader(reading.reader, reading.model)
    spec = spec_for(reading.model) if reading.reader == LLM_READER else None
    questions, choice = chosen.of(_with_gold(workspace, collection))
    active = workspace.collections.get(collection).active
    return Definition(
        collection=collection,
        questions=tuple(question.id for question in questions),
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
    """Ids with commas between, as `--questions` takes them: in quotes where one has a comma, a
    quote or blanks at its ends, or could be taken for a file.
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
    """The methods' words as they are kept, each once. Raises BadInput or Unknown."""
    found = tuple(dict.fromkeys(map(canonical, methods)))
    if not found:
        raise BadInput("No method is named. As in: hybrid, gear, gear width=5")
    if len(found) > MOST_METHODS:
        raise BadInput(
            f"{len(found):,} methods are too many for one evaluation; at most {MOST_METHODS} are"
            " taken. Sweep over fewer values."
        )
    for words in found:
        _check_once(words)
    return found


def _with_gold(workspace: Workspace, collection: str) -> list[Question]:
    questions = [one for one in workspace.collections.questions(collection) if one.supporting_keys]
    if not questions:
        raise NotReady(
            f"No question of {collection!r} has gold passages. Import a question set, or mark some."
        )
    return questions
