"""An evaluation told once: the sections that its page draws, tab by tab, and a report in a row,
with what all numbers rest on and the command that measures the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.evaluate import breakdown
from gear_app.evaluate.configurations import backbones, diversity, effects, grids, lacks_diversity
from gear_app.evaluate.question_set import BeforeAfter, before_after
from gear_app.evaluate.results import Results
from gear_app.rendering import html
from gear_app.rendering.values import Drawn, Note, Section
from gear_app.text import count
from gear_app.views import palette
from gear_app.views.evaluate import figures, tables, words
from gear_app.views.evaluate.tables import Look
from gear_app.views.evaluate.words import measure_name
from gear_app.views.markup import Html, tag

DENSITY_NOTE = "questions by the mean number of triples of their gold passages"
DEEP_NOTE = "R@k of the last ranking, as deep as it goes: each question counts alike"
DIVERSITY_NOTE = "the same method with γ and without; paired tests, not corrected"
SPREAD_NOTE = "dot: mean R@k; line: from the first to the third quartile"
CEILING_NOTE = "; thin line: perfect reader over hybrid"
BEFORE_NOTE = "the same questions when they were picked and now; paired tests"
OVERLAP = "overlap"  # the section of two methods, of which a visitor chooses one
_PAGE = """
body { margin: 0 auto; max-width: 1180px; padding: 24px; background: var(--gear-background);
  color: var(--gear-text); font-family: system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; } section { margin: 28px 0; }
.facts { color: var(--gear-muted-text); font-size: 13px; margin: 0 0 4px; }
pre { background: var(--gear-panel); padding: 10px 12px; border-radius: 7px; overflow-x: auto; }
.gear-term:hover::after, .gear-term:focus::after { content: attr(aria-description);
  position: fixed; z-index: 2; width: max-content; max-width: 320px; margin: 20px 0 0 -80px;
  padding: 6px 10px; border-radius: 6px; background: var(--gear-text);
  color: var(--gear-background); font-size: 13px; font-weight: 400; text-align: start;
  white-space: normal; }
