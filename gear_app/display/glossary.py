"""The terms that a page uses, each explained in one plain sentence, with the paper's equation where
it has one (glossary.toml).

Where one stands on a page, pointing at it, tapping it or reaching it by Tab shows the explanation
(`markup.term`, frontend/pointing.js).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from gear_app.trace.rankings import CUTS

_RECALL = (
    "The share of the gold passages that are among the first {} of a ranking, 1.00 for all of them."
)
TERMS: Mapping[str, str] = {
    **tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")),
    **{f"recall@{k}": _RECALL.format(k) for k in CUTS},
}
_ALSO: Mapping[str, str] = {  # how else a term is written, and which it is
    "beam so far": "beam score",
    "gold passage": "gold",
    "gold passages": "gold",
    "proximal triples": "proximal triple",
    "partial triples": "partial triple",
    "beam search": "beam",
    **{f"R@{k}": f"recall@{k}" for k in CUTS},
    "triples": "triple",
    "promotion": "promoted",
    "Holm’s correction": "p, Holm",
    "iterations": "iteration",
    "relative clauses": "relative clause",
    "Personalized PageRank": "walk",
}
_KEYS = {words.casefold(): key for words, key in {**{key: key for key in TERMS}, **_ALSO}.items()}
_TERM = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(re.escape(words) for words in sorted(_KEYS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and key of the terms in a sentence of ours, from left to right, each once."""
    terms: set[str] = set()
    for match_ in _TERM.finditer(text):
        key = _KEYS[match_[0].casefold()]
        if key not in terms:
            terms.add(key)
            yield match_.start(), match_.end(), key
