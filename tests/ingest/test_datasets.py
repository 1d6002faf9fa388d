from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gear_app.ingest import Batch, NewTriple, derived_key, read_files, read_path
from gear_app.types import Hop
from tests.ingest.make import make_zip
from tests.ingest.reports import json_lines

PACKS = (
    "2wiki_hippo6119 2wiki_migres 2wiki_train500 case_study hotpot_hippo_train hotpot_migres"
    " musique_migres musique_openie musique_train2hop"
).split()
MODEL = "gpt-3.5-turbo-1106"


def read(**files: bytes) -> Batch:
    return read_files([(f"{name}.jsonl", content) for name, content in files.items()])


def triple(key: str, subject: str, predicate: str, obj: str, **more: str) -> dict[str, str]:
    return {"passage_id": key, "subject": subject, "predicate": predicate, "object": obj, **more}


def test_the_derived_key_is_the_packs() -> None:
    assert derived_key("Ada", "A text.") == "p_d3e5ad7f4531"  # printf 'Ada\nA text.' | sha1sum


def musique(id_: str, supporting: Sequence[int], **more: object) -> dict[str, object]:
    paragraphs = [
        {"idx": i, "title": f"T{i}", "paragraph_text": f"Text {i}.", "is_supporting": supports}
        for i, supports in ((i, i in supporting) for i in range(3))
    ]
    asked = {"id": id_, "question": f"Question {id_}?", "answer": "yes"}
    return {**asked, "paragraphs": paragraphs, **more}


def test_musique() -> None:
    steps = [
        {"id": 1, "question": "First?", "answer": "a", "paragraph_support_idx": 2},
        {"id": 2, "question": "Second?", "answer": 7, "paragraph_support_idx": None},
    ]
    more = {"answer_aliases": ["yea", "yes"], "question_decomposition": steps}
    batch = read(m=json_lines(musique("3hop2__1_2_3", [0, 2], **more), musique("other", [1])))
    keys = [derived_key(f"T{i}", f"Text {i}.") for i in range(3)]
    assert [(p.key, p.title, p.text, p.document) for p in batch.passages] == [
        (keys[i], f"T{i}", f"Text {i}.", None) for i in range(3)
    ]
    first, second = batch.questions
    assert (first.id, first.answers) == ("3hop2__1_2_3", ("yes", "yea"))
    assert (first.type, first.hops, first.supporting_keys) == ("3hop2", 3, (keys[0], keys[2]))
    assert first.decomposition == (Hop("First?", "a", keys[2]), Hop("Second?", "7", ""))
    assert (second.type, second.hops, batch.max_iterations) == (None, 1, None)
    assert batch.reports[0].message == (
        "3 passages, 2 questions; 3 passages occurring again, stored once"
    )


def test_unanswerable_musique_questions_are_left_out_and_counted() -> None:
    twin = musique("2hop__1_2", [], answerable=False)
    batch = read(m=json_lines(twin, musique("2hop__1_2", [1], answerable=True)))
    assert [q.supporting_keys for q in batch.questions] == [(derived_key("T1", "Text 1."),)]
    assert "1 question left out: marked as unanswerable" in batch.reports[0].message


def hotpot(**more: object) -> dict[str, object]:
    context = [["A", ["A one.", " A two."]], ["B", ["B one."]]]
    facts = [["B", 0], ["A", 0], ["A", 1], ["C", 0]]
    asked = {"_id": "h", "question": "Q?", "answer": "no", "type": "bridge"}
    return {**asked, "context": context, "supporting_facts": facts, **more}


@pytest.mark.parametrize(
    ("second", "facts", "gold"),
    [
        (["Second."], [["B", 0]], "First."),
        (["Second.", " Third."], [["B", 1], ["B", 0]], "Second. Third."),
    ],
)
def test_of_two_paragraphs_with_one_title_the_first_that_has_the_sentence_is_gold(
    second: list[str], facts: list[object], gold: str
) -> None:
    context = [["B", ["First."]], ["B", second]]
    batch = read(h=json_lines(hotpot(context=context, supporting_facts=facts)))
    assert batch.questions[0].supporting_keys == (derived_key("B", gold),)


