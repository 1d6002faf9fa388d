"""Forty faults, each of which a test has to catch: what the tests are for, as data.

`python -m tests.faults` plants them one after the other in a copy of the package, never in place,
and runs the tests that are to catch each; names of faults, or parts of them, choose some. It ends
with 1 where a fault was not caught or could not be planted: the line that it changes is gone, or
stands there twice.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COPIED = ("gear_app", "tests")  # the others are links: tests find them beside the package
FAILED = 1  # pytest's exit status where a test failed; others say that none ran
PATIENCE_S = 600


class Fault(NamedTuple):
    """A line written wrong, and the tests that catch it. `old` stands once in the package."""

    name: str
    breaks: str
    old: str
    new: str
    test: str


FAULTS = (
    Fault(
        "steps: sign of the diversity weight",
        "later extensions of a beam are raised where they should be lowered",
        "math.exp(-min(n, gamma) / gamma)",
        "math.exp(min(n, gamma) / gamma)",
        "tests/methods/steps/test_expand.py",
    ),
    Fault(
        "steps: ranks from 0",
        "reciprocal rank fusion counts ranks from 0",
        "value = 1 / (constant + rank)",
        "value = 1 / (constant + rank - 1)",
        "tests/methods/steps/test_fuse.py",
    ),
    Fault(
        "steps: restart for damping",
        "the walk of HippoRAG goes on where it should restart",
        "restart * start + (1 - restart) * walked",
        "(1 - restart) * start + restart * walked",
        "tests/methods/steps/test_pagerank.py",
    ),
    Fault(
        "steps: cut below the mean",
        "BDTR keeps what scores μ - σ",
        "threshold = round(mean + deviation, 6)",
        "threshold = round(mean - deviation, 6)",
        "tests/methods/steps/test_calibrate.py",
    ),
    Fault(
        "steps: exact repeats alone",
        "the gist memory takes in a triple that it has in other capitals",
        "group = repeated if _fact(triple) in facts_known else added",
        "group = repeated if triple in memory else added",
        "tests/methods/steps/test_remember.py",
    ),
    Fault(
        "index: k1 without 1",
        "BM25 scores are lower than rank-bm25's",
        "idf * counts * (K1 + 1)",
        "idf * counts * K1",
        "tests/index/test_bm25.py",
    ),
    Fault(
        "index: ties by place",
        "equal scores go to the greater id",
        "np.lexsort((ids[among], -rounded[among]))",
        "np.lexsort((-ids[among], -rounded[among]))",
        "tests/index/test_embedded.py",
    ),
    Fault(
        "embedders: vectors in the order of the reply",
        "texts get each other's vectors where a server lists them in another order",
        'ordered = sorted(rows, key=lambda row: getattr(row, "index", None) or 0)',
        "ordered = list(rows)",
        "tests/models/test_endpoint.py",
    ),
    Fault(
        "retrievers: the two searches of a gist triple exchanged",
        "GEAR takes triples' ids for passages'",
        "direct, near = rankings[0::2], rankings[1::2]",
        "direct, near = rankings[1::2], rankings[0::2]",
        "tests/methods/test_gear.py",
    ),
    Fault(
        "retrievers: specificity upside down",
        "HippoRAG prefers the entities that most passages name",
        "return round(1 / passages, 6) if",
        "return float(passages) if",
        "tests/methods/test_hipporag.py",
    ),
    Fault(
        "language: day and month exchanged",
        "days written with strokes are read the other way round",
        "day, month = (second, first) if order is False else (first, second)",
        "day, month = (first, second) if order is False else (second, first)",
        "tests/language/test_normal_forms.py",
    ),
    Fault(
        "language: a sentence ends at initials",
        '"J. R. R. Tolkien" is three sentences',
        "initials = len(word) == 1 and word.isalpha()",
        "initials = len(word) == 0",
        "tests/documents/test_split.py",
    ),
    Fault(
        "ingest: scripts are text",
        "what a page's scripts and styles hold is searched as its text",
        "button, script, style,",
        "button,",
        "tests/documents/test_documents.py",
    ),
    Fault(
        "ingest: members not counted",
        "an archive with more members than are allowed is opened",
        "if len(members) > limits.members:",
        "if len(members) > 10 * limits.members:",
        "tests/documents/test_archives.py",
    ),
    Fault(
        "extract: places one too far",
        "the sentences of triples are marked at the wrong place",
        "return self.origins[piece] + position - self.starts[piece]",
        "return self.origins[piece] + position - self.starts[piece] + 1",
        "tests/models/extractor/test_normalise.py",
    ),
    Fault(
        "store: any version opens",
        "a workspace of another version is opened and fails later, at a column that is missing",
        "if version != VERSION and (tables or self.read_only):",
        "if version > 99 * VERSION:",
        "tests/store/test_database.py",
    ),
    Fault(
        "store: columns exchanged",
        "a triple that was brought back is absent at the revisions at which it is there",
        "INSERT INTO absences (triple_id, since, until)",
        "INSERT INTO absences (triple_id, until, since)",
        "tests/workspace/collections/test_curation.py",
    ),
    Fault(
        "store: a lock that two have",
        "two workers work on one file",
        "except Timeout:\n            return False",
        "except Timeout:\n            return True",
        "tests/store/test_tasks.py",
    ),
    Fault(
        "store: the last owner first",
        "of several owners who wait, who had a turn last is served first",
        "(place, last.get(owner, 0.0), numbers[0])",
        "(place, -last.get(owner, 0.0), numbers[0])",
        "tests/store/test_tasks.py",
    ),
    Fault(
        "store: files for everybody",
        "other users of the machine can read a workspace",
        "OWNER_FILE, OWNER_FOLDER = 0o600, 0o700",
        "OWNER_FILE, OWNER_FOLDER = 0o644, 0o755",
        "tests/workspace/jobs/test_imports.py",
    ),
    Fault(
        "llm: milliseconds for seconds",
        "a server that asks for 34 seconds is asked again after 34 ms",
        '(1 if unit.lower() == "ms" else 1000)',
        "1",
        "tests/models/test_client.py",
    ),
    Fault(
        "llm: reservations never given back",
        "a budget is used up by what calls might have taken",
        "self._reserved -= reservation.tokens",
        "self._reserved -= 0",
        "tests/models/test_budget.py",
    ),
    Fault(
        "llm: dollars for a thousand tokens",
        "costs are a thousand times too high",
        "price.output * output_tokens) / 1_000_000",
        "price.output * output_tokens) / 1_000",
        "tests/models/test_chat_model.py",
    ),
    Fault(
        "llm: a key written out",
        "a key stands in logs and messages",
        'return "Secret(hidden)" if self._value else "Secret(none)"',
        'return f"Secret({self._value})"',
        "tests/models/test_keys.py",
    ),
    Fault(
        "llm: a key for any server",
        "a key that was typed for one server is sent to another",
        "if key is None or key.base_url != spec.base_url:",
        "if key is None:",
        "tests/models/test_keys.py",
    ),
    Fault(
        "cluster: ids not moved back",
        "a cluster is asked for passages by the ids that they have here",
        "return [id_ - self._by for id_ in ids]",
        "return list(ids)",
        "tests/cluster/test_push.py::test_a_pushed_collection_is_asked_in_another_workspace",
    ),
    Fault(
        "cluster: an API key in the open",
        "an API key is sent to a cluster without encryption",
        "if (password or api_key) and not node.startswith",
        "if password and not node.startswith",
        "tests/cluster/test_address.py::test_addresses_hold_no_secrets_and_secrets_travel_encrypted",
    ),
    Fault(
        "runs: no stopping",
        "a run that was asked to stop goes on to its end",
        'if row is None or row["cancel"]:',
        "if row is None:",
        "tests/workspace/runs/test_failures.py",
    ),
    Fault(
        "runs: the last comes first",
        "of those who wait for the processor, who came last has the turn",
        "self._call(self._queue.popleft())",
        "self._call(self._queue.pop())",
        "tests/test_turns.py",
    ),
    Fault(
        "analysis: one passage more",
        "recall at k looks at k + 1 passages",
        "first = {*ranking[:k], *map(document_key, ranking[:k])}",
        "first = {*ranking[: k + 1], *map(document_key, ranking[: k + 1])}",
        "tests/trace/test_metrics.py",
    ),
    Fault(
        "annotate: near misses are misses",
        "low against middle is as bad as low against high",
        'level: Level = "ordinal" if field in ORDERED else "nominal"',
        'level: Level = "nominal"',
        "tests/annotation/test_agreement.py",
    ),
    Fault(
        "evaluate: p-values corrected too much",
        "every p-value is multiplied by the number of all tests",
        "np.arange(len(order), 0, -1)",
        "len(order)",
        "tests/evaluation/test_significance.py",
    ),
    Fault(
        "exports: formulas in a table",
        "a spreadsheet runs a formula that somebody wrote into a note",
        "writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])",
        "writer.writerow(row)",
        "tests/annotation/test_exchange.py",
    ),
    Fault(
        "exports: microseconds for nanoseconds",
        "spans of an exported trace end a thousand times too early",
        "(start_ms + ms) * 1e6",
        "(start_ms + ms) * 1e3",
        "tests/integrations/exports/test_otlp.py",
    ),
    Fault(
        "pages: an escape left out",
        "markup in a passage is markup of the page",
        "value if isinstance(value, Html) else Html(html.escape(str(value), quote=True))",
        "value if isinstance(value, Html) else Html(str(value))",
        "tests/display/test_markup.py",
    ),
    Fault(
        "mcp: one way streets",
        "a path follows triples from subject to object alone",
        "for near, far in ((start, end), (end, start)):",
        "for near, far in ((start, end),):",
        "tests/workspace/corpus/test_entity_path.py",
    ),
    Fault(
        "cli: failure is success",
        "a command whose model failed ends with 0",
        "return 1 if failure else 0",
        "return 0",
        "tests/models/test_broken_server.py",
    ),
)


class NotPlanted(Exception):
    """A fault's line is gone, or is there several times."""


