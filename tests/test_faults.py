"""Each fault can be planted in one place, and the tests that catch it are there."""

from __future__ import annotations

import pytest

from tests.faults import FAULTS, ROOT, Fault, place_of


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_names_its_line_and_its_tests(fault: Fault) -> None:
    assert place_of(fault, ROOT / "gear_app").is_file()
    assert (ROOT / fault.test.partition("::")[0]).exists()
