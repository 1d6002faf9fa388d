"""Runs and jobs in the background, in turns: a question first, then one small slice of a job, and
so on.

So a question waits at most for a slice (about a second), and an extraction goes on while many
questions are asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from gear_app.errors import GearError
from gear_app.jobs.extraction_job import Job
from gear_app.store.events import StoredEvent
from gear_app.workspace import Workspace

log = logging.getLogger(__name__)
FINISHED = ("done", "failed", "cancelled", "interrupted")


class Turns:
    """Takes what waits in a workspace. An error ends the run or the job it happened in, and nothing
    else.
    """

    def __init__(self, workspace: Workspace) -> None:
        """Begin nothing yet."""
        self._workspace = workspace
        self._begun: dict[int, Job] = {}

    def take(self) -> bool:
        """Do the next run, if one waits, and a slice of the next job; False if there was nothing to
        do.
        """
        ran = self.run()
        return self.slice() or ran

    def run(self) -> bool:
        """Do the run whose turn it is; False if none waits. How it ends is stored with it."""
        run_id = self._workspace.store.runs.claim_next(self._workspace.process)
        if run_id is None:
            return False
        try:
            self._workspace.execute(run_id)
        except GearError as error:
            log.info("run %s: %s", run_id, error)
        return True

    def slice(self) -> bool:
        """Do one slice of the job whose turn it is; False if none waits. How it ends is stored with
        it.
        """
        job = self._workspace.store.jobs.claim_next(self._workspace.process)
        self._forget_ended()
        if job is None:
            return False
        try:
            if job.id not in self._begun:
                self._begun[job.id] = self._workspace.begin(job)
            if not self._workspace.slice(job, self._begun[job.id]):
                del self._begun[job.id]
        except GearError as error:
            self._begun.pop(job.id, None)
            log.warning("job %s: %s", job.id, error)
        return True

    def _forget_ended(self) -> None:
        """End the work of jobs that are gone, as those of a deleted collection, or that another
        process took over.
        """
        for gone in self._begun.keys() - self._held() if self._begun else ():
            self._begun.pop(gone).stop()

    def _held(self) -> set[int]:
        return self._workspace.store.jobs.held_by(self._workspace.process)


def watch(workspace: Workspace, run_id: str, every_s: float = 0.2) -> Iterator[StoredEvent]:
    """The events of a run as they happen, wherever it is made; ends when the run has ended."""
    seen = 0
    while True:
        finished = workspace.run(run_id).state in FINISHED
        for stored in workspace.timed_events(run_id, after=seen):
            seen = stored.position
            yield stored
        if finished:
            return
        time.sleep(every_s)
