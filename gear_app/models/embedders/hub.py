"""Models on the hub: what one would be to download, the download, and what is in the cache here.

Only files that are no code are taken. Nothing but `look_up` and `fetch` asks the hub.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gear_app.core.errors import ModelFailed

OWNER = "sentence-transformers"  # of names without one
# What a model's output depends on: settings, words, weights.
SAFE = ".safetensors"
TAKEN = (".json", ".txt", ".model", SAFE)
HUB_S = 10.0
NEWEST = "main"


def whole_name(name: str) -> str:
    """With its owner."""
    return name if "/" in name else f"{OWNER}/{name}"


def look_up(full_name: str) -> dict[str, int]:
    """Files of a model that would be downloaded, with their sizes in bytes. Raises ModelFailed if
    the hub does not have it or cannot be reached, and for a model that has its weights in no form
    that is only read.
    """
    from huggingface_hub import HfApi

    try:
        info = HfApi().model_info(full_name, files_metadata=True, timeout=HUB_S)
    except Exception as error:  # also what the hub's client lets through of its HTTP library
        raise ModelFailed(
            f"The hub does not have the model {full_name!r}, or cannot be reached"
            f" ({type(error).__name__})."
        ) from error
    files = {
        file.rfilename: file.size or 0
        for file in info.siblings or ()
        if Path(file.rfilename).suffix in TAKEN
    }
    if not any(file.endswith(SAFE) for file in files):
        raise ModelFailed(
            f"{full_name!r} has no safetensors, only weights that run code when they are read."
            " Convert them elsewhere, and name the folder with the result."
        )
    return files


def fetch(full_name: str, files: Iterable[str]) -> None:
    """Download a model into the cache, where it then is the newest revision. Raises ModelFailed."""
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(
            full_name,
            revision=NEWEST,  # by its hash it would not be found by its name
            cache_dir=_cache(),
            allow_patterns=list(files),
        )
    except Exception as error:  # likewise
        raise ModelFailed(
            f"{full_name!r} was not downloaded ({type(error).__name__}: {error}). Try it again:"
            " what has come is kept."
        ) from error


def cached_folder(name: str) -> Path | None:
    """Folder of a model's files in the cache, in a folder called as their revision; None where it
    was not downloaded.
    """
    from huggingface_hub import snapshot_download

    try:
        path = snapshot_download(name, revision=NEWEST, cache_dir=_cache(), local_files_only=True)
    except (OSError, ValueError):  # it is not there, or no name that a model can have
        return None
    return Path(path)


def _cache() -> str | None:
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME") or None
