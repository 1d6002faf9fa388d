"""One search whose ranking is proved: more is fetched than is wanted, counted again here, and as
long as something that was not fetched could be among the first k, more is fetched.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gear_app.errors import BadInput, ClusterFailed
from gear_app.index.text_index import SCREENED, exact_cosines, top
from gear_app.opensearch import queries, schema
from gear_app.opensearch.documents import decoded, passage_of, triple_of
from gear_app.opensearch.schema import Json
from gear_app.opensearch.words import ROUNDED, Bm25Query
from gear_app.rows import Over, StoredTriple
from gear_app.seams import Vectors
from gear_app.types import Passage, Ranking

Row = Passage | StoredTriple
FIRST: dict[Over, int] = {"passages": 20, "triples": 100}  # fetched at least; triples often tie
PAGE = 5_000  # fetched at most in one answer
TIED = 16  # times as many as were fetched come next where the last of them ties with the k-th
MOST = 20_000  # beyond what is wanted; then the ranking is said not to be proved
SPARE = 20  # fetched beyond k of vectors, whose scores the server rounds alone
EDGE = 1e-6  # what is rounded away from scores


class Scores(Protocol):
    """By what hits are ranked."""

    dfs: bool
    fields: tuple[str, ...]

    def query(self, size: int) -> Json:
        """As the server is asked for so many."""
        ...

    def of(self, hits: list[Json], rows: list[Row]) -> NDArray[np.float64]:
        """(n,) the true scores."""
        ...

    def bound(self, score: float) -> float:
        """The greatest true score that a text can have to which the server gives this one."""
        ...


class WordScores:
    """BM25 of passages or triples, or of those among some."""

    dfs: bool = True
    fields: tuple[str, ...] = ()

    def __init__(self, over: Over, asked: Bm25Query, among: Collection[int] | None) -> None:
        """Raises BadInput where the query has more words than a server takes."""
        self._over, self._asked, self._among = over, asked, among
        if len(asked.words) > queries.MOST_CLAUSES:
            raise BadInput(
                f"The query has {len(asked.words):,} different words; a cluster takes"
                f" {queries.MOST_CLAUSES:,}. Shorten it."
            )

    @property
    def empty(self) -> bool:
        """Whether nothing can be found."""
        return not any(word.boost > 0 for word in self._asked.words)

    @property
    def lucene(self) -> bool:
        """Whether words are weighed by Lucene's idf."""
        return self._asked.lucene

    def query(self, size: int) -> Json:
        """Words, boosted."""
        return queries.of_words(self._over, self._asked.words, self._among)

    def of(self, hits: list[Json], rows: list[Row]) -> NDArray[np.float64]:
        """Of the rows' texts. Raises ClusterFailed where the server's are not what it was told."""
        scores = self._asked.scores([_text(row) for row in rows])
        for hit, score in zip(hits, scores.tolist(), strict=True):
            if score > self.bound(hit["sort"][0]) + EDGE:
                raise ClusterFailed(
                    f"The cluster scores {hit['_id']} with {hit['sort'][0]:.6f} and BM25 is"
                    f" {score:.6f}: its statistics are not those of this collection. Run: gear-app"
                    " index verify"
                )
        return scores

    def bound(self, score: float) -> float:
        """Lucene rounds lengths down: but for float32, its score is no less than the true one."""
        return score * (1 + ROUNDED)


class VectorScores:
    """Cosines, of what `query` matches."""

    dfs: bool = False
    fields: tuple[str, ...] = (schema.BYTES,)

    def __init__(self, over: Over, vector: Vectors, where: Json, ef: int | None = None) -> None:
        """`ef`: HNSW finds them, not all perhaps; None: all that `where` matches are compared."""
        self._over, self._vector, self._where, self.ef = over, vector, where, ef

    def query(self, size: int) -> Json:
        """Compared with the vector."""
        if self.ef and self._vector.any():
            return queries.graph_near(self._over, self._vector, size, self.ef)
        return queries.near(self._over, self._vector, self._where)

    def of(self, hits: list[Json], rows: list[Row]) -> NDArray[np.float64]:
        """Of the stored vectors, in float64."""
        return exact_cosines(vectors_of(hits, len(self._vector)), self._vector)

    def bound(self, score: float) -> float:
        """The server's is 1 + cosine; a query without direction has a cosine of 0 with all."""
        return score - 1 + SCREENED if self._vector.any() else -math.inf


