"""Questions that a collection suggests of itself: two triples of two passages that share an entity
make a question of two hops, with its answer and its gold (docs/decisions/0035).

Pure: `suggest` takes triples and passages and knows no store, no model and no screen.
"""

from gear_app.suggestions.pairs import Suggestion, suggest

__all__ = ["Suggestion", "suggest"]
