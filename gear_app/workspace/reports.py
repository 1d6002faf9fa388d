"""What became of each file of an import, once the collection had its say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from gear_app.ingest import Batch, FileReport

SHOWN = 3  # remarks about a file
IN_USE = "is in use for"


class Reports:
    """The reports of a batch; remarks and counts are collected by the file's place among them."""

    def __init__(self, batch: Batch) -> None:
        """Nothing was stored and nothing remarked yet."""
        self._reports = batch.reports
        self._remarks: dict[int, list[str]] = {}
        self._passages: Counter[int] = Counter()
        self._documents: Counter[int] = Counter()
        accepted = [place for place, r in enumerate(batch.reports) if r.status == "accepted"]
        self._last_accepted = accepted[-1] if accepted else 0
        counts = [report.passages for report in batch.reports]
        files = [place for place, count in enumerate(counts) for _ in range(count)]
        beyond = [max(0, len(counts) - 1)] * len(batch.passages)
        self.file_of = (files + beyond)[
            : len(batch.passages)
        ]  # of every passage: they come in the files' order

    def remark(self, text: str, file: int | None = None) -> None:
        """Say something about a file; without one, about the last that was accepted."""
        place = self._last_accepted if file is None else file
        self._remarks.setdefault(place, []).append(text)

    def stored(self, file: int, *, document: bool = False) -> None:
        """Count a passage, or a document, that was new."""
        (self._documents if document else self._passages)[file] += 1

    def finished(self) -> list[FileReport]:
        """The reports, in order."""
        return [self._finished(place, report) for place, report in enumerate(self._reports)]

    def _finished(self, place: int, report: FileReport) -> FileReport:
        if report.status != "accepted":
            return report
        passages, remarks = self._passages[place], self._remarks.get(place, [])
        if report.passages and not passages and not remarks:
            remarks = ["everything in it is there already"]
        more = [f"and {len(remarks) - SHOWN} more"] if len(remarks) > SHOWN else []
        return report._replace(
            status=_status(report.passages, passages, remarks),
            message="; ".join(filter(None, [report.message, *remarks[:SHOWN], *more])),
            passages=passages,
            documents=self._documents[place],
        )


def _status(
    offered: int, stored: int, remarks: Sequence[str]
) -> Literal["accepted", "skipped", "failed"]:
    if stored or not offered:
        return "accepted"
    return "failed" if any(IN_USE in remark for remark in remarks) else "skipped"
