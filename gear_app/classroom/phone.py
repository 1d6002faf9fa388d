"""What a learner may see: her own answers, and of a question what is revealed, nothing before.

This is the one place that decides it. A phone is sent these values and no others.
"""

from __future__ import annotations

from typing import Any

from gear_app.classroom.session import ClassSession, Learner, Sheet, tally


def page(session: ClassSession, number: int, wanted: int | None = None) -> dict[str, Any]:
    """A page of the lesson for one learner, as JSON: the teacher's, or the `wanted` one where the
    class is not locked to a page.
    """
    learner = session.learner(number)
    index = session.page
    if wanted is not None and not session.locked:
        index = min(max(wanted, 0), len(session.sheets) - 1)
    sheet = session.sheets[index]
    return {
        "lesson": session.lesson,
        "nickname": learner.nickname,
        "locked": session.locked,
        "page": index,
        "pages": len(session.sheets),
        "title": sheet.title,
        "text": list(sheet.text),
        "task": _task(session, learner, sheet) if sheet.asks else None,
    }


def _task(session: ClassSession, learner: Learner, sheet: Sheet) -> dict[str, Any]:
    ballot = session.ballot(sheet.key)
    task: dict[str, Any] = {
        "key": sheet.key,
        "question": sheet.question,
        "options": list(sheet.options),
        "answers": [votes.get(learner.number) for votes in ballot.votes],
        "revealed": ballot.revealed,
    }
    if ballot.revealed:
        counted = (tally(session, sheet.key, vote) for vote in range(len(ballot.votes)))
        task["right"] = sheet.right
        task["remarks"] = list(sheet.remarks)
        task["solution"] = list(sheet.solution)
        task["counts"] = [list(one.counts) for one in counted]
    return task
