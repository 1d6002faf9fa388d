"""The local extractor, with the real parser."""

from __future__ import annotations

import sys

import pytest

from gear_app.core.errors import ModelFailed
from gear_app.core.text import normalise_entity
from gear_app.core.types import Extraction, Passage
from gear_app.models.extractor.local import BATCH, LocalExtractor

pytestmark = pytest.mark.models
EXTRACTOR = LocalExtractor()

FILM = (
    "The Zone (Russian: Zona) is a 1995 American film directed by Barry Zetlin and starring Billy"
    " West, Carla Mann and Leo Belmore. It was produced by Acme Pictures. The screenplay was"
    " written by Ann Lee. The film is set in Paris, Texas."
)
PERSON = (
    "Pierre Curie (15 May 1859, Paris – 19 April 1906) was a French physicist. He was the son of"
    " Eugène Curie and Sophie Depouilly. His wife, Marie Curie, was born in Warsaw, Poland. Curie"
    " studied at the Sorbonne. She married him in 1895."
)


def extract(*texts: tuple[str, str]) -> list[Extraction]:
    passages = [
        Passage(number, f"p{number}", title, text) for number, (title, text) in enumerate(texts)
    ]
    return list(EXTRACTOR.extract(passages))


def facts(title: str, text: str) -> set[tuple[str, str, str]]:
    return {(t.subject, t.predicate, t.object) for t in extract((title, text))[0].triples}


def test_a_film_and_its_makers() -> None:
    found = facts("The Zone (1995 film)", FILM)
    assert found >= {
        ("The Zone", "is", "1995 American film"),
        ("The Zone", "directed by", "Barry Zetlin"),
        ("The Zone", "starring", "Billy West"),
        ("The Zone", "starring", "Carla Mann"),
        ("The Zone", "starring", "Leo Belmore"),
        ("The Zone", "was produced by", "Acme Pictures"),
        ("The Zone", "screenplay was written by", "Ann Lee"),
        ("The Zone", "is set in", "Paris"),
    }


def test_a_person_by_pronoun_and_surname_with_life_and_family() -> None:
    found = facts("Pierre Curie", PERSON)
    assert found >= {
        ("Pierre Curie", "was born on", "15 May 1859"),
        ("Pierre Curie", "died on", "19 April 1906"),
        ("Pierre Curie", "was", "French physicist"),
        ("Pierre Curie", "was son of", "Eugène Curie"),
        ("Pierre Curie", "was son of", "Sophie Depouilly"),
        ("Pierre Curie", "wife", "Marie Curie"),
        ("Marie Curie", "was born in", "Warsaw"),
        ("Pierre Curie", "studied at", "Sorbonne"),
        ("Marie Curie", "married", "Pierre Curie"),
    }
    assert not any(subject in ("Curie", "He", "She", "His wife") for subject, _, _ in found)


@pytest.mark.parametrize(
    ("title", "text", "predicate", "to"),
    [
        (
            "Brother (song)",
            '"{}" is a song by the American rock band Pearl Jam.',
            "is song by American rock band",
            "Pearl Jam",
        ),
        ("Shunko", "{} is a 1960 film directed by Lautaro Murúa.", "directed by", "Lautaro Murúa"),
        ("Her Own Free Will", "{} is a film directed by Ann Lee.", "directed by", "Ann Lee"),
        (
            "McRae, Arkansas",
            "{} is a city in White County, Arkansas.",
            "is city in",
            "White County",
        ),
        (
            "Urbis",
            "{} was a museum in Manchester, England, designed by Ian Simpson.",
            "designed by",
            "Ian Simpson",
        ),
        ("Rome", "Its mayor is Anna Rossi.", "mayor is", "Anna Rossi"),
        ("Red Wave", "{} was released by Big Time Records in 1986.", "was released in", "1986"),
    ],
)
def test_relations_of_the_title(title: str, text: str, predicate: str, to: str) -> None:
    subject = title.split(" (")[0].split(",")[0]
    assert (subject, predicate, to) in facts(title, text.format(subject))


def test_a_city_is_not_the_club_named_after_it() -> None:
    text = (
        "Liverpool F.C. is a football club. It signed Ian Rush in 1980. Rush moved to Liverpool in"
    )
    assert facts("Liverpool F.C.", f"{text} 1970.") >= {
        ("Liverpool F.C.", "signed", "Ian Rush"),
        ("Ian Rush", "moved to", "Liverpool"),
    }


def test_a_file_name_is_no_entity_and_the_first_subject_stands_in() -> None:
    text = "HMS Beagle left Plymouth in 1831. It visited the Galápagos Islands."
    found = facts("voyage.txt", text)
    assert ("HMS Beagle", "visited", "Galápagos Islands") in found
    assert not any("voyage" in name for fact in found for name in fact)


def test_abbreviations_are_resolved() -> None:
    text = "The Seattle Art Museum (SAM) opened in 1933. SAM owns a park."
    assert facts("Seattle", text) >= {
        ("Seattle Art Museum", "owns", "park"),
        ("Seattle Art Museum", "opened in", "1933"),
    }


