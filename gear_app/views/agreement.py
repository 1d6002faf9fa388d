"""Agreement, disagreements and counts of judgements, as words and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.annotate.agreement import Agreement, Disagreement
from gear_app.annotate.codebook import CODE_BOOK, TABLE_14, Category
from gear_app.annotate.counts import LabelCounts, Remade
from gear_app.annotate.record import Record
from gear_app.text import count
from gear_app.views.annotate import FIELD_NAMES
from gear_app.views.labels import method_name
from gear_app.views.markup import Html, join, tag

UNDEFINED = "undefined: only one category occurs"
TICKS = (0.0, 0.5, 1.0)


def heading(found: Sequence[Agreement]) -> str:
    """How far people agree, in a sentence."""
    category = next((one for one in found if one.field == "category"), None)
    if category is None or not category.cases:
        return "No run has two labels yet"
    return f"The category is the same in {category.same} of {count(category.cases, 'run')}"


def scales(found: Sequence[Agreement]) -> Html:
    """A line for each field: equal labels, the value with its interval on a scale, in figures."""
    lines = [part for one in found for part in _scale(one)]
    ticks = [tag("span", f"{at:g}", style=f"left: {100 * at:.0f}%") for at in TICKS]
    lines += [
        tag("span", ""),
        tag("span", ""),
        tag("div", join(ticks), class_="gear-ticks"),
        tag("span", ""),
    ]
    return tag("div", join(lines), class_="gear-agree")


def _scale(one: Agreement) -> list[Html]:
    name = tag("b", FIELD_NAMES.get(one.field, one.field))
    same = tag("span", f"{one.same} of {one.cases} equal", class_="gear-quiet")
    if one.value is None:
        words = UNDEFINED if one.cases else "nobody judged it twice"
        return [name, same, tag("span", words, class_="gear-quiet"), tag("span", "–")]
    marks = [tag("u", "", style=f"left: {100 * at:.0f}%") for at in TICKS]
    interval = ""
    if one.interval:
        low, high = one.interval
        left, right = _percent(low), _percent(high)
        marks.append(tag("i", "", style=f"left: {left:.1f}%; width: {right - left:.1f}%"))
        interval = f" {low:.2f} to {high:.2f}"
    marks.append(tag("b", "", style=f"left: {_percent(one.value):.1f}%"))
    return [
        name,
        same,
        tag("div", join(marks), class_="gear-scale", aria_hidden="true"),
        tag(
            "span",
            tag("b", f"{one.measure[-1]} {one.value:.2f}"),
            tag("span", interval, class_="gear-quiet"),
        ),
    ]


def _percent(value: float) -> float:
    return 100 * min(1.0, max(0.0, value))


def matrix(
    pairs: Mapping[tuple[str, str], int], people: Sequence[str], names: Mapping[str, str]
) -> Html:
    """How often the first of two people gave a row's category where the second gave a column's."""
    values = [one.key for one in CODE_BOOK if any(one.key in pair for pair in pairs)]
    values += sorted({value for pair in pairs for value in pair} - set(values))
    head = [tag("th", f"{people[0]} ↓ {people[1]} →")]
    head += [tag("th", names.get(value, value), scope="col") for value in values]
    rows = [tag("tr", join(head))]
    for row in values:
        cells = [tag("th", names.get(row, row), scope="row")]
        for column in values:
            number = pairs.get((row, column), 0)
            kind = "gear-same" if row == column else "gear-differ"
            cells.append(tag("td", str(number or "·"), class_=kind if number else None))
        rows.append(tag("tr", join(cells)))
    return tag("div", tag("table", join(rows), class_="gear-matrix"), class_="gear-scroll")


def beside(one: Disagreement, names: Mapping[str, str]) -> Html:
    """The labels of a case side by side, what differs marked; the decision after them."""
    cards = [_card(record, names, one.fields, record.annotator) for record in one.records]
    if one.decision:
        who = f"Decision by {one.decision.annotator}"
        cards.append(_card(one.decision, names, (), who))
    return tag("div", join(cards), class_="gear-beside")


def _card(record: Record, names: Mapping[str, str], differ: Sequence[str], who: str) -> Html:
    lines = []
    for field, title in FIELD_NAMES.items():
        value = str(getattr(record.label, field))
        words = names.get(value, value) or ("whole run" if field == "step" else "–")
        marked = "gear-differ" if field in differ else None
        lines += [tag("dt", title), tag("dd", words, class_=marked)]
    note = record.label.note
    return tag(
        "div",
        tag("b", who, dir="auto"),
        " ",
        tag("span", record.at[:16].replace("T", " "), class_="gear-note"),
        tag("dl", join(lines)),
        tag("blockquote", note, dir="auto") if note else "",
    )


def case_words(record: Record) -> str:
    """A case in a line."""
    return f"{record.case.question} · {method_name(record.case.method)}"


def counts_heading(found: LabelCounts, hidden: int) -> str:
    """How many runs failed when judged, and how many judged ones are not among them."""
    if not found.judged:
        return "Nothing else is judged yet" if hidden else "Nothing is judged yet"
    total = sum(found.judged.values())
    more = f"; {hidden} more {'is' if hidden == 1 else 'are'} hidden" if hidden else ""
    return f"{failures(found)} of {count(total, 'run')} failed when judged{more}"


def failures(found: LabelCounts) -> int:
    """The number of runs that failed."""
    return sum(len(of) for method in found.failed.values() for of in method.values())


def hidden_words(hidden: int) -> str:
    """Why so many judged runs are not told of; nothing where none is hidden."""
    if not hidden:
        return ""
    return (
        f"Hidden: what was said of {count(hidden, 'judged run')} that two people are to judge"
        " without seeing each other's label. It is counted once you have judged"
        f" {'it' if hidden == 1 else 'them'} too, or two others have."
    )


def squares(
    found: LabelCounts, book: Sequence[Category], links: Mapping[str, str], names: Mapping[str, str]
) -> Html:
    """A square for each failed run by category and method, and GEAR's own Table 14 in outline.
    `links` are the addresses of runs by case.
    """
    used = {key for of in found.failed.values() for key in of}
    keys = [one.key for one in book if one.key in used or one.key in TABLE_14]
    keys += sorted(used - set(keys))
    methods = list(found.failed)
    head = [tag("th", "")]
    head += [_method_head(method_name(one), f"{found.judged[one]} judged") for one in methods]
    head.append(_method_head("GEAR in its paper", "20 cases, GPT-4o mini"))
    rows = []
    for key in keys:
        cells = [tag("th", names.get(key, key) or "no category", scope="row")]
        for method in methods:
            cells.append(_squares(found.failed[method].get(key, ()), links))
        cells.append(_outlines(TABLE_14.get(key, 0)))
        rows.append(tag("tr", join(cells)))
    table = tag(
        "table",
        tag("thead", tag("tr", join(head))),
        tag("tbody", join(rows)),
        class_="gear-squares",
    )
    return tag("div", table, class_="gear-scroll")


def _method_head(name: str, words: str) -> Html:
    return tag("th", tag("b", name), tag("span", words), scope="col")


def _squares(records: Sequence[Record], links: Mapping[str, str]) -> Html:
    if not records:
        return tag("td", "")
    drawn = [
        tag(
            "a" if record.case.id in links else "span",
            "",
            class_="gear-square",
            href=links.get(record.case.id),
            title=record.case.question,
            role=None if record.case.id in links else "img",
            aria_label=record.case.question,
        )
        for record in records
    ]
    return tag("td", tag("div", join(drawn), tag("em", str(len(records)))))


def _outlines(number: int) -> Html:
    drawn = [tag("span", "", class_="gear-square gear-outline") for _ in range(number)]
    return tag("td", tag("div", join(drawn), tag("em", str(number))) if number else "")


def counts_note(found: LabelCounts, since: Remade, hidden: int) -> str:
    """What the squares do not say."""
    words = [_square_words(failures(found), since.here), _since_words(since), hidden_words(hidden)]
    if found.undecided:
        words.append(
            f"{count(found.undecided, 'run')} on which people differ wait for a decision and are"
            " not counted."
        )
    if found.asked:
        words.append(
            f"Of {count(found.asked, 'suggested cause')} looked at, {found.confirmed} were"
            " confirmed."
        )
    words.append("The paper's cases are other questions read by a language model.")
    return " ".join(filter(None, words))


def _square_words(failed: int, here: int) -> str:
    """What a square is, and whether it opens something."""
    if here == failed:
        return "One square is one failed run, and opens it."
    if not here:
        return "One square is one failed run, and opens it once the run is made here."
    return f"One square is one failed run; {here} of the {failed} are made here and open."


def _since_words(since: Remade) -> str:
    """What the newest runs find of failures that were asked again; nothing where none was."""
    if not since.again:
        return ""
    left = since.again - since.all_gold
    return (
        f"{count(since.again, 'failed run was', 'failed runs were')} made again since then:"
        f" {since.all_gold} with all gold in the first 5 now, {left} without."
    )
