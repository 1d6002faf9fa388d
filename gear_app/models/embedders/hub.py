"""Models on the hub: what one would be to download, the download, and what is in the cache here.

Only files that are no code are taken. Nothing but `look_up` and `fetch` asks the hub.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gear_app.core.errors import ModelFailed

OWNER = "sentence-transformers"  # of names without one
# What a model's output depends on: settings, words, weights.
SAFE = ".safetensors"
TAKEN = (".json", ".txt", ".model", SAFE)
# Weights that libraries unpickle where the file with the other name is not beside them.
PICKLES = {
    "pytorch_model.bin": f"model{SAFE}",
    "adapter_model.bin": f"adapter_model{SAFE}",
}
HUB_S = 10.0
NEWEST = "main"


class HubModel(NamedTuple):
    """A model as the hub has it: its whole name, and the files that are taken, with their sizes in
    bytes.
    """

    name: str
    files: dict[str, int]


def whole_name(name: str) -> str:
    """With its owner."""
    return name if "/" in name else f"{OWNER}/{name}"


def pickled(files: Sequence[str]) -> str:
    """The first of a model's files with weights that exist as a pickle alone; "" for none."""
    alone = (
        file
        for file, path in ((file, PurePosixPath(file)) for file in files)
        if path.name in PICKLES and path.with_name(PICKLES[path.name]).as_posix() not in files
    )
    return next(alone, "")


def look_up(name: str) -> HubModel:
    """Files that would be downloaded. Raises ModelFailed where the hub does not have it or cannot
    be reached, and for a model that has its weights in no form that is only read.
    """
    from huggingface_hub import HfApi

    full_name = whole_name(name)
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
    pickle = pickled([file.rfilename for file in info.siblings or ()])
    if pickle or not any(file.endswith(SAFE) for file in files):
        for_it = f" for {pickle}" if pickle else ""
        raise ModelFailed(
            f"{full_name!r} has no safetensors{for_it}, only weights that run code when they are"
            " read. Convert them elsewhere, and name the folder with the result."
        )
    return HubModel(full_name, files)


def fetch(model: HubModel) -> None:
    """Download it into the cache, where it then is the newest revision. Raises ModelFailed."""
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(
            model.name,
            revision=NEWEST,  # by its hash it would not be found by its name
            cache_dir=_cache(),
            allow_patterns=list(model.files),
        )
    except Exception as error:  # likewise
        raise ModelFailed(
            f"{model.name!r} was not downloaded ({type(error).__name__}: {error}). Try it again:"
            " what has come is kept."
        ) from error


def cached_folder(name: str) -> Path | None:
    """Folder of a model's files in the cache, in a folder called as their revision; None where it
    was not downloaded, or its weights have not come.
    """
    from huggingface_hub import try_to_load_from_cache

    for file in ("modules.json", "config.json"):
        try:
            path = try_to_load_from_cache(name, file, cache_dir=_cache(), revision=NEWEST)
        except ValueError:  # no name that a model can have
            return None
        if isinstance(path, str) and any(Path(path).parent.rglob("*.safetensors")):
            return Path(path).parent
    return None


def _cache() -> str | None:
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME") or None
