"""An evaluation as one HTML page that needs no other file: figures, tables, facts, the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.evaluate.breakdown import (
    by_density,
    by_type,
    ceiling_is_whole,
    ceiling_mean,
    repeated_links,
)
from gear_app.evaluate.configurations import diversity, grids
from gear_app.evaluate.question_set import BeforeAfter, before_after
from gear_app.evaluate.results import Results
from gear_app.text import count
from gear_app.views import palette
from gear_app.views.evaluate import configurations, dots, figures, lines, tables, words
from gear_app.views.evaluate.figures import STYLE, Look
from gear_app.views.markup import Html, tag

DENSITY_NOTE = "questions by the mean number of triples of their gold passages"
DEEP_NOTE = "R@k of the last ranking, as deep as it goes: each question counts alike"
DIVERSITY_NOTE = "the same method with γ and without; paired tests, not corrected"
CEILING_NOTE = "; thin line: perfect reader over hybrid"
BEFORE_NOTE = "the same questions when they were picked and now; paired tests"
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


def page(results: Results) -> str:
    """The whole page; both themes, as the reader's browser likes it."""
    k = results.evaluation.ks[0]
    look = Look(words.best_method(results, k), k)
    dark = palette.css_variables(palette.DARK)
    style = palette.css_variables(palette.LIGHT) + f"@media(prefers-color-scheme:dark){{{dark}}}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"Evaluation of {results.facts.collection}"),
        tag("style", Html(style + _PAGE + STYLE)),
    )
    body = tag(
        "body",
        tag("h1", words.main_heading(results, k), dir="auto"),
        tag("p", words.facts_line(results.facts), class_="facts", dir="auto"),
        tag("p", words.failed_sentence(results.evaluation.failures), class_="facts", dir="auto"),
        tag(
            "div",
            *_sections(results, look),
            section("The same again", "", tag("pre", results.command, dir="auto")),
            class_="evaluation",
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


def _sections(results: Results, look: Look) -> Iterator[Html]:
    k, baseline = look.k, results.comparison.baseline
    if changed := before_after(results.evaluation, k):
        yield section(
            words.before_after_heading(results, changed, k),
            BEFORE_NOTE,
            tables.before_after(results, changed, k),
            before_note(results, changed),
        )
    yield section(words.dots_heading(results, k), dots_note(results), dots.dots(results, look))
    yield section(
        words.table_heading(results, k),
        table_note(results),
        tables.main(results, look),
        below_table(results),
    )
    yield section(
        words.rounds_heading(results, look.highlight, k),
        rounds_note(results, k),
        lines.recall_lines(results, look),
        tables.round_table(results, k),
    )
    if any(question.decomposition for question in results.evaluation.questions):
        yield section(
            words.positions_heading(results, look.highlight, k),
            links_note(results, k),
            figures.chain_positions(results, look),
        )
    for heading, found in (
        (words.groups_heading(results, look.highlight, k), words.hops(results, k)),
        ("Recall by type of question", by_type(results.evaluation, k)),
    ):
        if found:
            yield section(heading, f"R@{k}", figures.groups(results, found, look))
    if found := by_density(results.evaluation, k):
        yield section(
            words.density_heading(results, look.highlight, k),
            f"R@{k}, {DENSITY_NOTE}",
            figures.groups(results, found, look),
        )
    yield section(
        words.burial_heading(results, look.highlight, k),
        "gold passages by their rank",
        figures.buried(results, look),
    )
    yield section(
        words.deep_heading(results, look.highlight, k), DEEP_NOTE, figures.deep(results, look)
    )
    if look.highlight != baseline:
        both = words.overlap_of(results, look.highlight, baseline, k)
        yield section(
            words.overlap_heading(results, both, look.highlight, baseline),
            overlap_note(k),
            figures.overlapping(both, look.highlight, baseline),
        )
    if lines.asks_model(results):
        yield section(
            "Tokens until each iteration",
            "mean",
            lines.token_lines(results, look),
            tables.token_table(results, k),
        )
    if pairs := diversity(results.evaluation):
        yield section(
            words.diversity_heading(pairs), DIVERSITY_NOTE, configurations.diversity(results, pairs)
        )
    for one in grids(results.evaluation):
        heading = f"{words.label(one.method)} by {' and '.join(one.names)}"
        yield section(heading, f"R@{k}; darker: better", configurations.grid(results, one, k))
    if effects := configurations.swept(results, k):
        yield section("All configurations", "", configurations.configurations(results, look))
        drawn = configurations.setting_effects(results, effects, k)
        yield section("What each setting does", "", drawn)


def section(heading: str, aside: str, *inside: Html) -> Html:
    """A card: what was found, a quiet remark, and what shows it."""
    return tag("section", figures.card_head(heading, aside), *inside)


def below_table(results: Results) -> Html:
    """What holds recall down, and what is not known of run files, a paragraph each; nothing without
    any.
    """
    of_files = [one.sentence(results.facts.k) for one in results.evaluation.brought]
    told = [
        tag("p", sentence, class_="note", dir="auto")
        for sentence in (*results.facts.remarks, *of_files)
    ]
    return tag("div", *told) if told else Html("")


def before_note(results: Results, found: Sequence[BeforeAfter]) -> Html:
    """Which questions before and after counts, where that is not every question with every method;
    nothing where it is.
    """
    asked, told = len(results.evaluation.questions), []
    if any(one.picked < asked for one in found):
        told = [
            "Each method is only on the questions that were picked with it, so that rows are not to"
            f" be compared with each other; all that follows is of all {count(asked, 'question')}."
        ]
    if any(one.n < one.picked for one in found):
        told.append(
            "Left out are questions that are not measured yet, or whose gold was changed since."
        )
    return tag("p", " ".join(told), class_="note") if told else Html("")


def rounds_note(results: Results, k: int) -> str:
    """What the lines of recall per iteration are."""
    evaluation = results.evaluation
    drawn = ceiling_is_whole(evaluation) and ceiling_mean(evaluation, f"recall@{k}") is not None
    told = f"R@{k} of all passages so far; dotted: carried forward"
    return told + (CEILING_NOTE if drawn else "")


def links_note(results: Results, k: int) -> str:
    """What the bars of links are, and why there can be more links than gold passages."""
    told = f"share of each link’s passages not in the first {k}"
    repeated = repeated_links(results.evaluation)
    if not repeated:
        return told
    return f"{told}; a passage that is two links counts at both ({count(repeated, 'question')})"


def overlap_note(k: int) -> str:
    """What the parts of all gold passages are, beside recall, which is a mean over questions."""
    return f"gold passages in the first {k}, each passage counting alike"


def dots_note(results: Results) -> str:
    """What the marks of the dots mean."""
    baseline = words.label(results.comparison.baseline)
    told = f"mean with its 95 % interval; hollow: cannot be told from {baseline}, the diamond"
    return told + (CEILING_NOTE if dots.shows_ceiling(results) else "")


def table_note(results: Results) -> str:
    """What the marks of the table mean."""
    baseline, tests = words.label(results.comparison.baseline), results.comparison.tests
    told = f"▲ above, ▼ below {baseline}, Holm’s correction for {count(tests, 'test')} a measure"
    if not results.evaluation.ceiling:
        return told
    over = "; the perfect reader is over hybrid, whatever a method is over, and no limit"
    if ceiling_is_whole(results.evaluation):
        return told + over
    fewer = f"its questions are fewer{words.known_of(results)}, so its row is not to be compared"
    return f"{told}{over}; {fewer}"
