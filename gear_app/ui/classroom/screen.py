"""A class on the teacher's screen: the histogram of a question, who is here, the questions of the
lesson, the code and its QR code.

Bars are grey until the answer is shown: a colour would tell. What learners typed is escaped like
all text.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

import segno

from gear_app.classroom.access import JOIN, join_link
from gear_app.classroom.open_classes import spaced
from gear_app.classroom.session import ClassSession, Sheet, Tally, right_answers, tally
from gear_app.views.markup import Html, tag

KEPT = "nothing is kept after you close it unless you export it"
VOTES = {1: ("",), 2: ("before the talk", "after it")}


def facts(session: ClassSession, open_s: float) -> str:
    """Where the class is, and for how long it has been open."""
    asked = [sheet.key for sheet in session.questions]
    place = f"page {session.page + 1} of {len(session.sheets)}"
    if session.here.asks:
        place += f" · question {asked.index(session.here.key) + 1} of {len(asked)}"
    return f"{place} · open for {_duration(open_s)} · {KEPT}"


def _duration(seconds: float) -> str:
    minutes, left = divmod(int(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"


def header(session: ClassSession, open_s: float) -> Html:
    """The lesson's title and the facts under it."""
    title = tag("h1", f"Class: {session.lesson}", dir="auto")
    line = tag("p", facts(session, open_s), class_="gear-facts-line")
    return tag("div", tag("div", title, line), class_="gear-header")


def heading(session: ClassSession, sheet: Sheet) -> str:
    """What most expect, or after the reveal how many were right."""
    latest = tally(session, sheet.key)
    if session.ballot(sheet.key).revealed:
        right = right_answers(session, sheet.key)
        return f"{right} of {latest.given} said {letter(sheet.right)}, which is right"
    if not latest.given:
        return "Nobody has answered yet" if session.learners else "Waiting for learners"
    most = max(latest.counts)
    first = [index for index, number in enumerate(latest.counts) if number == most]
    if len(first) > 1:
        return f"No majority: {most} each for {' and '.join(map(letter, first))}"
    return f"{most} of {latest.given} expect {sheet.options[first[0]]}"


def histogram(session: ClassSession, sheet: Sheet) -> Html:
    """The options of a sheet's question with a bar for every vote, and who gave no answer yet."""
    ballot = session.ballot(sheet.key)
    tallies = [tally(session, sheet.key, vote) for vote in range(len(ballot.votes))]
    most = max(1, *(number for one in tallies for number in (*one.counts, one.missing)))
    names = VOTES.get(len(tallies)) or tuple(f"vote {n + 1}" for n in range(len(tallies)))
    rows = [
        _row(sheet, index, tallies, names, most, revealed=ballot.revealed)
        for index in range(len(sheet.options))
    ]
    if not ballot.revealed:
        missing = tallies[-1].missing
        label = tag("span", "no answer yet", class_="gear-note")
        bar = _bar(missing, most, "no answer yet", "gear-class-missing")
        rows.append(tag("div", tag("i"), label, tag("div", bar), class_="gear-class-row"))
    return tag(
        "div",
        tag("p", sheet.question, class_="gear-note", dir="auto"),
        tag("h2", heading(session, sheet), class_="gear-class-heading", dir="auto"),
        *rows,
        class_="gear-class-histogram",
    )


def _row(
    sheet: Sheet,
    index: int,
    tallies: list[Tally],
    names: tuple[str, ...],
    most: int,
    *,
    revealed: bool,
) -> Html:
    bars = [
        _bar(
            one.counts[index],
            most,
            name,
            "" if vote == len(tallies) - 1 else "gear-class-earlier",
        )
        for vote, (one, name) in enumerate(zip(tallies, names, strict=True))
    ]
    right = revealed and index == sheet.right
    sign = tag("em", " ✓ right", class_="gear-class-sign") if right else ""
    remark = sheet.remarks[index] if revealed and sheet.remarks else ""
    return tag(
        "div",
        tag("i", letter(index)),
        tag("span", sheet.options[index], sign, tag("small", remark) if remark else "", dir="auto"),
        tag("div", *bars),
        class_="gear-class-row gear-class-right" if right else "gear-class-row",
    )


def _bar(number: int, most: int, name: str, kind: str) -> Html:
    """A bar with its number; `name` is said beside it where there are several."""
    length = tag("i", style=f"width:{80 * number / most:.1f}%")
    said = tag("b", number), tag("small", name if name != "no answer yet" else "")
    return tag("div", length, *said, class_=f"gear-class-bar {kind}".strip())


def histogram_rows(session: ClassSession) -> list[dict[str, object]]:
    """The histograms of all questions that were answered, as a table: a row for every option."""
    rows: list[dict[str, object]] = []
    for sheet in session.questions:
        ballot = session.ballot(sheet.key)
        for vote in range(len(ballot.votes)):
            counts = tally(session, sheet.key, vote).counts
            for index, number in enumerate(counts if ballot.latest or vote else ()):
                right = ("yes" if index == sheet.right else "no") if ballot.revealed else ""
                rows.append(
                    {
                        "question": sheet.question,
                        "vote": vote + 1,
                        "option": f"{letter(index)}: {sheet.options[index]}",
                        "answers": number,
                        "right": right,
                    }
                )
    return rows


