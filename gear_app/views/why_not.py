"""The answer in words: its cause, what a step's outcome rests on, what it would have needed, what
helps; and the whole of it as lines for a terminal, and for scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gear_app.analysis.why_not import Cause, Change, Need, StepOutcome, TrailStep, WhyNot
from gear_app.analysis.why_not.model import (
    Asked,
    Evidence,
    ExtractedTriples,
    Leading,
    ListPlace,
    Margin,
    Matching,
    MentionReach,
    Neighbours,
    PoolVerdict,
    PrunedCandidate,
    Seeds,
)
from gear_app.text import count, cut
from gear_app.views.labels import as_sentence, base_name
from gear_app.views.origin_words import origin_words

if TYPE_CHECKING:
    from gear_app.analysis.why_not import WhyNot
    from gear_app.runs.why_not import Trial


SHOWN = 2  # facts of a step
WORDS = 90  # characters of a fact or a query


def evidence_words(evidence: Evidence | None) -> str:
    """What a step's outcome rests on, in one line; "" where there is nothing to say."""
    match evidence:
        case None:
            return ""
        case ListPlace():
            return _place(evidence)
        case ExtractedTriples(triples):
            return _some(count(len(triples), "triple"), triples)
        case Leading(number, facts, because):
            return _leading(number, facts, because)
        case Neighbours():
            return _neighbours(evidence)
        case PrunedCandidate():
            return _cut(evidence)
        case Margin(place, score, needed):
            missing = f"{score:.4f}, the passage at {place.cut} has {needed:.4f}"
            return f"rank {place.rank} in {base_name(place.of)}; score {missing}"
        case Seeds(entities):
            return _seeds(entities)
        case Matching():
            return _matching(evidence)
        case MentionReach():
            return _mentions(evidence)
        case Asked():
            return _asked(evidence)
        case PoolVerdict(rank, shown, chosen, chain):
            because = f"; the chain: {cut(' → '.join(chain), WORDS)}" if chain else ""
            saw = f"the verifier saw {shown} and chose {chosen}"
            return f"rank {rank} in the pool; {saw}, not this one{because}"


def _place(place: ListPlace) -> str:
    of = base_name(place.of)
    if place.rank is None:
        return f"not among the first {place.cut} of {of}" if place.unknown else f"not in {of}"
    if place.deeper:
        return f"{of} has it at rank {place.rank} only with more candidates than were taken"
    if place.rank <= place.cut:
        return f"rank {place.rank} in {of}"
    then = f"links start from the first {place.cut}"
    if not place.starts:
        then = f"the first {place.cut} go on"
    return f"{of} ranks it {place.rank}; {then}"


def _some(number: str, facts: Sequence[str]) -> str:
    shown = "; ".join(cut(fact, WORDS) for fact in facts[:SHOWN])
    more = f"; and {len(facts) - SHOWN} more" if len(facts) > SHOWN else ""
    return f"{number}: {shown}{more}" if shown else number


def _leading(number: int, facts: Sequence[str], because: str) -> str:
    if not number:
        return "no fact at all"
    if facts:
        return _some(f"{len(facts)} of {count(number, 'fact')} leads to it", facts)
    instead = f"; linked to: {cut(because, WORDS)}" if because else ""
    return f"{count(number, 'fact')}, none from it or about it{instead}"


def _neighbours(found: Neighbours) -> str:
    match found.why:
        case "short":
            return f"a beam of the last step ends in “{found.shared}”, one triple short of it"
        case "limit":
            return f"a beam ends in “{found.shared}”, which has nearer neighbours than its triples"
        case "same":
            return f"what it says of “{found.shared}” was in a beam already, from another passage"
        case "far":
            near = found.nearest
            if near is None:
                return "no beam ends in a name of its triples"
            pair = f"“{near.reached}” and its “{near.own}” (cosine {near.cosine:.2f})"
            return f"no beam ends in a name of its triples; the nearest are {pair}"


def _cut(found: PrunedCandidate) -> str:
    if not found.place:
        return f"its beam was kept in step {found.step - 1}; in the next none of its extensions was"
    what = "a triple that leads to it" if found.leads else "its best triple"
    kept = f"; the last that was kept has {found.survivor.score:.4f}" if found.survivor else ""
    place = f"place {found.place} of {found.size} in step {found.step}"
    return f"{what}: {place}, score {found.score:.4f}{kept}"


def _seeds(entities: Sequence[tuple[str, str]]) -> str:
    if not entities:
        return "no entity was found in the question"
    words = [f"{text} = {node}" if node else f"{text} (left out)" for text, node in entities]
    return cut(", ".join(words), 2 * WORDS)


def _matching(found: Matching) -> str:
    if not found.fact:
        return f"{count(found.number, 'match', 'matches')}, none leads to it"
    return f"{cut(found.fact, WORDS)}: score {found.score:.3f}, sure from {found.sure:.3f}"


