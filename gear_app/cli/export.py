"""The command `export`: runs as files to hand on, a collection in the formats of others."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gear_app.cli.options import ANY_COLLECTION, FORCE, JSON, SET, command, option
from gear_app.cli.output import emit, open_workspace, write_file
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display.share import pages
from gear_app.integrations import exports
from gear_app.integrations import runs as run_exports
from gear_app.store.evaluations import ORACLE
from gear_app.trace.timeline import failure_of

if TYPE_CHECKING:
    from gear_app.core.types import Passage, Triple
    from gear_app.store.rows import CollectionInfo, RunInfo
    from gear_app.workspace.workspace import Workspace

AT_ONCE = 500  # passages
RUNS_AT_MOST = 2000  # of a collection

# The contents of a form's files by their paths in its folder; a form that is one file has "".
Files: TypeAlias = Mapping[str, Iterable[str | bytes]]


def _html(workspace: Workspace, ids: Sequence[str], arguments: argparse.Namespace) -> Files:
    return {"": [pages.page(workspace, ids, licence=arguments.licence).html]}


def _trace(workspace: Workspace, ids: Sequence[str], _: argparse.Namespace) -> Files:
    return {"": [workspace.runs.to_json(ids)]}


def _otlp(workspace: Workspace, ids: Sequence[str], _: argparse.Namespace) -> Files:
    return {"": [run_exports.otlp(workspace, ids)]}


def _ragas(workspace: Workspace, ids: Sequence[str], _: argparse.Namespace) -> Files:
    return {"": [run_exports.ragas_line(workspace, run_id) for run_id in ids]}


def _beir(workspace: Workspace, info: CollectionInfo, _: argparse.Namespace) -> Files:
    questions = workspace.collections.questions(info.name)
    passages = workspace.collections.every_passage(info.name)
    return {
        "corpus.jsonl": map(exports.corpus_line, passages),
        "queries.jsonl": exports.query_lines(questions),
        "qrels/test.tsv": exports.qrels_lines(questions, _parts(workspace, info.name)),
    }


def _mteb(workspace: Workspace, info: CollectionInfo, _: argparse.Namespace) -> Files:
    questions = workspace.collections.questions(info.name)
    passages = workspace.collections.every_passage(info.name)
    files = exports.mteb_files(passages, questions, _parts(workspace, info.name))
    return {name: [content] for name, content in files.items()}


def _openie(workspace: Workspace, info: CollectionInfo, arguments: argparse.Namespace) -> Files:
    return {"": exports.openie_pieces(_with_triples(workspace, info, arguments.triples))}


def _graphml(workspace: Workspace, info: CollectionInfo, arguments: argparse.Namespace) -> Files:
    return {"": [exports.graphml(_with_triples(workspace, info, arguments.triples))]}


def _parts(workspace: Workspace, name: str) -> dict[str, list[str]]:
    return exports.parts_of(passage.key for passage in workspace.collections.every_passage(name))


def _with_triples(
    workspace: Workspace, info: CollectionInfo, triples: str | None
) -> Iterator[tuple[Passage, Sequence[Triple]]]:
    """Every passage with its triples of the set that is named, else of the active one. Raises
    BadInput without any.
    """
    set_ = triples or (info.active.name if info.active else "")
    if not set_:
        raise BadInput(
            f"{info.name!r} has no triples. Run: gear-app extract --collection {info.name}"
        )
    passages = workspace.collections.every_passage(info.name)
    while chunk := list(itertools.islice(passages, AT_ONCE)):
        triples_of: dict[int, list[Triple]] = {passage.id: [] for passage in chunk}
        for triple in workspace.collections.triples_of(info.name, set_, list(triples_of)):
            triples_of[triple.passage_id].append(triple)
        yield from ((passage, triples_of[passage.id]) for passage in chunk)


RUNS, COLLECTION = "runs", "collection"


class Form(NamedTuple):
    """A form of export: the metavar and the help of its option, and the function that gives its
    files, of RUNS by their ids or of a COLLECTION.
    """

    of: str
    metavar: str
    help: str
    files: Callable[..., Files]


FORMS = {
    "html": Form(
        RUNS,
        "FILE",
        "a page to make, which opens anywhere without network; the runs can be imported from it",
        _html,
    ),
    "trace": Form(RUNS, "FILE", "the runs as JSON, which can be imported like a page", _trace),
    "otlp": Form(
        RUNS,
        "FILE",
        "a trace to make for Langfuse and others: OpenInference spans as OTLP JSON",
        _otlp,
    ),
    "ragas": Form(RUNS, "FILE", "rows for RAGAS to make, as JSON lines", _ragas),
    "beir": Form(
        COLLECTION,
        "FOLDER",
        "a BEIR data set to make: corpus.jsonl, queries.jsonl, qrels/test.tsv",
        _beir,
    ),
    "mteb": Form(
        COLLECTION,
        "FOLDER",
        "the same as Parquet, in the folders that MTEB's data sets have",
        _mteb,
    ),
    "openie": Form(
        COLLECTION, "FILE", "an OpenIE file of HippoRAG 2 to make, with the triples", _openie
    ),
    "graphml": Form(
        COLLECTION, "FILE", "the graph of entities to make, for Gephi or networkx", _graphml
    ),
}


@command(
    "export",
    JSON,
    option(
        "run",
        metavar="RUN",
        nargs="*",
        help="its id, or the first characters of it; several for a page that compares them",
    ),
    ANY_COLLECTION,
    *(option(f"--{name}", metavar=form.metavar, help=form.help) for name, form in FORMS.items()),
    option("--evaluation", metavar="ID", help="the finished runs of an evaluation"),
    SET,
    option("--licence", metavar="WORDS", default="", help="whose the texts are, said on each page"),
    FORCE,
)
def export(arguments: argparse.Namespace) -> int:
    """Write the forms that were named. Raises BadInput where they do not fit what is exported."""
    named = {name: vars(arguments)[name] for name in FORMS if vars(arguments)[name]}
    kinds = {FORMS[name].of for name in named}
    sources = [arguments.run, arguments.evaluation, arguments.collection]
    wrong_kind = kinds == {COLLECTION} and not arguments.collection
    if len(kinds) != 1 or sum(map(bool, sources)) != 1 or wrong_kind:
        raise BadInput(
            f"Say what to export: RUN …, --evaluation ID or --collection NAME with"
            f" {_options(RUNS)}; --collection NAME with {_options(COLLECTION)}."
        )
    workspace, name = open_workspace(arguments), arguments.collection
    if kinds == {COLLECTION}:
        source: Any = workspace.collections.get(name)
        value: dict[str, Any] = {"collection": name}
        contents = f"{count(source.passages, 'passage')}, {count(source.questions, 'question')}"
        subject = f"{name} ({contents}) is"
    else:
        source = _runs(workspace, arguments)
        value = {"runs": source}
        subject = f"{count(len(source), 'run')} written"
    for form, path in named.items():
        for part, pieces in FORMS[form].files(workspace, source, arguments).items():
            write_file(Path(path) / part, pieces, force=arguments.force)
    lines = (f"{subject} in {path}." for path in named.values())
    return emit(arguments, value | named, *lines)


def _options(source: str) -> str:
    words = [f"--{name} {form.metavar}" for name, form in FORMS.items() if form.of == source]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _runs(workspace: Workspace, arguments: argparse.Namespace) -> list[str]:
    """Ids of the named runs, or of those of an evaluation or a collection that ended without a
    failure, in the order they were made. Raises BadInput for none.
    """
    if arguments.run:
        return [workspace.runs.find_id(start) for start in arguments.run]
    if arguments.evaluation:
        evaluation = workspace.store.evaluations.get(arguments.evaluation)
        measured = workspace.store.evaluations.runs(evaluation.id, version=0)
        # without the oracle's, which asks parts of questions
        runs: list[RunInfo] = [row for row in measured if row.place.method != ORACLE]
    else:
        runs = workspace.runs.recent(arguments.collection, RUNS_AT_MOST)
    numbers = {run.number: run.id for run in runs if run.state == "done"}
    ids = [numbers[number] for number in sorted(numbers)]
    ids = [run_id for run_id in ids if not failure_of(workspace.runs.events(run_id))]
    if not ids:
        raise BadInput("None of these runs was finished, so there is nothing to export.")
    return ids
