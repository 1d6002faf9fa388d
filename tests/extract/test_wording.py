"""Which triples their sentences say, of the kinds of text that people have."""

from __future__ import annotations

import pytest

from gear_app.extract.wording import is_stated
from gear_app.types import ExtractedTriple

LOG = "Fire log, spring"


@pytest.mark.parametrize(
    ("triple", "sentence"),
    [
        ("Giger | designed | creature", "The Swiss artist H. R. Giger designed the creature."),
        ("Fire log, spring | Owner | Ann", "Owner: Ann"),
        ("PR-5 label stock | Fire log, spring | six weeks", "PR-5 label stock: six weeks"),
        ("S-20 | Material | Terrazzo", "S-20 | Terrazzo, green | 5 Sept"),  # the column's head
        ("Mira Olt | is capital of | Lorn", "Lorn is ruled from Mira Olt."),  # in other words
        ("Mira Olt | born in | Lorn", ""),
        ("Mira Olt | was born in | Lorn", "The eldest of five, she was born in Port, Lorn."),
        ("Mira Olt | born in | Lorn", "Born in Lorn, Olt is a judge."),
        ("Ann Olt | studied with | Bo Arn", "In 1947 she studied with Cy Dee, Ed Fu, and Bo Arn."),
        ("Ann Olt | entered in | 1939", "In 1939 she entered the school of music."),
        ("Ann Olt | died in | Lorn", "Ann Olt died on 4 May 1951, at Port in Lorn."),
        ("Ann Olt | father | Thomas Olt", "Ann Olt, whose father, Thomas Olt, was a dentist."),
        ("Ann Olt | complained about | app", "Ann Olt, once a driver, complained about the app."),
        ("Ann Olt | grew up in | Port", "Ann Olt was born in Lorn and grew up in Port."),
        ("Nest | directed by | Bo Arn", "Nest is a comedy, released in 1999, directed by Bo Arn."),
        ("Police | informed by | letter", "Police at Saxby and Garside informed by letter."),
        ("faint man | fell in | Silent Night", "A faint man fell in “Silent Night”."),
    ],
)
def test_what_a_sentence_says(triple: str, sentence: str) -> None:
    assert is_stated(of(triple), sentence, LOG)


@pytest.mark.parametrize(
    ("triple", "sentence"),
    [
        ("Enzo | has retired | Fergus Daly", "Enzo has retired, Fergus Daly has the van now."),
        ("backlog | left at | 19:20", "The backlog is gone, the last lorry left at 19:20."),
        (
            "Dear Mr Sax | not was attached for | entry",
            "Dear Mr Sax, for the entry the form was not attached.",
        ),
        ("4s | chant in | car", "3s and 4s, please chant them in the car."),
        ("Gil | had off | door", "Gil had the door off in May."),
        ("Fire log, spring | ask | child", "Ask your child to be the moon."),
        ("Fire log, spring | complained that | app", "Olive Arn complained that the app is slow."),
        ("13 Oct | Fire log, spring | TR", "13 Oct | CP 7 | retest OK | TR"),
        ("17 | dog | hair, hoover twice", "17 | DEP | dog hair, hoover twice"),
        ("Mouse | in all letters | b. 1939", "'Mouse' in all letters, b. 1939, piano tuner"),
        (
            "Tanner | somebody from | 8.15",
            "By Tanner's Passage, where we will have somebody from 8.15.",
        ),
    ],
)
def test_what_no_sentence_says(triple: str, sentence: str) -> None:
    assert not is_stated(of(triple), sentence, LOG)


def of(triple: str) -> ExtractedTriple:
    return ExtractedTriple(*triple.split(" | "))
