"""What this Python has installed: which build of torch, and how much room everything takes.

Nothing is imported to find out: that would take seconds and a gigabyte of memory.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from pathlib import Path

_CUDA = re.compile(r"^cuda\b.*=\s*['\"]([\d.]+)['\"]", re.MULTILINE)


def torch_build() -> str:
    """The version of torch and what it was built for, such as "2.13.0, for CUDA 13.0, which is
    not used".

    Raises importlib.metadata.PackageNotFoundError where there is none.
    """
    found = importlib.metadata.distribution("torch")
    facts = Path(str(found.locate_file("torch/version.py")))
    cuda = _CUDA.search(facts.read_text("utf-8")) if facts.is_file() else None
    built_for = f"CUDA {cuda[1]}, which is not used" if cuda else "the processor alone"
    return f"{found.version}, for {built_for}"


def weight(folder: Path | None = None) -> int | None:
    """Bytes of all files under a folder, links not followed; of the virtual environment this runs
    in where none is named, and None outside of one. Takes about a second for a hundred packages.
    """
    if folder is None:
        if sys.prefix == sys.base_prefix:
            return None
        folder = Path(sys.prefix)
    return sum(
        os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - twice as fast
        for parent, _, names in os.walk(folder)
        for name in names
    )
