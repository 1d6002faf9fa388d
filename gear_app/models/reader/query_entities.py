"""The named entities of a question: what has capitals, and what the graph has a node for.

Capitals count where the question uses them as prose does. Where all of it is lower case, all
capitals or all Initial Letters, a name of several words is told from common nouns by the graph; one
of a single word only where no other word could be one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from gear_app.core.text import normalise_entity
from gear_app.language.mentions import telling
from gear_app.language.query import Query
from gear_app.language.relations import VOCABULARY
from gear_app.language.words import FUNCTION_WORDS, Word, stem, stems, word_set

LONGEST = 12  # words of a name that is looked up
_ASKED_BY = VOCABULARY | stems("name film movie song first last kind type year date")
_OPENING = word_set(
    "besides during after before among since despite unlike like following according"
)
_ASIDE = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
_SENTENCE_ENDS = re.compile(r"[.?!][\"'”’)]*\s+[\"'“‘(]*$")

Stretch = tuple[int, int]
IsKnown = Callable[[Stretch], bool]


def named_entities(question: str, known: Collection[str]) -> tuple[str, ...]:
    """Names as the question writes them, in its order, each once; `known` are normalised names.

    The longest stretch of words that is known wins. A run of capitals is cut into known names only
    where these make up all of it, else it is a name itself: "Levi Casey" is not "Casey". What
    stands in brackets after a name is none ("Harbour Lights (film)"), and neither are numbers.
    """
    text = _Text(question)

    def is_known(stretch: Stretch) -> bool:
        digits = all(word.text.isdigit() for word in text.words[stretch[0] : stretch[1] + 1])
        return not digits and _is_known(text.written(stretch), known)

    made_up = {
        run: _makes_up(run, text, is_known) and not _is_one_title(run, text) for run in text.runs
    }
    stretches: list[Stretch] = []
    for stretch in _longest_first(len(text.words)):
        if _meets(stretch, stretches) or not text.could_name(stretch) or not is_known(stretch):
            continue
        if all(made_up[run] for run in text.runs if _inside(stretch, run)):
            stretches.append(_unpossessed(stretch, text, is_known))
    stretches += [
        run for run in text.runs if not _meets(run, stretches) and not text.only_begins(run)
    ]
    names: dict[str, str] = {}
    for stretch in sorted(stretches or text.only_word(is_known)):
        names.setdefault(normalise_entity(text.written(stretch)), text.written(stretch))
    return tuple(names.values())


def facts_that_touch(question: str, facts: Sequence[str]) -> tuple[int, ...]:
    """The places of the facts that share a word with the question which says something."""
    question_stems = stems(telling(question))
    return tuple(place for place, fact in enumerate(facts) if stems(fact) & question_stems)


def names_title(name: str, title: str) -> bool:
    """Whether a name and a passage's title are the same: alike when normalised, or in all words
    that are no function words, what stands in brackets after a title left out.

    "The Storm" is the title "Storm (1951 film)"; "Casey" is not "Levi Casey".
    """
    full, short = normalise_entity(title), normalise_entity(_ASIDE.sub("", title))
    normal = normalise_entity(name)
    if not normal or normal in (full, short):
        return bool(normal)
    return any(stems(name) == stems(written) != frozenset() for written in (full, short))


class _Text:
    """A question's words and runs of capitals, and what could be a name among them."""

    def __init__(self, question: str) -> None:
        query = Query(question, ())
        self.question, self.words = question, query.words
        self._begins = {0} | {
            i for i in range(1, len(self.words)) if _SENTENCE_ENDS.search(self._gap(i))
        }
        self._aside = self._bracketed()
        self._capital = [self._is_capital(i, word) for i, word in enumerate(self.words)]
        named = [word for word in self.words if word.text not in FUNCTION_WORDS]
        lower = any(question[word.start].islower() for word in named)
        self._cased = any(self._capital) and (lower or len(named) == len(self.words))
        trimmed = [self._trimmed(anchor.first, anchor.last) for anchor in query.anchors]
        self.runs = [run for run in trimmed if run and self._cased]

    def written(self, stretch: Stretch) -> str:
        """The words as they are written."""
        return self.question[self.words[stretch[0]].start : self.words[stretch[1]].end]

    def could_name(self, stretch: Stretch) -> bool:
        """Whether it looks like a name: by a capital, or as several words that tell something."""
        first, last = stretch
        inside = self.words[first : last + 1]
        if first in self._aside or not self._names(first, "the") or not self._names(last):
            return False
        if self._cased and any(self._capital[first : last + 1]):
            return first < last or inside[0].text not in FUNCTION_WORDS
        return sum(word.text not in FUNCTION_WORDS for word in inside) > 1 and any(
            map(_telling, inside)
        )

    def only_begins(self, run: Stretch) -> bool:
        """Whether the run is one word, with a capital perhaps only because a sentence begins."""
        return run[0] == run[1] and run[0] in self._begins

    def only_word(self, is_known: IsKnown) -> list[Stretch]:
        """The only known word that one does not ask by, in a question without usable capitals."""
        telling = [(i, i) for i, word in enumerate(self.words) if _telling(word)]
        stretches = [stretch for stretch in telling if is_known(stretch)]
        return stretches if len(stretches) == 1 and not self._cased else []

    def _names(self, i: int, article: str = "") -> bool:
        word = self.words[i]
        return (
            word.text not in FUNCTION_WORDS
            or word.text == article
            or (self._cased and self._capital[i])
        )

    def _gap(self, i: int) -> str:
        return self.question[self.words[i - 1].end if i else 0 : self.words[i].start]

    def _is_capital(self, i: int, word: Word) -> bool:
        common = (
            word.text in FUNCTION_WORDS or word.text in _OPENING or stem(word.text) in _ASKED_BY
        )
        return self.question[word.start].isupper() and not (common and i in self._begins)

    def _bracketed(self) -> set[int]:
        """The words in brackets that follow other words."""
        places, depth = set(), 0
        for i in range(len(self.words)):
            depth = max(0, depth + self._gap(i).count("(") - self._gap(i).count(")"))
            if depth and i:
                places.add(i)
        return places

    def _trimmed(self, first: int, last: int) -> Stretch | None:
        """A run without sentence openings, up to a bracket; None where no capital is left."""
        while first <= last and not (self._capital[first] or self.words[first].text[0].isdigit()):
            first += 1
        end = next((i for i in range(first, last + 1) if i in self._aside), last + 1)
        return (first, end - 1) if any(self._capital[first:end]) else None


