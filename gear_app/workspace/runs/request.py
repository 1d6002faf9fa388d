"""A request becomes a run: names are looked up and settings checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from gear_app import methods as retrievers
from gear_app.core.config import ENCODER
from gear_app.core.errors import BadInput, NotReady, Refused, Unknown
from gear_app.core.overrides import models_named, overridden, settings
from gear_app.core.text import question_words
from gear_app.models.embedders import (
    ALWAYS_HERE,
    ENDPOINT,
    check_embedder,
    check_setting,
    embedder_choice,
)
from gear_app.models.reader import LLM_READER
from gear_app.models.reader.edits import ReadingEdit
from gear_app.models.reader.roles import NEEDS_MODEL
from gear_app.models.server import ENVIRONMENT, Spec
from gear_app.store import Store
from gear_app.store.collections import check_complete
from gear_app.store.rows import CollectionRow, RunInfo, SetRow
from gear_app.workspace.models import LOCAL, check_reader, spec_for

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MOST_PASSAGES = 10_000
MOST_REACHED = 1_000_000  # triples that the beams of a step lead to
MOST_ENCODED = 5_000  # candidates of one step of a beam search: some minutes of encoding
EVALUATION = "evaluation"  # begins the owner of runs that an evaluation made (store.evaluations)
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Rights:
    """Rights of the sender of a request besides asking a question.

    `spend`: use the key in the server's environment, and send texts to the server that it is for.
    `models`: name a model by its name or its folder, which is opened on this machine.
    """

    spend: bool = False
    models: bool = False

    def check_models(self, named: Mapping[str, str]) -> None:
        """Raise Refused where settings, by name, name a model that the sender may not choose.
        Nothing is opened to find out.
        """
        for name, value in named.items():
            kind = embedder_choice(value)[0] if name == ENCODER else ""
            server = kind == ENDPOINT
            if kind in ALWAYS_HERE or (self.spend if server else self.models):
                continue
            use = "a model that is asked with its key" if server else "a model or a folder"
            raise Refused(
                f"{name}={value} names {use} of the server, and this request may not do that. Leave"
                f" {name} out, or run it on the command line: gear-app query --set {name}={value}"
            )


NO_RIGHTS = Rights()
ALL_RIGHTS = Rights(spend=True, models=True)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run besides the ranking of passages."""

    answer: bool = False  # write an answer from the first passages, and its bounds (GEAR Table 3)
    edits: tuple[ReadingEdit, ...] = ()  # facts of the reader that are dropped or taken
    proximal: int = 0  # proximal triples of a reading, at most; 0 sets no limit
    unlinked: int = 0  # 1: over a graph in which nothing is joined (index.changed)
    absent: tuple[str, ...] = ()  # keys of passages without which it is made
    leader: str = ""  # key of a passage that the first search is given at rank 1


@cache
def codec(kind: type) -> TypeAdapter[Any]:
    """The reader and writer of JSON for values of a class. pydantic is not imported before."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run as somebody asks for it: made once, on a page, on the command line or in Python, and
    handed on whole.

    `triples` None means the collection's active set; `k` is how many passages are wanted; `owner`
    takes turns in the queue. `as_paper`: settings begin with those of the method's paper, not with
    its defaults. `model` is the language model that the reader "llm" asks; None is the model of the
    environment. `budget` is how many tokens the run may take; None sets no limit. `expected` is the
    gold, by key, of a question that is none of the collection's: the passages that a suggested
    question is made of. `rights` are those of the sender, none unless somebody says so.
    """

    question: str
    collection: str
    method: str
    triples: str | None = None
    settings: Settings = field(default_factory=dict)
    k: int = 15
    reader: str = "local"
    owner: str = ""
    model: Spec | None = None
    budget: int | None = None
    options: Options = field(default_factory=Options)
    as_paper: bool = False
    expected: tuple[str, ...] = ()
    rights: Rights = NO_RIGHTS


def request_of(run: RunInfo) -> RunRequest:
    """The request that asks for this run once more, with its own model, key and budget, and without
    rights: these are of whoever sends it.
    """
    model = Spec.from_json(run.model, run.key_from) if run.model else None
    return RunRequest(
        run.question,
        run.collection,
        run.method,
        run.triple_set,
        run.config,
        run.k,
        run.reader,
        run.owner,
        model,
        run.budget,
        codec(Options).validate_python(run.options),
    )