button { cursor: auto !important; text-decoration: none !important; }
"""


def sections(results: Results, look: Look) -> Iterator[Section]:
    """All of them in the order of the page."""
    for part in (result, course, kinds, settings):
        yield from part(results, look)


def result(results: Results, look: Look) -> Iterator[Section]:
    """Which method, how sure, at what cost."""
    k = look.k
    if changed := before_after(results.evaluation, k):
        yield Section(
            "before",
            words.before_after_heading(results, changed, k),
            BEFORE_NOTE,
            [tables.before_after(results, changed, k), *before_note(results, changed)],
        )
    yield Section(
        "dots", words.dots_heading(results, k), dots_note(results), [tables.dots(results, look)]
    )
    of_files = [one.sentence(results.facts.k) for one in results.evaluation.brought]
    remarks = [*results.facts.remarks, *of_files]
    yield Section(
        "table",
        words.table_heading(results, k),
        table_note(results),
        [tables.main(results, look), *([Note(remarks)] if remarks else [])],
    )


def course(results: Results, look: Look) -> Iterator[Section]:
    """When a method finds what, and which link of the chain it misses."""
    k, of = look.k, figures.course(results, look.k)
    yield Section(
        "rounds",
        words.rounds_heading(results, look.highlight, k),
        rounds_note(results, k),
        [figures.recall_chart(results, look, of), figures.round_table(results, of)],
    )
    if any(question.decomposition for question in results.evaluation.questions):
        yield Section(
            "links",
            words.positions_heading(results, look.highlight, k),
            links_note(results, k),
            [figures.chain_positions(results, look)],
        )
    if of.asking:
        yield Section(
            "tokens",
            "Tokens until each iteration",
            "mean of all questions",
            [figures.token_chart(results, look, of), figures.token_table(of)],
        )


def kinds(results: Results, look: Look) -> Iterator[Section]:
    """By hops and type, at which ranks, and what two methods have that the other has not."""
    evaluation, (highlight, k) = results.evaluation, look
    for key, heading, groups, note in (
        ("hops", words.groups_heading(results, highlight, k), breakdown.by_hops(evaluation, k), ""),
        ("types", "Recall by type of question", breakdown.by_type(evaluation, k), ""),
        (
            "density",
            words.density_heading(results, highlight, k),
            breakdown.by_density(evaluation, k),
            f", {DENSITY_NOTE}",
        ),
    ):
        if groups:
            drawn = figures.groups(results, groups, look)
            yield Section(key, heading, f"R@{k}{note}", [drawn])
        if groups and key == "hops":
            yield from _by_hops(results, look)
        answered = breakdown.em_by_type(evaluation) if key == "types" else []
        if answered:
            drawn = figures.groups(results, answered, look)
            yield Section("types-em", "Answers by type of question", "EM", [drawn])
    yield Section(
        "ranks",
        words.burial_heading(results, highlight, k),
        "gold passages by their rank",
        [figures.buried(results, look)],
    )
    yield Section(
        "deep",
        words.deep_heading(results, highlight, k),
        DEEP_NOTE,
        [figures.deep(results, look)],
    )
    if others := compared(results, look):
        yield overlapping(results, look, others[0])


def _by_hops(results: Results, look: Look) -> Iterator[Section]:
    """How recall is spread by hops, and how many iterations methods take."""
    evaluation, k = results.evaluation, look.k
    recall = breakdown.spread_by_hops(evaluation, lambda row: row.recall[k])
    drawn = figures.spread(results, recall, look)
    yield Section("spread", "The middle half of the questions, by hops", SPREAD_NOTE, [drawn])
    if any(row.iterations > 1 for row in evaluation.rows):
        taken = breakdown.spread_by_hops(evaluation, lambda row: row.iterations)
        table = figures.iterations(results, taken, look)
        heading, note = "Iterations by number of hops", "mean; bar: share of the most"
        yield Section("iterations", heading, note, [table])


def compared(results: Results, look: Look) -> list[str]:
    """What the highlighted method can be compared with, the baseline first."""
    others = [one for one in results.evaluation.methods if one != look.highlight]
    return sorted(others, key=lambda one: one != results.comparison.baseline)


def overlapping(results: Results, look: Look, other: str) -> Section:
    """What the highlighted method and another have that the other has not."""
    both = breakdown.overlap(results.evaluation, look.highlight, other, look.k)
    return Section(
        OVERLAP,
        words.overlap_heading(results, both, look.highlight, other),
        f"gold passages in the first {look.k}, each passage counting alike",
        [figures.overlapping(both, look.highlight, other)],
    )


def settings(results: Results, look: Look) -> Iterator[Section]:
    """What diversity does, two settings against each other, all configurations, and the mean effect
    of every setting; none where only one configuration of each method is there.
    """
    k, evaluation = look.k, results.evaluation
    pairs, missing = diversity(evaluation), lacks_diversity(evaluation)
    means = effects(evaluation, f"recall@{k}")
    over = backbones(evaluation)
    if over:
        metrics = [f"recall@{k}", *(["em"] if evaluation.answered else [])]
        tables_ = [figures.grid(results, over, metric) for metric in metrics]
        note = f"{' and below it '.join(map(measure_name, metrics))}; darker: better"
        yield Section("backbones", "Iterative methods by what they stand over", note, tables_)
    if not (pairs or missing or means):
        return
    if pairs:
        drawn = figures.diversity(results, pairs)
        yield Section("diversity", words.diversity_heading(pairs), DIVERSITY_NOTE, [drawn])
    for one in grids(evaluation):
        yield Section(
            f"grid-{one.method}",
            f"{words.label(one.method)} by {' and '.join(one.names)}",
            f"R@{k}; darker: better",
            [figures.grid(results, one, f"recall@{k}")],
        )
    whole: list[Drawn] = [figures.configurations(results, look)]
    if missing:
        hint = f"To see what diversity across beams does, add the method: {missing}"
        whole.append(Note([hint]))
    yield Section("matrix", "All configurations", "darker: better in its column", whole)
    if means:
        yield Section(
            "effects",
            "What each setting does",
            "mean over all configurations with this value",
            [figures.setting_effects(results, means, k)],
        )


def report(results: Results) -> str:
    """All of it as one HTML page that needs no other file; in both themes, as the reader's browser
    likes it.
    """
    k = results.evaluation.ks[0]
    look = Look(words.best_method(results, k), k)
    dark = palette.css_variables(palette.DARK)
    style = palette.css_variables(palette.LIGHT) + f"@media(prefers-color-scheme:dark){{{dark}}}"
    again = tag("pre", results.command, dir="auto")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"Evaluation of {results.facts.collection}"),
        tag("style", Html(style + _PAGE + html.STYLE)),
    )
    body = tag(
        "body",
        tag("h1", words.main_heading(results, k), dir="auto"),
        tag("p", words.facts_line(results.facts), class_="facts", dir="auto"),
        tag("p", words.failed_sentence(results.evaluation.failures), class_="facts", dir="auto"),
        tag(
            "div",
            *map(html.section, sections(results, look)),
            tag("section", tag("h2", "The same again", dir="auto"), again),
            class_="evaluation",
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


# What stands beside a heading


def before_note(results: Results, changed: Sequence[BeforeAfter]) -> list[Note]:
    """Which questions before and after counts, where that is not every question with every method;
    nothing where it is.
    """
    number, sentences = len(results.evaluation.questions), []
    if any(one.picked < number for one in changed):
        sentences = [
            "Each method is only on the questions that were picked with it, so that rows are not to"
            f" be compared with each other; all that follows is of all {count(number, 'question')}."
        ]
    if any(one.n < one.picked for one in changed):
        sentences.append(
            "Left out are questions that are not measured yet, or whose gold was changed since."
        )
    return [Note([" ".join(sentences)])] if sentences else []


def dots_note(results: Results) -> str:
    """What the marks of the dots mean."""
    baseline = words.label(results.comparison.baseline)
    note = f"mean with its 95 % interval; hollow: cannot be told from {baseline}, the diamond"
    ks = results.evaluation.ks
    lines = any(tables.drawn_ceiling(results, f"recall@{k}") is not None for k in ks)
    return note + (CEILING_NOTE if lines else "")


def rounds_note(results: Results, k: int) -> str:
    """What the lines of recall per iteration are."""
    note = f"R@{k} of all passages so far; dotted: carried forward"
    return note + ("" if tables.drawn_ceiling(results, f"recall@{k}") is None else CEILING_NOTE)


def links_note(results: Results, k: int) -> str:
    """What the bars of links are, and why there can be more links than gold passages."""
    note = f"share of each link’s passages not in the first {k}"
    repeated = breakdown.repeated_links(results.evaluation)
    if not repeated:
        return note
    return f"{note}; a passage that is two links counts at both ({count(repeated, 'question')})"


def table_note(results: Results) -> str:
    """What the marks of the table mean."""
    baseline, tests = words.label(results.comparison.baseline), results.comparison.tests
    note = f"▲ above, ▼ below {baseline}, Holm’s correction for {count(tests, 'test')} a measure"
    if not results.evaluation.ceiling:
        return note
    over = "; the perfect reader is over hybrid, whatever a method is over, and no limit"
    if breakdown.ceiling_is_whole(results.evaluation):
        return note + over
    fewer = f"its questions are fewer{words.known_of(results)}, so its row is not to be compared"
    return f"{note}{over}; {fewer}"
