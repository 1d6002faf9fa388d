"""The local extractor, with the real parser."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_app.core.errors import ModelFailed
from gear_app.core.text import normalise_entity
from gear_app.core.types import Extraction, Passage
from gear_app.models.extractor.local import LocalExtractor, load_parser

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
    " studied at the Sorbonne."
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


@pytest.mark.parametrize(
    "title", ["Payment on Demand", "My Cousin from Warsaw", "Released", "One Mile to You"]
)
def test_a_title_that_reads_as_a_phrase_is_one_name(title: str) -> None:
    found = facts(title, f"{title} is a 1951 film directed by Ann Lee.")
    assert found >= {(title, "is", "1951 film"), (title, "directed by", "Ann Lee")}


def test_a_name_with_a_rank_is_one_name() -> None:
    found = facts("Ann Stanley", "Ann Stanley was a daughter of Thomas Stanley, 1st Earl of Derby.")
    assert ("Ann Stanley", "was daughter of", "Thomas Stanley, 1st Earl of Derby") in found


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
    }
    assert not any(subject in ("Curie", "He", "She", "His wife") for subject, _, _ in found)


@pytest.mark.parametrize(
    ("title", "text", "predicate", "to"),
    [
        (
            "Urbis",
            "{} was a museum in Manchester, England, designed by Ian Simpson.",
            "designed by",
            "Ian Simpson",
        ),
        ("Rome", "Its mayor is Anna Rossi.", "mayor is", "Anna Rossi"),
    ],
)
def test_relations_of_the_title(title: str, text: str, predicate: str, to: str) -> None:
    subject = title.split(" (")[0].split(",")[0]
    assert (subject, predicate, to) in facts(title, text.format(subject))


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        (
            "The Zone",
            "The Zone is a film made by Acme Pictures, starring Ann Lee.",
            ("The Zone", "starring", "Ann Lee"),
        ),
        (
            "Harbour Tales",
            "Harbour Tales is a series of short films produced by Acme Pictures.",
            ("Harbour Tales", "short films produced by", "Acme Pictures"),
        ),
        (
            "Billy Crystal",
            "William Edward Crystal (born March 14, 1948) is an American actor.",
            ("Billy Crystal", "was born on", "March 14, 1948"),
        ),
        (
            "George Eliot",
            "Mary Ann Evans (1819–1880), known as George Eliot, was an English novelist.",
            ("George Eliot", "died in", "1880"),
        ),
        (
            "John Hay-Williams",
            "Sir John Hay Williams, 2nd Baronet (9 May 1794 – 1859) was a descendant of Hugh Lee.",
            ("John Hay-Williams", "was born on", "9 May 1794"),
        ),
        (
            "Atwater Church",
            "Atwater Church is a building in Atwater, Ohio.",
            ("Atwater Church", "is building in Atwater", "Ohio"),
        ),
        (
            "Walk",
            'Walk is a 1966 "Looney Tunes" cartoon.',
            ("Walk", "is cartoon of", "Looney Tunes"),
        ),
        (
            "Ann Lee",
            'Ann Lee appeared in films such as "The Sea Is Blue", "My Uncle" and "Run, Bo, Run!".',
            ("Ann Lee", "appeared in films as", "The Sea Is Blue"),
        ),
        (
            "Ann Lee",
            'Ann Lee wrote the play "The Sea Is Blue," which was staged in Turin.',
            ("Ann Lee", "wrote", "The Sea Is Blue"),
        ),
        (
            "The Harbour",
            "The Harbour is a film directed by Park Min-su and set in Turin.",
            ("The Harbour", "directed by", "Park Min-su"),
        ),
        (
            "The Harbour",
            "The Harbour: A Tale of Two Ports (1999) is a book by Ann Lee.",
            ("The Harbour", "is book by", "Ann Lee"),
        ),
        (
            "Sailors: Back to Port",
            "Sailors: Back to Port is a 2001 film directed by Ann Lee.",
            ("Sailors: Back to Port", "directed by", "Ann Lee"),
        ),
        (
            "Acme",
            "Acme, Inc. is a company. It operates in Denmark.",
            ("Acme", "operates in", "Denmark"),
        ),
        (
            "Joe Werner",
            "Joseph Paul Werner Jr. (born May 8, 1953) is a pitcher. He grew up in Turin.",
            ("Joe Werner", "is", "pitcher"),
        ),
        (
            "Mount Lee",
            "Mount Lee (Welsh: Mynydd, also known as Lee Fell) is a mountain.",
            ("Mount Lee", "also known as", "Lee Fell"),
        ),
        (
            "The Harbour",
            "The Harbour is a film written by Alan Hook. Hook was born in Turin.",
            ("Alan Hook", "was born in", "Turin"),
        ),
        (
            "The Harbour",
            "The Harbour is a film starring Christopher Walken as Captain Hook.",
            ("Christopher Walken", "played", "Captain Hook"),
        ),
        (
            "Ann Lee",
            "Ann Lee was born in Atwater, Ohio, and lives in Turin.",
            ("Atwater", "located in", "Ohio"),
        ),
        (
            "The fair",
            "Jo Hall was able to secure Turin.",
            ("Jo Hall", "was able to secure", "Turin"),
        ),
        (
            "The fair",
            "Bo met the news reporter Robin Day in Turin.",
            ("Robin Day", "is", "news reporter"),
        ),
        (
            "The fair",
            "The character Barney Stinson (Neil Patrick Harris) meets Ann Lee.",
            ("Barney Stinson", "played by", "Neil Patrick Harris"),
        ),
        (
            "The fair",
            "Ted Mosby (played by Josh Radnor) meets Ann Lee.",
            ("Ted Mosby", "played by", "Josh Radnor"),
        ),
    ],
)
def test_facts_of_what_a_text_is_about(title: str, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts(title, text)


@pytest.mark.parametrize(
    ("title", "text", "lives"),
    [
        (
            "Mark Twain",
            "Mark Twain (Samuel Clemens; November 30, 1835 – April 21, 1910) was a writer.",
            {("was born on", "November 30, 1835"), ("died on", "April 21, 1910")},
        ),
        (
            "Mao Zedong",
            "Mao Zedong (毛泽东; December 26, 1893 – September 9, 1976) was a politician.",
            {("was born on", "December 26, 1893"), ("died on", "September 9, 1976")},
        ),
        (
            "Ann Lee",
            "Ann Lee (born 4 May 1900, Prime Minister) opened the bridge.",
            {("was born on", "4 May 1900")},
        ),
        (
            "Pierre Curie",
            PERSON.partition(" He ")[0],
            {
                ("was born on", "15 May 1859"),
                ("was born in", "Paris"),
                ("died on", "19 April 1906"),
            },
        ),
        (
            "Lyle Wood",
            "Lyle Wood (August 5, 1802 Atwater, Ohio – May 2, 1865 Turin, Italy) was a lawyer.",
            {
                ("was born on", "August 5, 1802"),
                ("was born in", "Atwater"),
                ("was born in Atwater", "Ohio"),
                ("died on", "May 2, 1865"),
                ("died in", "Turin"),
                ("died in Turin", "Italy"),
            },
        ),
        (
            "North Africa",
            "The Allied invasion (Operation Torch, 8 November 1942 – 16 November 1942) was made.",
            set(),
        ),
        (
            "Operation Torch",
            "Operation Torch (8 November 1942 – 16 November 1942) was an Allied invasion.",
            set(),
        ),
        (
            "Ann Lee",
            "Ann Lee was born in Atwater, Ohio, United States, and Macao, China.",
            {
                ("was born in", "Atwater"),
                ("was born in Atwater", "Ohio"),
                ("was born in Atwater Ohio", "United States"),
                ("was born in", "Macao"),
                ("was born in Macao", "China"),
            },
        ),
    ],
)
def test_births_and_deaths(title: str, text: str, lives: set[tuple[str, str]]) -> None:
    stated = {(p, o) for _, p, o in facts(title, text) if p.startswith(("was born", "died"))}
    assert stated == lives


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        ("Log", "Ann Lee met Bo Lee. Lee was born in Ohio.", ("Bo Lee", "was born in", "Ohio")),
        ("Log", "Ann Lee met Bo Lee. Lee was born in Ohio.", ("Ann Lee", "was born in", "Ohio")),
        ("Log", "Peter Paris met Bo. Paris is in France.", ("Peter Paris", "is in", "France")),
        ("Log", "John Major succeeded Bo as Prime Minister.", ("Bo", "played", "Prime Minister")),
        (
            "Hook",
            "The film does not star Alan Lee as Captain Hook.",
            ("Alan Lee", "played", "Captain Hook"),
        ),
        (
            "Log",
            "Ports: Turin and Rome are the ports that Ann Lee saw as a child in the North.",
            ("Log", "Ports", "Turin"),
        ),
        ("Log", "As Captain Hook starred Alan Lee.", ("", "played", "Captain Hook")),
        ("Log", "If Ann wins, call Carl.", ("Ann", "call", "Carl")),
        (
            "Bo Lee",
            "Bo Lee (never known as Robert Lee) is an actor.",
            ("Bo Lee", "also known as", "Robert Lee"),
        ),
        ("Acme", "Acme customers sued Bolt in Turin.", ("Acme", "sued", "Bolt")),
        ("Acme", "Acme's rival Bolt is a firm. It makes bombs.", ("Acme", "makes", "bombs")),
        ("Ann", "Ann: Bo Hill is a thief. Bo Hill robbed Acme.", ("Ann", "robbed", "Acme")),
        (
            "John Smith Jr.",
            "John Smith Sr. was a banker in Turin.",
            ("John Smith Jr.", "was banker in", "Turin"),
        ),
        ("Log", "There is no Paris, Ohio.", ("Paris", "located in", "Ohio")),
        ("Log", "Ann worked in Rome, Paris and Turin.", ("Rome", "located in", "Paris")),
        ("Log", "Flights go to Turin, Paris, Rome.", ("Turin", "located in", "Paris")),
        (
            "Log",
            "Mary of Teck, the queen of George V, died in London.",
            ("Teck", "is queen of", "George V"),
        ),
        ("Log", "Ann Lee was too weak to visit Turin.", ("Ann Lee", "was weak to visit", "Turin")),
        (
            "Log",
            "Ann Lee was hardly able to visit Turin.",
            ("Ann Lee", "was hardly able to visit", "Turin"),
        ),
        (
            "Log",
            "Its cast stars Tom Hanks (Forrest Gump) in the role of a runner.",
            ("Tom Hanks", "played by", "Forrest Gump"),
        ),
        (
            "Log",
            "The cast was shot in Turin (Northern Italy) for Ann Lee.",
            ("Turin", "played by", "Northern Italy"),
        ),
        ("Log", "Bo was never able to secure Turin.", ("Bo", "was able to secure", "Turin")),
        (
            "Log",
            "Mark Twain (Samuel Clemens) met Bo Hall in Turin.",
            ("Mark Twain", "played by", "Samuel Clemens"),
        ),
        (
            "Ann Lee",
            'She appeared in "Bo" and "Sue", not in "Max".',
            ("Ann Lee", "appeared in", "Max"),
        ),
        ("Log", "“We leave at ten,” said Ann.", ("Log", "mentions", "We leave at ten")),
    ],
)
def test_what_a_text_does_not_say_is_no_fact(
    title: str, text: str, fact: tuple[str, str, str]
) -> None:
    assert fact not in facts(title, text)


@pytest.mark.parametrize("text", ["as Hook " * 400, "Hook: " + "Bo is a " * 20_000])
def test_a_long_chain_of_names_is_read_at_once(text: str) -> None:
    start = time.process_time()
    extract(("Hook", text))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("title", "other"), [("C++", "C"), ("Canal+", "Canal"), ("F#", "F")])
def test_a_name_that_differs_in_signs_is_not_the_title(title: str, other: str) -> None:
    text = f"{title} was designed by Bo Hale. {other} was designed by Karl Aust."
    found = facts(title, text)
    assert (title, "was designed by", "Bo Hale") in found
    assert (title, "was designed by", "Karl Aust") not in found


def test_a_name_that_no_relation_joins_to_the_title_is_mentioned() -> None:
    text = "They Met is a 1959 American ScopeColor Western film directed by Ann Lee."
    found = facts("They Met", text)
    assert any(s == "They Met" and o == "Ann Lee" for s, _, o in found)
    joined = facts("The Zone", "The Zone was made by Ann Lee. Ann Lee is a wife of Bo Day.")
    assert not any(predicate == "mentions" for _, predicate, _ in joined)


def test_a_note_mentions_every_name_and_id_of_its_text_and_title() -> None:
    text = "FH-4: amber bottle at the back.\nKen here, from the Otters. Removed. Old French bread."
    found = facts("INC-9 sorter halted in Ghent", text)
    mentioned = {object_ for _, predicate, object_ in found if predicate == "mentions"}
    assert {"FH-4", "Ken", "Otters", "Ghent"} <= mentioned
    assert not {"Removed", "Old", "French"} & mentioned


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


@pytest.mark.parametrize(
    "text",
    [
        *("", "   \n\t ", "x" * 100_000, "Aa " * 33_000, "of Aa " * 20_000, "born to " * 2_000),
        *(
            "(NATO)",
            "(1 May 1901 – 1950)\n- (b. 1901)",
            "((((\"''``" * 500,
            "\x00\x01\xff\ufffe\ud800",
            bytes(range(256)).decode("latin-1") * 30,
        ),
        "هذا نص عربي مع بعض الكلمات \u202e abc",
        "<script>alert(1)</script> <b>Bold</b>",
        "中文" * 4_000,
    ],
)
def test_any_text_gives_an_extraction(text: str) -> None:
    (extraction,) = extract(("Title", text))
    assert all(0 <= t.span.start <= t.span.end <= len(text) for t in extraction.triples if t.span)


def test_a_missing_parser_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    load_parser.cache_clear()
    with pytest.raises(ModelFailed, match="pip install spacy"):
        next(LocalExtractor().extract([Passage(0, "p", "t", "text")]))


@pytest.mark.parametrize(
    ("text", "nobody"),
    [
        ("Mary Cole called John Reed. He was late for the ferry.", "was late for"),
        ("Peter Holt hired Susan Park. She founded Bluefin.", "founded"),
        ("Mary Cole wrote to Mr Reed. He asked for the plan of Bluefin.", "asked for plan of"),
    ],
)
def test_a_pronoun_that_could_mean_two_means_none(text: str, nobody: str) -> None:
    assert nobody not in {predicate for _, predicate, _ in facts("Notes", text)}


@pytest.mark.parametrize(
    "text",
    [
        "Neither Mara Holt nor Ida Brand founded the Orle Brewery.",
        "Mara Holt founded neither Bluefin nor the Orle Brewery.",
        "Karl Aust no longer founded the Orle Brewery.",
        "No member of Bluefin founded the Orle Brewery.",
        "None of the Holts founded the Orle Brewery.",
        "Mara Holt nearly founded the Orle Brewery.",
        "Perhaps Mara Holt founded the Orle Brewery.",
        "If Mara Holt founded the Orle Brewery, nobody said so.",
        "Had Mara Holt founded the Orle Brewery, Selby would be rich.",
        "Mara Holt denied that Ida Brand founded the Orle Brewery.",
        "It is not true that Mara Holt founded the Orle Brewery.",
        "It is possible that Mara Holt founded the Orle Brewery.",
        "It is doubtful whether Mara Holt founded the Orle Brewery.",
        "When had Mara Holt founded the Orle Brewery?",
    ],
)
def test_nothing_that_a_sentence_denies_hedges_or_asks_is_a_fact(text: str) -> None:
    (found,) = LocalExtractor().extract([Passage(1, "p", "Orle", text)])
    assert not any(triple.predicate.endswith("founded") for triple in found.triples)


def test_the_clause_that_a_denied_one_belongs_to_is_a_fact() -> None:
    found = facts("Notes", "Mara Holt left Selby without founding the Orle Brewery.")
    assert ("Mara Holt", "left", "Selby") in found
    assert not any(predicate == "founding" for _, predicate, _ in found)


@pytest.mark.parametrize("words", ["never met", "did not meet", "could not meet"])
def test_not_stays_in_the_predicate(words: str) -> None:
    found = facts("Notes", f"Mara Holt {words} Karl Aust in Selby.")
    told = {p for s, p, o in found if (s, o) == ("Mara Holt", "Karl Aust")}
    assert told == {words.removeprefix("did ")}


@pytest.mark.parametrize("text", ["(NASA)", "(born 1970)", "(1970 – 2001) [GDR]", "()"])
def test_brackets_without_a_name_before_them_are_no_fact(text: str) -> None:
    assert not extract(("", text))[0].triples


PIECES = (
    "( ) [ ] , . ; – - ' ! he his it born died d. c. in of the who not without known as C++ NASA"
    " John Hay Paris, 1794 12 May St. son King # * Key: né /"
).split()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.sampled_from(["", "...", "John Hay", "C++", "Paris, France", "The Zone (film)", "it"]),
)
def test_any_text_under_any_title_can_be_read(text: str, title: str) -> None:
    for triple in extract((title, text))[0].triples:
        assert normalise_entity(triple.subject) and triple.predicate and triple.object
