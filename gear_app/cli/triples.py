"""The command `triples`: look at a set's triples, and correct them by hand."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gear_app.cli.options import (
    Commands,
    add_command,
    budget_option,
    extractor_option,
    model_asked,
    positive,
    triple_set_options,
)
from gear_app.cli.output import (
    Progress,
    open_workspace,
    write,
    write_json,
    write_result,
    write_table,
)
from gear_app.errors import BadInput
from gear_app.text import count
from gear_app.views.curation import edit_sentence
from gear_app.workspace import Edit, TripleDraft, Workspace

if TYPE_CHECKING:
    pass

SIGNS = {"same": "=", "only_set": "-", "only_found": "+"}


def add_to(commands: Commands) -> None:
    """Add `triples` and its actions."""
    actions = commands.choices["triples"].add_subparsers(required=True, metavar="ACTION")
    found = triple_set_options(
        add_command(actions, "list", listed, "triples with their ids", json=True)
    )
    found.add_argument("--search", default="", metavar="WORDS", help="words that they contain")
    found.add_argument("--limit", type=positive, default=100, metavar="N")
    new = _step(add_command(actions, "add", add, "add one to a passage", json=True))
    new.add_argument("passage", metavar="PASSAGE", help="its id in the collection")
    for name in ("subject", "predicate", "object"):
        new.add_argument(name, metavar=name.upper())
    _source(new)
    other = _step(add_command(actions, "edit", edit, "give one other words", json=True))
    other.add_argument("triple", metavar="TRIPLE", type=int, help="its id, as `list` shows it")
    for name in ("subject", "predicate", "object"):
        other.add_argument(f"--{name}", metavar="WORDS", help="default: as it is")
    _source(other)
    about = "take some out, or all that name an entity"
    gone = _step(add_command(actions, "delete", delete, about, json=True))
    gone.add_argument("triple", metavar="TRIPLE", type=int, nargs="*", help="ids")
    gone.add_argument("--entity", metavar="NAME", help="all that have this name on either side")
    gone.add_argument("--yes", action="store_true", help="with --entity: do not ask")
    about = "give every triple with one of these names another one"
    merged = _step(add_command(actions, "merge", merge, about, json=True))
    merged.add_argument("name", metavar="NAME", nargs="+", help="one name alone is renamed")
    merged.add_argument("--into", required=True, metavar="NAME")
    for word, function, about in (
        ("undo", undo, "take a step back"),
        ("redo", redo, "do a step again that was taken back"),
    ):
        turn = _step(add_command(actions, word, function, about, json=True))
        turn.add_argument("step", metavar="STEP", type=int, nargs="?", help="default: the last")
    about = "what was changed by hand, the newest first"
    steps = triple_set_options(add_command(actions, "history", history, about, json=True))
    steps.add_argument("--limit", type=positive, default=50, metavar="N")
    about = "what another extractor finds in a passage; nothing is stored in the set"
    beside = triple_set_options(add_command(actions, "compare", compare, about, json=True))
    beside.add_argument("passage", metavar="PASSAGE", help="its id in the collection")
    extractor_option(beside)
    budget_option(beside)


def _step(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """One that changes a set by hand; the command."""
    command.add_argument("--author", default="", metavar="NAME", help="who is written beside it")
    return triple_set_options(command)


def _source(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--source",
        default="",
        metavar="WORDS",
        help="words of the passage that say so; default: the closest sentence",
    )


def listed(arguments: argparse.Namespace) -> int:
    """List triples, by their words."""
    workspace = open_workspace(arguments)
    of = _set_name(workspace, arguments)
    found = workspace.collections.triples(
        arguments.collection, of, arguments.search, arguments.limit
    )
    if arguments.json:
        write_json([asdict(triple) for triple in found])
        return 0
    keys = {id_: workspace.collections.passage(id_).key for id_ in {t.passage_id for t in found}}
    rows = [[t.id, *t.words, keys[t.passage_id]] for t in found]
    write_table(["id", "subject", "predicate", "object", "passage"], rows)
    return 0


def add(arguments: argparse.Namespace) -> int:
    """Add a triple to a passage."""
    draft = TripleDraft(arguments.subject, arguments.predicate, arguments.object, arguments.source)
    return _change(arguments, open_workspace(arguments).curation.add, arguments.passage, [draft])


def edit(arguments: argparse.Namespace) -> int:
    """Give a triple other words; those that are not told stay."""
    service = open_workspace(arguments).curation
    before = service.triple(arguments.collection, arguments.triple, arguments.triples)
    draft = TripleDraft(
        before.subject if arguments.subject is None else arguments.subject,
        before.predicate if arguments.predicate is None else arguments.predicate,
        before.object if arguments.object is None else arguments.object,
        arguments.source,
    )
    return _change(arguments, service.edit, arguments.triple, draft)


def delete(arguments: argparse.Namespace) -> int:
    """Take triples out: some by id, or all that name an entity, which asks for --yes."""
    service, collection = open_workspace(arguments).curation, arguments.collection
    if bool(arguments.entity) == bool(arguments.triple):
        raise BadInput("Say which triples, by their ids, or --entity NAME.")
    if not arguments.entity:
        return _change(arguments, service.delete, arguments.triple)
    if not arguments.yes:
        naming = service.naming(collection, arguments.entity, arguments.triples)
        raise BadInput(
            f"{count(len(naming), 'triple')} of {collection!r} name {arguments.entity!r}. Add --yes"
            " to delete them; this can be undone."
        )
    return _change(arguments, service.delete_entity, arguments.entity)


def merge(arguments: argparse.Namespace) -> int:
    """Give every triple with one of the names another one."""
    service = open_workspace(arguments).curation
    return _change(arguments, service.merge, arguments.name, arguments.into)


def undo(arguments: argparse.Namespace) -> int:
    """Take a step back."""
    return _change(arguments, open_workspace(arguments).curation.undo, arguments.step)


def redo(arguments: argparse.Namespace) -> int:
    """Do a step again that was taken back."""
    return _change(arguments, open_workspace(arguments).curation.redo, arguments.step)


def history(arguments: argparse.Namespace) -> int:
    """List what was changed by hand, the newest first."""
    steps = open_workspace(arguments).curation.history(
        arguments.collection, arguments.triples, arguments.limit
    )
    if arguments.json:
        write_json([_public(step) for step in steps])
    elif not steps:
        write("Nothing was changed by hand.")
    else:
        rows = [
            [row.number, row.at, row.author, "" if row.stands else "undone", edit_sentence(one)]
            for one, row in ((one, one.row) for one in steps)
        ]
        write_table(["step", "when", "who", "", "what"], rows)
    return 0


def compare(arguments: argparse.Namespace) -> int:
    """Let an extractor read a passage, and say how its triples differ from the set's."""
    workspace, collection = open_workspace(arguments), arguments.collection
    of = _set_name(workspace, arguments)
    passage = workspace.collections.passage_by_key(collection, arguments.passage).key
    job_id = workspace.jobs.enqueue_sample(
        collection,
        passage,
        arguments.extractor,
        model=model_asked(arguments),
        budget=arguments.budget,
    )
    job = workspace.jobs.run(job_id, Progress().of_job)
    found = workspace.jobs.sample(job_id)
    if found is None:
        raise BadInput(job.message)
    differs = workspace.curation.difference(collection, passage, found, of)
    if arguments.json:
        write_json(
            {
                "passage": passage,
                "triples": of,
                "extractor": arguments.extractor,
                **{name: [list(t.words) for t in getattr(differs, name)] for name in SIGNS},
            }
        )
        return 0
    for name, sign in SIGNS.items():
        for one in getattr(differs, name):
            write(f"{sign} {' | '.join(one.words)}")
    write(
        f"{len(differs.same)} in both; {len(differs.only_set)} only in {of} (-);"
        f" {len(differs.only_found)} only found by {arguments.extractor} (+)."
    )
    return 0


def _set_name(workspace: Workspace, arguments: argparse.Namespace) -> str:
    """The set that is named, else the active one. Raises BadInput where there is none."""
    return workspace.curation.set_name(arguments.collection, arguments.triples)


def _change(arguments: argparse.Namespace, step: Callable[..., Edit], *what: object) -> int:
    """Carry out a step by hand, and tell it."""
    made = step(arguments.collection, *what, arguments.triples, author=arguments.author)
    return write_result(arguments, _public(made), f"Step {made.row.number}: {edit_sentence(made)}")


def _public(made: Edit) -> dict[str, Any]:
    """A step for JSON, with the first of its changes."""
    row = asdict(made.row)
    changes = [
        {name: asdict(one) if one else None for name, one in change._asdict().items()}
        for change in made.changes
    ]
    return row | {"size": made.size, "changes": changes}