def test_two_iterations_only_where_all_questions_are_of_two_hop_sets() -> None:
    both = read(h=json_lines(hotpot()), m=json_lines(musique("2hop__1_2", [1])))
    assert both.max_iterations is None
    pack = {"id": "q", "question": "Q?", "dataset": "2wikimultihopqa", "answers": []}
    assert read(q=json_lines(pack)).max_iterations == 2
    assert read(q=json_lines({**pack, "dataset": "ours"})).max_iterations is None
    assert read(c=json_lines({"id": "a", "text": "x"})).max_iterations is None


def test_the_set_of_triples_is_named_by_the_file_then_the_source() -> None:
    plain = triple("a", "X", "is", "Y")
    sourced = triple("b", "X", "is", "Z", source="gpt-3.5-turbo-1106 (a run)")
    files = {"triples.jsonl": [plain, sourced], "x/triples.curated.jsonl": [sourced]}
    assert read_files([(name, json_lines(*rows)) for name, rows in files.items()]).triple_sets == {
        "imported": (NewTriple("a", "X", "is", "Y"),),
        "gpt-3.5-turbo-1106": (NewTriple("b", "X", "is", "Z"),),
        "curated": (NewTriple("b", "X", "is", "Z"),),
    }


def test_repeats_and_nameless_triples_are_dropped_and_counted() -> None:
    words = [("a", "X", "Y"), ("a", " X ", "Y"), ("b", "X", "Y"), ("a", "-", "Y"), ("a", "X", "…")]
    rows = [triple(key, subject, "is", to) for key, subject, to in (*words, ("a", "x", "Y"))]
    batch = read_files([("triples.s.jsonl", json_lines(*rows))])
    kept = [(t.passage_key, t.subject) for t in batch.triple_sets["s"]]
    assert kept == [("a", "X"), ("b", "X"), ("a", "x")]
    assert batch.reports[0].message == (
        "3 triples in the set 's'; 1 triple occurring again in a passage, dropped; "
        "2 triples dropped: a name without letters or digits"
    )


def test_entities_without_a_name_belong_to_the_only_set_of_triples() -> None:
    rows = [
        {"passage_id": "a", "entities": ["X", "-", "X", "Y"]},
        {"passage_id": "b", "entities": []},
    ]
    entities = ("entities.jsonl", json_lines(*rows))
    triples = ("triples.s.jsonl", json_lines(triple("a", "X", "is", "Y")))
    ((name, found),) = read_files([entities, triples]).entities.items()
    assert name == "s"
    assert [(e.passage_key, e.names) for e in found] == [("a", ("X", "Y")), ("b", ())]
    assert list(read_files([entities]).entities) == ["imported"]


def openie(**doc: object) -> bytes:
    xy, others = ["X", "is", "Y"], [["X", "Y"], ["X", "is", "Y", "Z"], "XYZ", ["X", ["is"], "Y"]]
    told = {"extracted_entities": ["X", "Y"], "extracted_triples": [xy, xy, *others], **doc}
    return json.dumps({"docs": [told]}).encode()


@pytest.mark.parametrize(
    "doc",
    [
        {"idx": "chunk-1", "passage": "Title\nText."},
        {"title": "Title", "text": "Text.", "passage": "?"},
    ],
)
def test_openie_files_of_both_versions(doc: dict[str, object]) -> None:
    batch = read_files([("openie_musique_results_ner_gpt-4o-mini_3914.json", openie(**doc))])
    key = derived_key("Title", "Text.")
    assert [(p.key, p.title, p.text) for p in batch.passages] == [(key, "Title", "Text.")]
    assert batch.triple_sets == {"gpt-4o-mini": (NewTriple(key, "X", "is", "Y"),)}
    assert batch.entities["gpt-4o-mini"][0].names == ("X", "Y")
    assert batch.reports[0].message.endswith(
        "1 triple occurring again in a passage, dropped; 4 triples left out: not exactly three"
        ' items, as ["X", "Y"]'
    )