def place_of(fault: Fault, package: Path) -> Path:
    """The file that a fault is planted in. Raises NotPlanted."""
    counts = {
        file: text.count(fault.old)
        for file in package.rglob("*.py")
        if fault.old in (text := file.read_text(encoding="utf-8"))
    }
    if list(counts.values()) != [1]:
        raise NotPlanted(f"its line is in {len(counts)} modules: {fault.old.strip()!r}")
    return next(iter(counts))


@contextmanager
def planted(fault: Fault, package: Path) -> Iterator[None]:
    """While inside, the package has the fault."""
    file = place_of(fault, package)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")


def is_caught(fault: Fault, copy: Path) -> bool:
    """Whether the fault's tests fail with it. Raises NotPlanted where they do not run."""
    program = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", fault.test]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    with planted(fault, copy / "gear_app"):
        run = subprocess.run(
            program, cwd=copy, env=environment, capture_output=True, timeout=PATIENCE_S, text=True
        )
    if run.returncode not in (0, FAILED):
        raise NotPlanted(f"its tests do not run: {run.stdout[-500:]}{run.stderr[-500:]}")
    return run.returncode == FAILED


@contextmanager
def copied() -> Iterator[Path]:
    """A folder like this checkout, with a package of its own."""
    with TemporaryDirectory(prefix="faults-") as folder:
        for there in ROOT.iterdir():
            if there.name in COPIED:
                shutil.copytree(there, Path(folder) / there.name)
            elif not there.name.startswith("."):
                (Path(folder) / there.name).symlink_to(there)
        yield Path(folder)


def main(words: Sequence[str]) -> int:
    """Plant the faults with one of these words in their names, or all; 1 where one is not caught."""
    chosen = [one for one in FAULTS if not words or any(word in one.name for word in words)]
    escaped = 0 if chosen else 1
    with copied() as copy:
        for fault in chosen:
            began = time.monotonic()
            try:
                outcome = "caught" if is_caught(fault, copy) else "NOT CAUGHT"
            except NotPlanted as error:
                outcome = f"NOT PLANTED: {error}"
            escaped += outcome != "caught"
            print(f"{time.monotonic() - began:5.0f} s  {fault.name}: {outcome}", flush=True)  # noqa: T201
    return min(escaped, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
