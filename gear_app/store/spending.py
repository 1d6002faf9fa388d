"""What language models took: summed over runs and jobs, and of single runs and replies, for
estimates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from gear_app.events import Called, Event, Failed
from gear_app.store.database import Database
from gear_app.store.rows import NewRun, Spent, spent_of

_SUMS = ", ".join(f"sum({item.name}) AS {item.name}" for item in fields(Spent))


class Spending(NamedTuple):
    """What one model of one server took in this workspace, in so many runs and extraction jobs."""

    server: str
    model: str
    runs: int
    jobs: int
    spent: Spent


class EarlierRun(NamedTuple):
    """What an earlier run took. `current`: on the passages and triples of now; `prompts`: the
    hashes of its prompts.
    """

    run: int  # its number
    question: str
    current: bool
    prompts: str
    calls: int
    input_tokens: int
    output_tokens: int


class Totals:
    """A workspace's sums."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def by_model(self) -> list[Spending]:
        """What each model took, by server and name. A cost is None where that of any run or job is
        not known.
        """
        found: dict[tuple[str, str], Spending] = {}
        for table in ("runs", "jobs"):
            rows = self._db.rows(
                "SELECT json_extract(model, '$.base_url') AS server, json_extract(model,"
                " '$.model') AS name, count(*) AS count, count(*) > count(cost) AS unknown,"
                f" {_SUMS} FROM {table} WHERE model <> '' AND calls > 0 GROUP BY 1, 2"
            )
            for row in rows:
                spent = spent_of(row)
                spent = replace(spent, cost=None) if row["unknown"] else spent
                key = row["server"], row["name"]
                before = found.get(key, Spending(*key, 0, 0, Spent()))
                found[key] = before._replace(
                    **{table: getattr(before, table) + row["count"]}, spent=before.spent + spent
                )
        return [found[key] for key in sorted(found)]

    def earlier(self, like: NewRun) -> list[EarlierRun]:
        """The finished runs of the same method, configuration, model and triple set, oldest first,
        of any question.
        """
        rows = self._db.tuples(
            "SELECT r.number, r.question, r.revision >= max(c.passages_revision,"
            " coalesce(s.revision, 0)), coalesce(json_extract(r.versions, '$.prompts'), ''),"
            " r.calls, r.input_tokens, r.output_tokens FROM runs r JOIN collections c ON c.id ="
            " r.collection_id LEFT JOIN triple_sets s ON s.id = r.set_id WHERE r.state = 'done' AND"
            " r.message = '' AND r.collection_id = ? AND r.set_id IS ? AND r.method = ? AND"
            " r.config = ? AND r.k = ? AND r.reader = ? AND r.model = ? AND r.options = ? ORDER BY"
            " r.number",
            [
                like.collection.id,
                like.triple_set.id if like.triple_set else None,
                like.method,
                _json(like.config),
                like.k,
                like.reader,
                like.model,
                _json(like.options),
            ],
        )
        return [EarlierRun(row[0], row[1], bool(row[2]), *row[3:]) for row in rows]

    def reply_tokens(
        self, server: str, model: str, prompt_hashes: Sequence[str]
    ) -> dict[str, float]:
        """How many tokens the kept replies of a model have on average, by prompt."""
        found = self._db.tuples(
            "SELECT prompt_hash, avg(output_tokens) FROM model_replies WHERE server = ? AND model"
            f" = ? AND prompt_hash IN ({', '.join('?' * len(prompt_hashes))}) GROUP BY 1",
            [server, model, *prompt_hashes],
        )
        return dict(found)


def _json(value: object) -> str:
    """As runs are stored."""
    return json.dumps(value, ensure_ascii=False)


def add_event(spent: Spent, event: Event) -> Spent:
    """What was spent, with this event; replies kept from before count: it is what the method takes,
    whoever paid.
    """
    match event:
        case Called() if event.failed:
            return spent
        case Called():
            return Spent(
                spent.calls + 1,
                spent.kept + event.cached,
                spent.unusable,
                spent.input_tokens + event.input_tokens,
                spent.output_tokens + event.output_tokens,
                None if spent.cost is None or event.cost is None else spent.cost + event.cost,
                spent.taken + (0 if event.cached else event.input_tokens + event.output_tokens),
            )
        case Failed() if event.replied:
            return replace(spent, unusable=spent.unusable + 1)
    return spent
