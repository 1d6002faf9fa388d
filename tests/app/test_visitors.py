"""Who may name files, spend the environment's key, and have which addresses asked."""

from __future__ import annotations

import pytest

from gear_app.app.shared import visitors
from gear_app.app.shared.visitors import at_home, check_address
from gear_app.core.errors import BadInput


@pytest.mark.parametrize(
    ("ip", "headers", "home"),
    [
        (None, {"Host": "localhost:8501"}, True),
        (None, {"host": "[::1]:8501"}, True),
        ("10.0.0.7", {"Host": "localhost:8501"}, False),
        (None, {"Host": "gear.example.org"}, False),
        (None, {"Host": "localhost:8501", "X-Forwarded-For": "10.0.0.7"}, False),
        (None, {}, False),
        (None, {"Host": "localhost:8501", "Origin": "http://127.0.0.1:8501"}, True),
        (None, {"Host": "localhost:8501", "Origin": "http://gear.example.org"}, False),
        (None, {"Host": "localhost:8501", "Origin": "null"}, False),
        (None, {"Host": "localhost:8501", "Origin": "http://[broken"}, False),
        (None, {"Host": "localhost", "X-Forwarded-Proto": "https"}, False),
        (None, {"Host": "localhost", "CF-Connecting-IP": "10.0.0.7"}, False),
        (None, {"Host": "localhost", "True-Client-IP": "10.0.0.7"}, False),
        (None, {"Host": "localhost", "Forwarded": "for=10.0.0.7"}, False),
        (None, {"Host": "localhost", "Via": "1.1 somewhere"}, False),
        (None, {"Host": "localhost", "X-Real-IP": "10.0.0.7"}, False),
    ],
)
def test_who_sits_at_the_machine(ip: str | None, headers: dict[str, str], home: bool) -> None:
    assert at_home(ip, headers) is home


@pytest.mark.parametrize(
    ("home", "opened", "may"),
    [
        (True, None, True),
        (False, None, False),
        (False, "everyone", True),
        (False, "loopback", False),
    ],
)
def test_the_environments_key_is_spent_at_the_machine_or_where_the_operator_opened_it(
    monkeypatch: pytest.MonkeyPatch, home: bool, opened: str | None, may: bool
) -> None:
    monkeypatch.setattr(visitors, "is_home", lambda: home)
    monkeypatch.delenv("GEAR_KEY_FOR", raising=False)
    if opened:
        monkeypatch.setenv("GEAR_KEY_FOR", opened)
    assert visitors.may_spend() is may


def found(*addresses: str) -> visitors.LookUp:
    return lambda host: addresses


def test_a_public_address_over_https_may_be_asked_from_anywhere() -> None:
    check_address("https://api.example.com/v1", found("93.184.216.34", "2606:2800:220:1::1"))
    check_address(
        "https://api.example.com/v1",
        found("64:ff9b::5db8:d822", "2002:5db8:d822::1", "::ffff:93.184.216.34"),
    )


@pytest.mark.parametrize(
    "address",
    (
        "127.0.0.1 ::1 10.1.2.3 192.168.0.9 172.16.4.4 169.254.169.254 fd00::1 "
        "fe80::1%eth0 0.0.0.0 ::ffff:10.0.0.1 100.64.0.1 224.0.0.251 64:ff9b::7f00:1 "
        "64:ff9b:1::7f00:1 2002:7f00:1:: fec0::1 ::127.0.0.1 :: ff0e::1"
    ).split(),
)
def test_a_name_that_leads_into_this_network_is_refused_from_elsewhere(address: str) -> None:
    with pytest.raises(BadInput, match="own network"):
        check_address("https://api.example.com/v1", found("93.184.216.34", address))


def test_plain_http_and_names_that_lead_nowhere_are_refused_from_elsewhere() -> None:
    with pytest.raises(BadInput, match="https://"):
        check_address("http://api.example.com/v1", found("93.184.216.34"))
    with pytest.raises(BadInput, match="own network"):
        check_address("https://api.example.com/v1", found())

    def lost(host: str) -> list[str]:
        raise OSError("no such name")

    for address in (
        "https://api.example.com/v1",
        "https://[broken",
        "https://",
        f"https://{'a' * 70}.com/v1",
    ):
        with pytest.raises(BadInput, match=r"leads to no server that can be found"):
            check_address(address, lost)


def test_an_address_given_as_a_number_is_looked_at_too() -> None:
    for host in ("127.0.0.1", "[::1]", "2130706433", "0x7f.1"):
        with pytest.raises(BadInput, match=r"own network|no server that can be found"):
            check_address(f"https://{host}/v1")
