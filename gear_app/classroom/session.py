"""A class as a value, and the rules by which it changes: who is in it, the page it is at, what was
answered, what is revealed; the sheets that a lesson gives it, and its answers as a table.

Every function takes a session and gives another; what is not allowed raises BadInput. Nothing here
knows a clock, a network or a secret.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from gear_app.errors import BadInput
from gear_app.lessons import Lesson, LessonPage
from gear_app.lessons.lesson import Paragraph, address
from gear_app.text import harmless

MOST_LEARNERS = 200  # a lecture hall; more is somebody's script
LONGEST_NICKNAME = 24
# Letters and marks that are not seen: fillers of Hangul, joiners, variation selectors.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
MOST_MARKS = 3  # on a letter: no script has more, a pile of them covers the lines above
NO_VOTES: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of a lesson as a class gets it.

    `key` is its address, `lesson/page`. A page with a question has `options`, a remark on each for
    after the reveal, the index of the `right` one, and a `solution` in paragraphs; one without has
    none of these.
    """

    key: str
    title: str
    text: tuple[str, ...] = ()
    question: str = ""
    options: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    right: int = 0
    solution: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether there is something to predict."""
        return bool(self.options)


@dataclass(frozen=True, slots=True)
class Learner:
    """Somebody who joined: a number by order of arrival, and the nickname that was chosen."""

    number: int
    nickname: str


@dataclass(frozen=True, slots=True)
class Ballot:
    """What was answered to one question.

    `votes` are the votes, each of them an option's index by the learner's number: one vote, and one
    more every time the question was asked again.
    """

    votes: tuple[Mapping[int, int], ...] = (NO_VOTES,)
    revealed: bool = False

    @property
    def latest(self) -> Mapping[int, int]:
        """The vote that counts now."""
        return self.votes[-1]


UNASKED = Ballot()


@dataclass(frozen=True, slots=True)
class ClassSession:
    """A class that is open.

    `page` is the index of the sheet the teacher is at. `locked`: learners see that page and no
    other. `names_hidden`: the teacher's screen, which a hall may see, shows no nickname.
    `complete`: everybody is here, nobody else can join.
    """

    code: str
    lesson: str
    sheets: tuple[Sheet, ...]
    page: int = 0
    locked: bool = True
    names_hidden: bool = False
    complete: bool = False
    learners: tuple[Learner, ...] = ()
    arrived: int = 0
    ballots: Mapping[str, Ballot] = field(default_factory=dict)

    @property
    def here(self) -> Sheet:
        """The sheet that the teacher is at."""
        return self.sheets[self.page]

    @property
    def questions(self) -> tuple[Sheet, ...]:
        """The sheets that ask something."""
        return tuple(sheet for sheet in self.sheets if sheet.asks)

    def ballot(self, key: str) -> Ballot:
        """What was answered to the question of a sheet so far."""
        return self.ballots.get(key, UNASKED)

    def learner(self, number: int) -> Learner:
        """The learner of this number. Raises BadInput for one who was removed."""
        found = next((one for one in self.learners if one.number == number), None)
        if found is None:
            raise BadInput("You are no longer in this class. Join again with its code")
        return found


@dataclass(frozen=True, slots=True)
class Tally:
    """How many chose each option, and how many who are in the class chose none."""

    counts: tuple[int, ...]
    missing: int

    @property
    def given(self) -> int:
        """How many answered."""
        return sum(self.counts)


def join(session: ClassSession, nickname: str) -> tuple[ClassSession, Learner]:
    """The session with one more learner. A nickname that is taken gets a number behind it."""
    if session.complete:
        raise BadInput("Nobody else can join this class now. Ask your teacher to let you in")
    if len(session.learners) >= MOST_LEARNERS:
        raise BadInput(f"This class is full: {MOST_LEARNERS} have joined")
    wanted = tidied(nickname)
    learner = Learner(session.arrived + 1, _free(wanted, session.learners))
    joined = replace(session, learners=(*session.learners, learner), arrived=learner.number)
    return joined, learner


def tidied(nickname: str) -> str:
    """A nickname in one line without invisible characters. Raises BadInput for none, or a long one.

    Marks that change the direction of text, and others that take no room, could make one name look
    like another, or turn the teacher's whole list around.
    """
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", nickname[: 10 * LONGEST_NICKNAME]))
    seen = "".join(one if unicodedata.category(one)[0] not in "CZ" else " " for one in plain)
    name = " ".join(_with_few_marks(seen).split())
    if not any(one.isalnum() for one in name):
        raise BadInput("Choose a nickname of letters or digits")
    if len(name) > LONGEST_NICKNAME:
        raise BadInput(f"A nickname has at most {LONGEST_NICKNAME} characters")
    return name


def _with_few_marks(text: str) -> str:
    kept, marks = [], 0
    for one in text:
        marks = marks + 1 if unicodedata.category(one) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(one)
    return "".join(kept)


def _free(name: str, learners: Sequence[Learner], but: int = 0) -> str:
    taken = {one.nickname.casefold() for one in learners if one.number != but}
    found, number = name, 1
    while found.casefold() in taken:
        number += 1
        found = f"{name} {number}"
    return found


def answer(session: ClassSession, number: int, key: str, option: int) -> ClassSession:
    """The session with a learner's answer, in place of the one she gave before in this vote.

    Refused: a question of another page while the class is locked to one, one that is revealed, and
    an option that is not there.
    """
    learner = session.learner(number)
    sheet = sheet_of(session, key)
    if session.locked and sheet is not session.here:
        raise BadInput("The class is at another page now")
    ballot = session.ballot(key)
    if ballot.revealed:
        raise BadInput("The answer was shown: predictions are closed")
    if not 0 <= option < len(sheet.options):
        raise BadInput(f"There is no option {option + 1}")
    latest = {**ballot.latest, learner.number: option}
    return _with(session, key, replace(ballot, votes=(*ballot.votes[:-1], latest)))


def sheet_of(session: ClassSession, key: str) -> Sheet:
    """The sheet at an address of the lesson. Raises BadInput for none."""
    found = next((sheet for sheet in session.sheets if sheet.key == key), None)
    if found is None:
        raise BadInput(f"The lesson has no page {key!r}")
    return found


def reveal(session: ClassSession, key: str) -> ClassSession:
    """The session with a question's answer shown; predictions to it are closed."""
    return _with(session, key, replace(session.ballot(key), revealed=True))


