"""Costs of language models in words."""

from __future__ import annotations

from gear_app.display.labels import dollars


def test_dollars_are_shown_as_far_as_they_matter() -> None:
    assert [dollars(cost) for cost in (0.0, 0.00001, 0.0123, 12.5, None)] == [
        "$0.00",
        "under $0.0001",
        "$0.0123",
        "$12.50",
        "price not known",
    ]
