"""The command `export`: runs as files to hand on, a collection in the formats of others."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gear_app.cli.options import Commands, add_command, collection_option
from gear_app.cli.output import note, open_workspace, write, write_file, write_json, write_result
from gear_app.errors import BadInput
from gear_app.evaluate.evaluation import PERFECT
from gear_app.exports import collection, otlp, parquet, samples
from gear_app.exports.canvas import canvas
from gear_app.text import count
from gear_app.views.share import pages

if TYPE_CHECKING:
    from gear_app.seams import Vectors
    from gear_app.types import Passage, Triple
    from gear_app.workspace import CollectionInfo, Workspace

AT_ONCE = 500  # passages
RUNS_AT_MOST = 2000  # of a folder
LARGE = 3_000_000  # bytes of a page that not everybody likes to be sent
OF_RUNS = ("html_folder", "ragas", "deepeval")


def add_to(commands: Commands) -> None:
    """Add `export`."""
    out = add_command(commands, "export", export, json=True)
    out.add_argument(
        "run",
        metavar="RUN",
        nargs="*",
        help="its id, or the first characters of it; several for a page that compares them",
    )
    out.add_argument(
        "--html",
        metavar="FILE",
        help="a page to make, which opens anywhere without network; the runs can be imported from"
        " it",
    )
    out.add_argument(
        "--html-folder",
        metavar="FOLDER",
        help="a page for each run, and an index, for any static host: of RUN …, else of"
        " --evaluation ID, else of all finished runs of --collection NAME",
    )
    out.add_argument("--evaluation", metavar="ID", help="the runs of an evaluation")
    out.add_argument(
        "--licence", metavar="WORDS", default="", help="whose the texts are, said on each page"
    )
    out.add_argument(
        "--without-bundle", action="store_true", help="pages that are for looking at alone"
    )
    out.add_argument(
        "--otlp",
        metavar="FILE",
        help="a trace to make for Langfuse and others: OpenInference spans as OTLP JSON; as"
        " protobuf, for Phoenix, where FILE ends in .pb",
    )
    out.add_argument(
        "--canvas",
        metavar="FILE",
        help="a JSON Canvas to make of a run, for Obsidian: its first passages, what joins them,"
        " and the facts read in them",
    )
    out.add_argument(
        "--ragas",
        metavar="FILE",
        help="rows for RAGAS to make, as JSON lines: of RUN …, else of --evaluation ID, else of all"
        " finished runs of --collection NAME",
    )
    out.add_argument(
        "--deepeval", metavar="FILE", help="the same as test cases for DeepEval, as JSON lines"
    )
    out.add_argument(
        "--bundle",
        metavar="FILE",
        help="a workspace file to make, with this run and its collection",
    )
    collection_option(out, required=False)
    out.add_argument(
        "--beir",
        metavar="FOLDER",
        help="a BEIR data set to make: corpus.jsonl, queries.jsonl, qrels/test.tsv",
    )
    out.add_argument(
        "--mteb",
        metavar="FOLDER",
        help="the same as Parquet, in the folders that MTEB's data sets have",
    )
    out.add_argument(
        "--atlas",
        metavar="FILE",
        help="a Parquet table to make for Embedding Atlas: passages with their vectors and a place"
        " on a map",
    )
    out.add_argument(
        "--openie", metavar="FILE", help="an OpenIE file of HippoRAG 2 to make, with the triples"
    )
    out.add_argument(
        "--graphml", metavar="FILE", help="the graph of entities to make, for Gephi or networkx"
    )
    out.add_argument(
        "--graph-csv", metavar="FOLDER", help="the same as two tables: nodes.csv and edges.csv"
    )
    out.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    out.add_argument("--force", action="store_true", help="overwrite files that are there")


def export(arguments: argparse.Namespace) -> int:
    """Write what was asked for. Raises BadInput where it is not said what of what."""
    asked = [
        name for name in (*RUN_EXPORTS, *OF_RUNS, *COLLECTION_EXPORTS) if vars(arguments)[name]
    ]
    if asked == ["html_folder"]:
        return _folder(arguments)
    if asked and set(asked) <= set(OF_RUNS[1:]):
        return _samples(arguments)
    if arguments.run and not arguments.collection and len(asked) == 1 and asked[0] in RUN_EXPORTS:
        return RUN_EXPORTS[asked[0]](arguments)
    if (
        arguments.collection
        and not arguments.run
        and asked
        and set(asked) <= COLLECTION_EXPORTS.keys()
    ):
        return _collection(arguments, asked)
    raise BadInput(
        "Say what to export: RUN with --html FILE, --bundle FILE, --otlp FILE or --canvas FILE;"
        " RUN RUN … with --html FILE; --html-folder FOLDER, --ragas FILE or --deepeval FILE; or"
        " --collection NAME with --beir FOLDER, --mteb FOLDER, --openie FILE, --graphml FILE,"
        " --graph-csv FOLDER, --atlas FILE or several of these."
    )


def _ids(workspace: Workspace, arguments: argparse.Namespace) -> list[str]:
    return [workspace.runs.find_id(start) for start in arguments.run]


def _bundle(arguments: argparse.Namespace) -> int:
    """Write runs to a workspace file; a note where they cannot be replayed from there."""
    workspace = open_workspace(arguments)
    run_ids = _ids(workspace, arguments)
    bundle = workspace.runs.export_bundle(run_ids, arguments.bundle, force=arguments.force)
    if arguments.json:
        write_json({**bundle._asdict(), "path": str(bundle.path)})
        return 0
    many = "" if len(run_ids) == 1 else f" and {count(len(run_ids) - 1, 'more')}"
    verb = "is" if len(run_ids) == 1 else "are"
    write(f"Run {bundle.run}{many} {verb} in {bundle.path} ({_size(bundle.bytes)}).")
    if bundle.remark:
        note(bundle.remark)
    else:
        replay = f"gear-app replay {bundle.run} --check --workspace {bundle.path}"
        write(f"It gives the identical result there: {replay}")
    return 0


def _html(arguments: argparse.Namespace) -> int:
    """Write a page of one run, or of several side by side."""
    workspace, path = open_workspace(arguments), Path(arguments.html)
    run_ids = _ids(workspace, arguments)
    made = pages.page(
        workspace, run_ids, licence=arguments.licence, bundle=not arguments.without_bundle
    )
    write_file(path, [made.html], force=arguments.force)
    if arguments.json:
        write_json({"path": str(path), "runs": made.runs, "bytes": made.bytes})
        return 0
    what = f"Run {made.runs[0]} is" if len(made.runs) == 1 else f"{len(made.runs)} runs are"
    write(f"{what} in {path} ({_size(made.bytes)}). It opens without network and server.")
    for remark in made.remarks:
        note(remark)
    if made.bytes > LARGE and not arguments.without_bundle:
        note("Most of it is the bundle: --without-bundle makes a page that cannot be imported.")
    return 0


def _folder(arguments: argparse.Namespace) -> int:
    """Write a folder of pages with its index."""
    workspace, target = open_workspace(arguments), Path(arguments.html_folder)
    run_ids, title = _selection(workspace, arguments)
    files = pages.folder(
        workspace,
        run_ids,
        title,
        licence=arguments.licence,
        bundle=not arguments.without_bundle,
    )
    written = []
    for file in files:
        write_file(target / file.name, [file.html], force=arguments.force)
        written.append(file.name)
    return write_result(
        arguments,
        {"folder": str(target), "files": written},
        f"{count(len(run_ids), 'run')} in {target}: open {target / pages.INDEX}",
    )


def _selection(workspace: Workspace, arguments: argparse.Namespace) -> tuple[list[str], str]:
    """The runs of a folder, in the order they were made, and its title. Raises BadInput for none,
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
        if not arguments.html_folder:  # the perfect reader asks parts of the questions
            measured = [one for one in measured if one.place.method != PERFECT]
        found = [workspace.runs.get(run_id) for run_id in dict.fromkeys(one.id for one in measured)]
        title = f"Evaluation {arguments.evaluation}"
    else:
        found = workspace.runs.recent(arguments.collection, RUNS_AT_MOST)
        title = f"Runs of {arguments.collection}"
    ended = sorted((run for run in found if run.ended), key=lambda run: run.number)
    if not ended:
        raise BadInput(f"{title}: none has ended, so there is nothing to export.")
    return [run.id for run in ended], title


