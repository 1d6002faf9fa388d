"""The replies of language models that are kept: how many, and forgetting them."""

from __future__ import annotations

from gear_app.core import Core
from gear_app.store.replies import KeptReplies


class Kept(Core):
    """The part of a workspace that remembers what language models said."""

    def kept_replies(self) -> KeptReplies:
        """How many there are and how large; each saves a call."""
        return self.store.replies.size()

    def forget_replies(self) -> int:
        """Forget them all, so that everything is asked anew; how many there were. Runs keep theirs
        in their events.
        """
        return self.store.replies.forget()
