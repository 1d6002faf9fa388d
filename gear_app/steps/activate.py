"""LinearRAG's semantic bridging: names activate others through sentences, in rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.config import RESTART, Config, setting
from gear_app.seams import Sparse

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearConfig(Config):
    """LinearRAG, by its authors' code (defaults of its command line)."""

    bridges: int = setting(
        2,
        "Rounds of bridging",
        "So often sentences lead from names to other names",
        (1, 10),
        (1, 2, 4),
    )
    sentences: int = setting(
        1,
        "Sentences a name",
        "The nearest to the question that a name leads on by",
        (1, 50),
        (1, 4),
    )
    # ours: cosines of the bundled model are lower; of 0.1 to 0.5 the best on two train sets
    delta: float = setting(
        0.3,
        "Least activation δ",
        "A name below it is not gone to",
        (0.0, 1.0),
        (0.1, 0.3, 0.5),
        paper=0.5,
    )
    nearness: float = setting(
        1.5, "Weight of nearness λ", "Of a passage's own nearness to the question", (0.0, 10.0)
    )
    passage_share: float = setting(
        0.05, "Weight of passages", "As the walk starts from passages too", (0.0, 10.0)
    )
    restart: float = setting(0.5, *RESTART)


class Reached(NamedTuple):
    """A name by position, reached with an activation in a tier, from 1 for those asked for, through
    a sentence that its source stands in; `kept`: it is at least δ.
    """

    name: int
    value: float
    tier: int
    source: int | None = None
    sentence: int | None = None
    cosine: float = 1.0
    kept: bool = True


@dataclass(slots=True)
class Bridging:
    """What one question activates. `in_sentences` (sentences, names) is 1 where one names the
    other; `cosines` (sentences,) are those with the question.
    """

    in_sentences: Sparse
    cosines: Values
    config: LinearConfig
    reached: list[Reached] = field(default_factory=list)  # in the order it happened

    def run(self, asked: Mapping[int, float]) -> None:
        """Go from the names asked for, in this order, with their cosines, round by round.

        In a round every name of the round before that is at least δ takes those of its sentences
        that nobody used yet and that are nearest to the question (ties: the earlier one), and
        activates all names in them, itself too, by its own activation times the sentence's cosine.
        """
        self.reached = [Reached(name, value, 1) for name, value in asked.items()]
        named_in = self.in_sentences.T.tocsr()
        current, used = dict(asked), set[int]()
        for tier in range(2, self.config.bridges + 2):
            before, current = current, {}
            for source, value in before.items():
                if value < self.config.delta:
                    continue
                open_ = [one for one in _columns(named_in, source) if one not in used]
                open_.sort(key=lambda sentence: (-self.cosines[sentence], sentence))
                for sentence in open_[: self.config.sentences]:
                    used.add(sentence)
                    cosine = float(self.cosines[sentence])
                    carried = round(value * cosine, 6)
                    kept = carried >= self.config.delta
                    for name in _columns(self.in_sentences, sentence):
                        self.reached.append(
                            Reached(name, carried, tier, source, sentence, cosine, kept)
                        )
                        if kept:
                            current[name] = carried

    def starts(self) -> Values:
        """(names,) what a walk starts with: the sum of all activations that reached a name."""
        found = np.zeros(self.in_sentences.shape[1])
        for one in self.reached:
            if one.kept:
                found[one.name] += one.value
        return found

    def bonus(self, counts: Sparse) -> Values:
        """(passages,) ln(1 + the sum over active names of activation × ln(1 + count) / tier).

        `counts` (passages, names): how often a passage names each. A name's activation and tier are
        the last that reached it.
        """
        last = {one.name: one.value / one.tier for one in self.reached if one.kept}
        weights = np.zeros(counts.shape[1])
        weights[list(last)] = list(last.values())
        logs = counts.copy()
        logs.data = np.log1p(logs.data)
        return np.asarray(np.log1p(logs @ weights), np.float64)


def _columns(matrix: Sparse, row: int) -> list[int]:
    found: list[int] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()
    return sorted(found)
