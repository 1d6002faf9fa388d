"""The command `export`: a run as a workspace file, a collection in the formats of others."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from gear_app.cli.output import note, open_workspace, write, write_file, write_json
from gear_app.errors import BadInput
from gear_app.exports import beir, openie
from gear_app.text import count
from gear_app.types import Passage, Triple
from gear_app.workspace import CollectionInfo, Workspace

AT_ONCE = 500  # passages


def export(arguments: argparse.Namespace) -> int:
    """Write what was asked for. Raises BadInput where it is not said what of what."""
    of_collection = arguments.beir or arguments.openie
    if arguments.run and arguments.bundle and not of_collection and not arguments.collection:
        return _bundle(arguments)
    if arguments.collection and of_collection and not arguments.run and not arguments.bundle:
        return _collection(arguments)
    raise BadInput(
        "Say what to export: RUN --bundle FILE, or --collection NAME with --beir FOLDER, --openie"
        " FILE or both."
    )


def _bundle(arguments: argparse.Namespace) -> int:
    """Write a run to a workspace file of its own; a note where it cannot be replayed from there."""
    workspace = open_workspace(arguments)
    run_id = workspace.runs.find_id(arguments.run)
    bundle = workspace.runs.export_bundle(run_id, arguments.bundle, force=arguments.force)
    if arguments.json:
        write_json({**bundle._asdict(), "path": str(bundle.path)})
        return 0
    write(f"Run {bundle.run} is in {bundle.path} ({_size(bundle.bytes)}).")
    if bundle.remark:
        note(bundle.remark)
    else:
        replay = f"gear-app replay {bundle.run} --check --workspace {bundle.path}"
        write(f"It gives the identical result there: {replay}")
    return 0


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"


def _collection(arguments: argparse.Namespace) -> int:
    """Write a collection as a BEIR data set, a triple set of it as an OpenIE file, or both."""
    workspace, name = open_workspace(arguments), arguments.collection
    there = workspace.collections.get(name)
    written: dict[str, str] = {}
    if arguments.beir:
        folder = Path(arguments.beir)
        _write_beir(workspace, name, folder, force=arguments.force)
        written["beir"] = str(folder)
    if arguments.openie:
        file = Path(arguments.openie)
        pieces = openie.openie_pieces(_with_triples(workspace, name, _set_name(arguments, there)))
        write_file(file, pieces, force=arguments.force)
        written["openie"] = str(file)
    if arguments.json:
        write_json({"collection": name, **written})
        return 0
    what = f"{count(there.passages, 'passage')}, {count(there.questions, 'question')}"
    for path in written.values():
        write(f"{name} ({what}) is in {path}.")
    return 0


def _set_name(arguments: argparse.Namespace, there: CollectionInfo) -> str:
    """The triple set that was asked for, else the active one. Raises BadInput without any."""
    active = next((one.name for one in there.triple_sets if one.active), "")
    name = arguments.triples or active
    if not name:
        raise BadInput(
            f"{there.name!r} has no triples. Run: gear-app extract --collection {there.name}"
        )
    return str(name)


def _write_beir(workspace: Workspace, name: str, folder: Path, *, force: bool) -> None:
    questions = workspace.collections.questions(name)
    passages = workspace.collections.every_passage(name)
    parts = beir.parts_of(passage.key for passage in passages)
    lines = map(beir.corpus_line, workspace.collections.every_passage(name))
    files = {
        "corpus.jsonl": lines,
        "queries.jsonl": beir.query_lines(questions),
        "qrels/test.tsv": beir.qrels_lines(questions, parts),
    }
    for file, content in files.items():
        write_file(folder / file, content, force=force)


def _with_triples(
    workspace: Workspace, name: str, triples: str
) -> Iterator[tuple[Passage, Sequence[Triple]]]:
    """Every passage with its triples of a set."""
    for some in _chunks(workspace.collections.every_passage(name)):
        of: dict[int, list[Triple]] = {passage.id: [] for passage in some}
        for triple in workspace.collections.triples_of(name, triples, list(of)):
            of[triple.passage_id].append(triple)
        yield from ((passage, of[passage.id]) for passage in some)


def _chunks(passages: Iterator[Passage]) -> Iterator[list[Passage]]:
    while some := list(itertools.islice(passages, AT_ONCE)):
        yield some
