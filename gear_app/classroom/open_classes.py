"""The classes and presentations that are open in this process: behind codes, in memory alone.

A code leads learners to a class. A learner's token, which only her browser knows, is what her
answers are given with. Both end with the class.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any, NamedTuple

from gear_app.classroom.phone import Pointed, Presentation, followed
from gear_app.classroom.session import ClassSession, Learner, Sheet, join, with_room
from gear_app.errors import BadInput
from gear_app.text import count

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another: no I, L, O, 0, 1
CODE_LENGTH = 6
MOST_PRESENTATIONS = 50
MOST_JOINS, JOINS_S = 60, 60.0  # from one network: a class behind one router joins at once
_SITE = 64  # bits of an IPv6 address that are its network's; who has it, has all its addresses
MOST_ADDRESSES = 1_000
AWAY_S = 10.0  # a phone that has not asked for so long is asleep, or gone
Change = Callable[[ClassSession], ClassSession]


class Joined(NamedTuple):
    """Who joined, and the secret that shows it later."""

    learner: Learner
    token: str


class Presenter(NamedTuple):
    """A presentation that was opened: the code to follow it by, and the secret to move it with."""

    code: str
    token: str


class ClassClosed(BadInput):
    """Somebody who was in a class asks for it, and it is closed."""


@dataclass
class _Class:
    session: ClassSession
    opened: float
    tokens: dict[str, int] = field(default_factory=dict)  # to the learner's number
    seen: dict[int, float] = field(default_factory=dict)  # when a learner's phone asked last
    joins: dict[str, list[float]] = field(default_factory=dict)  # when, by network address

    def become(self, session: ClassSession) -> None:
        """Be this session now; the secrets of who is no longer in it are forgotten."""
        self.session = session
        numbers = {one.number for one in session.learners}
        self.tokens = {one: n for one, n in self.tokens.items() if n in numbers}
        self.seen = {n: when for n, when in self.seen.items() if n in numbers}

    def forget_joins(self, before: float) -> None:
        """Forget who joined before a time, and the longest known addresses where there are many."""
        late = {one: [when for when in of if when > before] for one, of in self.joins.items()}
        self.joins = dict([(one, of) for one, of in late.items() if of][-MOST_ADDRESSES:])

    def away(self, now: float) -> frozenset[int]:
        """The numbers of learners whose phones have not asked for a while."""
        return frozenset(
            one.number
            for one in self.session.learners
            if self.seen.get(one.number, now - AWAY_S - 1) < now - AWAY_S
        )


class OpenClasses:
    """Safe to use from several threads at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is open. `clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._classes: dict[str, _Class] = {}
        self._presentations: dict[str, Presentation] = {}
        self._presenters: dict[str, str] = {}  # the secret of each presentation
        self._browsers: dict[str, str] = {}  # the browser that each was begun in

    def open(self, lesson: str, sheets: Sequence[Sheet]) -> ClassSession:
        """Open a class on a lesson. Raises BadInput for a lesson without pages."""
        if not sheets:
            raise BadInput(f"The lesson “{lesson}” has no pages")
        with self._lock:
            session = ClassSession(self._free_code(), lesson, tuple(sheets))
            self._classes[session.code] = _Class(session, self._clock())
        return session

    def codes(self) -> list[str]:
        """The codes of the classes that are open, the oldest first."""
        with self._lock:
            return list(self._classes)

    def get(self, code: str) -> ClassSession:
        """The class behind a code, however it was typed. Raises BadInput."""
        with self._lock:
            return self._class(code).session

    def open_for_s(self, code: str) -> float:
        """For how many seconds a class has been open."""
        with self._lock:
            return self._clock() - self._class(code).opened

    def change(self, code: str, change: Change) -> ClassSession:
        """Put a class into the state that `change` makes of it. For the teacher alone."""
        with self._lock:
            kept = self._class(code)
            kept.become(change(kept.session))
            return kept.session

    def join(self, code: str, nickname: str, come_from: str = "", token: str = "") -> Joined:
        """Let somebody in under a nickname, who comes from a network address, if that is known.
        Whose token is good in this class is in it already, and is who she was.

        Raises BadInput where too many come from one address at once.
        """
        with self._lock:
            kept = self._class(code)
            if (number := kept.tokens.get(token)) is not None:
                return Joined(kept.session.learner(number), token)
            if come_from:
                self._check_joins(come_from)
            kept.become(with_room(kept.session, kept.away(self._clock())))
            kept.session, learner = join(kept.session, nickname)
            token = secrets.token_urlsafe(24)
            kept.tokens[token] = learner.number
            kept.seen[learner.number] = self._clock()
            if come_from:
                kept.joins.setdefault(_network_of(come_from), []).append(self._clock())
            return Joined(learner, token)

    def _check_joins(self, come_from: str) -> None:
        """Raise BadInput where as many joined from its network lately as may at once."""
        now, network = self._clock(), _network_of(come_from)
        for one in self._classes.values():
            one.forget_joins(now - JOINS_S)
        mine = sorted(when for one in self._classes.values() for when in one.joins.get(network, ()))
        if len(mine) >= MOST_JOINS:
            wait = math.ceil(mine[0] + JOINS_S - now)
            raise BadInput(
                "Too many are joining from your network at once. Try again in"
                f" {count(wait, 'second')}"
            )

    def as_learner(
        self, code: str, token: str, change: Callable[[ClassSession, int], ClassSession]
    ) -> tuple[ClassSession, int]:
        """Do what one learner asks for, with her number; the session then, and the number.

        Raises BadInput where the token is nobody's in this class, ClassClosed where there is a
        token and no class: learners alone come with one.
        """
        with self._lock:
            if token and plain(code) not in self._classes:
                raise ClassClosed("The class is closed")
            kept = self._class(code)
            number = kept.tokens.get(token)
            if number is None:
                raise BadInput("You are no longer in this class. Join again with its code")
            kept.seen[number] = self._clock()
            kept.session = change(kept.session, number)
            return kept.session, number

    def away(self, code: str) -> frozenset[int]:
        """The numbers of learners whose phones have not asked for a while."""
        with self._lock:
            return self._class(code).away(self._clock())

    def close(self, code: str) -> None:
        """Forget a class with all that was answered, and where its learners came from."""
        with self._lock:
            self._classes.pop(plain(code), None)

    def present(self, browser: str = "") -> Presenter:
        """Let others follow a presentation that is held in a browser, known by its secret. The
        oldest ends where too many are open.
        """
        with self._lock:
            while len(self._presentations) >= MOST_PRESENTATIONS:
                self._end(next(iter(self._presentations)))
            begun = Presenter(self._free_code(), secrets.token_urlsafe(24))
            self._presentations[begun.code] = Presentation()
            self._presenters[begun.code] = begun.token
            self._browsers[begun.code] = browser
            return begun

    def presenter(self, code: str, browser: str = "") -> Presenter | None:
        """The presentation that can be followed by this code, for the browser that it was begun in;
        None for any other, and for no such code.
        """
        with self._lock:
            token = self._presenters.get(plain(code))
            if not token or not secrets.compare_digest(
                self._browsers[plain(code)].encode(), browser.encode()
            ):
                return None
            return Presenter(plain(code), token)

    def begun_in(self, browser: str) -> str:
        """The code of the presentation that was begun last in this browser; "" for none."""
        with self._lock:
            mine = (code for code, begun in self._browsers.items() if begun == browser)
            return next(reversed([*mine]), "")

    def is_followed(self, code: str) -> bool:
        """Whether a presentation can be followed by this code."""
        with self._lock:
            return plain(code) in self._presentations

    def show(self, code: str, slide: Mapping[str, Any]) -> None:
        """The presenter is at this slide now; nothing on another slide is pointed at any more."""
        with self._lock:
            before = self._presentation(code)
            same = before.slide.get("shown") == slide.get("shown")
            pointed = before.pointed if same else Pointed()
            self._presentations[plain(code)] = Presentation(slide, pointed)

    def point(self, presenter: Presenter, shown: str, pointed: Pointed) -> None:
        """The presenter points at something of the slide called `shown`; late news is dropped.

        Raises BadInput for who is not the presenter.
        """
        with self._lock:
            code = plain(presenter.code)
            before = self._presentation(code)
            if not secrets.compare_digest(
                presenter.token.encode(), self._presenters[code].encode()
            ):
                raise BadInput("Only who presents can point")
            if before.slide.get("shown") == shown:
                self._presentations[code] = Presentation(before.slide, pointed)

    def follow(self, code: str) -> dict[str, Any]:
        """What a follower sees now."""
        with self._lock:
            presentation = self._presentation(code)
        return followed(presentation)

    def end(self, code: str) -> None:
        """Nobody can follow any more."""
        with self._lock:
            self._end(plain(code))

    def _end(self, code: str) -> None:
        self._presentations.pop(code, None)
        self._presenters.pop(code, None)
        self._browsers.pop(code, None)

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
            if code not in self._classes and code not in self._presentations:
                return code

    def _class(self, code: str) -> _Class:
        found = self._classes.get(plain(code))
        if found is None:
            raise BadInput("No class is open under this code. Look at the screen for the right one")
        return found

    def _presentation(self, code: str) -> Presentation:
        found = self._presentations.get(plain(code))
        if found is None:
            raise BadInput("Nobody presents under this code any more. Ask for the new link")
        return found


def _network_of(address: str) -> str:
    """What joins are counted by: an address, or of IPv6 the part that a network has as a whole."""
    try:
        return str(ip_network(f"{address}/{_SITE}", strict=False)) if ":" in address else address
    except ValueError:
        return address


def plain(code: str) -> str:
    """A code as it is kept, of what somebody typed: without blanks and hyphens, in capitals."""
    return "".join(one for one in code[:40].upper() if one.isalnum())


def spaced(code: str) -> str:
    """A code as it is read out: in two halves."""
    half = len(code) // 2
    return f"{code[:half]} {code[half:]}"


OPEN = OpenClasses()
"""Those of this process: pages and routes of one server see the same."""
