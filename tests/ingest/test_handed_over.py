"""What was read goes from one process to the other in parts, and arrives as it was."""

from __future__ import annotations

import io

from gear_app.ingest.batch import Batch, FileReport, NewEntities, NewPassage, NewTriple
from gear_app.ingest.process import IN_A_LINE, read_batch, write_batch
from gear_app.types import Document, Question

MANY = 2 * IN_A_LINE + 1


def test_a_batch_is_written_in_parts_and_read_whole() -> None:
    batch = Batch(
        documents=(Document("D", "One.\nTwo.", "d.txt"),),
        passages=tuple(NewPassage(f"p{n}", "T", f"Text {n}.") for n in range(MANY)),
        questions=(Question("q", "Who?", ("Ann",), ("p1",)),),
        triple_sets={
            "a": tuple(NewTriple(f"p{n}", "X", "is", "Y") for n in range(MANY)),
            "b": (NewTriple("p0", "X", "was", "Y"),),
            "empty": (),
        },
        entities={"a": (NewEntities("p0", ("X",)),)},
        max_iterations=2,
        reports=(FileReport("d.txt", "accepted", "fine", 1, 2),),
        aliases={"old": "p0"},
        gold={"r": {"p2": 1}},
    )
    file = io.BytesIO()
    write_batch(batch, file)
    assert len(file.getvalue().splitlines()) == 1 + 3 + 3 + 1
    file.seek(0)
    assert read_batch(file) == batch
