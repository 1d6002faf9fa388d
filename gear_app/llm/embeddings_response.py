"""What an embeddings endpoint sends, understood: one vector a text, or a Fault. Pure."""

from __future__ import annotations

from typing import Any

import numpy as np

from gear_app.llm import response
from gear_app.llm.response import Fault
from gear_app.seams import Vectors


def vectors(content: bytes, kind: str, texts: int) -> Vectors | Fault:
    """(texts, d) float32, rows L2-normalised, in the order of their index; without any, as they
    come.

    A fault where one is missing, of another length than the others, no list of finite numbers, or
    nothing but zeros.
    """
    data = response.parsed(content, kind)
    if isinstance(data, Fault):
        return data
    try:
        rows = _in_order(data["data"])
        if len(rows) != texts:
            return Fault(f"sent {len(rows)} vectors for {texts} texts", again=True)
        found = np.array(rows, dtype=np.float64)
    except (LookupError, TypeError, ValueError, OverflowError):
        return Fault(
            f"sent JSON without vectors of one length: {response.short(content)!r}", again=True
        )
    if found.ndim != 2 or not found.shape[1] or not np.isfinite(found).all():
        return Fault("sent vectors that are no lists of finite numbers", again=True)
    largest = np.abs(found).max(axis=1, keepdims=True)
    if not largest.all():
        return Fault("sent a vector of nothing but zeros", again=True)
    found /= largest  # so that no square is too large or too small
    unit: Vectors = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _in_order(data: Any) -> list[Any]:  # noqa: ANN401
    """The vectors by their index. Raises ValueError where these are not all from 0 on."""
    if all("index" not in row for row in data):
        return [row["embedding"] for row in data]
    by_index = {row["index"]: row["embedding"] for row in data}
    if sorted(by_index) != list(range(len(data))):
        raise ValueError
    return [by_index[n] for n in range(len(data))]
