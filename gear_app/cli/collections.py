"""The commands `collections`, `questions` and `demo`: what is in a workspace, and an example."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from gear_app.cli import import_
from gear_app.cli.output import Progress, note, open_workspace, write, write_json, write_table
from gear_app.workspace import CollectionInfo


def collections(arguments: argparse.Namespace) -> int:
    """List collections with their triple sets and unfinished imports."""
    listed = open_workspace(arguments).collections.all()
    if arguments.json:
        write_json([asdict(info) for info in listed])
    elif not listed:
        write("No collections yet. Run: gear-app demo, or gear-app import PATH --collection NAME")
    else:
        write("\n".join(line for info in listed for line in _lines(info)))
    return 0


def _lines(info: CollectionInfo) -> Iterator[str]:
    counts = f"{info.documents:,} documents, {info.passages:,} passages"
    yield f"{info.name}: {counts}, {info.questions:,} questions"
    for set_ in info.triple_sets:
        without = f", {set_.passages_without:,} passages without" if set_.passages_without else ""
        active = ", active" if set_.active else ""
        yield f"  {set_.name}: {set_.triples:,} triples{without}{active}; {set_.ready}"
    for unfinished in info.unfinished_imports:
        yield f"  {import_.ways_on(unfinished)}"


def questions(arguments: argparse.Namespace) -> int:
    """List a collection's questions."""
    listed = open_workspace(arguments).collections.questions(arguments.collection)
    if arguments.json:
        write_json(
            [
                {
                    "id": question.id,
                    "question": question.question,
                    "type": question.type,
                    "hops": question.hops,
                    "answers": list(question.answers),
                    "supporting_ids": list(question.supporting_keys),
                }
                for question in listed
            ]
        )
        return 0
    rows = [[q.id, q.type or "", q.hops or "", len(q.supporting_keys), q.question] for q in listed]
    write_table(["id", "type", "hops", "gold", "question"], rows)
    return 0


def demo(arguments: argparse.Namespace) -> int:
    """Make the collection demo, or finish making it."""
    from gear_app.workspace.demo import make_demo

    workspace = open_workspace(arguments)
    run = make_demo(workspace, note, Progress().of_job)
    if arguments.json:
        collection = asdict(workspace.collections.get("demo"))
        write_json({"workspace": str(workspace.path), "collection": collection, "run": run})
    else:
        write(f"The collection demo is ready in {workspace.path}. Next: gear-app serve")
    return 0
