"""TREC run files of other programs, measured as a method named after the file's tag, over the same
questions, with the same measures and tests. Only rankings are known: no events, no costs.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Container, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import pandas as pd

from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.evaluation.definition import Ranks
from gear_app.evaluation.frames import ranks_of
from gear_app.evaluation.variants import FILE, tag_of
from gear_app.store.evaluations import RunFile
from gear_app.trace.metrics import document_key, without_itself

FIELDS = ["question", "Q0", "key", "rank", "score", "tag"]
DEEPEST = 1_000  # passages of a question
LONGEST = 60  # characters of a tag
_UNFIT = re.compile(r"[|\s\x00-\x1f]+")  # "|" is between the parts of an address


class FileRun(NamedTuple):
    """A run file as a method of an evaluation."""

    words: str
    file: str
    depth: int  # passages of its longest ranking
    missing: tuple[str, ...]  # questions without a ranking, which count as 0
    ranks: Mapping[str, Ranks]  # by question

    def sentence(self, k: int) -> str:
        """A sentence on the file, and on what is not known of the run."""
        words = f"{tag_of(self.words)} is read from {self.file}: only its rankings are known"
        if self.missing:
            words += f", and none for {count(len(self.missing), 'question')}, which count as 0"
        if self.depth < k:
            words += f". They end at rank {self.depth}: what is deeper counts as not found"
        return f"{words}."


def read_run(content: bytes, name: str) -> RunFile:
    """Read a run file, packed if its name ends in .gz. Rankings are by falling score, equal ones by
    falling id, as trec_eval orders them. Raises BadInput for a file that is not one run.
    """
    packed = name.lower().endswith(".gz")
    try:
        lines = pd.read_csv(
            io.BytesIO(content),
            sep=r"\s+",
            header=None,
            names=FIELDS,
            index_col=False,
            dtype=str,
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            encoding="utf-8-sig",
            compression="gzip" if packed else None,
        )
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BadInput(f"{name} cannot be read as a TREC run: {error}") from error
    scores = pd.to_numeric(lines["score"], errors="coerce")
    lines["score"] = scores.where(np.isfinite(scores))
    lines[["question", "key"]] = lines[["question", "key"]].map(unquote, na_action="ignore")
    wrong = lines.isna().any(axis=1) | lines.duplicated(["question", "key"])
    tags = list(lines["tag"].unique())
    if wrong.any() or len(tags) != 1:
        raise BadInput(
            f"{name} is not one TREC run with lines of question Q0 passage rank score tag, each"
            f" passage once a question. It has {count(len(tags), 'tag')}; see line"
            f" {int(wrong.argmax()) + 1}."
        )
    lines = lines.sort_values(["score", "key"], ascending=False, kind="stable")
    rankings = {
        str(question): list(zip(ranking["key"], ranking["score"].astype(float), strict=True))
        for question, ranking in lines.groupby("question", sort=False)
    }
    tag = _UNFIT.sub(" ", unquote(tags[0])).strip()[:LONGEST]
    return RunFile(tag or "run", PurePath(name).name, rankings)


def read(questions: Sequence[Question], content: bytes, name: str) -> RunFile:
    """Read a run file over these questions. Raises BadInput if it is no run file, or has no
    question of the evaluation, or no gold passage: ids are compared as in qrels.txt.
    """
    stored = read_run(content, name)
    ids = [question.id for question in questions]
    rankings = {id_: stored.rankings[id_][:DEEPEST] for id_ in ids if id_ in stored.rankings}
    if not rankings:
        raise BadInput(
            f"{name} has none of the evaluation's questions. It has"
            f" {next(iter(stored.rankings))!r}; the evaluation has {ids[0]!r}."
        )
    keys = list(dict.fromkeys(key for ranking in rankings.values() for key, _ in ranking))
    gold = {key for question in questions for key in question.supporting_keys}
    if not gold & {*keys, *map(document_key, keys)}:
        raise BadInput(
            f"{name} ranks none of the gold passages: it has {keys[0]!r}. Passages are named as in"
            " qrels.txt, which gear-app eval --trec FOLDER writes."
        )
    return stored._replace(rankings=rankings)


def ranked(stored: RunFile, questions: Sequence[Question], in_corpus: Container[str]) -> FileRun:
    """A stored file with the ranks of the gold passages. `in_corpus`: ids of questions that are
    passages of the collection, which are left out of their own ranking.
    """
    ranks = {}
    for question in questions:
        keys = [key for key, _ in stored.rankings.get(question.id, ())]
        keys = without_itself(keys, question.id if question.id in in_corpus else "")
        ranks[question.id] = ranks_of(keys, question.supporting_keys)
    missing = tuple(question.id for question in questions if question.id not in stored.rankings)
    depth = max(map(len, stored.rankings.values()), default=0)
    return FileRun(FILE + stored.tag, stored.file, depth, missing, ranks)
