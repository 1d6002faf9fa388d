"""The steps of a build computed by Ray Data: on this machine, or on a cluster of machines.

Ray schedules, moves and bounds what is under way, keeps actors that hold a model, restarts those
that die and gives their rows to others. Nothing is sent to anybody else: no usage statistics, no
dashboard.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gear_app.cluster.engine import BuildStep, Item, Load, Result, Row, Shared
from gear_app.errors import (
    BadInput,
    ClusterFailed,
    GearError,
    ModelFailed,
    NotReady,
    StoreFailed,
)

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Else a warning that actors cannot be restarted, which does not hold while data are worked on.
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
# What every machine must agree on; keys are each machine's own and are never handed on.
ALIKE = ("GEAR_EMBEDDER", "GEAR_MODEL", "OPENAI_BASE_URL")
STORE_BYTES = 500_000_000  # of memory that processes on this machine share
# Of a processor; both must fit on one, else neither begins while the other waits.
READER_CPUS, WORKER_CPUS = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Where Ray is: `address` of a cluster, "" for this machine alone, of which `cpus` are used
    (0: all). `actors` is how many processes hold a model at once; 0: as many as processors, or as
    GPUs for embedders where there are any.
    """

    address: str = ""
    cpus: int = 0
    actors: int = 0


@contextmanager
def ray_engine(options: RayOptions) -> Iterator[RayEngine]:
    """Ray, until the end of the block. Raises NotReady where it is not installed or not there."""
    os.environ.update(QUIET)
    if not options.address and "ray" not in sys.modules:  # it is read when Ray is imported
        # Only who knows the token can send work to what is started here.
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise NotReady(
            "Ray is not installed. Run: pip install 'gear-app[ray]'. Or build in this process:"
            " --engine local"
        ) from error
    _connect(options)
    try:
        _be_quiet()
        yield RayEngine(options)
    finally:
        ray.shutdown()


class RayEngine:
    """Ray Data (engine.Engine)."""

    def __init__(self, options: RayOptions) -> None:
        """Ray is connected."""
        import ray

        self._resources: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        self._actors = options.actors

    def run(
        self,
        items: Sequence[Item],
        expand: Callable[[Item], Iterable[Row]],
        step: BuildStep[Row, Result],
    ) -> Iterator[Result]:
        """The results of a step over the rows of all items, in order."""
        import ray.data

        if not items:
            return
        data = ray.data.from_items([_boxed(item) for item in items], override_num_blocks=len(items))
        data.context.execution_options.preserve_order = True
        read = _Expansion(expand, step.at_once)
        rows = data.map_batches(read, batch_size=1, num_cpus=READER_CPUS)
        if step.load == "light":
            results = rows.map_batches(_StepTask(step), batch_size=1, num_cpus=WORKER_CPUS)
        else:
            results = rows.map_batches(
                _StepActor, fn_constructor_args=(step,), batch_size=1, **self._actors_for(step.load)
            )
        for row in results.iter_rows():
            result = row["result"].value
            if isinstance(result, _Fault):
                raise result.kind(result.message)
            yield result

    def share(self, value: Any) -> Shared:  # noqa: ANN401
        """Put a value where Ray keeps objects; what has no room in memory goes to disk."""
        import ray

        return _Put(ray.put(value))

    def _actors_for(self, load: Load) -> dict[str, Any]:
        """How many actors there are, and what each takes."""
        from ray.data import ActorPoolStrategy

        gpus = int(self._resources.get("GPU", 0)) if load == "embedder" else 0
        most = self._actors or gpus or max(1, int(self._resources.get("CPU", 1)))
        pool = ActorPoolStrategy(min_size=1, max_size=most, initial_size=most)
        taken = {"num_cpus": WORKER_CPUS} | ({"num_gpus": 1} if gpus else {})
        return {"compute": pool, **taken}


@dataclass(frozen=True, slots=True)
class _Box:
    """Something that Ray Data is not to look into: lists would become columns."""

    value: Any


def _boxed(value: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"item": _Box(value)}


class _Fault(NamedTuple):
    """An error of another process: errors themselves cannot all be handed on."""

    kind: type[GearError]
    message: str


def _fault(error: GearError) -> _Fault:
    plain = (BadInput, NotReady, ModelFailed, StoreFailed, ClusterFailed)
    kind = next((one for one in plain if isinstance(error, one)), GearError)
    return _Fault(kind, str(error))


@dataclass(frozen=True, slots=True)
class _Put:
    """An object of Ray's."""

    reference: Any

    def get(self) -> Any:  # noqa: ANN401
        import ray

        return ray.get(self.reference)


@dataclass(frozen=True, slots=True)
class _Expansion:
    """Items to rows, as many together as the step gets at once."""

    expand: Callable[[Any], Iterable[Any]]
    at_once: int

    def __call__(self, batch: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for box in batch["item"]:
            some: list[Any] = []
            try:
                for row in self.expand(box.value):
                    some.append(row)
                    if len(some) == self.at_once:
                        yield _column("item", some)
                        some = []
            except GearError as error:
                yield _column("item", _fault(error))
                return
            if some:
                yield _column("item", some)


@dataclass(frozen=True, slots=True)
class _StepTask:
    """A step that holds nothing worth keeping: it is made anew for some rows."""

    step: BuildStep[Any, Any]

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        return _StepActor(self.step)(batch)


class _StepActor:
    """A process that works on a step; what it needs is made when the first rows come."""

    def __init__(self, step: BuildStep[Any, Any]) -> None:
        self._step = step
        self._work: Callable[[Any], Any] | None = None

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        (box,) = batch["item"]
        if isinstance(box.value, _Fault):
            return _column("result", box.value)
        try:
            if self._work is None:
                self._work = self._step.make(_device())
            return _column("result", self._work(box.value))
        except GearError as error:  # it is told as it is, not as a traceback of another process
            return _column("result", _fault(error))


def _column(name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    column = np.empty(1, object)
    column[0] = _Box(value)
    return {name: column}


def _device() -> str:
    import ray

    return "cuda" if ray.get_gpu_ids() else "cpu"


def _connect(options: RayOptions) -> None:
    import ray

    common: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if options.address:
        alike = {name: os.environ[name] for name in ALIKE if name in os.environ}
        try:
            ray.init(
                address=options.address, runtime_env={"env_vars": {**QUIET, **alike}}, **common
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise NotReady(
                f"Ray does not answer at {options.address}: {_first_line(error)} Start it there:"
                " ray start --head. Or leave --address out."
            ) from error
        return
    try:
        ray.init(
            include_dashboard=False,
            _node_ip_address="127.0.0.1",
            object_store_memory=STORE_BYTES,
            num_cpus=options.cpus or None,
            **common,
        )
    except Exception as error:  # Ray raises no narrower one where its processes do not start
        raise NotReady(
            f"Ray could not be started here: {_first_line(error)} Run it again, or build in this"
            " process: --engine local"
        ) from error


def _first_line(error: Exception) -> str:
    line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return line if line.endswith(".") else f"{line}."


def _be_quiet() -> None:
    from ray.data import DataContext

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = DataContext.get_current()
    context.enable_progress_bars = False
