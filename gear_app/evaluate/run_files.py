"""Runs of other programs, brought as TREC run files: measured over the same questions, with the
same measures and tests, as a method named after the file's tag.

Of such a run only rankings are known. It has no events, so nothing tells what an iteration found or
which step lost a passage; and what it took is not known.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import PurePath
from typing import BinaryIO, NamedTuple, TextIO

from gear_app.analysis.metrics import document_key, without_itself
from gear_app.errors import BadInput, Unknown
from gear_app.evaluate.run_facts import Ranks, ranks_of
from gear_app.exports.trec import read_run
from gear_app.store.evaluations import EvaluationRow, RunFile
from gear_app.text import count
from gear_app.types import Question
from gear_app.workspace import Workspace

PREFIX = "file:"  # of the name that an evaluation has for it
DEEPEST = 1_000  # passages of a question
MOST_LINES = 5_000_000
LOOKED_UP = 50  # passages, to see whether a file is of the collection
LONGEST = 60  # characters of a tag
_UNFIT = re.compile(r"[|\s\x00-\x1f]+")  # "|" is between the parts of an address


class BroughtRun(NamedTuple):
    """A run file as an evaluation has it: its name, and the path that it was read from, its name
    alone where a browser brought it. `depth` is how many passages its longest ranking has;
    `missing` the questions that it has no ranking for, which count as nothing found.
    """

    words: str
    file: str
    depth: int
    missing: tuple[str, ...]
    ranks: Mapping[str, Ranks]
    path: str

    def sentence(self, k: int) -> str:
        """What it is, and what is not known of it."""
        told = f"{tag_of(self.words)} is read from {self.file}: only its rankings are known"
        if self.missing:
            told += f", and none for {count(len(self.missing), 'question')}, which count as 0"
        if self.depth < k:
            told += f". They end at rank {self.depth}: what is deeper counts as not found"
        return f"{told}."


def is_brought(words: str) -> bool:
    """Whether a method of an evaluation is a run file."""
    return words.startswith(PREFIX)


def tag_of(words: str) -> str:
    """The tag of a run file by its name in an evaluation."""
    return words.removeprefix(PREFIX)


@contextmanager
def opened(file: BinaryIO, name: str) -> Iterator[TextIO]:
    """The lines of a run file, unpacked where it is a .gz. What of it cannot be read is BadInput,
    also while it is read.
    """
    packed = name.lower().endswith(".gz")
    try:
        with gzip.GzipFile(fileobj=file) if packed else nullcontext(file) as whole:
            yield io.TextIOWrapper(whole, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is no text in UTF-8.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{name} cannot be read: {error}.") from error


def bring(
    workspace: Workspace,
    evaluation: EvaluationRow,
    questions: Sequence[Question],
    lines: Iterable[str],
    file: str,
    themselves: Container[str],
) -> BroughtRun:
    """Add a run file to an evaluation of these questions, in place of one with the same tag.

    Raises BadInput where it is no run file, or has no question of the evaluation, or no passage of
    its collection: ids are compared as they are written in qrels.txt.
    """
    path, file = file, PurePath(file).name
    tag, rankings = read_run(_limited(lines))
    kept = {
        one.id: [(found.key, found.score) for found in rankings[one.id][:DEEPEST]]
        for one in questions
        if one.id in rankings
    }
    if not kept:
        raise BadInput(
            f"{file} has none of the evaluation's questions. It has {next(iter(rankings))!r};"
            f" the evaluation has {questions[0].id!r}."
        )
    _check_passages(workspace, evaluation.collection, kept, questions, file)
    brought = RunFile(_UNFIT.sub(" ", tag).strip()[:LONGEST] or "run", path, kept)
    workspace.store.run_files.keep(evaluation.id, brought)
    return brought_run(brought, questions, themselves)


def drop(workspace: Workspace, evaluation: str, tag: str) -> None:
    """Take a run file out of an evaluation. Raises Unknown."""
    there = [one for one, _ in workspace.store.run_files.stamp(evaluation)]
    if tag not in there:
        raise Unknown("run file", tag, there)
    workspace.store.run_files.drop(evaluation, tag)


def brought_run(
    brought: RunFile, questions: Sequence[Question], themselves: Container[str]
) -> BroughtRun:
    """What an evaluation shows of a file: the ranks of the gold passages. `themselves` are the ids
    of questions that are passages of the collection.
    """
    keys = {
        one.id: without_itself(
            [key for key, _ in brought.rankings.get(one.id, ())],
            one.id if one.id in themselves else "",
        )
        for one in questions
    }
    return BroughtRun(
        PREFIX + brought.tag,
        PurePath(brought.file).name,
        max((len(ranking) for ranking in brought.rankings.values()), default=0),
        tuple(one.id for one in questions if one.id not in brought.rankings),
        {one.id: ranks_of(keys[one.id], one.supporting_keys) for one in questions},
        brought.file,
    )


def _limited(lines: Iterable[str]) -> Iterable[str]:
    for number, line in enumerate(lines, start=1):
        if number > MOST_LINES:
            raise BadInput(f"The run file has more than {MOST_LINES:,} lines. Cut its rankings.")
        yield line


def _check_passages(
    workspace: Workspace,
    collection: str,
    rankings: Mapping[str, Sequence[tuple[str, float]]],
    questions: Sequence[Question],
    file: str,
) -> None:
    """Raise BadInput where no id is one of a passage, or of a document that was cut."""
    row = workspace.store.collections.get(collection)
    named = list(dict.fromkeys(key for ranking in rankings.values() for key, _ in ranking))
    there = workspace.store.passages.named(row.id, row.revision, named[:LOOKED_UP])
    gold = {key for one in questions for key in one.supporting_keys}
    if there or gold & {*named, *map(document_key, named)}:
        return
    raise BadInput(
        f"{file} ranks none of the passages of {collection!r}: it has {named[0]!r}. Passages are"
        " named as in qrels.txt, which gear-app eval --trec FOLDER writes."
    )
