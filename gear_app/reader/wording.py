"""The local reader's reasons, in words for the screen."""

from __future__ import annotations

from gear_app.english.mentions import Query
from gear_app.reader.bridges import Bridge
from gear_app.reader.chain import Chain, Node, unasked
from gear_app.types import ProximalTriple, Triple


def chosen(bridge: Bridge, query: Query, question: str | None = None) -> ProximalTriple:
    """A bridge as a proximal triple: where it starts, how well it fits, what it leads to.

    Where `question` is given the name is either in it or was found since; else it is in the query
    that was read for.
    """
    start, end = query.place(bridge.mention.anchor)
    name = query.text[start:end]
    where = "is in the query"
    if question is not None:
        where = "is in the question" if name in question else "was found before"
    fit = f"'{bridge.triple.predicate}' for '{bridge.asks.relation}' {bridge.evidence.relation:.2f}"
    why = f"'{name}' {where}; {fit}; new: {bridge.new}"
    if bridge.evidence.implied:
        why += f"; stored of '{bridge.triple.subject}' in the passage on {bridge.known}"
    subject = bridge.known if bridge.evidence.implied else bridge.triple.subject
    return ProximalTriple(
        subject,
        bridge.triple.predicate,
        bridge.triple.object,
        bridge.triple.id,
        round(bridge.score, 6),
        why,
    )


def near(triple: Triple, cosine: float) -> ProximalTriple:
    """A triple that is no bridge but near to the query."""
    why = f"no bridge, but near to the query: {cosine:.2f}"
    return ProximalTriple(
        triple.subject, triple.predicate, triple.object, triple.id, round(cosine, 6), why
    )


def path(node: Node) -> str:
    """What was followed, with arrows: "Harbour Lights → Ada Quill → Port Mira"."""
    steps = [step.inserted for step in node.substitutions]
    return " → ".join([node.substitutions[0].removed, *steps]) if steps else ""


def uncovered(chain: Chain) -> str:
    """Why the question is not answerable yet: what is known, and what nothing is known about."""
    names = [step.inserted for step in chain.last.substitutions]
    left = unasked(Query(chain.last.query, names)) or chain.last.query
    missing = f"Nothing yet about '{left.rstrip(' ?')}'."
    return f"{path(chain.last)}. {missing}" if chain.last.substitutions else missing
