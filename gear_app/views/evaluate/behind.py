"""The questions behind a number of an evaluation, each leading to the steps that decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.frames import FIRST
from gear_app.evaluate.selection import ALL_METHODS, TOOK, Pick
from gear_app.views.evaluate.tables import MINUS
from gear_app.views.evaluate.words import label, long_name
from gear_app.views.labels import dollars
from gear_app.views.markup import Html, tag

NO_RUN = "A run file has no run that could be opened"
SHOWN = 40  # questions of a list
NEAR = 2  # times the cut-off: such a rank is near
TOOK_WORDS = {"ms": "milliseconds"}


def picked_words(pick: Pick, k: int) -> str:
    """The title of a number's list."""
    name = _name(pick, k)
    return name if pick.method == ALL_METHODS else f"{label(pick.method)}: {name}"


def _name(pick: Pick, k: int) -> str:
    """Name of a number without the method."""
    if pick.kind == "measure":
        return long_name(pick.what)
    if pick.kind == "over":
        cut, _, other = pick.what.partition(" ")
        return f"Recall@{cut} beside {label(other)}"
    if pick.kind == "setting":
        return f"Recall@{k} with {pick.what}"
    if pick.kind == "took":
        return TOOK_WORDS.get(pick.what, pick.what)
    if pick.kind == "tokens":
        n, _, part = pick.what.partition(" ")
        return " ".join(["tokens", *([part] if part else []), f"until iteration {n}"])
    if pick.kind in ("only", "both", "neither"):
        return {
            "only": f"found in the first {k}, and not by {label(pick.what)}",
            "both": f"found in the first {k}, as by {label(pick.what)}",
            "neither": f"missed in the first {k}, as by {label(pick.what)}",
        }[pick.kind]
    return {
        "share": f"Recall@{k} of questions whose chain is known",
        "link": f"link {pick.what} missed in the first {k}",
        "ranks": f"gold passages at rank {pick.what}",
        "kind": pick.what,
        "round": f"Recall@{k} after iteration {pick.what}",
        "asking": f"questions that make iteration {pick.what}",
        "before": f"{_of(pick, k)} when the questions were picked",
        "after": f"{_of(pick, k)} now",
        "found": f"found now in the first {k}, and not before",
        "lost": f"lost since: no more in the first {k}",
    }[pick.kind]


def _of(pick: Pick, k: int) -> str:
    return f"All gold in the first {k}" if pick.what == "all" else f"Recall@{k}"


def value_words(pick: Pick, k: int) -> str:
    """Name of the value at the right of a question, for the note above the list."""
    if pick.kind in TOOK:
        return "what its run took"
    if pick.kind == "measure":
        return long_name(pick.what)
    if pick.kind in ("before", "after"):
        return _of(pick, k)
    return f"Recall@{pick.what.split()[0] if pick.kind == 'over' else k}"


def behind(
    evaluation: Evaluation, rows: pd.DataFrame, pick: Pick, k: int, shown: int = SHOWN
) -> Html:
    """Questions with the ranks of their gold passages, the first `shown`: a question opens its run
    at the step that decided about it, a rank at the step that decided about that passage.
    """
    texts = {question.id: question.question for question in evaluation.questions}
    items = []
    for row in rows[:shown].to_dict("records"):
        items.append(_item(row, texts[row["question"]], pick, k))
    more = limit_words(shown, len(rows))
    return tag(
        "div",
        tag("ol", *items) if items else tag("p", "No question.", class_="note"),
        tag("p", more, class_="note") if more else "",
        class_="behind",
    )


def limit_words(shown: int, number: int) -> str:
    """How many of a list are shown; "" for all."""
    return f"The first {shown:,} of {number:,}" if shown < number else ""


def _item(row: Mapping[Any, Any], text: str, pick: Pick, k: int) -> Html:
    runs = {key: row["searches"].get(key, row["run"]) for key in row["ranks"]}
    several, decided = pick.method == ALL_METHODS, row["decided_by"]
    question = [text, tag("small", label(row["method"])) if several else ""]
    ranks = []
    for key, rank in row["ranks"].items():
        absent = f"not in the first {FIRST}" if row["searches"] else "not ranked"
        title = f"{key}: {absent if rank is None else f'rank {rank}'}"
        words = "–" if rank is None else str(rank)
        ranks.append(
            _to_step(runs[key], key, k, words, class_=_nearness(rank, k), title=title, dir="auto")
        )
    return tag(
        "li",
        _to_step(runs[decided], decided, k, *question, class_="question", dir="auto"),
        tag("span", *ranks, class_="ranks"),
        tag("span", _amount(row["value"], pick), _change(row["change"]), class_="value"),
        class_="question-line",
        title=None if row["run"] else NO_RUN,
    )


def _nearness(rank: int | None, k: int) -> str:
    if rank is None or rank > NEAR * k:
        return "far"
    return "near" if rank > k else "first"


def _to_step(run: str, key: str, k: int, *words: object, **attributes: object) -> Html:
    """A link to the step that decided about a passage; plain without a run."""
    if not run:
        return tag("span", *words, **attributes)
    return tag(
        "a",
        *words,
        href=step_address(run, key, k),
        data_run=run,
        data_passage=key,
        data_k=k,
        **attributes,
    )


def step_address(run: str, key: str, k: int, step: int | None = None) -> str:
    """Address of a run at a step or at the one that decided about a passage, with what became of
    the passage (ui.explore.why_not).
    """
    at = {} if step is None else {"step": step}
    shown = {"all": "1", "why": key, "passage": key, "k": k}
    return "./explore?" + urlencode({"run": run, **at, **shown})


def _amount(value: float, pick: Pick) -> str:
    if pick.kind == "took" and pick.what == "cost":
        return dollars(value)
    return f"{value:,.0f}" if pick.kind in TOOK else f"{value:.2f}"


def _change(change: float) -> Html:
    if not change:
        return Html("")
    words = f" {change:+.2f}".replace("-", MINUS)
    return tag("b", words, class_="above" if change > 0 else "below")
