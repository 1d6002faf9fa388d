"""Runs in a file of their own: which rows of which table they need, and what they become where
nothing else is there.

Rows are copied, not deleted from a copy: what does not belong to the runs never gets into the file,
not even as free pages, and a large workspace costs what the runs need of it. Ids stay as they are,
since events name them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from gear_app.store.database import Database

_RUNS = "(SELECT value FROM json_each(:runs))"  # their numbers
_SETS = "(SELECT value FROM json_each(:sets))"
_LIVE = (  # at one of these revisions at least
    "added <= :last AND (retired IS NULL OR retired > :first)"
)
_MODEL = "(SELECT id FROM main.models)"
_FOLLOWS = (  # only such a method looks at mentions
    "EXISTS (SELECT 1 FROM main.runs WHERE ':' || method || ':' LIKE '%:chain:%')"
)
COPIED: Mapping[str, str] = {  # in this order: a condition may look at what was copied before it
    "runs": f"number IN {_RUNS}",
    "events": f"run IN {_RUNS}",
    "collections": "id = :collection",
    "labels": "collection_id = :collection"
    " AND json_extract(record, '$.run') IN (SELECT id FROM main.runs)",
    "categories": "key IN (SELECT json_extract(record, '$.category') FROM main.labels)",
    "triple_sets": f"id IN {_SETS} AND collection_id = :collection",
    "documents": f"collection_id = :collection AND {_LIVE}",
    "passages": f"collection_id = :collection AND {_LIVE}",
    "passage_aliases": "collection_id = :collection AND key IN (SELECT key FROM main.passages)",
    "triples": f"set_id IN {_SETS} AND {_LIVE}",
    "absences": "triple_id IN (SELECT id FROM main.triples)",
    # Those passages that were extracted by then, as far as that can be told: from their number of
    # triples.
    "extractions": (
        f"set_id IN {_SETS} AND passage_id IN (SELECT id FROM main.passages) AND triples = (SELECT"
        " count(*) FROM main.triples t WHERE t.passage_id = extractions.passage_id AND t.set_id ="
        " extractions.set_id AND (t.retired IS NULL OR t.retired > :last))"
    ),
    "passage_entities": (
        f"set_id IN {_SETS} AND (passage_id IN (SELECT passage_id FROM main.extractions) OR EXISTS"
        " (SELECT 1 FROM main.triples t WHERE t.passage_id = passage_entities.passage_id AND"
        " entity_id IN (subject_id, object_id)))"
    ),
    "entities": (
        "id IN (SELECT entity_id FROM main.passage_entities UNION SELECT subject_id FROM"
        " main.triples UNION SELECT object_id FROM main.triples)"
    ),
    "questions": (
        "id = (SELECT min(id) FROM origin.questions WHERE collection_id = :collection AND normal ="
        " :question)"
    ),
    "gold": "question_id IN (SELECT id FROM main.questions)",
    "models": "fingerprint = :model",
    "sentences": f"passage_id IN (SELECT id FROM main.passages) AND {_FOLLOWS}",
    "passage_mentions": f"passage_id IN (SELECT id FROM main.passages) AND {_FOLLOWS}",
    "mentions": "id IN (SELECT mention_id FROM main.passage_mentions)",
    "embeddings": (
        f"model_id = {_MODEL} AND text_hash IN (SELECT text_hash FROM main.passages UNION SELECT"
        " text_hash FROM main.sentences UNION SELECT text_hash FROM main.triples)"
    ),
    # The plus keeps SQLite from looking up every pair of entities in the table's index.
    "synonyms": (
        f"collection_id = :collection AND model_id = {_MODEL} AND later_id IN (SELECT id FROM"
        " main.entities) AND +earlier_id IN (SELECT id FROM main.entities)"
    ),
    "compared": (
        f"collection_id = :collection AND model_id = {_MODEL} AND EXISTS (SELECT 1 FROM"
        " main.entities)"
    ),
}
# Replies are in the run's events; the others are about this machine, its people and its work: the
# triples are as they were, and nothing is to be undone there.
LEFT = frozenset(
    {
        "model_replies",
        "jobs",
        "imports",
        "processes",
        "prices",
        "evaluations",
        "evaluation_runs",
        "run_facts",
        "variants",
        "run_files",
        "edits",
        "edited_triples",
        "edited_entities",
        "taken_questions",
        "derived",
    }
)

IDS: Mapping[str, tuple[str, ...]] = {  # the columns with ids, of the tables that are adopted
    "collections": ("id", "active_set_id"),
    "triple_sets": ("id", "collection_id"),
    "documents": ("id", "collection_id"),
    "passages": ("id", "collection_id", "document_id"),
    "passage_aliases": ("collection_id",),
    "entities": ("id", "collection_id"),
    "triples": ("id", "set_id", "passage_id", "subject_id", "object_id"),
    "absences": ("triple_id",),
    "extractions": ("set_id", "passage_id"),
    "passage_entities": ("set_id", "passage_id", "entity_id"),
    "questions": ("id", "collection_id"),
    "gold": ("question_id",),
    "sentences": ("id", "passage_id"),
    "mentions": ("id", "collection_id"),
    "passage_mentions": ("passage_id", "mention_id"),
    "synonyms": ("collection_id", "later_id", "earlier_id"),
    "compared": ("collection_id", "entity_id"),
}

_AS_IT_WAS = (
    "UPDATE passages SET mentions = 0 WHERE id NOT IN (SELECT passage_id FROM sentences)",
    *(
        f"UPDATE {table} SET retired = NULL WHERE retired > :last"
        for table in ("documents", "passages", "triples")
    ),
    (
        "UPDATE triples SET retired = (SELECT since FROM absences WHERE triple_id = id AND since <="
        " :last AND until > :last) WHERE id IN (SELECT triple_id FROM absences WHERE since <= :last"
        " AND until > :last)"
    ),
    "DELETE FROM absences WHERE until > :last",
    (
        "UPDATE collections SET revision = :last, passages_revision = min(passages_revision,"
        " :last), active_set_id = json_extract(:sets, '$[0]'), pinned_run = (SELECT number FROM"
        " runs WHERE number = pinned_run)"
    ),
    "UPDATE triple_sets SET revision = min(revision, :last)",
    "UPDATE runs SET owner = '', process = NULL, key_from = ''",
)


@dataclass(frozen=True, slots=True)
class Needs:
    """What runs of one collection need of their workspace: rows of the revisions from `first` to
    `last`, vectors of `model`.

    `runs` are their numbers, `sets` the triple sets they use. `collection` is None where it was
    deleted; `question` is normalised.
    """

    runs: tuple[int, ...]
    collection: int | None
    sets: tuple[int, ...]
    first: int
    last: int
    model: str
    question: str


def copy(db: Database, origin: str, needs: Needs) -> None:
    """Fill an empty workspace file with what runs of another file need. Their collection is as it
    was at `last`.
    """
    values = asdict(needs) | {"runs": json.dumps(needs.runs), "sets": json.dumps(needs.sets)}
    with db.beside(origin):
        for table, condition in COPIED.items():
            db.execute(
                f"INSERT INTO main.{table} SELECT * FROM origin.{table} WHERE {condition}", values
            )
        for statement in _AS_IT_WAS:
            db.execute(statement, values)


def drop_vectors(db: Database) -> None:
    """Leave out the vectors, and the space that they took."""
    db.execute("DELETE FROM embeddings")
    db.execute("VACUUM")


def adopt(db: Database, name: str, model: int | None) -> int:
    """Take the collection of `origin`, a bundle that was looked at (store.foreign) and is beside
    (Database.beside), under a name that is free; how much greater its ids are here.

    All ids grow by one number, so their order stays, by which ties are broken. `model` is the
    number that the embedding model has here: of names that were compared by it; vectors are not
    taken.
    """
    db.execute("UPDATE collections SET name = name WHERE 0")  # to be the one who writes from here
    shift = max(
        int(db.value("SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence")),
        int(db.value("SELECT coalesce(max(id), 0) FROM main.questions")),
    )
    for table, ids in IDS.items():
        columns = [
            str(row["name"]) for row in db.rows(f"SELECT name FROM pragma_table_info('{table}')")
        ]
        taken = {column: f'"{column}"' for column in columns}
        taken |= {column: f'"{column}" + :shift' for column in ids}
        if table == "collections":
            taken |= {"name": ":name", "pinned_run": "NULL"}
        if "model_id" in taken:
            taken["model_id"] = ":model"
        if "model_id" not in taken or model is not None:
            into = ", ".join(f'"{column}"' for column in columns)
            db.execute(
                f"INSERT INTO main.{table} ({into}) SELECT {', '.join(taken.values())} FROM"
                f" origin.{table}",
                {"shift": shift, "name": name, "model": model},
            )
    return shift


def adopt_vectors(db: Database, model: int) -> None:
    """Take the vectors of `origin`, of texts that have none here, as those of this model."""
    db.execute(
        "INSERT OR IGNORE INTO main.embeddings (model_id, text_hash, vector) SELECT ?, text_hash,"
        " vector FROM origin.embeddings",
        [model],
    )
