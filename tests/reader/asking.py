"""The local reader over hashed vectors, and what it replies."""

from __future__ import annotations

from gear_app.embedders.local import HashingEmbedder
from gear_app.events import ignore
from gear_app.reader.readers import LocalReader
from gear_app.reader.roles import ReaderRequest, Reply

READER = LocalReader(HashingEmbedder())


def ask(request: ReaderRequest[Reply]) -> Reply:
    """The local reader's reply."""
    return READER.ask(request, ignore)
