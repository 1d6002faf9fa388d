"""What Settings says of a cluster: how it is, its nodes, its collections, who logs in to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gear_app.opensearch.address import API_KEY, PASSWORD, URL, USER
from gear_app.text import count
from gear_app.views.labels import byte_words
from gear_app.views.markup import Html, join, tag

if TYPE_CHECKING:
    from gear_app.opensearch.address import ClusterAddress
    from gear_app.opensearch.catalogue import ClusterState, StoredIndex
    from gear_app.opensearch.load import CopyCheck


HEALTH = {
    "green": ("✓ green", "every copy is there", "yes"),
    "yellow": ("! yellow", "a copy is missing, no data are", ""),
    "red": ("✗ red", "data are missing", "no"),
}
NONE_YET = (
    "The cluster answers and has no collection yet. In the workspace that has one, run: gear-app"
    " index push --collection NAME"
)
LONGEST = 90  # characters of a question
Place = Literal["here", "newer", "not here", "earlier", "half"]


class ClusterRow(NamedTuple):
    """An index of the cluster: what can be done with it follows from its `place`. `name` is what
    its collection is called in this workspace, "" where it does not appear there.
    """

    stored: StoredIndex
    place: Place
    name: str


def rows(found: Sequence[StoredIndex], opened: Mapping[str, str]) -> list[ClusterRow]:
    """The indices of a cluster, those that can be opened first, by collection.

    `opened` are the names here of the indices that are open in this workspace.
    """
    aliases = {one.facts.alias: opened[one.name] for one in found if one.name in opened}
    listed = [
        ClusterRow(one, _place(one, opened, aliases), opened.get(one.name, "")) for one in found
    ]
    return sorted(listed, key=lambda row: (not row.stored.open, row.stored.facts.collection))


def _place(one: StoredIndex, opened: Mapping[str, str], aliases: Mapping[str, str]) -> Place:
    if not one.whole:
        return "half"
    if one.name in opened:
        return "here"
    if not one.open:
        return "earlier"
    return "newer" if one.facts.alias in aliases else "not here"


PLACES: Mapping[Place, str] = {
    "here": "open here",
    "newer": "pushed anew since it was opened here",
    "not here": "not open here",
    "earlier": "earlier: another has taken its place",
    "half": "loaded only in part: push it again to finish it, it is not searched",
}


def summary(state: ClusterState, found: Sequence[StoredIndex]) -> Html:
    """The cluster in figures: its health, nodes, and what our indices take in it."""
    words, meaning, tone = HEALTH.get(state.health, (state.health, "", ""))
    figures = [
        (words, meaning, tone),
        _counted(state.node_count, "node"),
        _counted(sum(one.shards for one in found), "shard"),
        _counted(sum(one.shards * one.copies for one in found), "copy of them", "copies of them"),
        _counted(sum(one.documents for one in found), "document"),
        (byte_words(sum(one.bytes for one in found)), "on disk, all copies", ""),
    ]
    tiles = [
        tag("div", tag("b", value), tag("span", label), class_=f"gear-figure gear-{tone}")
        for value, label, tone in figures
    ]
    return tag("div", join(tiles), class_="gear-figures gear-cluster")


def answers(state: ClusterState) -> str:
    """That a cluster can be used."""
    return f"OpenSearch {state.version} answers at {state.address}, cluster “{state.name}”."


def login_sentence(to: ClusterAddress, named: str) -> str:
    """What is shown to a cluster to be let in; `named` is the address in the environment."""
    if to.api_key:
        return f"It is shown the API key of the server's environment ({API_KEY})."
    if to.login:
        return f"It is logged in to as “{to.login[0]}”, as the server's environment says ({USER})."
    if str(to) == named or not named:
        return (
            f"No login is set. One is taken from the server's environment alone: {USER} and"
            f" {PASSWORD}, or {API_KEY}, for the cluster that {URL} names."
        )
    return f"No login is sent there: that of the environment is for {named} alone."


def node_rows(state: ClusterState) -> list[dict[str, Any]]:
    """A line for every node."""
    return [
        {
            "node": node.name,
            "address": node.address,
            "heap used": _share(node.heap_percent),
            "heap": byte_words(node.heap_bytes),
            "disk used": _share(node.disk_percent),
            "disk free": byte_words(node.disk_free_bytes),
            "roles": node.roles,
        }
        for node in state.nodes
    ]


def row(one: ClusterRow) -> Html:
    """A collection of the cluster: its name, whether it is open here, and what it takes there."""
    index, facts = one.stored, one.stored.facts
    called = f"open here as “{one.name}”" if one.name not in ("", facts.collection) else ""
    place = called or PLACES[one.place]
    words, meaning, tone = HEALTH.get(index.health, (index.health, "", ""))
    copies = f"{count(index.shards, 'shard')} × {count(index.copies, 'copy', 'copies')}"
    line = " · ".join(
        [
            f"{facts.passages.size:,} passages",
            f"{facts.facts.size:,} triples “{facts.triples}”" if facts.triples else "no triples",
            copies,
            f"{index.documents:,} documents",
            byte_words(index.bytes),
        ]
    )
    return tag(
        "div",
        tag(
            "div",
            tag("b", facts.collection, dir="auto"),
            tag("em", place, class_=f"gear-place gear-place-{one.place.replace(' ', '-')}"),
            tag("span", words, class_=f"gear-{tone}", title=meaning),
        ),
        tag("div", line, class_="gear-note"),
        class_="gear-index",
    )


def verified(
    collection: str, copies: int, faults: Sequence[CopyCheck]
) -> tuple[str, Literal["good", "bad"]]:
    """What came of counting every copy."""
    counted = count(copies, "copy", "copies")
    if not faults:
        return f"“{collection}”: {counted} of shards counted, nothing is missing.", "good"
    fault = faults[0]
    more = f", and {len(faults) - 1} more copies are not whole" if len(faults) > 1 else ""
    return (
        f"“{collection}” is not whole: shard {fault.shard} on {fault.node}: {fault.missing}"
        f"{more}. Start the cluster's nodes again; if their data are gone, drop it and push it"
        " again.",
        "bad",
    )


def _counted(value: int, one: str, many: str = "") -> tuple[str, str, str]:
    """A figure: the number, and under it what it counts."""
    number, label = count(value, one, many or f"{one}s").split(" ", 1)
    return number, label, ""


def _share(percent: float | None) -> str:
    return "" if percent is None else f"{percent:.0f} %"
