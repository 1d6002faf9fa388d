"""What comes in is stored once, under its own ids, and an import can be repeated; ready-made triples
get their sentences.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.core.types import Question, Span
from gear_app.documents.items import Batch, NewPassage, NewTriple
from gear_app.workspace.collections.importer import BatchImport
from gear_app.workspace.workspace import Workspace
from tests.small import PASSAGES, TRIPLES
from tests.workspaces import workspace


def test_a_pack_keeps_its_ids_and_arrives_complete(films: Workspace) -> None:
    info = films.collections.get("films")
    assert (info.documents, info.passages, info.questions) == (0, 8, 1)
    assert [
        (s.name, s.triples, s.passages_done, s.passages_without, s.active) for s in info.triple_sets
    ] == [("curated", len(TRIPLES), 8, 0, True)]
    assert [(p.key, p.title, p.text) for p in films.collections.passages("films")] == PASSAGES
    question = films.collections.questions("films")[0]
    assert (question.id, question.supporting_keys, question.answers) == (
        "q1",
        ("harbour", "quill"),
        ("Port Mira",),
    )
    assert question.decomposition[0].supporting_key == "harbour"


def test_importing_the_same_again_changes_nothing(films: Workspace, tmp_path: Path) -> None:
    before = films.collections.get("films")
    reports = films.import_path(tmp_path / "pack", "films")
    after = films.collections.get("films")
    assert (after.passages, after.questions, after.triple_sets[0].triples) == (8, 1, len(TRIPLES))
    corpus = next(report for report in reports if report.name.startswith("corpus"))
    assert (corpus.status, corpus.passages) == ("skipped", 0) and "there already" in corpus.message
    assert [p.id for p in films.collections.passages("films")] == list(range(1, 9))
    assert (before.revision, before.triple_sets) == (after.revision, after.triple_sets)


def test_a_passage_whose_id_is_in_use_is_kept_under_the_files_name(
    films: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    rows = [
        {"id": "quill", "title": "Other", "text": "Other words."},
        {"id": "new", "title": "New", "text": "New."},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    (report,) = films.import_path(file, "films")
    assert (report.status, report.passages) == ("accepted", 2)
    assert (
        "1 passage with the id of another, kept under an id of the file (the first is 'more.jsonl:quill')"
        in report.message
    )
    assert films.collections.passage_by_key("films", "quill").text == PASSAGES[1][2]
    assert films.collections.passage_by_key("films", "more.jsonl:quill").text == "Other words."
    assert films.collections.passage_by_key("films", "new").title == "New"


def test_the_same_content_under_another_id_is_stored_once_and_found_by_both(
    films: Workspace, tmp_path: Path
) -> None:
    _, title, text = PASSAGES[1]
    (tmp_path / "corpus.jsonl").write_text(
        json.dumps({"id": "other-id", "title": title, "text": text})
    )
    (tmp_path / "questions.jsonl").write_text(
        json.dumps(
            {
                "id": "q9",
                "question": "Where?",
                "answers": [],
                "supporting_ids": ["other-id", "mira"],
            }
        )
    )
    films.import_path(tmp_path / "corpus.jsonl", "films")
    films.import_path(tmp_path / "questions.jsonl", "films")
    assert films.collections.get("films").passages == 8
    assert films.collections.passage_by_key("films", "other-id").key == "quill"
    assert films.collections.questions("films")[1].supporting_keys == ("quill", "mira")


@pytest.mark.parametrize(
    ("first", "second", "limit"), [(2, 2, 2), (2, None, None), (None, 2, None)]
)
def test_the_iteration_limit_of_two_hop_sets_goes_when_others_join(
    tmp_path: Path, first: int | None, second: int | None, limit: int | None
) -> None:
    made = workspace(tmp_path)
    made.collections.create("c")
    for number, value in enumerate((first, second)):
        datasets = {"hotpotqa" if value else "other"}
        batch = Batch(questions=[Question(f"q{number}", f"What is {number}?")], datasets=datasets)
        BatchImport(made.store, made.store.collections.get("c"), [batch]).run()
    assert made.collections.get("c").max_iterations == limit


def test_imported_triples_get_the_closest_sentence_and_say_so(films: Workspace) -> None:
    triple = films.collections.triples("films", "curated", search="directed by Ada")[0]
    passage = films.collections.passage(triple.passage_id)
    assert triple.closest and triple.span is not None
    assert passage.text[triple.span.start : triple.span.end] == "It was directed by Ada Quill."


def test_a_sentence_told_by_the_file_is_taken_word_for_word(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.collections.create("c")
    batch = Batch(
        passages=[NewPassage("k", "T", "One. Ada met Bo. Ada met Bo again.")],
        triples={
            "s": [
                NewTriple("k", "Ada", "met", "Bo", "Ada met Bo."),
                NewTriple("k", "x", "y", "z", "Nowhere."),
            ]
        },
    )
    BatchImport(made.store, made.store.collections.get("c"), [batch]).run()
    assert [(t.span, t.closest) for t in made.collections.triples("c", "s")] == [
        (Span(5, 16), False),
        (None, False),
    ]


def test_triples_of_unknown_passages_are_told(films: Workspace) -> None:
    batch = Batch(
        triples={"s": [NewTriple("nowhere", "a", "b", "c"), NewTriple("quill", "a", "b", "c")]},
    )
    (report,) = BatchImport(films.store, films.store.collections.get("films"), [batch]).run()
    assert "1 passage with triples not in the collection" in report.message
    assert [t.passage_id for t in films.collections.triples("films", "s")] == [2]


def test_judgments_that_come_later_are_gold_of_the_questions_there(tmp_path: Path) -> None:
    corpus = (
        '{"_id": "a", "title": "A", "text": "One."}\n{"_id": "b", "title": "B", "text": "Two."}\n'
    )
    (tmp_path / "corpus.jsonl").write_text(corpus)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "Which of them?"}\n')
    space = workspace(tmp_path / "w.db")
    space.import_path(tmp_path / "corpus.jsonl", "mine")
    space.import_path(tmp_path / "queries.jsonl", "mine")
    (tmp_path / "qrels.txt").write_text("q 0 b 1\nq 0 a 0\nother 0 a 1\n")
    (report,) = space.import_path(tmp_path / "qrels.txt", "mine")
    assert report.message == (
        "2 questions with gold; 1 passage judged not relevant; 1 question with gold not there: import"
        " the questions, too"
    )
    (question,) = space.collections.questions("mine")
    assert question.supporting_keys == ("b",)


def beir(folder: Path) -> Path:
    """Three questions with four gold passages, of which two are not in the corpus."""
    folder.mkdir()
    lines = [json.dumps({"_id": name, "text": f"Words of {name}."}) for name in ("a", "b", "c")]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    asked = [json.dumps({"_id": f"q{n}", "text": f"What of {n}?"}) for n in (1, 2, 3)]
    (folder / "queries.jsonl").write_text("\n".join(asked))
    (folder / "qrels.tsv").write_text("q1\ta\t1\nq1\tgone\t2\nq2\tlost\t1\nq3\tc\t3\nq3\tb\t0\n")
    return folder


def test_gold_that_is_not_in_the_collection_is_told(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    reports = made.import_path(beir(tmp_path / "beir"), "c")
    assert (
        "2 of 4 gold passages are not in the collection: recall cannot exceed 50.0 %"
        in " ".join(report.message for report in reports)
    )
    assert [one.grades for one in made.collections.questions("c")] == [
        {"a": 1, "gone": 2},
        {"lost": 1},
        {"c": 3},
    ]


def test_gold_by_id_title_or_text_is_that_of_the_collection_there(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    film = "Harbour Lights is a film about a lamp. It was directed by Ada Quill."
    texts = {"film": film, "quill": "Ada Quill was born in Port Mira.", "lorn": "Lorn is a town."}
    titles = {"film": "Harbour Lights", "quill": "Ada Quill", "lorn": "Lorn"}
    rows = [{"id": key, "title": titles[key], "text": text} for key, text in texts.items()]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)))
    made.import_path(corpus, "c")
    gold: list[object] = [
        ["film", "quill"],
        ["Ada Quill", "It was directed by Ada Quill."],
        [{"title": "Lorn", "text": "Lorn is a town."}, "It was built nowhere, by nobody."],
    ]
    asked = [{"id": f"q{n}", "question": f"{n}?", "gold": one} for n, one in enumerate(gold)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (report,) = made.import_path(tmp_path / "q.jsonl", "c")
    assert [one.supporting_keys for one in made.collections.questions("c")] == [
        ("film", "quill"),
        ("quill", "film"),
        ("lorn", "It was built nowhere, by nobody."),
    ]
    assert report.message.startswith("3 questions; 1 of 6 gold passages is not in the collection")


def test_a_passage_beside_a_question_is_that_of_the_collection_with_its_content(
    tmp_path: Path,
) -> None:
    made = workspace(tmp_path)
    film = "Harbour Lights is a film about a lamp. It was directed by Ada Quill."
    corpus = {"id": "film", "title": "Harbour Lights", "text": film}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(corpus))
    made.import_path(tmp_path / "corpus.jsonl", "c")
    passages = [
        {"title": "Harbour Lights", "text": film, "is_supporting": True},
        {"title": "Lorn", "text": "Lorn has a brewery, which Karl Aust founded long ago."},
    ]
    asked = {"id": "q", "question": "Who?", "paragraphs": passages}
    (tmp_path / "q.json").write_text(json.dumps([asked]))
    made.import_path(tmp_path / "q.json", "c")
    (question,) = made.collections.questions("c")
    assert question.supporting_keys[0] == "film"
    assert made.collections.get("c").passages == 2


def test_files_with_the_same_text_are_imported_and_told(tmp_path: Path) -> None:
    """Also rows, and passages of one text that are alike, and what was pasted before."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("report.txt", "report (copy).txt"):
        (folder / name).write_text("Anna was born in Oslo.")
    line = "The tide comes in at noon and goes out at night, as every day of the year. " * 7
    (folder / "alike.txt").write_text("\n\n".join([line] * 4))
    (folder / "rows.csv").write_text("id,name,text\n1,Oslo,A town.\n2,Oslo,A town.\n")
    made = workspace(tmp_path)
    reports = {one.name: one for one in made.import_path(folder, "c")}
    assert [one.status for one in reports.values()] == ["accepted"] * 2 + ["skipped", "accepted"]
    assert (
        reports["report.txt"].message
        == "everything in it is there already; the same text is there already, as 'report (copy)'"
    )
    assert made.collections.get("c").documents == 2
    texts = [one.text for one in made.collections.passages("c")]
    assert len(texts) == len(set(texts))
    (again,) = made.imports.text("Anna", "Anna was born in Oslo.", "c")
    assert again.status == "skipped" and "the same text is there already" in again.message
    (other,) = made.imports.files([("more.csv", b"id,name,text\n7,Oslo,A town.\n")], "c")
    assert other.status == "skipped"
    assert made.collections.passage_by_key("c", "7").key == "1"


