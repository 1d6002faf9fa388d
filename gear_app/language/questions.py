"""How a question is put: the noun it asks by, and its clauses in the order of a statement."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.language import words as lexicon
from gear_app.language.query import Anchor, Query, text_of
from gear_app.language.verbs import ADVERBS, PARTICLES, is_past, is_verb
from gear_app.language.words import ASKING, AUXILIARIES, MODALS, PREPOSITIONS, RELATIVE, word_set

DETERMINERS = lexicon.DETERMINERS | {"both"}
LINKS = (PREPOSITIONS | word_set("while without towards behind above below onto off")) - {"while"}
STOPS = frozenset(",;?")
_BETWEEN = 5  # words between two compared names: "X and director of film Y"
_TELLING = re.compile(
    r"^\W*(?:please )?(?:(?:can you )?(?:tell (?:me|us)|say)|name|do you know)"
    r"(?= (?:what|which|who|whom|whose|where|when|how)\b) ",
    re.IGNORECASE,
)


def asked_noun(query: Query) -> str:
    """The noun that a query asks by: "lake" of "Into which lake did …"; "" where it has none."""
    texts = [word.text for word in query.words[:-1]]
    start = next((i for i, text in enumerate(texts) if text in ("which", "what")), None)
    if start is None:
        return ""
    last = start + 1
    while last < len(query.words) and _of_noun(query, last):
        last += 1
    return text_of(query, start + 1, last - 1)


def compared_names(query: Query) -> tuple[Anchor, ...]:
    """The anchors that a question compares, in order: "X or Y", "both X and Y", "did X die before
    Y".
    """
    joined: list[Anchor] = []
    joining = {"or", "and"}
    if query.words[:1] and query.words[0].text in ("did", "was", "were"):
        joining |= {"before", "after", "than"}
    for left, right in zip(query.anchors, query.anchors[1:], strict=False):
        between = [word.text for word in query.words[left.last + 1 : right.first]]
        listed = joining & set(between) and not RELATIVE & set(between)
        if 0 < len(between) <= _BETWEEN and listed:
            joined += [anchor for anchor in (left, right) if anchor not in joined]
    return tuple(joined)


def _of_noun(query: Query, i: int) -> bool:
    word = query.words[i].text
    after = query.words[i + 1].text if i + 1 < len(query.words) else ""
    if word in AUXILIARIES | MODALS | DETERMINERS | LINKS | ADVERBS or STOPS & set(
        query.text[query.words[i - 1].end : query.words[i].start]
    ):
        return False
    if is_past(word):
        return False
    # "which town lies on", "which firm supplies the": the second word is the verb
    verb = after in DETERMINERS or (after in LINKS and (word.endswith("s") or is_verb(word)))
    return query.words[i - 1].text in ASKING or not verb


def straightened(question: str, names: Sequence[str] = ()) -> str:
    """The question with a clause that stands behind the verb put back to its noun.

    "Where was the artist born who designed the flag?" becomes "Where was the artist who designed
    the flag born?". Words that only tell to answer ("Tell me what …") are left out. Any other
    question is given back as it is.
    """
    question = _TELLING.sub("", question, count=1)
    query = Query(question, names)
    words = query.words
    start = _fronted(query)
    if start is None:
        return question
    named = {
        i
        for anchor in query.anchors
        if query.proper(anchor)
        for i in range(anchor.first, anchor.last + 1)
    }
    for i in range(start + 2, len(words) - 2):
        # "to whom", but "allergic to | who serves"
        linked = words[i].text in LINKS and words[i + 1].text not in ("who", "that")
        clause = i if linked else i + 1
        relative = clause + 1 if words[clause].text in LINKS else clause
        if relative >= len(words) or words[relative].text not in RELATIVE:
            continue
        verb = _verb_before(query, clause, start, named)
        if verb is None or STOPS & set(query.text[words[verb].start : words[clause].start]):
            continue
        moved = text_of(query, verb, clause - 1)
        end = words[-1].end
        left, right = question[: words[verb].start], question[words[clause].start : end]
        return re.sub(r"\s+", " ", f"{left}{right} {moved}{question[end:]}").strip()
    return question


def _verb_before(query: Query, clause: int, start: int, named: set[int]) -> int | None:
    """First word of the question's verb that ends just before word `clause`; None without one."""
    last = clause - 1
    stranded = query.words[last].text in LINKS
    if stranded or query.words[last].text in PARTICLES:
        last -= 1
    word, auxiliary = query.words[last].text, query.words[start].text
    if last in named or last <= start + 1:
        return None
    if auxiliary in ("did", "does", "do"):
        fits = is_verb(word) or last < clause - 1
    else:
        fits = is_past(word) or word == "set" or stranded
    before = query.words[last - 1].text
    if not fits or before in DETERMINERS | RELATIVE or (before in LINKS and before != "been"):
        return None
    return last - 1 if before in ("been", "being") else last


def _fronted(query: Query) -> int | None:
    """The auxiliary that stands before the subject: "In which town *was* the …"."""
    for i, word in enumerate(query.words):
        if word.text in AUXILIARIES:
            following = query.words[i + 1].text if i + 1 < len(query.words) else ""
            return None if is_past(following) or following in LINKS else i
        if word.text in DETERMINERS or (word.text in RELATIVE and i > 2):
            return None
    return None
