"""What comes in is stored once, under its own ids, and an import can be repeated; ready-made triples
get their sentences.
"""

from __future__ import annotations

import json
from pathlib import Path

from gear_app.core.types import Span
from gear_app.documents.items import Batch, NewTriple
from gear_app.store.rows import text_hash
from gear_app.workspace.workspace import Workspace
from tests.small import PASSAGES, TRIPLES
from tests.workspaces import store_batch, workspace


def test_a_pack_keeps_its_ids_and_arrives_complete(films: Workspace) -> None:
    info = films.collections.get("films")
    assert (info.documents, info.passages, info.questions) == (0, 8, 1)
    assert [
        (s.name, s.triples, s.passages_done, s.passages_without, s.active) for s in info.triple_sets
    ] == [("curated", len(TRIPLES), 8, 0, True)]
    assert [(p.key, p.title, p.text) for p in films.collections["films"].passages()] == PASSAGES
    question = films.collections["films"].questions()[0]
    assert (question.id, question.supporting_keys, question.answers) == (
        "q1",
        ("harbour", "quill"),
        ("Port Mira",),
    )
    assert question.decomposition[0].supporting_key == "harbour"


def test_importing_the_same_again_changes_nothing(films: Workspace, tmp_path: Path) -> None:
    before = films.collections.get("films")
    reports = films.imports.do(tmp_path / "pack", "films")
    after = films.collections.get("films")
    assert (after.passages, after.questions, after.triple_sets[0].triples) == (8, 1, len(TRIPLES))
    corpus = next(report for report in reports if report.name.startswith("corpus"))
    assert (corpus.status, corpus.passages) == ("skipped", 0) and "there already" in corpus.message
    assert [p.id for p in films.collections["films"].passages()] == list(range(1, 9))
    assert (before.revision, before.triple_sets) == (after.revision, after.triple_sets)


def test_a_passage_whose_id_is_in_use_is_kept_under_an_id_of_its_own(
    films: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    rows = [
        {"id": "quill", "title": "Other", "text": "Other words."},
        {"id": "new", "title": "New", "text": "New."},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    (report,) = films.imports.do(file, "films")
    assert (report.status, report.passages) == ("accepted", 2)
    own = f"quill-{text_hash('Other. Other words.').hex()[:12]}"
    words = "1 passage with the id of another, kept under an id of its own"
    assert f"{words} (the first is {own!r})" in report.message
    assert films.collections["films"].passage_by_key("quill").text == PASSAGES[1][2]
    assert films.collections["films"].passage_by_key(own).text == "Other words."
    assert films.collections["films"].passage_by_key("new").title == "New"
    (report,) = films.imports.do(file, "films")
    assert (report.status, report.present) == ("skipped", True)


def test_a_question_whose_id_is_in_use_is_kept_beside_the_other(
    films: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"id": "q1", "question": "Who?", "answers": []}))
    reports = [films.imports.do(file, "films")[0] for _ in range(2)]
    assert [(report.questions, report.present) for report in reports] == [(1, False), (0, True)]
    first, second = films.collections["films"].questions()
    assert (first.id, second.question) == ("q1", "Who?") and second.id.startswith("q1-")


def test_an_id_of_its_own_that_is_in_use_is_passed_over(tmp_path: Path) -> None:
    """In the collection and in the same file; and the same import again finds what it stored."""
    made = workspace(tmp_path)
    texts = ["Who is first?", "Who is second?", "Who is fourth?", "Who is third?"]
    own = f"x-{text_hash(texts[3]).hex()[:12]}"
    passage = f"x-{text_hash(f'T. {texts[3]}').hex()[:12]}"
    present = []
    for words, (first, second) in (
        (texts[:2], ("x", "{}")),
        (texts[2:], ("{}-2", "x")),
        (texts[2:], ("{}-2", "x")),
    ):
        for name, text, used in (("questions", "question", own), ("corpus", "text", passage)):
            ids = (first.format(used), second.format(used))
            rows = [{"id": i, text: q, "title": "T"} for i, q in zip(ids, words, strict=True)]
            content = "\n".join(map(json.dumps, rows)).encode()
            present += made.imports.do([(f"{name}.jsonl", content)], "c")
    assert [report.present for report in present] == [False] * 4 + [True] * 2
    assert {q.id: q.question for q in made.collections["c"].questions()} == dict(
        zip(["x", own, f"{own}-2", f"{own}-3"], texts, strict=True)
    )
    assert {p.key: p.text for p in made.collections["c"].passages()} == dict(
        zip(["x", passage, f"{passage}-2", f"{passage}-3"], texts, strict=True)
    )


