"""The whole answer as lines for a terminal, and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gear_app.views.why_not import (
    SIGNS,
    change_words,
    evidence_words,
    heading,
    iteration_words,
    needed_words,
    not_run_words,
    others_words,
    sentence,
    step_words,
    trial_words,
)

if TYPE_CHECKING:
    from gear_app.analysis.why_not import WhyNot
    from gear_app.workspace import Trial


def text(answer: WhyNot, trials: Sequence[Trial] = ()) -> list[str]:
    """The whole answer as lines for a terminal."""
    lines = [heading(answer), sentence(answer), ""]
    for step in answer.trail:
        lines.append(
            f"{SIGNS[step.outcome]} {step.step}{iteration_words(step)}: {step_words(step)}"
        )
    needed = needed_words(answer)
    if needed:
        lines += ["", "What it would have needed", *needed]
    if trials:
        lines += ["", "Run again with one setting changed"]
        named = [trial for trial in trials if trial.change in answer.changes]
        others = [trial for trial in trials if trial not in named]
        helped = [trial for trial in others if trial.value is not None]
        lines += [trial_words(trial, answer.k) for trial in (*named, *helped)]
        lines += filter(None, [others_words(others), *not_run_words(others)])
    elif answer.changes:
        lines += ["", "What may help", *map(change_words, answer.changes)]
    return lines


def to_json(answer: WhyNot, trials: Sequence[Trial] = ()) -> dict[str, Any]:
    """The same for scripts."""
    return {
        "passage_id": answer.key,
        "title": answer.title,
        "k": answer.k,
        "rank": answer.rank,
        "cause": answer.cause.name.lower(),
        "group": answer.cause.group.value,
        "sentence": sentence(answer),
        "trail": [
            {
                "step": step.step,
                "iteration": step.iteration,
                "outcome": step.outcome.value,
                "evidence": evidence_words(step.evidence),
            }
            for step in answer.trail
        ],
        "needs": [need._asdict() for need in answer.needs],
        "changes": [change._asdict() for change in answer.changes],
        "trials": [
            {
                "setting": trial.change.setting,
                "was": trial.change.was,
                "value": trial.value,
                "tried": list(trial.tried),
                "rank": trial.rank,
                "entered": list(trial.entered),
                "left": list(trial.left),
                "failure": trial.failure,
            }
            for trial in trials
        ],
    }