def test_one_bad_entity_or_triple_does_not_cost_the_passage() -> None:
    triples = [["X", "in", 1988], ["X", "is", None], None]
    names = ["X", None, 1988, ["Y"]]
    docs = [
        {"passage": "T\nOne.", "extracted_entities": names, "extracted_triples": triples},
        {
            "passage": "T\nTwo.",
            "extracted_entities": {"named_entities": ["Z"]},
            "extracted_triples": None,
        },
    ]
    batch = read_files([("o.json", json.dumps({"docs": docs}).encode())])
    assert [p.text for p in batch.passages] == ["One.", "Two."]
    assert [(t.subject, t.object) for t in batch.triple_sets["o"]] == [("X", "1988")]
    assert [one.names for one in batch.entities["o"]] == [("X", "1988"), ("Z",)]
    assert batch.reports[0].message.endswith(
        "2 entities left out: not a name, as null; 2 triples left out: not exactly three items, as"
        ' ["X", "is", null]'
    )


def test_one_bad_part_of_a_question_does_not_cost_the_row() -> None:
    hops = [{"question": "?", "answer": None, "paragraph_support_idx": 0}]
    sentences = [["T", ["One.", None, " Two."]], ["U", ["Three."]]]
    facts = [["T", 0], [None, 0]]
    batch = read(
        m=json_lines({**musique("2hop__1_2", [1]), "question_decomposition": hops}),
        h=json_lines({**hotpot(), "context": sentences, "supporting_facts": facts}),
        q=json_lines(
            {"question": "Who?", "answers": ["Ada", None, {"a": 1}], "supporting_ids": ["k", None]}
        ),
    )
    assert len(batch.questions) == 3
    assert batch.questions[-1].answers == ("Ada",)
    assert batch.questions[-1].supporting_keys == ("k",)
    assert "One. Two." in {one.text for one in batch.passages}
    assert "1 sentence left out: not words, as null" in batch.reports[1].message
    assert "2 answers left out: not words, as null" in batch.reports[2].message
    assert "1 gold passage left out: not an id, as null" in batch.reports[2].message


def test_an_openie_passage_of_one_line_has_no_title() -> None:
    batch = read_files([("o.json", openie(passage="Text only."))])
    assert [(p.title, p.text) for p in batch.passages] == [("", "Text only.")]
    assert list(batch.triple_sets) == ["o"]


def test_the_same_passage_under_two_ids_is_stored_once_and_both_ids_mean_it() -> None:
    hop = {"question": "?", "answer": "!", "supporting_id": "b"}
    files = {
        "triples.s.jsonl": [triple("b", "X", "is", "Y"), triple("a", "X", "is", "Y")],
        "questions.jsonl": [
            {"id": "q", "question": "Q?", "supporting_ids": ["b", "a"], "decomposition": [hop]}
        ],
        "corpus.jsonl": [
            {"id": id_, "title": "T", "text": text}
            for id_, text in (("a", "Same  text."), ("b", "Same text."))
        ],
    }
    batch = read_files([(name, json_lines(*rows)) for name, rows in files.items()])
    assert [p.key for p in batch.passages] == ["a"]
    assert batch.aliases == {"b": "a"}
    assert batch.questions[0].supporting_keys == ("a",)
    assert batch.questions[0].decomposition[0].supporting_key == "a"
    assert batch.triple_sets["s"] == (NewTriple("a", "X", "is", "Y"),)
    assert batch.reports[2].message == "1 passage; 1 passage occurring again, stored once"


def test_what_comes_under_an_id_that_is_taken_is_kept_under_one_of_its_own() -> None:
    batch = read(
        a=json_lines({"id": "a", "text": "One."}, {"id": "a", "text": "Two."}),
        b=json_lines({"id": "q", "question": "One?"}, {"id": "q", "question": "Two?"}),
    )
    assert [(p.key, p.text) for p in batch.passages] == [("a", "One."), ("a.jsonl:a", "Two.")]
    assert [(q.id, q.question) for q in batch.questions] == [("q", "One?"), ("b.jsonl:q", "Two?")]
    assert [r.message for r in batch.reports] == [
        "2 passages; 1 passage with the id of another, kept as 'a.jsonl:a'",
        "2 questions; 1 question with the id of another, kept as 'b.jsonl:q'",
    ]


