"""Sparse matrices of what contains what."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gear_app.core.rows import Sparse


def matrix(
    places: NDArray[np.integer] | tuple[NDArray[np.integer], NDArray[np.integer]],
    shape: tuple[int, int],
    values: NDArray[np.float64] | None = None,
) -> Sparse:
    """(rows, columns): the sum of the values at each place, in CSR form; without values, whether
    it is among the places. `places` are (n,) rows and (n,) columns.
    """
    from scipy import sparse  # for the worker, not for the web process

    entries = np.ones(len(places[0]), np.bool_) if values is None else values
    return sparse.csr_array((entries, (places[0], places[1])), shape=shape)
