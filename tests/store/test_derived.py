from __future__ import annotations

import pytest

from gear_app.store import Store, derived


def test_a_text_is_made_once_by_name_and_the_oldest_go(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "MOST", 2)
    one, two = (store.collections.create(name).id for name in "ab")
    made: list[str] = []

    def keep(collection: int, name: str) -> str:
        return store.derived.keep(collection, name, lambda: made.append(name) or f"{name} ≥ ☃")

    assert [keep(one, "x"), keep(one, "x"), keep(two, "x")] == ["x ≥ ☃"] * 3
    assert made == ["x", "x"], "another collection has its own"
    for name in ("y", "z", "y", "x"):
        keep(one, name)
    assert made == ["x", "x", "y", "z", "x"]
    assert keep(two, "x") and len(made) == 5, "only its own collection's go"
    assert keep(two, "w") and keep(two, "x") and len(made) == 6, "by its own number of texts"
