"""How the noun phrases of a question lie in one another: what has to be found before what.

"Where was the designer of the bridge nicknamed Galloping Gertie born?" asks about a name, Galloping
Gertie; around it lies "the bridge nicknamed …", around that "the designer of …". No parser: words
are read once from left to right. A noun phrase that follows a link (of, that, built by) lies in the
one before it; a verb ends all that lies in the clause whose verb it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gear_app.language.query import (
    LINKS,
    Anchor,
    Query,
    asked_noun,
    compared_names,
    noun_end,
    text_of,
)
from gear_app.language.words import (
    ADVERBS,
    ASKING,
    AUXILIARIES,
    DETERMINERS,
    MODALS,
    PARTICLES,
    RELATIVE,
    is_past,
    is_verb,
    word_set,
)

_ASKS_NOUN = word_set("which what whose how")
_LISTS = word_set("and or")
_BEFORE_INFINITIVE = word_set("do does did can could will would") | MODALS


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words `first` to `last` of a query (positions, inclusive), around a name.

    `head` is the noun it leads to ("bridge"); `words` are the positions of what it says besides
    that and besides the phrase within it. `owner`: it begins at "whose", so that what is found is
    put behind "of". `compound`: it is no more than the name with a noun beside it ("the film
    Nixe").
    """

    first: int
    last: int
    head: str
    words: tuple[int, ...]
    owner: bool = False
    compound: bool = False


def levels(query: Query, anchor: Anchor) -> list[NounPhrase]:
    """The noun phrases around a name, innermost first; none where it stands alone in its clause."""
    nodes = _Scan(query, anchor).nodes
    around = [node for node in nodes if node.first <= anchor.first and anchor.last <= node.last]
    around.sort(key=lambda node: (node.last - node.first, -nodes.index(node)))
    phrases: list[NounPhrase] = []
    inner = name = range(anchor.first, anchor.last + 1)
    for node in around:
        head = [i for i in node.head if i not in name]
        if head:
            span = range(node.first, node.last + 1)
            words = tuple(i for i in span if i not in inner and i not in head)
            bare = all(query.words[i].text in DETERMINERS for i in words)
            compound = not phrases and bare and set(name) <= set(node.head)
            text = text_of(query, head[0], head[-1])
            phrases.append(NounPhrase(node.first, node.last, text, words, node.owner, compound))
            inner = span
    return phrases


class AskedRelation(NamedTuple):
    """Relation that a query asks about a name.

    Words `first` to `last` are the innermost phrase around the name; the name alone where nothing
    is asked about it but what the whole query asks (`inside` False). `relation` are the words
    without names ("is" where none is left), `head` is the phrase's noun, else the one that the
    query asks by, or "thing". `possessive`: the phrase is "X's …".
    """

    first: int
    last: int
    relation: str
    head: str
    inside: bool
    possessive: bool = False


def asked_relation(query: Query, anchor: Anchor) -> AskedRelation:
    """Relation that a query asks about a name: the innermost phrase around it, or else all its
    words.
    """
    around = levels(query, anchor)
    names = [other for other in query.anchors if other == anchor or other in query.proper]
    if around and around[0].compound:
        compound = around.pop(0)
        names.append(Anchor(compound.first, compound.last))
    named = {i for name in names for i in range(name.first, name.last + 1)}
    first, last = (around[0].first, around[0].last) if around else (0, len(query.words) - 1)
    free = [i for i in range(first, last + 1) if i not in named and query.words[i].text != "s"]
    relation = " ".join(text_of(query, i, i) for i in free) or "is"
    if around:
        possessive = any(query.words[i].text == "s" for i in around[0].words)
        return AskedRelation(first, last, relation, around[0].head or "thing", True, possessive)
    noun = "" if compared_names(query) else asked_noun(query)
    return AskedRelation(anchor.first, anchor.last, relation, noun or "thing", False)


class _Node:
    """A noun phrase that is being read; `pending` counts verbs that its clauses still wait for."""

    def __init__(self, first: int, *, owner: bool = False, clause: bool = False) -> None:
        self.first = self.last = first
        self.head: list[int] = []
        self.owner, self.clause = owner, clause
        self.pending = 0


