"""Relations of what stood in brackets after a name: dates of life, an abbreviation, an actor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.extract.clauses import Found
from gear_app.extract.lead import life, made_by, named, names_in
from gear_app.extract.prepare import Aside
from gear_app.extract.resolve import Resolver


def bracketed(asides: Sequence[Aside], resolver: Resolver) -> Iterator[Found]:
    """Relations between the name before each bracket and what is in it, in the order of the
    text.
    """
    for aside in asides:
        token, name = resolver.at(aside), resolver.before(aside)
        if token is None or not name:
            continue
        of_title = name == resolver.title.name
        living = resolver.subject.person if of_title else token.ent_type_ in ("PERSON", "")
        for fact in [*(life(aside.text) if living else names_in(aside.text)), *made_by(aside.text)]:
            yield Found(name, fact.predicate, fact.object, token.i)
        relation = "played by" if resolver.screened else "of"
        yield from (
            Found(name, relation, other, token.i) for other in named(aside.text) if " " in other
        )
