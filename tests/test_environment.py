"""The environment: constraints.txt pins every package, and the model gives the known vectors."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from gear_app.models.embedders.cache import CachedEmbedder

ROOT = Path(__file__).parent.parent
VECTORS = Path(__file__).parent / "golden" / "minilm.json"
INSTALLED_EXTRAS = frozenset({"dev", "mcp", "opensearch"})  # what `make install` installs


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(name: str) -> list[Requirement]:
    """What a package requires on this machine; nothing is known of one that is not installed."""
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [Requirement(line) for line in lines]


def required(name: str, extras: frozenset[str]) -> set[str]:
    """The packages that a package with these extras requires here, directly or not."""
    pending, visited = [(name, extras)], set()
    while pending:
        package = pending.pop()
        if package in visited:
            continue
        visited.add(package)
        pending += [
            (canonical(requirement.name), frozenset(requirement.extras))
            for requirement in requirements(package[0])
            if not requirement.marker
            or any(requirement.marker.evaluate({"extra": extra}) for extra in {*package[1], ""})
        ]
    return {name for name, _ in visited}


def test_every_required_package_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {canonical(line.partition("==")[0]) for line in lines if "==" in line}
    assert required("gear-app", INSTALLED_EXTRAS) - pinned == {"gear-app", "pip"}


@pytest.mark.models
def test_the_bundled_model_gives_the_known_vectors(minilm: CachedEmbedder) -> None:
    """Vectors of another build of torch differ by no more than rounding."""
    known: dict[str, list[float]] = json.loads(VECTORS.read_text("utf-8"))
    vectors = minilm.embed(list(known))
    assert vectors.shape == (len(known), 384)
    for text, vector in zip(known, vectors, strict=True):
        np.testing.assert_allclose(vector[: len(known[text])], known[text], rtol=0, atol=1e-5)
