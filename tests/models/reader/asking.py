"""The local reader over hashed vectors, and what it replies."""

from __future__ import annotations

from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import ReaderRequest, Reply
from gear_app.trace.events import ignore

READER = LocalReader(HashingEmbedder())


def ask(request: ReaderRequest[Reply]) -> Reply:
    """The local reader's reply."""
    return READER.ask(request, ignore)
