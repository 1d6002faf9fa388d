"""What Settings says of the index of a collection: what it is made of, whether it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gear_app.text import count
from gear_app.views.labels import byte_words

if TYPE_CHECKING:
    from gear_app.collections.index_state import EncodedTexts
    from gear_app.workspace import ArrayFiles, CollectionInfo, IndexState

WHAT_IT_IS = (
    "What a collection is searched by: the words of its passages and triples for BM25, a vector of"
    " each passage, sentence and triple for meaning, and the mentions that link passages. It lies"
    " in the workspace file and is kept up to date by itself."
)
IN_CLUSTER = "in the cluster"


def status(state: IndexState) -> str:
    """Whether an index is whole, in a few words."""
    if not state.passages.texts:
        return "– empty"
    if state.encoding and not state.missing:
        return "✓ built; names and synonyms follow"
    if state.encoding:
        return f"● being built, {count(state.missing, 'vector')} to come"
    if state.missing:
        return f"○ {count(state.missing, 'vector')} missing, made when asked for"
    return "✓ built"


def row(state: IndexState) -> dict[str, Any]:
    """A line for an index."""
    return {
        "collection": state.collection,
        "index": status(state),
        "passages": _part(state.passages),
        "sentences": _part(state.sentences),
        "triples": _part(state.triples),
        "triple set": state.triple_set or "none in use",
        "vectors": byte_words(state.bytes),
    }


def cluster_row(info: CollectionInfo) -> dict[str, Any]:
    """A line for a collection whose index is in a cluster."""
    triples = next((one for one in info.triple_sets if one.active), None)
    return {
        "collection": info.name,
        "index": IN_CLUSTER,
        "passages": f"{info.passages:,}",
        "sentences": "",
        "triples": f"{triples.triples:,}" if triples else "0",
        "triple set": triples.name if triples else "none in use",
        "vectors": "",
    }


def arrays(found: ArrayFiles) -> str:
    """What is kept beside the workspace."""
    if not found.files:
        return "No arrays are kept beside the workspace: the first search makes them."
    return (
        f"{count(found.files, 'array')} beside the workspace, {byte_words(found.bytes)}: what is in"
        " the file once more, as memory reads it. They may be deleted at any time."
    )


def _part(part: EncodedTexts) -> str:
    """How many texts there are: "174", or "12 of 174" where not all have a vector."""
    if part.encoded == part.texts:
        return f"{part.texts:,}"
    return f"{part.encoded:,} of {part.texts:,}"
