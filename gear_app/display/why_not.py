"""Why a run does not have a passage, in words: the cause, what each step did, and which settings
would have found it; as a row, as lines for a terminal, and for scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gear_app.core.text import count, cut
from gear_app.display.gold import origin_words
from gear_app.display.labels import as_sentence, base_name
from gear_app.trace.lost import Cause, Reach, StepReach, WhyNot
from gear_app.trace.rankings import is_among

if TYPE_CHECKING:
    from gear_app.workspace.runs.rerun import Trial

FACTS_SHOWN = 2  # facts of a step
WORDS = 90  # characters of a fact
CAUSES = {  # after the passage's name
    Cause.FOUND: "was found",
    Cause.NOT_IN_COLLECTION: "is not in the collection",
    Cause.NO_TRIPLE: "has no triple: nothing was extracted from it",
    Cause.BASE_MISSED: "is not among the passages that the first retrieval passed on",
    Cause.READ_NOTHING: "is named by no fact that the reader selected",
    Cause.LINKED_ELSEWHERE: "was read about, but the facts were linked to triples of others",
    Cause.NOT_REACHED: "is reached by no link, neighbour or match",
    Cause.PRUNED: "was a candidate and was pruned",
    Cause.BELOW_CUT: "is ranked below the cut",
    Cause.RUN_ENDED: "was not asked for when the run ended",
}
LISTS = {"collection": "collection", "rank": "final ranking"}
SIGNS = {Reach.LISTED: "✓", Reach.TOUCHED: "✓", Reach.ABSENT: "–", Reach.NOT_JUDGED: "–"}
LOST_SIGN = "✗"


def evidence_words(step: StepReach) -> str:
    """Ranks and cut of a step, or the facts that lead to the passage, in one line."""
    if step.queries:
        ranks = ", ".join(str(query.rank or "–") for query in step.queries)
        return f"ranks in what {count(len(step.queries), 'query', 'queries')} found: {ranks}"
    score = ""
    if step.score is not None and step.needed is not None:
        score = f"; score {step.score:.4f}, needed {step.needed:.4f}"
    if step.ranking_name:
        far = f"not among the first {step.cut}"
        rank = f"rank {step.rank}, the first {step.cut} go on" if step.rank else far
        return f"{rank}, in {base_name(step.ranking_name)}{score}"
    if step.step in ("collection", "rank"):
        return f"{'' if step.present else 'not '}in the {LISTS[step.step]}"
    facts = "; ".join(cut(fact, WORDS) for fact in step.facts[:FACTS_SHOWN])
    number = f"{len(step.facts)} of {count(step.total, 'fact')} lead to it"
    return f"{number}{': ' * bool(facts)}{facts}{score}"


def row(answer: WhyNot, method: str) -> dict[str, Any]:
    """A row for a table with the answers of several methods."""
    return {
        "method": method,
        "passage": answer.title,
        "rank": answer.rank,
        "lost at": place(answer.lost_step) if answer.lost_step else "",
        "why": line(answer),
    }


def place(step: StepReach) -> str:
    """A step's name, with its iteration after the first."""
    return f"{step.step} of iteration {step.iteration}" if step.iteration > 1 else step.step


def sign(answer: WhyNot, step: StepReach) -> str:
    """The sign of a step in the trail."""
    return LOST_SIGN if step is answer.lost_step else SIGNS[step.reach]


def heading(answer: WhyNot) -> str:
    """The question or, for a passage that was found, the statement."""
    return f"{'Found' if answer.cause is Cause.FOUND else 'Why not'}: {answer.title}"


def sentence(answer: WhyNot) -> str:
    """The cause in one sentence, with the step and the final rank."""
    if answer.origin:
        return f"Rank {answer.rank} of the first {answer.k}: {origin_words(answer.origin)}."
    rank = f"final rank {answer.rank}" if answer.rank else "not in the final ranking"
    at = f"lost at “{place(answer.lost_step)}”, " if answer.lost_step else ""
    return f"It {CAUSES[answer.cause]} ({at}{rank})."


def line(answer: WhyNot) -> str:
    """The cause and its evidence, for a cell of a table."""
    words = evidence_words(answer.lost_step) if answer.lost_step else ""
    return f"{answer.cause.value}: {words}" if words else answer.cause.value


def trial_lines(trials: Sequence[Trial], k: int) -> list[str]:
    """The settings that would have found it, a line each; then those that help nothing, and those
    that could not be run, with the reason.
    """
    helped = [trial for trial in trials if is_among(trial.rank, k)]
    settings = dict.fromkeys(trial.setting for trial in trials if not trial.failure)
    rest = [name for name in settings if name not in {trial.setting for trial in helped}]
    failures = {trial.setting: trial.failure for trial in trials if trial.failure}
    return [
        *(f"{t.setting} {t.value} instead of {t.was}: rank {t.rank}" for t in helped),
        *([f"No help: {', '.join(rest)}"] if rest else []),
        *(f"Not run: {name}. {as_sentence(reason)}" for name, reason in failures.items()),
    ]


def text(answer: WhyNot, trials: Sequence[Trial] = ()) -> list[str]:
    """The whole answer as lines for a terminal."""
    lines = [heading(answer), sentence(answer), ""]
    lines += [
        f"{sign(answer, step)} {place(step)}: {evidence_words(step)}" for step in answer.trail
    ]
    if trials:
        lines += ["", "With one setting changed", *trial_lines(trials, answer.k)]
    return lines


def to_json(answer: WhyNot, trials: Sequence[Trial] = ()) -> dict[str, Any]:
    """The whole answer for scripts."""
    return {
        "passage_id": answer.key,
        "title": answer.title,
        "k": answer.k,
        "rank": answer.rank,
        "cause": answer.cause.name.lower(),
        "sentence": sentence(answer),
        "trail": [
            {
                "step": step.step,
                "iteration": step.iteration,
                "outcome": "lost here" if step is answer.lost_step else step.reach.value,
                "evidence": evidence_words(step),
            }
            for step in answer.trail
        ],
        "trials": [trial._asdict() for trial in trials],
    }
