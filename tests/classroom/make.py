"""A lesson of three pages, and a class in it."""

from __future__ import annotations

from gear_app.classroom.session import ClassSession, Sheet, join

BEAMS = Sheet(
    "beams/2",
    "Which three survive?",
    ("Two places are taken.",),
    "Who gets the third?",
    ("Portsmouth", "the railway", "Avon Gorge"),
    ("second in its beam", "", "first in its beam"),
    2,
    ("The penalty takes 0.425 from Portsmouth.",),
)
GAMMA = Sheet(
    "beams/3", "Without the penalty", (), "And with γ off?", ("the same", "Brunel"), (), 1, ()
)
SHEETS = (Sheet("beams/1", "What a beam is", ("A beam is a path.",)), BEAMS, GAMMA)


def a_class(*nicknames: str, page: int = 1) -> ClassSession:
    """A class on these sheets, at the first question, with learners 1, 2, …"""
    session = ClassSession("K74QXM", "Beam search by hand", SHEETS, page)
    for nickname in nicknames:
        session, _ = join(session, nickname)
    return session
