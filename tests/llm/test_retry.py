"""When to ask again: waits, what servers ask for, and the circuit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.llm.retry import CircuitBreaker, retry_after, wait_s
from gear_app.llm.server import Patience

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:14:00 GMT"}, 40.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Tue, 99 Nov 2023"}, None),
        ({"retry-after": "9" * 9}, 999_999_999.0),
        ({"retry-after": "9" * 10}, 1e9),
        ({"retry-after": "9" * 400}, 1e9),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_what_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_waits_double_up_to_the_longest_and_half_of_each_is_left_to_chance() -> None:
    patience = Patience(retries=5, first_wait_s=1, longest_wait_s=6)
    assert [wait_s(n, None, 0.0, patience) for n in range(1, 7)] == [1, 2, 4, 6, 6, None]
    assert [wait_s(n, None, 1.0, patience) for n in range(1, 4)] == [0.5, 1, 2]


@given(st.integers(1, 5), st.none() | st.floats(0, 60), st.floats(0, 1))
def test_nobody_comes_back_before_they_were_asked_to_or_much_later(
    attempt: int, asked: float | None, jitter: float
) -> None:
    wait = wait_s(attempt, asked, jitter, Patience())
    assert wait is not None
    assert (asked or 0) <= wait <= max(60, (asked or 0) * 1.25)


def test_who_is_asked_to_wait_too_long_does_not() -> None:
    assert wait_s(1, 61, 0.0, Patience()) is None


def test_the_circuit_opens_after_failures_in_a_row_and_rests() -> None:
    circuit = CircuitBreaker(Patience(failures=2, rest_s=10))
    assert not circuit.failed("a", 0)
    circuit.succeeded()
    assert not circuit.failed("b", 1)
    assert circuit.failed("c", 2)
    assert (circuit.is_open(11.9), circuit.is_open(12.0)) == (True, False)
    assert "2 calls in a row had failed, the last one 9 s before, when it c." in circuit.sentence(
        11
    )
    assert circuit.failed("d", 13) and circuit.is_open(13)
    circuit.succeeded()
    assert not circuit.is_open(13) and not circuit.failed("e", 14)


def test_what_no_call_can_cure_opens_it_at_once() -> None:
    circuit = CircuitBreaker(Patience())
    assert circuit.failed("wrong key", 0, permanent=True) and circuit.is_open(1)


def test_what_a_person_asked_for_after_it_opened_goes_through_and_one_failure_opens_it_again() -> (
    None
):
    circuit = CircuitBreaker(Patience(failures=3, rest_s=30))
    for at in (1, 2, 3):
        circuit.failed("broke off", at)
    circuit.asked_for(2.9)
    assert circuit.is_open(4), "it was asked for before, as the next run of an evaluation"
    circuit.asked_for(4)
    assert not circuit.is_open(4)
    assert circuit.failed("broke off", 5) and circuit.is_open(5)
