"""A small network in GFM-RAG's form, of numbers drawn here: nothing was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WIDTH, LAYERS = 8, 3


def arrays(dimensions: int) -> dict[str, NDArray[np.float32]]:
    """The weights under the names of GFM-RAG's authors, for vectors of so many numbers."""
    shapes = {"rel_mlp": (WIDTH, dimensions), "question_mlp": (WIDTH, dimensions)}
    for layer in (f"entity_model.layers.{n}" for n in range(LAYERS)):
        shapes[f"{layer}.linear"] = (WIDTH, 2 * WIDTH)
        shapes |= {f"{layer}.relation_projection.{n}": (WIDTH, WIDTH) for n in (0, 2)}
        shapes[f"{layer}.layer_norm"] = (WIDTH,)
    shapes |= {"entity_model.mlp.0": (2 * WIDTH, 2 * WIDTH), "entity_model.mlp.2": (1, 2 * WIDTH)}
    draw = np.random.RandomState(5)
    made = {}
    for name, shape in shapes.items():
        made[f"{name}.weight"] = draw.normal(size=shape).astype(np.float32)
        made[f"{name}.bias"] = draw.normal(size=shape[:1]).astype(np.float32)
    return made


def save(folder: Path, dimensions: int = 64) -> Path:
    """The folder, called so wherever it is, with the weights."""
    from safetensors.numpy import save_file

    there = folder / "untrained"
    there.mkdir(parents=True, exist_ok=True)
    save_file(arrays(dimensions), there / "model.safetensors")
    return there
