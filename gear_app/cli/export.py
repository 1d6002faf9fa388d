"""The command `export`: runs as files to hand on, a collection in the formats of others."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gear_app.cli.options import Commands, add_command, collection_option
from gear_app.cli.output import note, open_workspace, write, write_file, write_json, write_result
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display.share import pages
from gear_app.integrations import exports as collection
from gear_app.store.evaluations import ORACLE
from gear_app.trace.timeline import failure_of
from gear_app.workspace.runs import otlp
from gear_app.workspace.runs.samples import ragas_line

if TYPE_CHECKING:
    from gear_app.core.types import Passage, Triple
    from gear_app.store.rows import CollectionInfo
    from gear_app.workspace.workspace import Workspace

AT_ONCE = 500  # passages
RUNS_AT_MOST = 2000  # of a collection


def add_to(commands: Commands) -> None:
    """Add `export`."""
    out = add_command(commands, "export", export, json=True)
    out.add_argument(
        "run",
        metavar="RUN",
        nargs="*",
        help="its id, or the first characters of it; several for a page that compares them",
    )
    collection_option(out, required=False)
    for name, form in FORMS.items():
        out.add_argument(f"--{name.replace('_', '-')}", metavar=form.metavar, help=form.help)
    out.add_argument("--evaluation", metavar="ID", help="the runs of an evaluation")
    out.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    out.add_argument(
        "--licence", metavar="WORDS", default="", help="whose the texts are, said on each page"
    )
    out.add_argument("--force", action="store_true", help="overwrite files that are there")


def export(arguments: argparse.Namespace) -> int:
    """Write the forms that were named. Raises BadInput where they do not fit what is exported."""
    named = [name for name in FORMS if vars(arguments)[name]]
    kinds = {FORMS[name].of for name in named}
    sources = bool(arguments.run), bool(arguments.collection)
    if kinds == {COLLECTION} and sources == (False, True):
        return _collection(arguments, named)
    one_form = len(named) == 1 and (kinds == {SELECTION} or sources == (True, False))
    if not one_form or kinds == {COLLECTION}:
        raise BadInput(
            f"Say what to export: RUN … with {_options(RUNS)}; RUN …, --evaluation ID or"
            f" --collection NAME with {_options(SELECTION)}; --collection NAME with"
            f" {_options(COLLECTION)}."
        )
    return int(FORMS[named[0]].write(arguments))


def _options(source: str) -> str:
    words = [
        f"--{name.replace('_', '-')} {form.metavar}"
        for name, form in FORMS.items()
        if form.of == source
    ]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _ids(workspace: Workspace, arguments: argparse.Namespace) -> list[str]:
    return [workspace.runs.find_id(start) for start in arguments.run]


def _trace(arguments: argparse.Namespace) -> int:
    """Write runs as JSON."""
    workspace, path = open_workspace(arguments), Path(arguments.trace)
    run_ids = _ids(workspace, arguments)
    write_file(path, [workspace.runs.to_json(run_ids)], force=arguments.force)
    value = {"path": str(path), "runs": run_ids}
    return write_result(arguments, value, f"{count(len(run_ids), 'run')} in {path}, as JSON.")


def _html(arguments: argparse.Namespace) -> int:
    """Write a page of one run, or of several side by side."""
    workspace, path = open_workspace(arguments), Path(arguments.html)
    run_ids = _ids(workspace, arguments)
    page = pages.page(workspace, run_ids, licence=arguments.licence)
    write_file(path, [page.html], force=arguments.force)
    if arguments.json:
        write_json({"path": str(path), "runs": page.runs, "bytes": page.bytes})
        return 0
    subject = f"Run {page.runs[0]} is" if len(page.runs) == 1 else f"{len(page.runs)} runs are"
    write(f"{subject} in {path} ({_size(page.bytes)}). It opens without network and server.")
    return 0


def _selection(workspace: Workspace, arguments: argparse.Namespace) -> tuple[list[str], str]:
    """Runs in the order they were made, and their title. Raises BadInput for none,
    or where it is said in two ways.
    """
    ways = [arguments.run, arguments.evaluation, arguments.collection]
    if sum(map(bool, ways)) != 1:
        raise BadInput(
            "Say which runs: RUN …, or --evaluation ID, or --collection NAME for all of it."
        )
    if arguments.run:
        return _ids(workspace, arguments), "Runs"
    if arguments.evaluation:
        evaluation = workspace.store.evaluations.get(arguments.evaluation)
        measured = workspace.store.evaluations.runs(evaluation.id, version=0)
        # without the oracle's, which asks parts of questions
        ids = (row.id for row in measured if row.place.method != ORACLE)
        runs = [workspace.runs.get(run_id) for run_id in dict.fromkeys(ids)]
        title = f"Evaluation {arguments.evaluation}"
    else:
        runs = workspace.runs.recent(arguments.collection, RUNS_AT_MOST)
        title = f"Runs of {arguments.collection}"
    ended = sorted((run for run in runs if run.ended), key=lambda run: run.number)
    if not ended:
        raise BadInput(f"{title}: none has ended, so there is nothing to export.")
    return [run.id for run in ended], title


def _otlp(arguments: argparse.Namespace) -> int:
    """Write runs as one trace each, in one file."""
    workspace, path = open_workspace(arguments), Path(arguments.otlp)
    run_ids = _ids(workspace, arguments)
    traces = [pages.trace(workspace, run_id) for run_id in run_ids]
    write_file(path, [otlp.to_json(traces)], force=arguments.force)
    return write_result(
        arguments,
        {"path": str(path), "runs": run_ids},
        f"{count(len(traces), 'trace')} in {path}, as OTLP JSON.",
    )


def _ragas(arguments: argparse.Namespace) -> int:
    """Write runs as rows for RAGAS, without those that failed."""
    workspace, path = open_workspace(arguments), arguments.ragas
    run_ids, title = _selection(workspace, arguments)
    done = [
        run_id
        for run_id in run_ids
        if workspace.runs.get(run_id).state == "done"
        and not failure_of(workspace.runs.events(run_id))
    ]
    if not done:
        raise BadInput(f"{title}: none was finished, so there is nothing to judge.")
    lines = (ragas_line(pages.sample(workspace, run_id)) for run_id in done)
    write_file(Path(path), lines, force=arguments.force)
    if left := len(run_ids) - len(done):
        note(f"{count(left, 'run')} left out: failed or cancelled.")
    summary = f"{count(len(done), 'run')} in {path}, a line each."
    return write_result(arguments, {"runs": done, "ragas": path}, summary)


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"


# The contents of a form's files by their paths in its folder; a form that is one file has "".
Files: TypeAlias = Mapping[str, Iterable[str | bytes]]


def _collection(arguments: argparse.Namespace, forms: Iterable[str]) -> int:
    """Write a collection as a data set, or a triple set as an OpenIE file or a graph."""
    workspace, name = open_workspace(arguments), arguments.collection
    info = workspace.collections.get(name)
    written: dict[str, str] = {form: vars(arguments)[form] for form in forms}
    for form, path in written.items():
        files = FORMS[form].write(workspace, info, arguments.triples)
        for part, content in files.items():
            write_file(Path(path) / part, content, force=arguments.force)
    contents = f"{count(info.passages, 'passage')}, {count(info.questions, 'question')}"
    lines = (f"{name} ({contents}) is in {path}." for path in written.values())
    return write_result(arguments, {"collection": name, **written}, *lines)


def _beir(workspace: Workspace, info: CollectionInfo, _: str | None) -> Files:
    questions = workspace.collections.questions(info.name)
    passages = workspace.collections.every_passage(info.name)
    return {
        "corpus.jsonl": map(collection.corpus_line, passages),
        "queries.jsonl": collection.query_lines(questions),
        "qrels/test.tsv": collection.qrels_lines(questions, _parts(workspace, info.name)),
    }


def _mteb(workspace: Workspace, info: CollectionInfo, _: str | None) -> Files:
    questions = workspace.collections.questions(info.name)
    passages = workspace.collections.every_passage(info.name)
    files = collection.mteb_files(passages, questions, _parts(workspace, info.name))
    return {name: [content] for name, content in files.items()}


def _openie(workspace: Workspace, info: CollectionInfo, triples: str | None) -> Files:
    return {"": collection.openie_pieces(_with_triples(workspace, info, triples))}


def _graphml(workspace: Workspace, info: CollectionInfo, triples: str | None) -> Files:
    return {"": [collection.graphml(_with_triples(workspace, info, triples))]}


def _parts(workspace: Workspace, name: str) -> dict[str, list[str]]:
    return collection.parts_of(passage.key for passage in workspace.collections.every_passage(name))


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
        of: dict[int, list[Triple]] = {passage.id: [] for passage in chunk}
        for triple in workspace.collections.triples_of(info.name, set_, list(of)):
            of[triple.passage_id].append(triple)
        yield from ((passage, of[passage.id]) for passage in chunk)


RUNS, SELECTION, COLLECTION = "runs", "selection", "collection"


class Form(NamedTuple):
    """A form of export: the metavar and the help of its option, and the function that writes it.

    `of` RUNS takes the runs that are named; SELECTION also those of an evaluation or a collection;
    COLLECTION a collection, whose `write` gives files.
    """

    of: str
    metavar: str
    help: str
    write: Callable[..., Any]


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
    "ragas": Form(
        SELECTION,
        "FILE",
        "rows for RAGAS to make, as JSON lines: of RUN …, else of --evaluation ID, else of all"
        " finished runs of --collection NAME",
        _ragas,
    ),
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