class _Scan:
    """The noun phrases of a query in the order of their first words, names read as one word."""

    def __init__(self, query: Query, anchor: Anchor) -> None:
        self.nodes: list[_Node] = []
        self._query = query
        self._texts = [*(word.text for word in query.words), "", "", ""]
        self._names = {
            other.first: other.last
            for other in query.anchors
            if other == anchor or other in query.proper or other.first < other.last
            if self._texts[other.first] not in LINKS
        }
        self._named = {i for first, last in self._names.items() for i in range(first, last + 1)}
        self._open = [_Node(0, clause=True)]  # the question itself, and what is open within it
        self._state = "link"  # link, noun, or verb: what was read last
        i = self._opening()
        while i < len(query.words):
            i = self._next(i)
        self._close(0, len(query.words) - 1)

    def _opening(self) -> int:
        """Over the words that ask and the auxiliary after them."""
        texts = self._texts
        i = int(texts[0] in LINKS and texts[1] in ASKING)
        if texts[i] in ASKING:
            i = noun_end(self._query, i + 1) if texts[i] in _ASKS_NOUN else i + 1
        start = i
        while texts[i] in AUXILIARIES | MODALS | ADVERBS:
            i += 1
        if i > start and is_past(texts[i]) and i not in self._names:
            self._state = "verb"
            return i + 1
        if i > start or i in self._names or texts[i] in LINKS | DETERMINERS:
            # "what the captain of the Petrel is afraid of", and "In which area of the land … did",
            # "The land where … has how many …"
            self._open[0].pending = 1
            return i
        self._state = "verb"
        return i + 1

    def _next(self, i: int) -> int:
        word = self._texts[i]
        if i in self._query.stops or word == "or":
            self._close(1, i - 1)
            self._state = "link"
        if i in self._names:
            node = self._open[-1] if self._state == "noun" else self._begin(i)
            node.head += range(i, self._names[i] + 1)
            return self._names[i] + 1
        if self._state == "verb" and self._waiting() and is_verb(word):
            return self._verb(i)  # "... was named | born"
        if word == "s" and self._state == "noun":
            return self._possession(i)
        if word in _LISTS:
            self._close_to_clause(i - 1)
            self._state = "verb"
        elif word in RELATIVE or (word in LINKS and self._texts[i + 1] in ("which", "whom")):
            return self._relative(i)
        elif word in AUXILIARIES:
            return self._verb(i)
        elif word in DETERMINERS:
            if self._state == "noun":
                self._close_to_clause(i - 1)
            self._begin(i)
        elif word in LINKS:
            self._state = "link"
        else:
            return self._content(i)
        return i + 1

    def _begin(self, i: int, *, owner: bool = False) -> _Node:
        node = _Node(i, owner=owner)
        self.nodes.append(node)
        self._open.append(node)
        self._state = "noun"
        return node

    def _possession(self, i: int) -> int:
        """Ada Quill's first boat: what is possessed lies around its possessor."""
        inner = self._open.pop()
        node = _Node(inner.first)
        self.nodes.insert(self.nodes.index(inner), node)
        self._open.append(node)
        inner.last = i - 1
        ends = AUXILIARIES | LINKS | RELATIVE | _LISTS | DETERMINERS | {"s", ""}
        i += 1
        while self._texts[i] not in ends and i not in self._query.stops:
            if node.head and (is_past(self._texts[i]) or self._texts[i] in ADVERBS):
                break
            node.head.append(i)
            i += 1
        return i

    def _relative(self, i: int) -> int:
        """A clause on the noun phrase before it, whose verb follows at once or later."""
        node, texts = self._open[-1], self._texts
        linked = texts[i] in LINKS  # "in which"
        after = i + linked + 1
        subject = texts[after] in DETERMINERS or after in self._names
        place = texts[i + linked] in ("whom", "where", "when", "whose")
        node.clause = True
        if not (linked or subject or place or self._state == "verb"):
            self._state = "verb"
            return self._over_verb(i + 1)
        node.pending += 1
        self._state = "link"
        if texts[i] == "whose":
            self._begin(i, owner=True)
        return after

    def _verb(self, i: int) -> int:
        """A verb belongs to the innermost clause that waits for one, and ends what lies in it."""
        waiting = [depth for depth, node in enumerate(self._open) if node.pending]
        if waiting:
            depth = waiting[-1] + 1
            clause = self._open[depth - 1]
            clause.pending -= 1
            if depth == 1:
                clause.pending = int(self._texts[i] in _BEFORE_INFINITIVE)
            elif len(self._open) > depth and self._open[depth].owner:
                self._open[depth].clause = True  # it goes on: "whose dean was …"
                depth += 1
            self._close(depth, i - 1)
        self._state = "verb"
        return self._over_verb(i)

    def _over_verb(self, i: int) -> int:
        texts = self._texts
        while texts[i] in AUXILIARIES | ADVERBS:
            i += 1
        ends = texts[i] in DETERMINERS | LINKS | RELATIVE | _LISTS | PARTICLES or i in self._names
        fits = is_verb(texts[i]) or texts[i + 1] in LINKS | {""} or texts[i - 1] not in AUXILIARIES
        if texts[i] and not ends and fits:
            i += i not in self._query.stops
        return i + (texts[i] in PARTICLES)

    def _content(self, i: int) -> int:
        word, after, node = self._texts[i], self._texts[i + 1], self._open[-1]
        if self._state != "noun":
            if self._state == "link" or not (word in ADVERBS or is_past(word)):
                self._begin(i).head.append(i)
        elif not node.head:
            node.head.append(i)
        elif word in ADVERBS:
            if self._waiting() and not is_past(after):
                return self._verb(i)
        elif self._waiting() and (i - 1 in self._named or (is_verb(word) and self._closes(i))):
            return self._verb(i)
        elif is_past(word):
            node.clause = True  # "the drug discovered by"
            self._state = "verb"
        else:
            node.head.append(i)
        return i + 1

    def _closes(self, i: int) -> bool:
        """Whether word i is one of the verbs that are waited for: it ends the query or stands
        before a clause, or not more verbs are still to come than clauses wait for.
        """
        if self._texts[i + 1] in RELATIVE | PARTICLES | {""}:
            return True
        count, auxiliary = 0, False
        for j in range(i, len(self._query.words)):
            word, after = self._texts[j], self._texts[j + 1]
            verb = is_past(word) or (is_verb(word) and after in PARTICLES | {""})
            if word in AUXILIARIES or (verb and j not in self._named):
                count, auxiliary = count + (not auxiliary), word in AUXILIARIES
            else:
                auxiliary = auxiliary and word in ADVERBS
        return count <= self._waiting()

    def _waiting(self) -> int:
        return sum(node.pending for node in self._open)

    def _close_to_clause(self, last: int) -> None:
        depth = len(self._open)
        while not self._open[depth - 1].clause:
            depth -= 1
        self._close(depth, last)

    def _close(self, depth: int, last: int) -> None:
        for node in self._open[depth:]:
            node.last = last
        del self._open[depth:]
