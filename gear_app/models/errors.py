"""How asking a language model fails. All are ModelFailed: a run keeps the ranking it has so far."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.core.errors import ModelFailed, NotReady
from gear_app.core.text import cut, shortened


class CallFailed(ModelFailed):
    """The server gave no reply to one call, after all attempts; another call may do better."""


class BadRequest(CallFailed):
    """The server took exception to what it was sent."""


class ServerFailed(CallFailed):
    """No call will do better: key or model refused, or call after call has failed."""


class KeyEnded(ServerFailed, NotReady):
    """The browser session in which the key was typed has ended (server.TypedKey)."""


class BudgetReached(CallFailed):
    """The next call could take more than the budget allows; no other call is made."""


class Unusable(ModelFailed):
    """A reply came and could not be parsed. It is not stored, so that a retry asks again.

    `reply` is all of it, but of a very long one the beginning (text.shortened).
    """

    def __init__(self, role: str, why: str, reply: str) -> None:
        """`why` goes on from "The model's reply to 'role' …"."""
        reason = f"The model's reply to '{role}' {why}."
        excerpt = cut(" ".join(reply.split()), 200) or "(empty)"
        super().__init__(f"{reason} Reply: {excerpt}", shortened(reply), reason)
        self.replied = True


@dataclass(eq=False)
class Fault(Exception):
    """Why there is no reply, in words that go on from "The model server at …".

    `status`: that of the server's refusal; 0 where it was not reached; None where it may have done
    work that is paid for.
    """

    message: str
    status: int | None = None
