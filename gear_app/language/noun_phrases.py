"""How the noun phrases of a question lie in one another: what has to be found before what.

"Where was the designer of the bridge nicknamed Galloping Gertie born?" asks about a name, Galloping
Gertie; around it lies "the bridge nicknamed …", around that "the designer of …". No parser: words
are read once from left to right. A noun phrase that follows a link (of, that, built by) lies in the
one before it; a verb ends all that lies in the clause whose verb it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gear_app.language.query import Anchor, Query, text_of
from gear_app.language.questions import (
    DETERMINERS,
    LINKS,
    STOPS,
    asked_noun,
    compared_names,
)
from gear_app.language.verbs import ADVERBS, PARTICLES, is_past, is_verb
from gear_app.language.words import ASKING, AUXILIARIES, MODALS, RELATIVE, word_set

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
    inner = set(range(anchor.first, anchor.last + 1))
    for node in around:
        span = range(node.first, node.last + 1)
        head = [i for i in node.head if i not in range(anchor.first, anchor.last + 1)]
        words = tuple(i for i in span if i not in inner and i not in head)
        if head or any(i not in inner for i in node.head):
            text = text_of(query, head[0], head[-1]) if head else ""
            names_it = set(range(anchor.first, anchor.last + 1)) <= set(node.head)
            bare = all(query.words[i].text in DETERMINERS for i in words)
            compound = not phrases and names_it and bare
            phrases.append(NounPhrase(node.first, node.last, text, words, node.owner, compound))
            inner = set(span)
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
    compound = range(0)
    if around and around[0].compound:
        compound = range(around[0].first, around[0].last + 1)
        around = around[1:]
    named = {*compound}
    for other in query.anchors:
        if other == anchor or query.proper(other):
            named.update(_span(other))
    first, last = (around[0].first, around[0].last) if around else (0, len(query.words) - 1)
    free = [i for i in range(first, last + 1) if i not in named and query.words[i].text != "s"]
    relation = " ".join(text_of(query, i, i) for i in free) or "is"
    if around:
        possessive = any(query.words[i].text == "s" for i in around[0].words)
        return AskedRelation(first, last, relation, around[0].head or "thing", True, possessive)
    noun = "" if compared_names(query) else asked_noun(query)
    return AskedRelation(anchor.first, anchor.last, relation, noun or "thing", False)


def _span(anchor: Anchor) -> range:
    return range(anchor.first, anchor.last + 1)


class _Node:
    """A noun phrase that is being read; `pending` counts verbs that its clauses still wait for."""

    def __init__(self, first: int, *, owner: bool = False) -> None:
        self.first = self.last = first
        self.head: list[int] = []
        self.owner = owner
        self.clause = False
        self.pending = 0


class _Scan:
    """The noun phrases of a query in the order of their first words, names read as one word."""

    def __init__(self, query: Query, anchor: Anchor) -> None:
        self.nodes: list[_Node] = []
        self._query, self._words = query, query.words
        self._names = {
            other.first: other
            for other in query.anchors
            if other == anchor or query.proper(other) or other.first < other.last
            if query.words[other.first].text not in LINKS
        }
        self._named = {i for other in self._names.values() for i in _span(other)}
        self._open: list[_Node] = []
        self._main = 0  # verbs that the question itself still waits for
        self._state = "link"  # link, noun, or verb: what was read last
        i = self._opening()
        while i < len(self._words):
            i = self._next(i)
        self._close(0, len(self._words) - 1)

    def _text(self, i: int) -> str:
        return self._words[i].text if i < len(self._words) else ""

    def _gap(self, i: int) -> str:
        return self._query.text[self._words[i - 1].end : self._words[i].start] if i else ""

    def _opening(self) -> int:
        """Over the words that ask and the auxiliary after them."""
        i = 1 if self._text(0) in LINKS and self._text(1) in ASKING else 0
        if self._text(i) in ASKING:
            i += 1
            noun = i
            while i < len(self._words) and self._noun_of_asking(i, noun):
                i += 1
        if self._text(i) in AUXILIARIES | MODALS:
            i += 1
            while self._text(i) in AUXILIARIES | ADVERBS:
                i += 1
            if is_past(self._text(i)) and i not in self._names:
                self._state = "verb"
                return i + 1
            self._main = 1
        elif self._text(i) in LINKS or i in self._names or self._text(i) in DETERMINERS:
            # "what the captain of the Petrel is afraid of", and
            self._main = 1  # "In which area of the land … did", "The land where … has how many …"
        elif i < len(self._words) and i not in self._names and self._text(i) not in DETERMINERS:
            while self._text(i) in ADVERBS:
                i += 1
            self._state = "verb"
            i += self._text(i) not in DETERMINERS | LINKS
        return i

    def _noun_of_asking(self, i: int, noun: int) -> bool:
        """Whether word i still belongs to "which television series"."""
        word = self._text(i)
        if word in AUXILIARIES | MODALS | DETERMINERS | LINKS:
            return False
        if i in self._names:  # "which Chinese city"
            after = self._names[i].last + 1
            return noun == i and self._text(after) not in AUXILIARIES | LINKS | DETERMINERS
        if noun == i:
            return self._text(i - 1) in ("which", "what", "whose", "how")
        return not is_past(word) and word not in ADVERBS

    def _next(self, i: int) -> int:
        word = self._text(i)
        if STOPS & set(self._gap(i)) or word == "or":
            self._close(0, i - 1)
            self._state = "link"
        if i in self._names:
            return self._name(i)
        if self._state == "verb" and self._waiting() and is_verb(word):
            return self._verb(i)  # "... was named | born"
        if word == "s" and self._open and self._state == "noun":
            return self._possession(i)
        if word in _LISTS:
            self._close_to_clause(i - 1)
            self._state = "verb"
            return i + 1
        if word in RELATIVE or (word in LINKS and self._text(i + 1) in ("which", "whom")):
            return self._relative(i)
        if word in AUXILIARIES:
            return self._verb(i)
        if word in DETERMINERS:
            if self._state == "noun":
                self._close_to_clause(i - 1)
            self._begin(i)
            return i + 1
        if word in LINKS:
            self._state = "link"
            return i + 1
        return self._content(i)

    def _begin(self, i: int, *, owner: bool = False) -> _Node:
        node = _Node(i, owner=owner)
        self.nodes.append(node)
        self._open.append(node)
        self._state = "noun"
        return node

    def _name(self, i: int) -> int:
        last = self._names[i].last
        building = self._state == "noun" and bool(self._open)
        node = self._open[-1] if building else self._begin(i)
        node.head += range(i, last + 1)
        return last + 1

    def _possession(self, i: int) -> int:
        """Ada Quill's first boat: what is possessed lies around its possessor."""
        inner = self._open[-1]
        node = _Node(inner.first)
        self.nodes.insert(self.nodes.index(inner), node)
        self._open[-1:] = [node]
        inner.last = i - 1
        i += 1
        while i < len(self._words) and not STOPS & set(self._gap(i)):
            word = self._text(i)
            ends = AUXILIARIES | LINKS | RELATIVE | _LISTS | DETERMINERS | {"s"}
            if word in ends or (node.head and (is_past(word) or word in ADVERBS)):
                break
            node.head.append(i)
            i += 1
        self._state = "noun"
        return i

    def _relative(self, i: int) -> int:
        """A clause on the noun phrase before it, whose verb follows at once or later."""
        if self._text(i) == "whose":
            self._wait()
            self._begin(i, owner=True)
            return i + 1
        linked = self._text(i) in LINKS  # "in which"
        relative, after = i + linked, i + linked + 1
        subject = self._text(after) in DETERMINERS or after in self._names
        place = self._text(relative) in ("whom", "where", "when")
        if linked or subject or place or self._state == "verb":
            self._wait()
            self._state = "link"
            return after
        if self._open:
            self._open[-1].clause = True
        self._state = "verb"
        return self._over_verb(i + 1)

    def _verb(self, i: int) -> int:
        """A verb belongs to the innermost clause that waits for one, and ends what lies in it."""
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth].pending:
                self._open[depth].pending -= 1
                self._close_above(depth, i - 1)
                break
        else:
            if self._main:
                self._main = int(self._text(i) in _BEFORE_INFINITIVE)
                self._close(0, i - 1)
        self._state = "verb"
        return self._over_verb(i)

    def _close_above(self, depth: int, last: int) -> None:
        """Ends what lies deeper, but what "whose" belongs to goes on: "whose dean was …"."""
        keep = depth + 1
        if len(self._open) > keep and self._open[keep].owner:
            self._open[keep].clause = True
            keep += 1
        self._close(keep, last)

    def _over_verb(self, i: int) -> int:
        while self._text(i) in AUXILIARIES | ADVERBS:
            i += 1
        word, after = self._text(i), self._text(i + 1)
        ends = word in DETERMINERS | LINKS | RELATIVE | _LISTS | PARTICLES or i in self._names
        fits = is_verb(word) or not after or after in LINKS
        if word and not ends and (fits or self._text(i - 1) not in AUXILIARIES):
            i += not STOPS & set(self._gap(i))
        return i + (self._text(i) in PARTICLES)

    def _content(self, i: int) -> int:
        word, after = self._text(i), self._text(i + 1)
        if self._state != "noun" or not self._open:
            if self._state == "verb" and (word in ADVERBS or is_past(word)):
                return i + 1
            self._begin(i).head.append(i)
            return i + 1
        node = self._open[-1]
        ends = not after or after in RELATIVE
        if word in ADVERBS and node.head:
            return self._verb(i) if self._waiting() and not is_past(after) else i + 1
        if node.head and self._waiting():
            closes = ends or after in PARTICLES or self._verbs(i) <= self._waiting()
            if i - 1 in self._named or (is_verb(word) and closes):
                return self._verb(i)
        if node.head and is_past(word):
            node.clause = True  # "the drug discovered by"
            self._state = "verb"
            return i + 1
        node.head.append(i)
        return i + 1

    def _verbs(self, i: int) -> int:
        """How many verbs are still to come, from word i, with their auxiliaries."""
        count, auxiliary = 0, False
        for j in range(i, len(self._words)):
            word, after = self._text(j), self._text(j + 1)
            last = is_verb(word) and (not after or after in PARTICLES)
            if word in AUXILIARIES:
                count, auxiliary = count + (not auxiliary), True
            elif (is_past(word) or last) and j not in self._named:
                count, auxiliary = count + (not auxiliary), False
            else:
                auxiliary = auxiliary and word in ADVERBS
        return count

    def _waiting(self) -> int:
        return self._main + sum(node.pending for node in self._open)

    def _wait(self) -> None:
        if self._open:
            self._open[-1].pending += 1
            self._open[-1].clause = True
        else:
            self._main += 1

    def _close_to_clause(self, last: int) -> None:
        depth = len(self._open)
        while depth and not self._open[depth - 1].clause:
            depth -= 1
        self._close(depth, last)

    def _close(self, depth: int, last: int) -> None:
        for node in self._open[depth:]:
            node.last = last
        del self._open[depth:]
