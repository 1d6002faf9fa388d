"""The named entities of a question: what has capitals, and what the graph has a node for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gear_app.core.text import normalise_entity
from gear_app.language.mentions import telling
from gear_app.language.query import Query, text_of
from gear_app.language.relations import VOCABULARY
from gear_app.language.words import FUNCTION_WORDS, root, roots

LONGEST = 12  # words of a name that is looked up
_ASKED_BY = VOCABULARY | roots("name film movie song first last kind type year date")
_ASIDE = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")


def named_entities(question: str, known_names: Collection[str]) -> tuple[str, ...]:
    """Names as the question writes them, in its order, each once; `known_names` are
    normalised.

    The longest stretch of words that is known or has capitals wins: "Levi Casey" is not "Casey".
    What has none is a name if it is known, has several words, and is not what one asks by.
    """
    words = Query(question, ()).words
    stretches = (
        question[first.start : last.end]
        for place, first in enumerate(words)
        for last in words[place : place + LONGEST]
    )
    node_names = [
        text
        for text in stretches
        if not {normalise_entity(text), f"the {normalise_entity(text)}"}.isdisjoint(known_names)
    ]
    query = Query(question, node_names)
    names: dict[str, str] = {}
    for anchor in query.anchors:
        inside = words[anchor.first : anchor.last + 1]
        text = text_of(query, anchor.first, anchor.last)
        telling_words = [word for word in inside if word.text not in FUNCTION_WORDS]
        asked_by = all(root(word.text) in _ASKED_BY or word.digit for word in telling_words)
        if any(word.capital for word in inside) or (len(telling_words) > 1 and not asked_by):
            names.setdefault(normalise_entity(text), text)
    return tuple(names[name] for name in names if name)


def facts_that_touch(question: str, facts: Sequence[str]) -> tuple[int, ...]:
    """The places of the facts that share a word with the question which says something."""
    question_stems = roots(telling(question))
    return tuple(place for place, fact in enumerate(facts) if roots(fact) & question_stems)


def names_title(name: str, title: str) -> bool:
    """Whether a name and a passage's title are the same: alike when normalised, or in all words
    that are no function words, what stands in brackets after a title left out.

    "The Storm" is the title "Storm (1951 film)"; "Casey" is not "Levi Casey".
    """
    full, short = normalise_entity(title), normalise_entity(_ASIDE.sub("", title))
    normal = normalise_entity(name)
    if not normal or normal in (full, short):
        return bool(normal)
    return any(roots(name) == roots(written) != frozenset() for written in (full, short))
