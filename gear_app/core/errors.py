"""What can go wrong, as a user would say it.

* GearError
  x BadInput         what was handed in cannot be used: a file, a name, a value
    + Unknown        a name that does not exist; the message lists those that do
    + Refused        hostile or too large: zip bombs, path traversal, over the limit
  x NotReady         something has to be done first; the message names the command
    + Deleted        a collection went while something was at work on it
  x ModelFailed      a model not loaded, called or understood; `reply` is what it said, if anything
  x StoreFailed      the workspace file could not be read or written
  x ClusterFailed    a cluster could not be reached, or answered only in part
  x Cancelled        the user asked to stop

Messages name the thing and the way out.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, available: Iterable[object]) -> str:
    """The available name that is nearest to a mistyped one, as a question after a blank; "" where
    none is near.
    """
    names = {str(choice).casefold(): str(choice) for choice in available}
    near = difflib.get_close_matches(name.casefold(), names, n=1)
    return f" Did you mean {names[near[0]]!r}?" if near else ""


class GearError(Exception):
    """The root of every error that is meant for a user's eyes."""


class BadInput(GearError):
    """Input that cannot be used; the message says what can."""


class Unknown(BadInput):
    """A name that does not exist."""

    def __init__(self, kind: str, name: str, available: Iterable[object] = ()) -> None:
        """Compose the message from the kind of thing, its name, and the names that exist."""
        names = list(map(str, available))
        listed = f" Available: {', '.join(names)}" if names else ""
        super().__init__(f"Unknown {kind} {name!r}.{did_you_mean(name, names)}{listed}")


class Refused(BadInput):
    """Hostile or too large."""


class NotReady(GearError):
    """Something has to be done first; the message names the command."""


class Deleted(NotReady):
    """A collection was deleted, by another process, while something was at work on it."""

    def __init__(self, collection: str, work: str, left: str) -> None:
        """`work` goes on from "deleted while"; `left` is a sentence about what was done so far."""
        super().__init__(f"Collection {collection!r} was deleted while {work}. {left}")


class ModelFailed(GearError):
    """A model could not be loaded, called or understood; `reply` is all it said, "" where it said
    nothing.

    `reason` is the message without words of the reply. `replied`: the model replied, if with an
    empty reply.
    """

    def __init__(self, message: str, reply: str = "", reason: str = "") -> None:
        """The message for the user, and the raw reply where there was one."""
        super().__init__(message)
        self.reply, self.reason = reply, reason or message
        self.step = ""  # of the run that asked, where one did
        self.replied = bool(reply)


class StoreFailed(GearError):
    """The workspace file could not be read or written."""


class ClusterFailed(GearError):
    """A cluster could not be reached, or answered only in part: what it gave is not used."""


class Cancelled(GearError):
    """The user asked to stop."""


def application_error(error: Exception) -> str:
    """An error that is the application's own fault, as a run or a job says that it failed."""
    return f"An error in the application: {type(error).__name__}: {error}"