def test_a_span_is_the_source_sentence_although_brackets_were_removed() -> None:
    triples = extract(("Pierre Curie", PERSON))[0].triples
    sentence = {(t.predicate, t.object): PERSON[slice(*t.span)] for t in triples if t.span}
    first = "Pierre Curie (15 May 1859, Paris – 19 April 1906) was a French physicist."
    assert sentence["was born on", "15 May 1859"] == sentence["was", "French physicist"] == first
    assert sentence["studied at", "Sorbonne"] == "Curie studied at the Sorbonne."


def test_triples_come_in_the_order_of_the_text_and_never_twice() -> None:
    triples = extract(("Pierre Curie", PERSON))[0].triples
    starts = [t.span.start for t in triples if t.span]
    keys = [tuple(map(normalise_entity, (t.subject, t.predicate, t.object))) for t in triples]
    assert starts == sorted(starts)
    assert len(keys) == len(set(keys))


def test_entities_are_every_side_of_a_triple() -> None:
    (extraction,) = extract(("The Zone", FILM))
    sides = {normalise_entity(name) for t in extraction.triples for name in (t.subject, t.object)}
    assert sides <= {normalise_entity(name) for name in extraction.entities}


def test_a_passage_gives_the_same_alone_and_among_others() -> None:
    others = [("Shunko", "Shunko is a film. Zone is a word."), ("Released", "Released is a film.")]
    assert extract(*others, ("The Zone", FILM))[2] == extract(("The Zone", FILM))[0]


def test_extraction_is_lazy_and_in_order() -> None:
    passages = [
        Passage(n, str(n), f"Town {n}", f"Town {n} is a town in Kent.") for n in range(BATCH + 3)
    ]
    results = EXTRACTOR.extract(passages)
    assert next(results).triples[0].subject == "Town 0"
    assert [r.triples[0].subject for r in results] == [f"Town {n}" for n in range(1, BATCH + 3)]
    assert list(EXTRACTOR.extract([])) == []


@pytest.mark.parametrize(
    "text",
    [
        *("", "   \n\t ", "x" * 100_000, "Aa " * 33_000, "of Aa " * 20_000, "born to " * 2_000),
        *("((((\"''``" * 500, "\x00\x01\xff\ufffe\ud800", bytes(range(256)).decode("latin-1") * 30),
        "هذا نص عربي مع بعض الكلمات \u202e abc",
        "<script>alert(1)</script> <b>Bold</b>",
        "中文" * 4_000,
    ],
)
def test_any_text_gives_an_extraction(text: str) -> None:
    (extraction,) = extract(("Title", text))
    assert all(0 <= t.span.start <= t.span.end <= len(text) for t in extraction.triples if t.span)


def test_the_fingerprint_names_rules_and_model() -> None:
    assert EXTRACTOR.name == "local"
    assert EXTRACTOR.fingerprint.startswith("local-10/en_core_web_sm")


def test_a_missing_parser_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ModelFailed, match="pip install spacy"):
        next(LocalExtractor().extract([Passage(0, "p", "t", "text")]))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Marlow Baths will stay shut throughout April.", "will stay shut throughout"),
        ("Harbour Hall remains open on Sundays.", "remains open on"),
        ("Ada Quill became famous in 1920.", "became famous in"),
        ("Willie Johnson died poor in Beaumont.", "died in"),  # how he died is no part of where
    ],
)
def test_a_state_is_told_with_the_verb_that_says_nothing_without_it(text: str, fact: str) -> None:
    (found,) = EXTRACTOR.extract([Passage(1, "p", "", text)])
    assert fact in [triple.predicate for triple in found.triples]


@pytest.mark.parametrize(
    ("text", "nobody"),
    [
        ("Mary Cole called John Reed. He was late for the ferry.", "was late for"),
        ("Peter Holt hired Susan Park. She founded Bluefin.", "founded"),
        ("Anna met Viktor. She gave him the key of Freezer C.", "gave key of"),
        ("Mary Cole wrote to Mr Reed. He asked for the plan of Bluefin.", "asked for plan of"),
        ("Team Otter owns Kestrel. It runs in Antwerp.", "runs in"),
    ],
)
def test_a_pronoun_that_could_mean_two_means_none(text: str, nobody: str) -> None:
    assert nobody not in {predicate for _, predicate, _ in facts("Notes", text)}


def test_a_title_says_who_she_cannot_be() -> None:
    text = "Mary Cole wrote to Mr Reed. She asked for the plan of Bluefin."
    assert ("Mary Cole", "asked for plan of", "Bluefin") in facts("Notes", text)
    text = "Tom Hale thanked Lady Ashby. He founded Bluefin."
    assert ("Tom Hale", "founded", "Bluefin") in facts("Notes", text)


@pytest.mark.parametrize(
    "text",
    [
        "Neither Mara Holt nor Ida Brand founded the Orle Brewery.",
        "Nobody founded the Orle Brewery.",
        "Karl Aust no longer founded the Orle Brewery.",
        "Mara Holt almost founded the Orle Brewery.",
        "If Mara Holt founded the Orle Brewery, nobody said so.",
    ],
)
def test_nothing_that_a_sentence_denies_or_hedges_is_a_fact(text: str) -> None:
    (found,) = LocalExtractor().extract([Passage(1, "p", "Orle", text)])
    assert not any(triple.predicate.endswith("founded") for triple in found.triples)