def _telling(word: Word) -> bool:
    return (
        word.text not in FUNCTION_WORDS
        and stem(word.text) not in _ASKED_BY
        and not word.text.isdigit()
    )


def _is_known(name: str, known: Collection[str]) -> bool:
    normal = normalise_entity(name)
    return normal in known or (name[0].isupper() and f"the {normal}" in known)


def _longest_first(words: int) -> Iterator[Stretch]:
    for length in range(min(LONGEST, words), 0, -1):
        yield from ((first, first + length - 1) for first in range(words - length + 1))


def _meets(stretch: Stretch, stretches: Sequence[Stretch]) -> bool:
    return any(stretch[0] <= last and first <= stretch[1] for first, last in stretches)


def _inside(stretch: Stretch, run: Stretch) -> bool:
    return run != stretch and run[0] <= stretch[0] and stretch[1] <= run[1]


def _makes_up(run: Stretch, text: _Text, is_known: IsKnown) -> bool:
    """Whether known names, with function words between them, make up the whole run."""
    reached = {run[0]}
    for first in range(run[0], run[1] + 1):
        if first in reached:
            reached |= {
                last + 1
                for last in range(first, min(first + LONGEST, run[1] + 1))
                if is_known((first, last))
            }
            reached |= {first + 1} if text.words[first].text in FUNCTION_WORDS else set()
    return run[1] + 1 in reached


def _is_one_title(run: Stretch, text: _Text) -> bool:
    """Whether a possessive stands within a name: "A Dog's Purpose", but not "Ada Quill's Lorn"."""
    words = [word.text for word in text.words[run[0] : run[1] + 1]]
    if "s" not in words[1:-1]:
        return False
    return words[0] in ("a", "an", "the") or words.index("s") == 1


def _unpossessed(stretch: Stretch, text: _Text, is_known: IsKnown) -> Stretch:
    """Without a possessive s at the end, where the rest is known too."""
    shorter = (stretch[0], stretch[1] - 1)
    possessive = text.words[stretch[1]].text == "s" and stretch[0] < stretch[1]
    return shorter if possessive and is_known(shorter) else stretch
