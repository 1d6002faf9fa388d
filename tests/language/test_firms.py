"""Names of firms with "and" and commas in them."""

from __future__ import annotations

import unicodedata

import pytest

from gear_app.language.firms import firms


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in firms(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("bought from Hugh Marlowe and Sons in May", ["Hugh Marlowe and Sons"]),
        ("Marlowe and Sons' van", ["Marlowe and Sons"]),
        ("the Simpkin & Daughters Ltd works", ["Simpkin & Daughters Ltd"]),
        ("The clerk of J. R. Smith & Co. met Otto", ["J. R. Smith & Co."]),
        ("built by Brown, Boveri and Cie in Baden", ["Brown, Boveri and Cie"]),
        ("Smith, Jones, and Partners", ["Smith, Jones, and Partners"]),
        ("In London, Brown and Co sold it", ["Brown and Co"]),
        ("Ghent, Marlowe and Sons", ["Marlowe and Sons"]),
        ("Ann Lee met Otto Lind, Marlowe and Co", ["Marlowe and Co"]),
        ("Call Hugh Marlowe and Brothers", ["Hugh Marlowe and Brothers"]),
        ("Marlowe and Sons, Brown, Boveri and Cie", ["Marlowe and Sons", "Brown, Boveri and Cie"]),
        ("New Ghent's Marlowe & Co", ["Marlowe & Co"]),
        ("Sothern's and Company", ["Sothern's and Company"]),
        ("Will Marlowe and Sons", ["Will Marlowe and Sons"]),
        ("Marks\nand Company", ["Marks\nand Company"]),
        (
            unicodedata.normalize("NFD", "Müller & Sons"),
            [unicodedata.normalize("NFD", "Müller & Sons")],
        ),
    ],
)
def test_what_ends_a_firm_belongs_to_its_name(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Hugh Marlowe and Ann Lee",
        "Hugh Marlowe and his sons",
        "Hugh Marlowe, Ann Lee and Sons of the Desert",
        "Perrault and Brothers Grimm",
        "Ann Lee and Company B",
        "Marlowe and Co-op",
        "The and Sons",
        "bread and Co",
        "and Sons",
        "",
    ],
)
def test_other_names_stay_apart(text: str) -> None:
    assert found(text) == []
