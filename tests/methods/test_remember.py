"""The gist memory grows by what is new."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple
from gear_app.methods.gear import remember


def test_repeats_are_told_apart_and_not_appended() -> None:
    known = ProximalTriple("Ada Quill", "born in", "Port Mira")
    again = ProximalTriple("ada  quill", "Born in", "Port Mira.", score=0.5)
    new = ProximalTriple("Port Mira", "lies on", "river Sel")
    memory = remember([known], [again, new, new])
    assert memory.triples == (known, new)
    assert memory.added == (new,)
    assert memory.repeated == (again, new)
