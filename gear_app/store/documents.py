"""Documents: texts as they were handed in, added and retired, never changed."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.rows import now, text_hash
from gear_app.types import Document


class DocumentRow(NamedTuple):
    """A stored document, without its text."""

    id: int
    collection_id: int
    title: str
    source: str
    characters: int
    passages: int
    created: str


class SameDocument(NamedTuple):
    """A stored document with the content of another, and the revision that added it."""

    id: int
    title: str
    added: int


class Documents:
    """A workspace's documents."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def add(self, collection_id: int, document: Document, revision: int) -> int:
        """Store a text; return its id."""
        return self._db.insert(
            "documents",
            {
                "collection_id": collection_id,
                "title": document.title,
                "text": document.text,
                "source": document.source,
                "text_hash": text_hash(document.text),
                "titles_hash": _titles_hash(document),
                "added": revision,
                "created": now(),
            },
        )

    def same(self, collection_id: int, document: Document) -> SameDocument | None:
        """The document with this very content, if there is one."""
        found = self._db.tuples(
            "SELECT id, title, added FROM documents WHERE collection_id = ? AND text_hash = ? AND"
            " titles_hash = ? AND retired IS NULL",
            [collection_id, text_hash(document.text), _titles_hash(document)],
        )
        return next((SameDocument(*row) for row in found), None)

    def of(self, collection_id: int) -> list[DocumentRow]:
        """The documents a collection has now, oldest first."""
        found = self._db.tuples(
            "SELECT d.id, d.collection_id, d.title, d.source, length(d.text), count(p.id),"
            " d.created FROM documents d LEFT JOIN passages p ON p.document_id = d.id AND p.retired"
            " IS NULL WHERE d.collection_id = ? AND d.retired IS NULL GROUP BY d.id ORDER BY d.id",
            [collection_id],
        )
        return [DocumentRow(*row) for row in found]

    def get(self, document_id: int) -> Document | None:
        """A document, also a retired one."""
        row = self._db.row("SELECT title, text, source FROM documents WHERE id = ?", [document_id])
        return None if row is None else Document(**row)

    def containing(self, collection_id: int, title: str, text: str) -> tuple[int, int] | None:
        """A document there is now with this title and these words in it, and where they begin; the
        oldest.
        """
        found = self._db.tuples(
            "SELECT id, instr(text, :text) - 1 FROM documents WHERE collection_id = :collection AND"
            " title = :title AND retired IS NULL AND instr(text, :text) ORDER BY id LIMIT 1",
            {"collection": collection_id, "title": title, "text": text},
        )
        return next(((int(id_), int(start)) for id_, start in found), None)

    def retire(self, document_id: int, revision: int) -> None:
        """Retire a document with its passages and their triples."""
        self._db.execute(
            "UPDATE triples SET retired = ? WHERE retired IS NULL AND passage_id IN"
            " (SELECT id FROM passages WHERE document_id = ? AND retired IS NULL)",
            [revision, document_id],
        )
        self._db.execute(
            "UPDATE passages SET retired = ? WHERE document_id = ? AND retired IS NULL",
            [revision, document_id],
        )
        self._db.execute("UPDATE documents SET retired = ? WHERE id = ?", [revision, document_id])


def _titles_hash(document: Document) -> bytes:
    return text_hash("\n".join(document.titles)) if document.titles else b""