def _otlp(arguments: argparse.Namespace) -> int:
    """Write runs as one trace each, in one file."""
    workspace, path = open_workspace(arguments), Path(arguments.otlp)
    traces = [pages.trace(workspace, run_id) for run_id in _ids(workspace, arguments)]
    as_protobuf = path.suffix == otlp.PROTOBUF
    written = otlp.to_protobuf(traces) if as_protobuf else otlp.to_json(traces)
    write_file(path, [written], force=arguments.force)
    if arguments.json:
        write_json({"path": str(path), "runs": [trace.run.id for trace in traces]})
    else:
        encoding = "protobuf" if as_protobuf else "JSON"
        write(f"{count(len(traces), 'trace')} in {path}, as OTLP {encoding}.")
    return 0


def _canvas(arguments: argparse.Namespace) -> int:
    """Write a run as a canvas."""
    workspace, path = open_workspace(arguments), Path(arguments.canvas)
    run_ids = _ids(workspace, arguments)
    if len(run_ids) != 1:
        raise BadInput("A canvas is of one run. Name one RUN.")
    write_file(path, [canvas(pages.trace(workspace, run_ids[0]))], force=arguments.force)
    value = {"path": str(path), "run": run_ids[0]}
    return write_result(arguments, value, f"Run {run_ids[0]} is in {path}, as a JSON Canvas.")


