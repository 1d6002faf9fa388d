"""The local reader: no language model, but rules over stored triples and sentence embeddings."""

from __future__ import annotations

from gear_app.events import Emit
from gear_app.reader.roles import ReaderRequest, Reply
from gear_app.seams import Embedder


class LocalReader:
    """Replies to each request by the rule that stands with it (reader.roles.Reader). There is no
    state between requests.
    """

    name = "local reader"
    version = 22  # of its rules, and of those it shares with GRIEVER; raise it when a reply changes

    def __init__(self, embedder: Embedder) -> None:
        """Compare triples with queries by this embedder."""
        self._embedder = embedder

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The reply; it can be empty."""
        return request.by_rules(self._embedder)