def test_tables_that_count_from_one_keep_their_rows_and_gold_over_several_imports(
    tmp_path: Path,
) -> None:
    """Also what is imported again after a change, and questions whose ids are taken."""
    made = workspace(tmp_path)

    def imported(name: str, text: str, asked: str) -> str:
        questions = {"id": "q1", "question": asked, "supporting_ids": ["1"]}
        files = [
            (name, f"id,text\n1,{text}\n2,Second of {text}\n".encode()),
            (f"{name}.jsonl", json.dumps(questions).encode()),
        ]
        return "; ".join(one.message for one in made.imports.files(files, "c"))

    imported("a.csv", "First words.", "What is first?")
    told = imported("b.csv", "Other words.", "What is other?")
    assert (
        "2 passages with the id of another, kept under an id of the file (the first is 'b.csv:1')"
        in told
    )
    assert (
        "1 question with the id of another, kept under an id of the file (the first is 'b.csv.jsonl:q1')"
        in told
    )
    imported("b.csv", "Changed words.", "What is changed?")
    again = imported("b.csv", "Changed words.", "What is changed?")
    assert "id of another" not in again
    assert {one.key: one.text for one in made.collections.passages("c") if "1" in one.key} == {
        "1": "First words.",
        "b.csv:1": "Other words.",
        "b.csv:1-2": "Changed words.",
    }
    assert [(one.id, one.supporting_keys) for one in made.collections.questions("c")] == [
        ("q1", ("1",)),
        ("b.csv.jsonl:q1", ("b.csv:1",)),
        ("b.csv.jsonl:q1-2", ("b.csv:1-2",)),
    ]


def test_two_packs_with_the_same_ids_keep_their_gold_and_triples_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = tmp_path / "packs" / name
        folder.mkdir(parents=True)
        rows = {
            "corpus": {"id": "1", "title": name, "text": f"Ada of {name} was born in Lorn."},
            "questions": {"id": f"q{name}", "question": f"Where of {name}?", "gold": ["1"]},
            "triples": {"passage_id": "1", "subject": "Ada", "predicate": name, "object": "Lorn"},
        }
        for kind, row in rows.items():
            (folder / f"{kind}.jsonl").write_text(json.dumps(row))
    made = workspace(tmp_path)
    made.import_path(tmp_path / "packs", "c")
    titles = {passage.key: passage.title for passage in made.collections.passages("c")}
    assert {q.id: titles[q.supporting_keys[0]] for q in made.collections.questions("c")} == {
        "qa": "a",
        "qb": "b",
    }
    ids = {passage.id: passage.title for passage in made.collections.passages("c")}
    triples = made.collections.triples("c", "imported")
    assert {triple.predicate: ids[triple.passage_id] for triple in triples} == {"a": "a", "b": "b"}
