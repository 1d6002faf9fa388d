"""The answers of a class as a table for a spreadsheet."""

from __future__ import annotations

import csv
import io

from gear_app.classroom.session import ClassSession
from gear_app.text import harmless


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
                right = "" if option is None else _yes(option == sheet.right)
                cells = [*named, sheet.key, sheet.question, vote, chosen, right]
                writer.writerow([harmless(str(cell)) for cell in cells])
    return text.getvalue()


def _yes(whether: bool) -> str:
    return "yes" if whether else "no"
