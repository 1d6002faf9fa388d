"""Measure methods on a collection's questions, in one call: a stored evaluation, done here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gear_app.errors import BadInput
from gear_app.evaluate.definition import KS, define
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.service import EvaluationProgress, EvaluationService
from gear_app.llm.server import Spec
from gear_app.workspace import Workspace


def evaluate(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    ks: Sequence[int] = KS,
    triples: str | None = None,
    limit: int | None = None,
    reader: str = "local",
    again: int = 0,
    model: Spec | None = None,
    budget: int | None = None,
    answer: bool = False,
    lazy: str = "",
    tell: Callable[[EvaluationProgress], None] = lambda _: None,
) -> Evaluation:
    """Ask every question that has gold passages with every method, at k = max(ks), where no such
    run is there yet.

    The ranking is cut at `ks`. A method can be followed by settings: `hipporag synonymy=false`. Of
    every run of the first `again` questions that is missing two are made, and the second is
    measured. A run that fails is no number, and among the failed. `model` is what the reader "llm"
    asks, by default that of the environment; once `budget` tokens (by default the estimate's cap)
    allow no other call, methods that make any are asked no more. With `answer` every run writes an
    answer and its bounds; EM and F1 are over the questions whose answers are known, and what the
    runs took is with their answers. Raises NotReady where no question has gold, Deleted where the
    collection goes meanwhile, BadInput for `lazy` extraction, and what a wrong name raises.
    """
    if lazy:
        raise BadInput(not_lazily(collection))
    definition = define(
        workspace,
        collection,
        methods,
        ks=ks,
        triples=triples,
        limit=limit,
        reader=reader,
        model=model,
        answer=answer,
    )
    service = EvaluationService(workspace)
    id_, estimate = service.create(definition), service.estimate(definition)
    if budget is None and estimate is not None and service.get(id_).budget is None:
        budget = estimate.cap
    service.start(id_, budget, again=again)
    service.work(id_, tell)
    return service.load(id_)


def not_lazily(collection: str) -> str:
    """Why nothing is extracted while methods are measured, and what to do."""
    return (
        "An evaluation does not extract on its way: the questions that are asked later would find"
        " more triples than those before them. Extract first: gear-app extract --collection"
        f" {collection}"
    )