def _samples(arguments: argparse.Namespace) -> int:
    """Write runs as rows for RAGAS, as test cases for DeepEval, or both; without those that
    failed.
    """
    workspace = open_workspace(arguments)
    run_ids, title = _selection(workspace, arguments)
    done = [run_id for run_id in run_ids if workspace.runs.get(run_id).state == "done"]
    if not done:
        raise BadInput(f"{title}: none was finished, so there is nothing to judge.")
    written = {}
    forms = {"ragas": samples.ragas_line, "deepeval": samples.deepeval_line}
    for name, line in forms.items():
        if file := vars(arguments)[name]:
            lines = (line(pages.sample(workspace, run_id)) for run_id in done)
            write_file(Path(file), lines, force=arguments.force)
            written[name] = file
    if left := len(run_ids) - len(done):
        note(f"{count(left, 'run')} left out: failed or cancelled.")
    told = (f"{count(len(done), 'run')} in {file}, a line each." for file in written.values())
    return write_result(arguments, {"runs": done, **written}, *told)


RUN_EXPORTS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "bundle": _bundle,
    "html": _html,
    "otlp": _otlp,
    "canvas": _canvas,
}


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"


def _collection(arguments: argparse.Namespace, forms: Sequence[str]) -> int:
    """Write a collection as a data set or a table, or a triple set as an OpenIE file or a graph."""
    workspace, name = open_workspace(arguments), arguments.collection
    there = workspace.collections.get(name)
    written: dict[str, str] = {form: vars(arguments)[form] for form in forms}
    for form, path in written.items():
        files = COLLECTION_EXPORTS[form](workspace, there, arguments.triples)
        for part, content in files.items():
            write_file(Path(path) / part, content, force=arguments.force)
    what = f"{count(there.passages, 'passage')}, {count(there.questions, 'question')}"
    lines = (f"{name} ({what}) is in {path}." for path in written.values())
    return write_result(arguments, {"collection": name, **written}, *lines)