def ask_again(session: ClassSession, key: str) -> ClassSession:
    """The session in which a question is voted on once more; the vote before is kept beside it."""
    ballot = session.ballot(key)
    if ballot.revealed:
        raise BadInput("The answer was shown already: a second vote would only repeat it")
    if not ballot.latest:
        raise BadInput("Nobody has answered yet: there is nothing to talk over")
    return _with(session, key, replace(ballot, votes=(*ballot.votes, NO_VOTES)))


def turn_to(session: ClassSession, page: int) -> ClassSession:
    """The session at another page, no further than the first and the last."""
    return replace(session, page=min(max(page, 0), len(session.sheets) - 1))


def rename(session: ClassSession, number: int, nickname: str) -> ClassSession:
    """The session in which a learner is called otherwise."""
    session.learner(number)
    name = _free(tidied(nickname), session.learners, but=number)
    renamed = (
        replace(one, nickname=name) if one.number == number else one for one in session.learners
    )
    return replace(session, learners=tuple(renamed))


def remove(session: ClassSession, number: int) -> ClassSession:
    """The session without a learner and her answers."""
    ballots = {
        key: replace(ballot, votes=tuple(_without(votes, number) for votes in ballot.votes))
        for key, ballot in session.ballots.items()
    }
    left = tuple(one for one in session.learners if one.number != number)
    return replace(session, learners=left, ballots=ballots)


def with_room(session: ClassSession, away: Collection[int]) -> ClassSession:
    """The session; where it is full, without those who are away and have answered nothing. A script
    that fills a class would else keep learners out until the teacher removes it name by name.
    """
    if len(session.learners) < MOST_LEARNERS:
        return session
    gone = set(away) & silent(session)
    left = tuple(one for one in session.learners if one.number not in gone)
    return replace(session, learners=left)


def silent(session: ClassSession) -> set[int]:
    """The numbers of learners who have answered nothing so far."""
    took_part = {
        number for ballot in session.ballots.values() for votes in ballot.votes for number in votes
    }
    return {one.number for one in session.learners} - took_part


def remove_silent(session: ClassSession) -> ClassSession:
    """The session without those who have answered nothing: who filled it by a script that keeps
    asking is gone with one press.
    """
    gone = silent(session)
    left = tuple(one for one in session.learners if one.number not in gone)
    return replace(session, learners=left)


def _without(votes: Mapping[int, int], number: int) -> Mapping[int, int]:
    return {one: option for one, option in votes.items() if one != number}


def _with(session: ClassSession, key: str, ballot: Ballot) -> ClassSession:
    if not sheet_of(session, key).asks:
        raise BadInput("This page asks nothing")
    return replace(session, ballots={**session.ballots, key: ballot})


def tally(session: ClassSession, key: str, vote: int = -1) -> Tally:
    """The counts of a vote, the latest unless another is named by its index."""
    sheet = sheet_of(session, key)
    votes = session.ballot(key).votes[vote]
    counts = [0] * len(sheet.options)
    for option in votes.values():
        counts[option] += 1
    return Tally(tuple(counts), len(session.learners) - len(votes))


def right_answers(session: ClassSession, key: str) -> int:
    """How many of the latest vote chose what is right."""
    return tally(session, key).counts[sheet_of(session, key).right]


def answers_csv(session: ClassSession, *, nicknames: bool = False) -> str:
    """A line for every learner, question and vote; learners are numbers unless `nicknames`.

    Who did not answer has an empty answer. Cells that a spreadsheet would carry out are quoted.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    who = ["learner", "nickname"] if nicknames else ["learner"]
    writer.writerow([*who, "page", "question", "vote", "answer", "right"])
    for learner in session.learners:
        named = [learner.number, learner.nickname] if nicknames else [learner.number]
        for sheet in session.questions:
            for vote, votes in enumerate(session.ballot(sheet.key).votes, start=1):
                option = votes.get(learner.number)
                chosen = "" if option is None else sheet.options[option]
                right = "" if option is None else "yes" if option == sheet.right else "no"
                cells = [*named, sheet.key, sheet.question, vote, chosen, right]
                writer.writerow([harmless(str(cell)) for cell in cells])
    return text.getvalue()


def sheets_of(lesson: Lesson) -> tuple[Sheet, ...]:
    """The lesson's pages in order, each at its address, `lesson/page`."""
    return tuple(_sheet(lesson, page) for page in lesson.pages)


def _sheet(lesson: Lesson, page: LessonPage) -> Sheet:
    key, text = address(lesson, page), _paragraphs(page.text)
    task = page.task
    if task is None:
        return Sheet(key, page.title, (*text, *_paragraphs(page.after)))
    return Sheet(
        key,
        page.title,
        text,
        task.question,
        tuple(option.text for option in task.options),
        tuple(option.remark for option in task.options),
        task.solution,
        _paragraphs(page.after),
    )


def _paragraphs(paragraphs: Sequence[Paragraph]) -> tuple[str, ...]:
    return tuple("".join(phrase.words for phrase in one) for one in paragraphs)
