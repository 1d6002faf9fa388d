"""What Settings says of a cluster: its collections, and who logs in to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from gear_app.index.opensearch.cluster import API_KEY, PASSWORD, URL, USER

if TYPE_CHECKING:
    from gear_app.index.opensearch.catalogue import StoredIndex
    from gear_app.index.opensearch.cluster import ClusterAddress

HEALTH = {
    "green": "✓ green",
    "yellow": "! yellow: a copy is missing, no data are",
    "red": "✗ red: data are missing",
}
Place = Literal["here", "newer", "not here", "earlier", "half"]
PLACES: Mapping[Place, str] = {
    "here": "open here",
    "newer": "pushed anew since it was opened here",
    "not here": "not open here",
    "earlier": "earlier: another has taken its place",
    "half": "loaded only in part: push it again to finish it, it is not searched",
}


class ClusterRow(NamedTuple):
    """An index of the cluster: what can be done with it follows from its `place`. `name` is what
    its collection is called in this workspace, "" where it does not appear there.
    """

    stored: StoredIndex
    place: Place
    name: str

    @property
    def place_words(self) -> str:
        """Whether it is open here, and under which name, where that is another."""
        if self.name not in ("", self.stored.facts.collection):
            return f"open here as “{self.name}”"
        return PLACES[self.place]


def rows(indices: Sequence[StoredIndex], opened: Mapping[str, str]) -> list[ClusterRow]:
    """The indices of a cluster, those that can be opened first, by collection.

    `opened` are the names here of the indices that are open in this workspace.
    """
    aliases = {index.facts.alias for index in indices if index.name in opened}
    listed = [
        ClusterRow(
            index, _place(index, opened, index.facts.alias in aliases), opened.get(index.name, "")
        )
        for index in indices
    ]
    return sorted(listed, key=lambda row: (not row.stored.open, row.stored.facts.collection))


def _place(index: StoredIndex, opened: Mapping[str, str], is_known: bool) -> Place:
    """`known`: an index of this collection and triple set is open here."""
    if not index.complete:
        return "half"
    if index.name in opened:
        return "here"
    if not index.open:
        return "earlier"
    return "newer" if is_known else "not here"


def login_sentence(to: ClusterAddress, named: str) -> str:
    """Which login is sent to a cluster; `named` is the address in the environment."""
    if to.api_key or to.login:
        login = f"logged in to as “{to.login[0]}”" if to.login else "shown the API key"
        return f"It is {login}, as the server's environment says."
    alone = f" That of the environment is for {named} alone." if named else ""
    return f"No login is sent: {USER} and {PASSWORD}, or {API_KEY}, go to {URL} only.{alone}"