def _mentions(found: MentionReach) -> str:
    limit = f"at most {found.limit} passages may hold one that links"
    if found.nearest is None:
        none = "it shares no mention with a passage that links start from"
        return f"{none}, beside the question’s own; {limit}"
    one = found.nearest
    return f"it shares “{one.mention}” with {one.start}, which {one.holders} hold; {limit}"


def _asked(found: Asked) -> str:
    ranks = [f"{one.rank}" if one.rank else "–" for one in found.queries]
    stopped = f"; the run stopped: {found.stopped}" if found.stopped else ""
    return f"its rank in what {count(len(ranks), 'query finds', 'queries find')}: " + (
        f"{', '.join(ranks)}{stopped}"
    )


CAUSES = {  # what a cause means, after the passage's name
    Cause.FOUND: "was found",
    Cause.RUN_ENDED: "has no rank: the run ended before it had a ranking",
    Cause.NOT_IN_COLLECTION: "is not in the collection",
    Cause.NO_TRIPLE: "has no triple: nothing was extracted from it",
    Cause.NOT_IN_BASE_RANKING: "is not among what the first retrieval gave on",
    Cause.READ_GAVE_NOTHING: "is led to by nothing that was read",
    Cause.LINKED_ELSEWHERE: "was read about, but the facts were linked to other triples",
    Cause.NO_SEED: "is reached by no entity of the question",
    Cause.NO_ENTITY_NEAR: "names none of the entities nearest to the question",
    Cause.NOT_A_NEIGHBOUR: "is next to no beam",
    Cause.NO_MATCH: "is led to by no triple that the query matched",
    Cause.NO_LINK: "is reached by no link",
    Cause.NO_WAY: "is reached from none of the passages that were found first",
    Cause.PRUNED: "was a candidate of the beam search and was pruned",
    Cause.PROBABILITY_BELOW: "was reached by the walk with less probability than others",
    Cause.TERMS_BELOW: "was reached by a link, and its terms add up to less than those of others",
    Cause.NOT_PROMOTED: "was in the pool that the verifier saw, and was not promoted",
    Cause.FUSED_BELOW: "was found, and fused below the cut",
    Cause.BELOW_CUT: "is ranked below the cut",
    Cause.NEVER_ASKED_FOR: "was never asked for: no later query came nearer than the first",
    Cause.STOPPED_TOO_EARLY: "was still to be asked for when the run stopped",
}
NEEDED = {  # what was missing where no rank and no score says how much
    Cause.RUN_ENDED: "a run that comes to its ranking: ask the question again",
    Cause.NOT_IN_COLLECTION: "to be in the collection: add its document",
    Cause.NO_TRIPLE: "a triple of its own in the set that was searched",
    Cause.NOT_IN_BASE_RANKING: "a place in the ranking that goes on",
    Cause.READ_GAVE_NOTHING: "a fact that was read from it or names it",
    Cause.LINKED_ELSEWHERE: "one of these facts linked to a triple of its own, or to one that has"
    " a name of it",
    Cause.NO_SEED: "a name in the question that leads to an entity of its triples",
    Cause.NO_ENTITY_NEAR: "an entity of its triples among those nearest to the question",
    Cause.NOT_A_NEIGHBOUR: "a triple that has a name in common with the end of a beam",
    Cause.NO_MATCH: "a match that is sure enough and leads to a name of it",
    Cause.NO_LINK: "a mention that it shares with a passage that links were followed from, and that"
    " few enough hold",
    Cause.PRUNED: "a higher score in the beam",
    Cause.NO_WAY: "a way to it from what is found first, or a place among that",
    Cause.PROBABILITY_BELOW: "more probability than the passage at the cut",
    Cause.TERMS_BELOW: "terms that add up to more than those of the passage at the cut",
    Cause.NOT_PROMOTED: "to be chosen by the verifier",
    Cause.FUSED_BELOW: "a higher place in the lists that were fused",
    Cause.BELOW_CUT: "a higher score than the passage at the cut",
    Cause.NEVER_ASKED_FOR: "a later query that ranks it higher than the first one does",
    Cause.STOPPED_TOO_EARLY: "another iteration, with a query that comes nearer to it",
}
_NEIGHBOUR = {  # of a passage that is next to no beam, by why
    "short": "beams that are one triple longer",
    "limit": "fewer triples of “{shared}” that are nearer to the query, or more neighbours for each"
    " beam",
    "same": "a triple with “{shared}” that says what no beam has said",
    "far": NEEDED[Cause.NOT_A_NEIGHBOUR],
}
SIGNS = {
    StepOutcome.PASSED: "✓",
    StepOutcome.SKIPPED: "–",
    StepOutcome.LOST: "✗",
    StepOutcome.NOT_REACHED: "·",
    StepOutcome.BELOW: "·",
}


def row(answer: WhyNot, method: str) -> dict[str, Any]:
    """The same as a table's row, beside other methods' answers."""
    lost = answer.lost
    return {
        "method": method,
        "passage": answer.title,
        "rank": answer.rank,
        "lost at": place(lost) if lost else "",
        "why": line(answer),
    }


def place(step: TrailStep) -> str:
    """A step's name, with its iteration after the first."""
    return step.step + iteration_words(step)


