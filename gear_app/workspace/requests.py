"""A request becomes a run: names are looked up and settings checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gear_app import retrievers
from gear_app.config import overridden, settings
from gear_app.errors import BadInput, NotReady, Unknown
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, NewRun, SetRow
from gear_app.workspace.models import check_reader

MOST_CHARACTERS = 2_000  # of a question
MOST_PASSAGES = 10_000
MOST_ENCODED = 5_000  # candidates of one step of a beam search: some minutes of encoding
Settings = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for. `triples` None means the collection's active set; `owner` takes turns in the queue."""

    question: str
    collection: str
    method: str
    triples: str | None = None
    reader: str = "local"
    k: int = 15
    settings: Settings = field(default_factory=dict)
    owner: str = ""


def new_run(store: Store, request: Request) -> NewRun:
    """The run a request asks for. Raises BadInput, Unknown or NotReady."""
    question = " ".join(request.question.split())
    if not question:
        raise BadInput("There is no question. Type one.")
    if len(question) > MOST_CHARACTERS:
        raise BadInput(f"The question has {len(question):,} characters; at most {MOST_CHARACTERS:,} are taken.")
    if not 1 <= request.k <= MOST_PASSAGES:
        raise BadInput(f"k must be at least 1 and at most {MOST_PASSAGES:,}, not {request.k}")
    check_reader(request.reader)
    collection = store.collections.get(request.collection)
    config = _config(request, collection)
    gold = store.questions.find(collection.id, question)
    return NewRun(
        question=question,
        method=request.method,
        config=settings(config),
        reader=request.reader,
        k=request.k,
        collection=collection,
        triple_set=_triple_set(store, collection, request),
        gold=gold.supporting_keys if gold else (),
        owner=request.owner,
    )


def _config(request: Request, collection: CollectionRow) -> Any:  # noqa: ANN401
    """The method's defaults, the collection's iteration limit, then what the request says."""
    config = retrievers.config_for(request.method)
    if collection.max_iterations is not None and "max_iterations" in settings(config):
        config = overridden(config, {"max_iterations": collection.max_iterations})
    config = overridden(config, request.settings)
    _check_cost(settings(config))
    return config


def _check_cost(config: Mapping[str, Any]) -> None:
    for beam in [name.removesuffix("width") for name in config if name.endswith("beam.width")]:
        encoded, what = config[f"{beam}width"] * config[f"{beam}neighbours"], "width * neighbours"
        if config[f"{beam}scoring"] == "screened" and config[f"{beam}screen"] < encoded:
            encoded, what = config[f"{beam}screen"], "screen"
        if encoded > MOST_ENCODED:
            raise BadInput(
                f"scoring={config[f'{beam}scoring']} would encode {what} = {encoded:,} triples a step;"
                f" at most {MOST_ENCODED:,} are taken. Lower {what}."
            )


def _triple_set(store: Store, collection: CollectionRow, request: Request) -> SetRow | None:
    """The named triple set, or the active one; None for a method that uses none."""
    sets = {row.name: row for row in store.collections.sets(collection.id)}
    if request.triples is not None and request.triples not in sets:
        raise Unknown("triple set", request.triples, sets or ["none yet"])
    if not retrievers.method_of(request.method).triples:
        return None
    active = [row for row in sets.values() if row.id == collection.active_set_id]
    chosen = [sets[request.triples]] if request.triples is not None else active
    if not chosen or not store.triples.count(chosen[0].id):
        raise NotReady(
            f"{request.method} needs triples and {collection.name!r} has none yet."
            f" Run: gear-app extract --collection {collection.name}"
        )
    return chosen[0]