def test_a_triple_without_its_sentence_has_the_closest_one(films: Workspace) -> None:
    said = NewTriple("quill", "Ada Quill", "read", "law", "She studied law.")
    near, far = (
        NewTriple("quill", "Ada Quill", "born in", "Lorn"),
        NewTriple("quill", "a", "b", "c"),
    )
    store_batch(films, "films", Batch(triples={"s": [said, near, far]}))
    triples = films.collections["films"].triples("s")
    assert [(t.span, t.closest) for t in triples] == [
        (Span(33, 49), False),
        (Span(0, 32), True),
        (None, False),
    ]


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
    films.imports.do(tmp_path / "corpus.jsonl", "films")
    films.imports.do(tmp_path / "questions.jsonl", "films")
    assert films.collections.get("films").passages == 8
    assert films.collections["films"].passage_by_key("other-id").key == "quill"
    assert films.collections["films"].questions()[1].supporting_keys == ("quill", "mira")


def test_gold_by_id_title_or_text_is_that_of_the_collection_there(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    film = "Harbour Lights is a film about a lamp. It was directed by Ada Quill."
    texts = {"film": film, "quill": "Ada Quill was born in Port Mira.", "lorn": "Lorn is a town."}
    titles = {"film": "Harbour Lights", "quill": "Ada Quill", "lorn": "Lorn"}
    rows = [{"id": key, "title": titles[key], "text": text} for key, text in texts.items()]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)))
    made.imports.do(corpus, "c")
    gold: list[object] = [
        ["film", "quill"],
        ["Ada Quill", "It was directed by Ada Quill."],
        [{"title": "Lorn", "text": "Lorn is a town."}, "It was built nowhere, by nobody."],
    ]
    asked = [{"id": f"q{n}", "question": f"{n}?", "gold": one} for n, one in enumerate(gold)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (report,) = made.imports.do(tmp_path / "q.jsonl", "c")
    assert [one.supporting_keys for one in made.collections["c"].questions()] == [
        ("film", "quill"),
        ("quill", "film"),
        ("lorn", "It was built nowhere, by nobody."),
    ]
    assert report.message.startswith("3 questions; 1 of 6 gold passages is not in the collection")


def test_judgments_that_come_later_are_gold_of_the_questions_there(tmp_path: Path) -> None:
    corpus = (
        '{"_id": "a", "title": "A", "text": "One."}\n{"_id": "b", "title": "B", "text": "Two."}\n'
    )
    (tmp_path / "corpus.jsonl").write_text(corpus)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "Which of them?"}\n')
    space = workspace(tmp_path / "w.db")
    space.imports.do(tmp_path / "corpus.jsonl", "mine")
    space.imports.do(tmp_path / "queries.jsonl", "mine")
    (tmp_path / "qrels.txt").write_text("q 0 b 1\nq 0 a 0\nother 0 a 1\n")
    (report,) = space.imports.do(tmp_path / "qrels.txt", "mine")
    assert report.message == (
        "2 questions with gold; 1 passage judged not relevant; 1 question with gold not there: import"
        " the questions, too"
    )
    (question,) = space.collections["mine"].questions()
    assert question.supporting_keys == ("b",)