def test_a_very_long_passage_of_a_corpus_is_cut_and_the_others_stand() -> None:
    medium, long = (" ".join(f"Word {i}." for i in range(n)) for n in (700, 800))
    batch = read(c=json_lines({"id": "m", "text": medium}, {"id": "l", "title": "L", "text": long}))
    assert [p.key for p in batch.passages[:3]] == ["m", "l#1", "l#2"]
    assert batch.passages[0].text == medium
    assert batch.passages[1].document == 0
    assert batch.documents[0].title == "L"


def test_a_zipped_pack_and_its_readme() -> None:
    pack = {
        "p/corpus.jsonl.gz": gzip.compress(json_lines({"id": "a", "text": "x"})),
        "p/README.md": b"# No",
        "notes.md": b"# Yes\n\nText.",
    }
    batch = read_files([("p.zip", make_zip(pack))])
    assert [(r.name, r.status) for r in batch.reports] == [
        ("p.zip/notes.md", "accepted"),
        ("p.zip/p/README.md", "skipped"),
        ("p.zip/p/corpus.jsonl.gz", "accepted"),
    ]
    assert [p.key for p in batch.passages] == [None, "a"]


@functools.cache
def pack(folder: Path) -> Batch:
    return read_path(folder)


@pytest.mark.parametrize("name", PACKS)
def test_every_shared_pack_comes_in_whole(shared_data: Path, name: str) -> None:
    folder = shared_data / name
    lines = gzip.decompress((folder / "corpus.jsonl.gz").read_bytes()).splitlines()
    asked = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    batch = pack(folder)
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        (row["id"], row["title"], row["text"]) for row in map(json.loads, lines)
    ]
    assert len(batch.questions) == len(asked)
    for question, row in zip(batch.questions, map(json.loads, asked), strict=True):
        assert (question.id, question.question) == (row["id"], row["question"].strip())
        assert (list(question.answers), list(question.supporting_keys)) == (
            row["answers"],
            row["supporting_ids"],
        )
        assert (question.type, question.hops) == (row["type"], row["hops"])
        assert len(question.decomposition) == len(row.get("decomposition", ()))
    assert batch.max_iterations == (None if name.startswith(("musique", "case")) else 2)


def test_the_shared_triples(shared_data: Path) -> None:
    batch = pack(shared_data / "musique_openie")
    ((name, triples),), ((of, entities),) = batch.triple_sets.items(), batch.entities.items()
    assert (name, len(triples), of, len(entities)) == (MODEL, 10_562, MODEL, 1_163)
    with_triples = {t.passage_key for t in triples}
    assert len({p.key for p in batch.passages} - with_triples) == 2
    assert "12 triples occurring again in a passage, dropped" in batch.reports[-1].message


def test_original_files_give_the_passages_and_questions_of_the_packs(shared_data: Path) -> None:
    packs = [pack(shared_data / name) for name in PACKS]
    packed = {q.id: q for batch in packs for q in batch.questions}
    batch = read_path(shared_data / "original_formats")
    assert {p.key for p in batch.passages} <= {p.key for one in packs for p in one.passages}
    assert len(batch.passages) == 767
    assert {r.status for r in batch.reports} == {"accepted", "skipped"}
    questions = [q for q in batch.questions if q.id in packed]
    # the three case studies have other ids there
    assert (len(questions), len(batch.questions)) == (34, 37)
    assert questions == [packed[q.id] for q in questions]


def test_openie_files_match_the_passages_of_their_data_set(shared_data: Path) -> None:
    folder = shared_data / "original_formats"
    names = ("hipporag1_openie", "hipporag2_openie_RELAID", "hipporag_musique_corpus")
    one, two, corpus = (read_path(folder / f"{name}.json") for name in names)
    keys = [[p.key for p in batch.passages] for batch in (one, two, corpus)]
    assert keys[0] == keys[1] == keys[2]
    assert [*one.triple_sets.values()] == [*two.triple_sets.values()]
    assert "11 triples left out: not exactly three items" in one.reports[0].message