def letter(index: int) -> str:
    """An option's letter: A, B, C."""
    return chr(ord("A") + index)


def solution(sheet: Sheet) -> Html:
    """What is right and why, for the teacher before the reveal."""
    first = tag("p", tag("b", f"{letter(sheet.right)} is right: {sheet.options[sheet.right]}"))
    remarks = (
        tag("p", f"{letter(index)}: {remark}")
        for index, remark in enumerate(sheet.remarks)
        if remark
    )
    why = (tag("p", one) for one in sheet.solution)
    return tag("div", first, *remarks, *why, class_="gear-class-page", dir="auto")


def page_text(sheet: Sheet) -> Html:
    """A page that asks nothing, or what stands above its question."""
    return tag(
        "div",
        tag("h2", sheet.title),
        *(tag("p", one) for one in sheet.text),
        class_="gear-class-page",
        dir="auto",
    )


def questions(session: ClassSession) -> Html:
    """The lesson's questions, each with how far it is; right answers only where they were shown."""
    rows = []
    for number, sheet in enumerate(session.questions, start=1):
        ballot, counted = session.ballot(sheet.key), tally(session, sheet.key)
        now = sheet is session.here
        state = ""
        if ballot.revealed:
            state = f"{right_answers(session, sheet.key)} of {counted.given} right"
        elif now or counted.given:
            state = f"open, {counted.given} of {len(session.learners)}"
        rows.append(
            tag(
                "li",
                tag("i", number),
                tag("span", sheet.question, dir="auto"),
                tag("em", state),
                class_="gear-class-now" if now else None,
                aria_current="step" if now else None,
            )
        )
    return tag("ol", *rows, class_="gear-class-questions")


def people(session: ClassSession, away: Collection[int]) -> Html:
    """Who is here: who answered has a full dot, who did not an open one, who is away is struck."""
    answered = session.ballot(session.here.key).latest if session.here.asks else {}
    chips = []
    for one in session.learners:
        done = one.number in answered
        state = "answered" if done else "not yet"
        kind = (
            "gear-class-chip"
            if done or not session.here.asks
            else "gear-class-chip gear-class-open"
        )
        gone = one.number in away
        chips.append(
            tag(
                "li",
                tag("i", "●" if done else "○", aria_label=state, role="img")
                if session.here.asks
                else "",
                tag("s" if gone else "span", called(session, one.number)),
                tag("small", "away") if gone else "",
                class_=kind,
                dir="auto",
            )
        )
    return tag("ul", *chips, class_="gear-class-people")


def called(session: ClassSession, number: int) -> str:
    """A learner's nickname, or only her number where names are hidden."""
    return f"{number}" if session.names_hidden else session.learner(number).nickname


def present_words(session: ClassSession, away: Collection[int]) -> tuple[str, str]:
    """How many are here, and how many of them have answered."""
    here = [one for one in session.learners if one.number not in away]
    is_are = "is" if len(here) == 1 else "are"
    if not session.here.asks:
        return f"{len(here)} {is_are} here", ""
    given = tally(session, session.here.key).given
    return f"{len(here)} {is_are} here", f"{given} {'has' if given == 1 else 'have'} answered"


HOW_IT_GOES = (
    "You open a class and show its code; learners join on their phones with a nickname.",
    "You turn the pages. At a question all predict, and you see how many expect what.",
    "They talk it over and vote again, or you reveal: on all phones at once.",
    "You close the class; nothing is kept unless you export it.",
)


def how_it_goes() -> Html:
    """What happens in a class, for a teacher who has not opened one yet."""
    return tag("ol", *(tag("li", one) for one in HOW_IT_GOES), class_="gear-class-how")


def code_card(session: ClassSession, address: str, *, large: bool = False) -> Html:
    """Where to join, the code, and both as a QR code."""
    where = urlsplit(address).netloc + JOIN
    return tag(
        "div",
        tag("p", "Join at ", tag("b", where)),
        tag("p", spaced(session.code), class_="gear-class-code"),
        qr_code(join_link(address, session.code), f"QR code of {where}, code {session.code}"),
        tag("p", "a nickname, no account", class_="gear-note"),
        class_="gear-class-join gear-class-large" if large else "gear-class-join",
    )


def qr_code(link: str, name: str) -> Html:
    """A link as a QR code; `name` says what it leads to."""
    return tag("img", src=qr_data(link), alt=name, class_="gear-class-qr")


def qr_data(link: str) -> str:
    """A link as a QR code, an image in an address of itself.

    It is dark on light in both themes: not every camera reads the opposite.
    """
    code = segno.make_qr(link)
    drawn: str = code.svg_data_uri(border=3, dark="#000", light="#fff", omitsize=True)
    return drawn
