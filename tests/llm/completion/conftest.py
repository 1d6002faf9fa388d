"""The chat client against a scripted server, streamed or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.llm.conftest import Bench


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Every test here twice: the reply, the faults and the attempts are the same."""
    made = Bench(stream=request.param)
    yield made
    made.close()
