"""How large, and of what form, words may be that people, files and addresses bring: said once, and
checked at every door.
"""

from __future__ import annotations

import re

from gear_app.core.errors import BadInput

MOST_QUESTION = 2_000  # characters
MOST_NAME = 200  # characters of what somebody gives a name
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_METHOD = re.compile(r"[\w-]{1,40}(?::[\w-]{1,40}){0,3}", re.ASCII)


def question_words(text: str) -> str:
    """A question as it is kept: every run of blanks and controls one blank. Raises BadInput where
    nothing is left, or more than any question has.
    """
    words = " ".join(_CONTROL.sub(" ", text).split())
    if not words:
        raise BadInput("There is no question. Type one.")
    if len(words) > MOST_QUESTION:
        raise BadInput(
            f"The question has {len(words):,} characters; at most {MOST_QUESTION:,} are taken."
        )
    return words


def name_words(subject: str, text: str) -> str:
    """A name without blanks around it. Raises BadInput for one that is none; `subject` has it."""
    name = text.strip()
    if not name:
        raise BadInput(f"{subject} needs a name.")
    if len(name) > MOST_NAME:
        raise BadInput(f"{subject} may have a name of {MOST_NAME} characters, not {len(name):,}.")
    if _CONTROL.search(name):
        raise BadInput(f"{subject} has a name with a control character. Take it out.")
    return name


def is_method(text: str) -> bool:
    """Whether it could be a method's name with its base, of this program or another version."""
    return _METHOD.fullmatch(text) is not None