class RankedSearch:
    """The first k by some scores, page by page until they are proved."""

    def __init__(self, over: Over, scores: Scores, k: int, first: int) -> None:
        """`first` is how many are fetched to begin with."""
        self._over, self._scores, self._k = over, scores, k
        self._size, self._after = min(max(first, 1), PAGE), None
        self._ids: list[int] = []
        self._found: list[NDArray[np.float64]] = []
        self.hits: dict[int, Json] = {}
        self.rows: dict[int, Row] = {}
        self.done = self.proved = False

    @property
    def approximate(self) -> bool:
        """Whether HNSW chose what was fetched."""
        return bool(getattr(self._scores, "ef", None))

    @property
    def lucene(self) -> bool:
        """Whether words were weighed by Lucene's idf and found something."""
        return bool(getattr(self._scores, "lucene", False) and self.ranking.hits)

    @property
    def dfs(self) -> bool:
        """Whether statistics are those of all shards."""
        return self._scores.dfs

    @property
    def body(self) -> Json:
        """The next page, as the server is asked for it."""
        query = self._scores.query(self._size)
        body = queries.best(query, self._size, self._scores.fields)
        return body if self._after is None else {**body, "search_after": self._after}

    @property
    def ranking(self) -> Ranking:
        """The first k of what was fetched: those with a score above 0 where words are compared."""
        scores = np.concatenate(self._found) if self._found else np.zeros(0)
        ids = np.array(self._ids, np.int64)
        if self.dfs:
            above = scores > 0
            scores, ids = scores[above], ids[above]
        return top(scores, self._k, ids)

    def take(self, answer: Json) -> None:
        """Count a page again; `done` where no more is to be fetched."""
        hits = answer["hits"]["hits"]
        ids = [number_of(hit) for hit in hits]
        rows = [row_of(self._over, hit) for hit in hits]
        self._ids += ids
        self._found.append(self._scores.of(hits, rows))
        self.hits.update(zip(ids, hits, strict=True))
        self.rows.update(zip(ids, rows, strict=True))
        exhausted = len(hits) < self._size
        self.proved = not self.approximate and (exhausted or self._nothing_can_enter(hits[-1]))
        self.done = self.proved or self.approximate or len(self._ids) >= self._k + MOST
        if not self.done:
            self._after = hits[-1]["sort"]
            growth = TIED if self._ties(hits[-1]) else 1
            self._size = min(growth * len(self._ids), PAGE)

    def _nothing_can_enter(self, last: Json) -> bool:
        ranking = self.ranking
        if len(ranking) < self._k:
            return False
        return ranking.hits[-1].score > self._scores.bound(last["sort"][0]) + EDGE

    def _ties(self, last: Json) -> bool:
        """Whether the server scores the last that came as the k-th: texts that occur often are
        walked through in a few large pages.

        Such a tie is no proof, though the server breaks it by id as well: its float32 are the same
        for texts whose scores differ in the sixth digit, or whose lengths it rounds to one.
        """
        ranking = self.ranking
        if len(ranking) < self._k:
            return False
        return bool(self.hits[ranking.hits[-1].id]["sort"][0] == last["sort"][0])


def number_of(hit: Json) -> int:
    """The id of a hit."""
    return int(hit["fields"][schema.ID][0])


def row_of(over: Over, hit: Json) -> Row:
    """The passage or triple of a hit."""
    row = hit["_source"][schema.ROW]
    return (passage_of if over == "passages" else triple_of)(number_of(hit), row)


def vectors_of(hits: list[Json], dimension: int, field: str = schema.BYTES) -> Vectors:
    """(n, d) what is stored of the hits in this field."""
    rows = [decoded(hit["fields"][field][0], dimension) for hit in hits]
    return np.concatenate(rows) if rows else np.zeros((0, dimension), np.float32)


def _text(row: Row) -> str:
    return row.indexed if isinstance(row, Passage) else row.triple.text
