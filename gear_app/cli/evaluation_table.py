"""The table that `eval` prints, and lines on its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.cli.output import write, write_table
from gear_app.core.text import count

if TYPE_CHECKING:
    from gear_app.display.evaluate.sections import Section
    from gear_app.evaluation.evaluation import Evaluation
    from gear_app.evaluation.results import Results

NAMED = 10  # questions that are named where they were not measured
TABLES = ("before", "found", "effects")  # printed below that of the measures


def write_results(results: Results) -> None:
    """Print the verdict, the tables of an evaluation, and the conditions of their numbers."""
    from gear_app.display.evaluate import sections, words

    evaluation, facts, k = results.evaluation, results.facts, results.evaluation.ks[0]
    questions = count(len(evaluation.questions), "question with gold", "questions with gold")
    write(f"{facts.collection}: {questions}, {count(facts.passages, 'passage')}")
    write(f"{words.verdict(results, k)}\n")
    measures = sections.measures(results, k)
    _write(measures)
    heads: dict[str, list[str]] = {}
    for head, meaning in measures.help.items():
        heads.setdefault(meaning, []).append(head)
    for meaning, of_meaning in heads.items():
        write(f"{', '.join(of_meaning)}: {meaning}")
    write(measures.note)
    more = [*sections.result(results, k, ""), *sections.settings(results, k)]
    for section in (section for section in more if section.key in TABLES):
        write(f"\n{section.title}: {section.note}")
        _write(section)
    write()
    for line in (*words.remarks(results), *_bounds(evaluation), *_unmeasured(evaluation)):
        write(line)
    write(f"Conditions: {words.facts_line(facts)}")
    write(f"Evaluation {evaluation.id}. The same again: {results.command}")


def _write(section: Section) -> None:
    rows = zip(section.rows, section.words.to_numpy().tolist(), strict=True)
    cells = [[name, *row] for name, row in rows]
    write_table(["method", *section.words.columns], cells)


def _bounds(evaluation: Evaluation) -> Iterator[str]:
    """Which questions EM and F1 are of, and answers from the gold passages and from none."""
    if not evaluation.answered:
        return
    bounds = evaluation.bounds
    if not bounds["gold"]["n"]:
        yield "EM and F1 are not defined: no answer is known for any of these questions."
        return
    yield f"EM and F1 of the questions with known answers ({bounds['gold']['n']:,}). Bounds:"
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        em, f1 = bounds[source]["em"], bounds[source]["f1"]
        yield f"    {words}: EM {em:.3f}, F1 {f1:.3f}"


def _unmeasured(evaluation: Evaluation) -> Iterator[str]:
    """Questions that the budget left out; they are in no mean of the table."""
    for method, ids in evaluation.unmeasured.items():
        more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        yield (
            f"Not measured with {method}: {count(len(ids), 'question')}"
            f" ({', '.join(ids[:NAMED])}{more})."
        )
    if evaluation.reached:
        yield evaluation.reached
