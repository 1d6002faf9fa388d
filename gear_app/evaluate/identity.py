"""What a measured row depends on: versions, settings, and what was searched.

A version is a number that a person raises with every change that can change a ranking: beside each
method in METHODS, in the local reader, and here for the measuring itself. The embedding model says
its own. What cannot change a ranking, a name, an import, a screen, leaves every row valid. The
extractor counts by the triples it made, which are in the content.
"""

from __future__ import annotations

import hashlib
from typing import Any

from gear_app.evaluate.variants import variant
from gear_app.overrides import settings
from gear_app.retrievers import versions
from gear_app.workspace import Workspace

MEASURING = (
    1  # of evaluation, experiment and metrics; raise it when the same ranking gives another row
)

Identity = dict[str, Any]  # as JSON holds it, so that a stored one equals a new one


def of_method(words: str, embedder: str) -> Identity:
    """The versions and settings of a method as an evaluation names it; `embedder` is the embedding
    model's fingerprint. Raises BadInput or Unknown where there is no such method.
    """
    asked = variant(words)
    return {
        "method": words,
        "versions": versions(asked.method) | {"embedder": embedder, "measuring": MEASURING},
        "settings": settings(asked.config),
    }


def of_content(workspace: Workspace, collection: str, triples: str) -> str:
    """A hash of a collection's passages, triples of one set, and questions."""
    store = workspace.store
    row = store.collections.get(collection)
    set_ = store.collections.find_set(row.id, triples)
    texts = store.passages.hashes(row.id, row.revision)
    texts += store.triples.hashes(set_.id, row.revision) if set_ else []
    questions = repr((row.max_iterations, workspace.collections.questions(collection))).encode()
    return hashlib.sha256(b"".join(texts) + questions).hexdigest()[:16]
