"""Questions that a collection suggests of itself: two statements of two passages that share a thing
make a question of two hops, with its answer and its gold (docs/decisions/0035). Where no two do,
one statement makes a question that one passage answers.

Pure: `suggest` takes triples and passages and knows no store, no model and no screen. Sentences
give triples (`pairs`); forms, tables and lists are read from the passages (`links`), so that these
need no triples at all.
"""

from collections.abc import Sequence

from gear_app.english.language import looks_english
from gear_app.suggestions.links import entry_questions
from gear_app.suggestions.pairs import triple_questions
from gear_app.suggestions.single import single_questions
from gear_app.suggestions.suggestion import Suggestion, best
from gear_app.types import Passage, Triple

SAMPLE = 100_000  # characters of a collection that tell its language

__all__ = ["Suggestion", "suggest", "suggest_single"]


def suggest(
    triples: Sequence[Triple], passages: Sequence[Passage], limit: int = 10
) -> list[Suggestion]:
    """The best questions, of different answers, entities and, as long as there are, passages."""
    english = [passage for passage in passages if looks_english(passage.text)]
    found = triple_questions(triples, english)
    # A form has too few words to say its language; all of them together have enough.
    if looks_english("\n".join(passage.text for passage in passages)[:SAMPLE]):
        found += entry_questions(english)
    return best(found, limit)


def suggest_single(
    triples: Sequence[Triple], passages: Sequence[Passage], limit: int = 10
) -> list[Suggestion]:
    """The best questions that one passage answers, for a collection that has no others."""
    english = [passage for passage in passages if looks_english(passage.text)]
    return best(single_questions(triples, english), limit)
