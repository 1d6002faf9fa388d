"""The options of `eval`, and what their texts mean."""

from __future__ import annotations

import argparse
import csv
import io
import math
from pathlib import Path

from gear_app.cli.options import (
    answer_option,
    as_paper_option,
    collection_option,
    dry_run_option,
    index_option,
    lazy_option,
    positive,
    triples_and_reader_options,
)
from gear_app.errors import BadInput


def add_options(measure: argparse.ArgumentParser) -> None:
    """Every option of the command."""
    index_option(measure, adopts=True)
    collection_option(measure, required=False)
    measure.add_argument(
        "--methods",
        help=(
            "with commas between, settings after a space, as in 'hybrid,gear width=5'; default"
            " hybrid,sync_ge,gear. With --resume: methods to add"
        ),
    )
    measure.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="every method that has the setting with each of these values; repeatable: a grid",
    )
    as_paper_option(
        measure,
        "every method as its paper has it, where our defaults are others; 'gear,gear as-paper'"
        " measures both",
    )
    measure.add_argument("--k", default="5,10,15", help="cut-offs; default 5,10,15")
    chosen = measure.add_mutually_exclusive_group()
    chosen.add_argument("--limit", type=positive, metavar="N", help="only the first N questions")
    chosen.add_argument("--sample", type=positive, metavar="N", help="N questions, drawn by --seed")
    chosen.add_argument(
        "--questions", metavar="ID,ID", help="only these, or @FILE with an id on each line"
    )
    measure.add_argument("--seed", type=int, default=0, help="of --sample; default 0")
    measure.add_argument("--resume", metavar="ID", help="go on with an evaluation, or show it")
    measure.add_argument("--list", action="store_true", help="the evaluations that are there")
    measure.add_argument(
        "--run-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a TREC run file of another program, measured beside the methods; repeatable",
    )
    measure.add_argument(
        "--drop-run-file",
        action="append",
        default=[],
        metavar="TAG",
        help="measure the run file with this tag no more; repeatable",
    )
    measure.add_argument("--baseline", metavar="METHOD", help="default: the first of the methods")
    measure.add_argument(
        "--fail-below",
        action="append",
        default=[],
        metavar="MEASURE=VALUE",
        help="exit 1 where a method has less, as in recall@5=0.6 (all@5, mrr, ndcg@10, em, f1), or"
        " where a question failed or was not measured; repeatable",
    )
    measure.add_argument(
        "--causes",
        action="store_true",
        help="count what lost each missed gold passage, too: some 20 ms for each",
    )
    measure.add_argument("--trec", metavar="FOLDER", help="write qrels.txt and a run file a method")
    measure.add_argument("--csv", metavar="FILE", help="write a line for every question and method")
    measure.add_argument("--html", metavar="FILE", help="write a report that needs no other file")
    measure.add_argument("--force", action="store_true", help="overwrite files that are there")
    triples_and_reader_options(measure)
    lazy_option(measure, argparse.SUPPRESS)
    answer_option(measure, "measure answers too: EM and F1 of each method and of the bounds")
    dry_run_option(measure)


def question_ids(text: str) -> list[str]:
    """`id,id`, those with commas in quotes, or the lines of `@file`. Raises BadInput where the file
    cannot be read.
    """
    if not text.startswith("@"):
        found = next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
        return found if text.startswith('"') else [one.strip() for one in found if one.strip()]
    try:
        lines = Path(text[1:]).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{text[1:]} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in lines if line.strip()]


def names(text: str) -> list[str]:
    """`a, b` as a list; empty ones are left out."""
    return [name.strip() for name in text.split(",") if name.strip()]


def sweep_values(text: str) -> tuple[str, list[str]]:
    """`width=1,5` as a setting and its values. Raises BadInput."""
    name, _, values = text.partition("=")
    if not name.strip() or not names(values):
        raise BadInput(f"--sweep takes a setting and its values, as in width=1,5,10, not {text!r}")
    return name.strip(), names(values)


def least_value(text: str) -> tuple[str, float]:
    """`recall@5=0.6` as a measure and its least value, from 0 to 1. Raises BadInput."""
    name, _, value = text.partition("=")
    try:
        least = float(value)
    except ValueError:
        least = math.nan
    if not 0 <= least <= 1:  # nor nan
        raise BadInput(
            "--fail-below takes a measure and its least value from 0 to 1, as in recall@5=0.6, not"
            f" {text!r}"
        )
    return name.strip(), least


def cutoffs(text: str) -> list[int]:
    """`5,10,15` as numbers, in order, each once. Raises BadInput."""
    try:
        ks = sorted({int(k) for k in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise BadInput(f"--k takes cut-offs such as 5,10,15, not {text!r}")
    return ks
