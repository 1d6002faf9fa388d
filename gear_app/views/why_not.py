"""Why a run does not have a passage, in words and as markup: cause, trail, sums, what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gear_app.analysis.why_not import Cause, Change, Need, StepOutcome, TrailStep, WhyNot
from gear_app.analysis.why_not.model import (
    AddedTerm,
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
from gear_app.text import count, cut, normalise_entity
from gear_app.views.gold_strip import origin_words
from gear_app.views.labels import as_sentence, base_name
from gear_app.views.markup import Html, join, tag

if TYPE_CHECKING:
    from gear_app.workspace import Trial

CAUSES = {  # what a cause means, after the passage's name
    Cause.FOUND: "was found",
    Cause.RUN_ENDED: "has no rank: the run ended before it had a ranking",
    Cause.NOT_IN_COLLECTION: "is not in the collection",
    Cause.NO_TRIPLE: "has no triple: nothing was extracted from it",
    Cause.NOT_IN_BASE_RANKING: "is not among what the first retrieval gave on",
    Cause.READ_GAVE_NOTHING: "is led to by nothing that was read",
    Cause.LINKED_ELSEWHERE: "was read about, but the facts were linked to other triples",
    Cause.NO_SEED: "is reached by no entity of the question",
    Cause.NOT_A_NEIGHBOUR: "is next to no beam",
    Cause.NO_MATCH: "is led to by no triple that the query matched",
    Cause.NO_LINK: "is reached by no link",
    Cause.PRUNED: "was a candidate of the beam search and was pruned",
    Cause.PROBABILITY_BELOW: "was reached by the walk with less probability than others",
    Cause.TERMS_BELOW: "was reached by a link, and its terms add up to less than those of others",
    Cause.NOT_PROMOTED: "was in the pool that the verifier saw, and was not promoted",
    Cause.FUSED_BELOW: "was found, and fused below the cut",
    Cause.BELOW_CUT: "is ranked below the cut",
    Cause.NEVER_ASKED_FOR: "was never asked for: no later query came nearer than the first",
    Cause.STOPPED_TOO_EARLY: "was still to be asked for when the run stopped",
}
SIGNS = {
    StepOutcome.PASSED: "✓",
    StepOutcome.SKIPPED: "–",
    StepOutcome.LOST: "✗",
    StepOutcome.NOT_REACHED: "·",
}
SHOWN = 2  # facts of a step
FEW = 6  # triples of a passage
WORDS = 90  # characters of a fact or a query


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
    return step.step + _iteration(step)


def heading(answer: WhyNot) -> str:
    """The question or, for a passage that was found, the statement."""
    return f"{'Found' if answer.cause is Cause.FOUND else 'Why not'}: {answer.title}"


def sentence(answer: WhyNot) -> str:
    """The cause in one sentence, with the step and the final rank."""
    if answer.origin:
        return f"Rank {answer.rank} of the first {answer.k}: {origin_words(answer.origin)}."
    rank = f"final rank {answer.rank}" if answer.rank else "not in the final ranking"
    lost = answer.lost
    at = f"lost at “{lost.step}”{_iteration(lost)}, " if lost else ""
    return f"It {CAUSES[answer.cause]} ({at}{rank})."


def line(answer: WhyNot) -> str:
    """The same for a cell of a table: the cause and what it rests on."""
    lost = answer.lost
    words = evidence_words(lost.evidence) if lost else ""
    return f"{answer.cause.value}: {words}" if words else answer.cause.value


def _iteration(step: TrailStep) -> str:
    return f" of iteration {step.iteration}" if step.iteration > 1 else ""


def step_words(step: TrailStep) -> str:
    """What a step did with it."""
    if step.outcome is StepOutcome.NOT_REACHED:
        return step.outcome.value
    return evidence_words(step.evidence) or step.outcome.value


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
        return f"not in {of}"
    if place.deeper:
        return f"{of} has it at rank {place.rank} only with more candidates than were taken"
    if place.rank <= place.cut:
        return f"rank {place.rank} in {of}"
    return f"{of} ranks it {place.rank}; the first {place.cut} go on"


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
        return f"it shares no mention with a passage that links start from; {limit}"
    one = found.nearest
    return f"it shares “{one.mention}” with {one.start}, which {one.holders} hold; {limit}"


def _asked(found: Asked) -> str:
    ranks = [f"{one.rank}" if one.rank else "–" for one in found.queries]
    stopped = f"; the run stopped: {found.stopped}" if found.stopped else ""
    return f"its rank in what {count(len(ranks), 'query finds', 'queries find')}: " + (
        f"{', '.join(ranks)}{stopped}"
    )


def need_words(need: Need) -> str:
    """What it would have needed, as "base rank at most 10; it is 23"."""
    least = need.what.startswith("score")
    bound = "at least" if least else "at most"
    wanted = f"{need.needs:.4f}" if least else f"{need.needs:.0f}"
    if need.has is None:
        return f"{need.what}: {bound} {wanted}; it has none"
    has = f"{need.has:.4f}" if least else f"{need.has:.0f}"
    missing = f", {need.needs - need.has:.4f} are missing" if least else ""
    return f"{need.what}: {bound} {wanted}; it is {has}{missing}"


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


def _span(values: Sequence[str]) -> str:
    """Values as they were tried: "11 to 20" of whole numbers in a row, else one by one."""
    numbers = [int(value) for value in values if value.isdigit()]
    in_a_row = numbers == list(range(numbers[0], numbers[0] + len(values))) if numbers else False
    return f"{values[0]} to {values[-1]}" if in_a_row and numbers[1:] else ", ".join(values)


def text(answer: WhyNot, trials: Sequence[Trial] = ()) -> list[str]:
    """The whole answer as lines for a terminal."""
    lines = [heading(answer), sentence(answer), ""]
    for step in answer.trail:
        lines.append(f"{SIGNS[step.outcome]} {step.step}{_iteration(step)}: {step_words(step)}")
    if answer.needs:
        lines += ["", "What it would have needed", *map(need_words, answer.needs)]
    if trials:
        lines += ["", "Run again with one setting changed"]
        lines += [trial_words(trial, answer.k) for trial in trials]
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


def trail(answer: WhyNot) -> Html:
    """The steps as a list; the sign and the class of a step say what it did."""
    items = [
        tag(
            "li",
            tag("i", SIGNS[step.outcome], title=step.outcome.value),
            tag("div", tag("b", step.step + _iteration(step)), tag("span", step_words(step))),
            class_=f"gear-why-{step.outcome.name.lower().replace('_', '-')}",
        )
        for step in answer.trail
    ]
    return tag("ol", join(items), class_="gear-why-trail")


def arithmetic(answer: WhyNot) -> Html:
    """The evidence of the step that lost it, with the terms of both scores; "" where there is none
    to add up.
    """
    lost = answer.lost
    evidence = lost.evidence if lost else None
    if isinstance(evidence, Margin):
        return Html(_margin(evidence, answer.title))
    if isinstance(evidence, PrunedCandidate):
        return Html(_candidates(evidence))
    if isinstance(evidence, Asked):
        return _queries(evidence)
    if isinstance(evidence, Neighbours):
        return _own_triples(evidence, answer.trail)
    return tag("p", evidence_words(evidence), class_="gear-note", dir="auto")


def _margin(margin: Margin, title: str) -> Html:
    link = margin.link
    quoted = []
    if link:
        sentences = [
            tag("p", words, class_="gear-note", dir="auto")
            for words in (link.here.text, link.there.text)
        ]
        quoted = [tag("b", "The two sentences of its best link"), *sentences]
    missing = tag("dt", "missing", class_="gear-why-missing") + tag(
        "dd", f"{margin.needed - margin.score:.4f}", class_="gear-why-missing"
    )
    sums = (
        _sum(title, margin.terms, margin.score),
        _sum(f"At the cut: {margin.holder}", margin.holder_terms, margin.needed),
    )
    return join(
        [
            tag("div", join(sums), class_="gear-why-sums"),
            tag("dl", Html(missing), class_="gear-sum"),
            tag("div", join(quoted), class_="gear-why-link") if quoted else Html(""),
        ]
    )


def _sum(title: str, terms: Sequence[AddedTerm], total: float) -> Html:
    lines = [(term.name, f"{term.value:.4f}") for term in terms] + [("= score", f"{total:.4f}")]
    rows = join(Html(tag("dt", name, dir="auto") + tag("dd", value)) for name, value in lines)
    return tag("div", tag("b", title), tag("dl", rows, class_="gear-sum"), class_="gear-why-sum")


def _candidates(found: PrunedCandidate) -> Html:
    parts: list[Html] = []
    one, other = found.candidate, found.survivor
    for candidate, name in ((one, "This triple"), (other, "The last that was kept")):
        if candidate is None:
            continue
        shown = candidate.triple
        terms = (
            AddedTerm("beam so far", candidate.previous),
            AddedTerm("+ cosine to the query", candidate.cosine),
            AddedTerm("= sum", candidate.total),
            AddedTerm(f"× weight, place {candidate.position + 1} in its beam", candidate.weight),
        )
        words = f"{name}: {shown.subject} {shown.predicate} {shown.object}"
        parts.append(_sum(words, terms, candidate.score))
    if other and found.place:
        missing = tag("dt", "missing", class_="gear-why-missing") + tag(
            "dd", f"{other.score - found.score:.4f}", class_="gear-why-missing"
        )
        parts.append(tag("dl", Html(missing), class_="gear-sum"))
    return join(parts or [tag("p", evidence_words(found), class_="gear-note")])


def _own_triples(found: Neighbours, trail: Sequence[TrailStep]) -> Html:
    """How near the beams came, and the triples of the passage that they could have gone on to."""
    own = [
        one
        for step in trail
        if isinstance(step.evidence, ExtractedTriples)
        for one in step.evidence[0]
    ]
    name = found.shared or normalise_entity(found.nearest.own if found.nearest else "")
    near = [triple for triple in own if name and name in normalise_entity(triple)] or own
    told = tag("p", evidence_words(found), class_="gear-note", dir="auto")
    items = join(tag("li", triple, dir="auto") for triple in near[:FEW])
    return join([told, tag("b", "Its triples"), tag("ul", items, class_="gear-why-needs")])


def _queries(found: Asked) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", one.iteration),
            tag("td", one.query, dir="auto"),
            tag("td", one.rank or "–"),
        )
        for one in found.queries
    ]
    names = ("iteration", "query", "its rank in what that finds")
    head = tag("tr", join(tag("th", name, scope="col") for name in names))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), class_="gear-gold")
    return tag("div", table, tag("p", found.sentence, class_="gear-note"), class_="gear-scroll")


def needed(answer: WhyNot) -> Html:
    """What it would have needed, as a list."""
    words = [*map(need_words, answer.needs)]
    return tag("ul", join(tag("li", one) for one in words), class_="gear-why-needs")
