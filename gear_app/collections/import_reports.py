"""What became of each file of an import, once the collection had its say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gear_app.ingest import Batch, FileReport
from gear_app.store.imports import ImportProgress

SHOWN = 3  # remarks about a file
IN_USE = "is in use for"


class Reports:
    """The reports of a batch; remarks and counts are collected by the file's place among them."""

    def __init__(self, batch: Batch, progress: ImportProgress) -> None:
        """Nothing is remarked yet. What is stored is counted in `progress`, from what is there."""
        self._reports = batch.reports
        self._remarks: dict[int, list[str]] = {}
        self._progress = progress
        accepted = [place for place, r in enumerate(batch.reports) if r.status == "accepted"]
        self._last_accepted = accepted[-1] if accepted else 0
        counts = [report.passages for report in batch.reports]
        files = [place for place, count in enumerate(counts) for _ in range(count)]
        beyond = [max(0, len(counts) - 1)] * len(batch.passages)
        # Of every passage, its file's place: passages come in the files' order.
        self.file_of = (files + beyond)[: len(batch.passages)]

    def remark(self, text: str, file: int | None = None) -> None:
        """Say something about a file; without one, about the last that was accepted."""
        place = self._last_accepted if file is None else file
        self._remarks.setdefault(place, []).append(text)

    def stored(self, file: int, *, document: bool = False) -> None:
        """Count a passage, or a document, that was new."""
        counts = self._progress.documents if document else self._progress.passages
        counts[file] = counts.get(file, 0) + 1

    def finished(self) -> list[FileReport]:
        """The reports, in order."""
        return [self._finished(place, report) for place, report in enumerate(self._reports)]

    def _finished(self, place: int, report: FileReport) -> FileReport:
        if report.status != "accepted":
            return report
        passages = self._progress.passages.get(place, 0)
        remarks = self._remarks.get(place, [])
        if report.passages and not passages and not remarks:
            remarks = ["everything in it is there already"]
        more = [f"and {len(remarks) - SHOWN} more"] if len(remarks) > SHOWN else []
        return report._replace(
            status=_status(report.passages, passages, remarks),
            message="; ".join(filter(None, [report.message, *remarks[:SHOWN], *more])),
            passages=passages,
            documents=self._progress.documents.get(place, 0),
        )


def _status(
    offered: int, stored: int, remarks: Sequence[str]
) -> Literal["accepted", "skipped", "failed"]:
    if stored or not offered:
        return "accepted"
    return "failed" if any(IN_USE in remark for remark in remarks) else "skipped"
