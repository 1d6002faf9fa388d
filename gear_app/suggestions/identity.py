"""Which names are the same: "J. Tamsett" is Jory Tamsett where no other Tamsett has this initial,
and "gt 229" is GT-229.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gear_app.english.answer_types import is_date
from gear_app.suggestions import names
from gear_app.text import normalise_entity, tokenise
from gear_app.types import Passage

_ID = re.compile(r"(?<![\w-])(?:([^\W\d_]{1,8})[-–/]?\d[\w/]*(?:-\d+)*|\d{4}-\d{3,})(?![\w-]|\.\d)")
_TITLES = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? ")
_FULL = re.compile(
    r"(?<![\w.'’-])((?:[^\W\d_]\. ?)+|[^\W\d_][\w’-]+ )([^\W\d_][\w-]*(?:['’][^\W\d_]{2,})?)"
)
_GREETINGS = frozenset("dear hi hello hey morning evening".split())
SHORTEST = 3  # letters of a name of one word


def ids(text: str) -> list[str]:
    """The ids in a text as they are written, in order: letters and figures, or two long numbers."""
    return [
        match[0]
        for match in _ID.finditer(text)
        if match[1] is None or match[1].isupper() or "-" in match[0]
    ]


def is_id(words: str) -> bool:
    """Whether the whole is one id."""
    return ids(words) == [words]


def is_name(words: str) -> bool:
    """Whether the words are a specific name; "Hobb & Lane" is one, too."""
    return names.is_name(words.replace(" & ", " and "))


def prefix(id_: str) -> str:
    """What ids of its kind begin with: "GT"; "" of one without letters."""
    return "".join(re.findall(r"^[^\W\d_]+", id_))


class Identities:
    """What the names of a collection stand for."""

    def __init__(self, passages: Sequence[Passage], written: Iterable[str]) -> None:
        """Read them from the passages; `written` are cells and values that may be names."""
        self._words: dict[str, set[int]] = defaultdict(set)  # and the passages that have them
        self._texts: dict[int, str] = {}
        self._common: set[str] = set()
        for passage in passages:
            text = passage.indexed
            words = tokenise(text)
            self._texts[passage.id] = f" {' '.join(words)} "
            for word in words:
                self._words[word].add(passage.id)
            self._common.update(re.findall(r"\b[^\W\d_A-Z][\w]+", text))
        self._first_names: dict[str, set[str]] = defaultdict(set)  # of a last name
        self._last_names: dict[str, set[str]] = defaultdict(set)  # of a first name
        for text in [*(passage.indexed for passage in passages), *written]:
            for match in _FULL.finditer(text):
                self._learn(match[1].strip(), match[2])

    def _learn(self, first: str, last: str) -> None:
        small = first.casefold()
        if not (first[0].isupper() and last[0].isupper()) or small in _GREETINGS:
            return
        if small in self._common or last.casefold() in self._common:
            return
        self._first_names[last.casefold()].add(small)
        if not first.endswith("."):
            self._last_names[small].add(last.casefold())

    def of(self, words: str) -> str:
        """What a name or an id stands for, "" where it is neither or may be several."""
        bare = _TITLES.sub("", words.strip())
        if is_id(bare):
            return "#" + "".join(tokenise(bare))
        if not is_name(bare) or is_date(bare) or any(map(str.isdigit, bare)):
            return ""
        parts = bare.split()
        if len(parts) > 1:
            return self._person(parts)
        return self._alone(bare.casefold()) if len(bare) >= SHORTEST else ""

    def _person(self, parts: Sequence[str]) -> str:
        """A name of several words; one with initials is the only one that they may be of."""
        if not all(part.endswith(".") for part in parts[:-1]):
            return normalise_entity(" ".join(parts))
        last = parts[-1].casefold()
        firsts = {one for one in self._first_names[last] if one[0] == parts[0][0].casefold()}
        whole = {one for one in firsts if not one.endswith(".")}
        if len(whole) > 1:
            return ""
        return normalise_entity(f"{next(iter(whole), parts[0])} {last}")

    def _alone(self, word: str) -> str:
        """A name of one word: a whole one, or the last or first of the only one that has it."""
        if word in self._common:
            return ""
        firsts, lasts = self._first_names.get(word, set()), self._last_names.get(word, set())
        if not firsts and not lasts:
            return word
        if firsts and not lasts and len({one[0] for one in firsts}) == 1:
            whole = sorted(firsts, key=len)[-1]
            several = sum(not one.endswith(".") for one in firsts) > 1
            return "" if several else normalise_entity(f"{whole} {word}")
        if lasts and not firsts and len(lasts) == 1:
            return f"{word} {next(iter(lasts))}"
        return ""

    def passages(self, identity: str) -> set[int]:
        """The passages that may name it, by any of its forms."""
        if identity.startswith("#"):
            return self._with_id(identity[1:])
        words = normalise_entity(identity).split()
        last = self._words.get(words[-1], set())
        if len(words) == 1:
            return last
        alone = self._alone(words[-1]) == identity
        forms = [identity, f"{words[0][0]} {words[-1]}"]
        found = {id_ for id_ in last if alone or any(self.names(id_, form) for form in forms)}
        if self._alone(words[0]) == identity:
            found |= self._words.get(words[0], set())
        return found

    def _with_id(self, characters: str) -> set[int]:
        split = re.findall(r"[^\W\d_]+|\d+", characters)
        joined = self._words.get(characters, set())
        parted = [self._words.get(part, set()) for part in split]
        apart = set.intersection(*parted) if parted else set()
        return joined | {id_ for id_ in apart if self.names(id_, " ".join(split))}

    def names(self, passage: int, words: str) -> bool:
        """Whether a passage has these words as they are."""
        return f" {normalise_entity(words)} " in self._texts[passage]