def heading(answer: WhyNot) -> str:
    """The question or, for a passage that was found, the statement."""
    return f"{'Found' if answer.cause is Cause.FOUND else 'Why not'}: {answer.title}"


def sentence(answer: WhyNot) -> str:
    """The cause in one sentence, with the step and the final rank."""
    if answer.origin:
        return f"Rank {answer.rank} of the first {answer.k}: {origin_words(answer.origin)}."
    rank = f"final rank {answer.rank}" if answer.rank else "not in the final ranking"
    lost = answer.lost
    at = f"lost at “{lost.step}”{iteration_words(lost)}, " if lost else ""
    return f"It {CAUSES[answer.cause]} ({at}{rank})."


def line(answer: WhyNot) -> str:
    """The same for a cell of a table: the cause and what it rests on."""
    lost = answer.lost
    words = evidence_words(lost.evidence) if lost else ""
    return f"{answer.cause.value}: {words}" if words else answer.cause.value


def iteration_words(step: TrailStep) -> str:
    """In which iteration a step was; "" for the first."""
    return f" of iteration {step.iteration}" if step.iteration > 1 else ""


def step_words(step: TrailStep) -> str:
    """What a step did with it."""
    if step.outcome is StepOutcome.NOT_REACHED:
        return step.outcome.value
    return evidence_words(step.evidence) or step.outcome.value


def need_words(need: Need) -> str:
    """What it would have needed, as "base rank at most 10; it is 23"."""
    score = need.what.startswith("score")
    bound = "at least" if score or need.what.startswith("facts") else "at most"
    digits = 4 if score else 0
    wanted = f"{need.needs:.{digits}f}"
    if need.has is None:
        return f"{need.what}: {bound} {wanted}; it has none"
    has = f"{need.has:.{digits}f}"
    missing = f", {need.needs - need.has:.4f} are missing" if score else ""
    return f"{need.what}: {bound} {wanted}; it is {has}{missing}"


def needed_words(answer: WhyNot) -> list[str]:
    """What it would have needed: ranks and scores, else what was missing."""
    if answer.needs or answer.cause is Cause.FOUND:
        return [*map(need_words, answer.needs)]
    evidence = answer.lost.evidence if answer.lost else None
    if isinstance(evidence, Neighbours):
        return [_NEIGHBOUR[evidence.why].format(shared=evidence.shared) + _nearest(evidence)]
    return [NEEDED[answer.cause]]


def _nearest(found: Neighbours) -> str:
    near = found.nearest
    if near is None:
        return ""
    return f"; the nearest two are “{near.reached}” and its “{near.own}”, cosine {near.cosine:.2f}"


def change_words(change: Change) -> str:
    """A change that may help, and how sure that is."""
    first = change.values[0]
    match change.claim:
        case "exact":
            return f"{change.setting} {first} instead of {change.was}, no less: past this step"
        case "enough":
            return f"{change.setting} {first} instead of {change.was} is enough for this step"
    return f"{change.setting} {first} instead of {change.was}; only a run can tell"


def trial_words(trial: Trial, k: int) -> str:
    """What a change made of it when it was run."""
    change = trial.change
    if trial.failure:
        return f"{change.setting}: not run. {as_sentence(trial.failure)}"
    if trial.value is None:
        span = _span(trial.tried)
        best = f"; rank {trial.rank} at best" if trial.rank else ""
        return f"{change.setting} {span} instead of {change.was}: no help{best}"
    recall = f", recall@{k} {trial.recall[0]:.2f} → {trial.recall[1]:.2f}" if trial.recall else ""
    verb = "leaves" if len(trial.left) == 1 else "leave"
    leaves = f"; {', '.join(trial.left)} {verb}" if trial.left else ""
    return (
        f"{change.setting} {trial.value} instead of {change.was}:"
        f" final rank {trial.rank}{recall}{leaves}"
    )


def others_words(trials: Sequence[Trial]) -> str:
    """The trials that did not help in one line, with the best rank where there is one; "" for
    none.
    """
    told = [
        f"{trial.change.setting} {_span(trial.tried)}"
        + (f" (rank {trial.rank} at best)" if trial.rank else "")
        for trial in trials
        if trial.value is None and not trial.failure
    ]
    return f"No help: {'; '.join(told)}" if told else ""


def not_run_words(trials: Sequence[Trial]) -> list[str]:
    """The settings that could not be tried, a line for every reason."""
    reasons = dict.fromkeys(trial.failure for trial in trials if trial.failure)
    return [
        f"Not run: {', '.join(one.change.setting for one in trials if one.failure == reason)}."
        f" {as_sentence(reason)}"
        for reason in reasons
    ]


def _span(values: Sequence[str]) -> str:
    """Values as they were tried: "11 to 20" of whole numbers in a row, else one by one."""
    numbers = [int(value) for value in values if value.isdigit()]
    in_a_row = numbers == list(range(numbers[0], numbers[0] + len(values))) if numbers else False
    return f"{values[0]} to {values[-1]}" if in_a_row and numbers[1:] else ", ".join(values)


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
