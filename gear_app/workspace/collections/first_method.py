"""The method that a collection is asked by where nobody chose one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gear_app.store.rows import CollectionInfo

USUAL, LINKS = "gear", "chain"
IMPORT = "import"  # the maker of triples that came with their passages: of as many as they are of


def first_method(collection: CollectionInfo | None) -> str:
    """The method that a collection is asked by where nobody chose one, on the page and on the
    command line: one that ranks passages by what they name until there are triples and their
    extraction has ended, and where the triples are the local extractor's, which finds few in
    everyday text. The usual one for a collection that is not there.
    """
    if collection is None:
        return USUAL
    sets = [
        set_
        for set_ in collection.triple_sets
        if set_.triples
        and (
            set_.maker == IMPORT or set_.passages_done + set_.passages_failed >= collection.passages
        )
    ]
    local = any(set_.active and set_.maker == "local" for set_ in sets)
    return LINKS if local or not sets else USUAL