# The files of a form by their paths in its folder; a form that is one file has "".
Files: TypeAlias = Mapping[str, Iterable[str | bytes]]


def _beir(workspace: Workspace, info: CollectionInfo, _: str | None) -> Files:
    questions = workspace.collections.questions(info.name)
    passages = workspace.collections.every_passage(info.name)
    return {
        "corpus.jsonl": map(collection.corpus_line, passages),
        "queries.jsonl": collection.query_lines(questions),
        "qrels/test.tsv": collection.qrels_lines(questions, _parts(workspace, info.name)),
    }


def _mteb(workspace: Workspace, info: CollectionInfo, _: str | None) -> Files:
    """The same as Parquet, with the card that names its parts."""
    questions = workspace.collections.questions(info.name)
    judgments = collection.judgments(questions, _parts(workspace, info.name))
    return {
        parquet.CORPUS: parquet.corpus_pieces(workspace.collections.every_passage(info.name)),
        parquet.QUERIES: parquet.query_pieces(questions),
        parquet.QRELS: parquet.qrels_pieces(judgments),
        parquet.CARD: [parquet.CARD_TEXT],
    }


def _openie(workspace: Workspace, info: CollectionInfo, triples: str | None) -> Files:
    return {"": collection.openie_pieces(_with_triples(workspace, info, triples))}


def _graphml(workspace: Workspace, info: CollectionInfo, triples: str | None) -> Files:
    return {"": [collection.graphml(_graph(workspace, info, triples))]}


def _graph_csv(workspace: Workspace, info: CollectionInfo, triples: str | None) -> Files:
    graph = _graph(workspace, info, triples)
    return {"nodes.csv": collection.node_lines(graph), "edges.csv": collection.edge_lines(graph)}


def _graph(
    workspace: Workspace, info: CollectionInfo, triples: str | None
) -> collection.GraphForExport:
    return collection.graph_of(_with_triples(workspace, info, triples))


def _parts(workspace: Workspace, name: str) -> dict[str, list[str]]:
    return collection.parts_of(one.key for one in workspace.collections.every_passage(name))


def _atlas(workspace: Workspace, info: CollectionInfo, _: str | None) -> Files:
    """Vectors that are not there yet are made, and kept."""
    axes = parquet.principal_axes(vectors for _, vectors in _with_vectors(workspace, info.name))
    documents = workspace.collections.documents(info.name)
    sources = {one.id: one.source or one.title for one in documents}
    rows = (
        (passage, sources.get(passage.document_id) if passage.document_id else None, vector)
        for some, vectors in _with_vectors(workspace, info.name)
        for passage, vector in zip(some, vectors, strict=True)
    )
    return {"": parquet.atlas_pieces(rows, axes)}


COLLECTION_EXPORTS: Mapping[str, Callable[[Workspace, CollectionInfo, str | None], Files]] = {
    "beir": _beir,
    "mteb": _mteb,
    "atlas": _atlas,
    "openie": _openie,
    "graphml": _graphml,
    "graph_csv": _graph_csv,
}


def _with_vectors(workspace: Workspace, name: str) -> Iterator[tuple[list[Passage], Vectors]]:
    """Every passage with its vector, some at a time."""
    for some in _chunks(workspace.collections.every_passage(name)):
        yield some, workspace.models.embedder.embed([passage.indexed for passage in some])


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
    for some in _chunks(workspace.collections.every_passage(info.name)):
        of: dict[int, list[Triple]] = {passage.id: [] for passage in some}
        for triple in workspace.collections.triples_of(info.name, set_, list(of)):
            of[triple.passage_id].append(triple)
        yield from ((passage, of[passage.id]) for passage in some)


def _chunks(passages: Iterator[Passage]) -> Iterator[list[Passage]]:
    while some := list(itertools.islice(passages, AT_ONCE)):
        yield some
