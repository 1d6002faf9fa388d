"""Runs and jobs in the background, in turns: a question first, then one small slice of a job, and
so on.

So a question waits at most for a slice (about a second), and an extraction goes on while many
questions are asked.
"""

from __future__ import annotations

import logging

from gear_app.connection import Connection
from gear_app.errors import GearError
from gear_app.jobs.extraction_job import Job
from gear_app.jobs.service import JobService
from gear_app.runs.runner import Runner

log = logging.getLogger(__name__)


class Scheduler:
    """Takes what waits in a workspace. An error ends the run or the job it happened in, and nothing
    else.
    """

    def __init__(self, connection: Connection, runner: Runner, jobs: JobService) -> None:
        """Begin nothing yet."""
        self._connection, self._runner, self._jobs = connection, runner, jobs
        self._begun: dict[int, Job] = {}

    def take(self) -> bool:
        """Do the next run, if one waits, and a slice of the next job; False if there was nothing to
        do.
        """
        ran = self.run()
        return self.slice() or ran

    def run(self) -> bool:
        """Do the run whose turn it is; False if none waits. How it ends is stored with it."""
        run_id = self._connection.store.runs.claim_next(self._connection.process)
        if run_id is None:
            return False
        try:
            self._runner.execute(run_id)
        except GearError as error:
            log.info("run %s: %s", run_id, error)
        return True

    def slice(self) -> bool:
        """Do one slice of the job whose turn it is; False if none waits. How it ends is stored with
        it.
        """
        job = self._connection.store.jobs.claim_next(self._connection.process)
        self._forget_ended()
        if job is None:
            return False
        try:
            if job.id not in self._begun:
                self._begun[job.id] = self._jobs.begin(job)
            if not self._jobs.slice(job, self._begun[job.id]):
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
        return self._connection.store.jobs.held_by(self._connection.process)