def new_run(store: Store, request: RunRequest) -> RunInfo:
    """The run a request asks for, which is not stored yet. Raises BadInput, Unknown or NotReady,
    and Refused for a model that its sender may not name, or a key that they may not spend.
    """
    question, options = question_words(request.question), request.options
    check_reader(request.reader, request.model)
    collection = store.collections.get(request.collection)
    check_complete(collection)
    part = retrievers.graph_first(request.method)
    if collection.cluster and (part or options.answer):
        raise BadInput(
            f"{part or 'An answer and its bounds'} needs the whole collection in memory, and"
            f" {request.collection!r} is in a cluster. Choose another method, or no --answer."
        )
    if options.proximal < 0 or options.unlinked not in (0, 1):
        raise BadInput("proximal is a number from 0, and unlinked is 0 or 1.")
    for key in filter(None, (*options.absent, options.leader)):
        if not store.passages.named(collection.id, collection.revision, [key]):
            raise Unknown("passage", key)
    config = _config(request, collection)
    if request.reader == LOCAL and retrievers.method_of(request.method).needs_model:
        raise NotReady(f"{NEEDS_MODEL} Choose a language model as the reader.")
    gold = store.questions.find(collection.id, question)
    spec = spec_for(request.model) if request.reader == LLM_READER else None
    if spec and spec.key_from == ENVIRONMENT and not request.rights.spend:
        raise Refused(
            f"{spec.model} is asked with the key of the server's environment, and this request may"
            " not spend it. Choose the local reader, or type a key of your own on the page"
            " Settings."
        )
    set_ = _triple_set(store, collection, request)
    return RunInfo(
        question=question,
        method=request.method,
        config=config,
        reader=request.reader,
        k=request.k,
        collection=collection.name,
        collection_id=collection.id,
        revision=collection.revision,
        set_id=set_.id if set_ else None,
        triple_set=set_.name if set_ else None,
        gold=gold.supporting_keys if gold else request.expected,
        owner=request.owner,
        model=spec.to_json() if spec else "",
        key_from=spec.key_from if spec else "",
        budget=request.budget if spec else None,
        options={name: value for name, value in asdict(options).items() if value},
        answers=gold.answers if gold else (),
    )


def _config(request: RunRequest, collection: CollectionRow) -> dict[str, Any]:
    """Settings of a run: the method's defaults, the collection's iteration limit, what its paper
    has, then what the request says; and the embedder that is asked for, if any.
    """
    config = retrievers.config_for(request.method)
    usual = settings(config)
    if collection.max_iterations is not None and "max_iterations" in usual:
        config = overridden(config, {"max_iterations": collection.max_iterations})
    if request.as_paper:
        config = overridden(config, retrievers.as_paper(request.method))
    values = settings(overridden(config, request.settings))
    _check_cost(values, request.k)
    if encoder := str(request.settings.get(ENCODER, "")).strip():
        values[ENCODER] = encoder
    changed = {name: value for name, value in values.items() if value != usual.get(name)}
    request.rights.check_models(models_named(changed))
    if encoder:
        check_embedder(encoder)
    for name, value in values.items():
        check_setting(name.rpartition(".")[2], value)
    return values


def _check_cost(config: Mapping[str, Any], k: int) -> None:
    # With these settings, by full name, a step of a beam search would take minutes. What one
    # setting may be is the config's own affair.
    if not 1 <= k <= MOST_PASSAGES:
        raise BadInput(f"k must be at least 1 and at most {MOST_PASSAGES:,}, not {k}")
    for beam in [name.removesuffix("width") for name in config if name.endswith("beam.width")]:
        encoded = reached = config[f"{beam}width"] * config[f"{beam}neighbours"]
        if config[f"{beam}scoring"] == "screened":
            encoded = min(reached, config[f"{beam}screen"])
        if reached > MOST_REACHED or encoded > MOST_ENCODED:
            raise BadInput(
                f"A step would look at width * neighbours = {reached:,} triples and encode"
                f" {encoded:,}; at most {MOST_REACHED:,} and {MOST_ENCODED:,} are taken. Lower"
                " width, neighbours or screen."
            )


def _triple_set(store: Store, collection: CollectionRow, request: RunRequest) -> SetRow | None:
    """The named triple set, or the active one; None for a run that uses none. A language model
    reads the passages' text and leaves their triples aside.

    The local reader answers from triples, so it has those that are there also after a method
    without.
    """
    sets = {row.name: row for row in store.collections.sets(collection.id)}
    if request.triples is not None and request.triples not in sets:
        raise Unknown("triple set", request.triples, sets or ["none yet"])
    local = request.reader != LLM_READER
    reads = retrievers.uses_triples(request.method, reader=True)
    if not reads and not (local and request.options.answer):
        return None
    active = (row for row in sets.values() if row.id == collection.active_set_id)
    chosen = next(active, None) if request.triples is None else sets[request.triples]
    if chosen and (chosen.triples_there if chosen.index_name else store.triples.count(chosen.id)):
        return chosen
    if retrievers.uses_triples(request.method, reader=local):
        raise NotReady(
            f"{request.method} needs triples and {collection.name!r} has none yet."
            f" Run: gear-app extract --collection {collection.name}"
        )
    return None
