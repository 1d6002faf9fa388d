"""TREC run files of other programs, measured as a method named after the file's tag, over the same
questions, with the same measures and tests. Only rankings are known: no events, no costs.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import PurePath
from typing import BinaryIO, NamedTuple, TextIO

from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.evaluation.definition import Ranks
from gear_app.evaluation.measures import ranks_of
from gear_app.evaluation.trec import read_run
from gear_app.evaluation.variants import FILE, tag_of
from gear_app.store.evaluations import RunFile
from gear_app.trace.metrics import document_key, without_itself
from gear_app.workspace.workspace import Workspace

DEEPEST = 1_000  # passages of a question
MOST_LINES = 5_000_000
LOOKED_UP = 50  # passages, to see whether a file is of the collection
LONGEST = 60  # characters of a tag
_UNFIT = re.compile(r"[|\s\x00-\x1f]+")  # "|" is between the parts of an address


class FileRun(NamedTuple):
    """A run file as a method of an evaluation."""

    words: str
    file: str
    depth: int  # passages of its longest ranking
    missing: tuple[str, ...]  # questions without a ranking, which count as 0
    ranks: Mapping[str, Ranks]  # by question
    path: str  # as it was read; the name alone from a browser

    def sentence(self, k: int) -> str:
        """A sentence on the file, and on what is not known of the run."""
        words = f"{tag_of(self.words)} is read from {self.file}: only its rankings are known"
        if self.missing:
            words += f", and none for {count(len(self.missing), 'question')}, which count as 0"
        if self.depth < k:
            words += f". They end at rank {self.depth}: what is deeper counts as not found"
        return f"{words}."


@contextmanager
def opened(file: BinaryIO, name: str) -> Iterator[TextIO]:
    """Open the lines of a run file, unpacked if it is a .gz. Unreadable parts raise BadInput, also
    during reading.
    """
    packed = name.lower().endswith(".gz")
    try:
        with gzip.GzipFile(fileobj=file) if packed else nullcontext(file) as content:
            yield io.TextIOWrapper(content, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is no text in UTF-8.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{name} cannot be read: {error}.") from error


def read(
    workspace: Workspace,
    collection: str,
    questions: Sequence[Question],
    lines: Iterable[str],
    file: str,
) -> RunFile:
    """Read a run file over these questions. Raises BadInput if it is no run file, or has no
    question of the evaluation, or no passage of its collection: ids are compared as in qrels.txt.
    """
    iterator, name = iter(lines), PurePath(file).name
    tag, rankings = read_run(islice(iterator, MOST_LINES))
    if next(iterator, ""):
        raise BadInput(f"The run file has more than {MOST_LINES:,} lines. Cut its rankings.")
    listed = {
        question.id: [(passage.key, passage.score) for passage in rankings[question.id][:DEEPEST]]
        for question in questions
        if question.id in rankings
    }
    if not listed:
        raise BadInput(
            f"{name} has none of the evaluation's questions. It has {next(iter(rankings))!r};"
            f" the evaluation has {questions[0].id!r}."
        )
    row = workspace.store.collections.get(collection)
    keys = list(dict.fromkeys(key for ranking in listed.values() for key, _ in ranking))
    gold = {key for question in questions for key in question.supporting_keys}
    passages = workspace.store.passages.named(row.id, row.revision, keys[:LOOKED_UP])
    if not passages and not gold & {*keys, *map(document_key, keys)}:
        raise BadInput(
            f"{name} ranks none of the passages of {collection!r}: it has {keys[0]!r}. Passages are"
            " named as in qrels.txt, which gear-app eval --trec FOLDER writes."
        )
    return RunFile(_UNFIT.sub(" ", tag).strip()[:LONGEST] or "run", file, listed)


def ranked(stored: RunFile, questions: Sequence[Question], in_corpus: Container[str]) -> FileRun:
    """A stored file with the ranks of the gold passages. `in_corpus`: ids of questions that are
    passages of the collection, which are left out of their own ranking.
    """
    ranks = {}
    for question in questions:
        keys = [key for key, _ in stored.rankings.get(question.id, ())]
        keys = without_itself(keys, question.id if question.id in in_corpus else "")
        ranks[question.id] = ranks_of(keys, question.supporting_keys)
    return FileRun(
        FILE + stored.tag,
        PurePath(stored.file).name,
        max((len(ranking) for ranking in stored.rankings.values()), default=0),
        tuple(question.id for question in questions if question.id not in stored.rankings),
        ranks,
        stored.file,
    )
