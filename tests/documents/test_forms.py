"""Question sets and corpora in the layouts in which they are published, with content of our own."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pytest
from pyarrow import parquet

from gear_app.documents.files import Origin
from gear_app.documents.read import read_origin
from gear_app.documents.rows import unpacked
from tests.documents.reports import Import, json_lines, read_path, report

FILM, QUILL, LORN = (
    "Harbour Lights is a film of 1988. It was directed by Ada Quill.",
    "Ada Quill was born in Port Mira. She studied law.",
    "Lorn has a brewery. It was founded by Karl Aust.",
)
SENTENCES = {
    "Harbour Lights": ["Harbour Lights is a film of 1988.", " It was directed by Ada Quill."],
    "Ada Quill": ["Ada Quill was born in Port Mira.", " She studied law."],
    "Lorn": ["Lorn has a brewery.", " It was founded by Karl Aust."],
}
TEXTS = {"Harbour Lights": FILM, "Ada Quill": QUILL, "Lorn": LORN}
ASKED = "Where was the director of Harbour Lights born?"
GOLD = ["Harbour Lights", "Ada Quill"]
CORPUS = {"corpus.json": [{"title": title, "text": text} for title, text in TEXTS.items()]}
STEPS = [
    {"id": 1, "question": "Who directed Harbour Lights?", "answer": "Ada Quill"},
    {"id": 2, "question": "Where was #1 born?", "answer": "Port Mira"},
]


def paragraphs(text: str = "text", **more: Any) -> list[dict[str, Any]]:
    return [
        {"idx": n, "title": title, text: words, "is_supporting": title in GOLD, **more}
        for n, (title, words) in enumerate(TEXTS.items())
    ]


def columns(texts: str, *, stripped: bool = False) -> dict[str, list[Any]]:
    sentences = [[s.strip() if stripped else s for s in some] for some in SENTENCES.values()]
    return {"title": list(SENTENCES), texts: sentences}


PAIRS = [[title, some] for title, some in SENTENCES.items()]
STRIPPED = [[title, [s.strip() for s in some]] for title, some in SENTENCES.items()]
FACTS = [["Harbour Lights", 1], ["Ada Quill", 0]]
HUB_FACTS = {"title": GOLD, "sent_id": [1, 0]}
EVIDENCES = [["Harbour Lights", "director", "Ada Quill"], ["Ada Quill", "birthplace", "Port Mira"]]
ONE = {"_id": "q1", "question": ASKED, "answer": "Port Mira", "type": "bridge", "level": "easy"}


class Case(NamedTuple):
    """Files by name, and the answers and titles of gold that their only question has."""

    files: dict[str, Any]
    answers: tuple[str, ...] = ("Port Mira",)
    gold: tuple[str, ...] = tuple(GOLD)
    passages: int = 3


def of(file: str, others: dict[str, Any] = {}, **row: Any) -> Case:  # noqa: B006
    """A file of one row, beside others."""
    return Case({file: [row], **others})


def alone(file: str, **row: Any) -> Case:
    """A file of one row that has neither gold nor passages."""
    return of(file, **row)._replace(gold=(), passages=0)


ASKS, BOTH = {"question": ASKED, "answer": "Port Mira"}, ("Port Mira", "Mira")
NUMBERED = [{"_id": str(n), "title": t, "text": text} for n, (t, text) in enumerate(TEXTS.items())]
JUDGED = [{"query-id": "q1", "corpus-id": str(n), "score": 2.0 - n} for n in range(3)]
SPANS = {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": ["Port Mira"]}
TWO_HOP = {**ONE, "evidences": EVIDENCES}
ANSWERED = {"id": "s1", "question": ASKED, "answers": [{"text": "Port Mira", "answer_start": 22}]}
IMPOSSIBLE = {"id": "s2", "question": "Where did she die?", "answers": [], "is_impossible": True}
PART = {"context": QUILL, "qas": [{**ANSWERED, "is_impossible": False}, IMPOSSIBLE]}
SQUAD = {"version": "v2.0", "data": [{"title": "Ada_Quill", "paragraphs": [PART]}]}
NUMBERED_TEXTS = {f"d{n}": text for n, text in enumerate(TEXTS.values())}
LABELLED = {
    "query": ASKED,
    "query_by": {"model_name": "", "type": "human"},
    "reference_contexts": [FILM, QUILL],
    "reference_answer": "Port Mira",
}
NEWS = [{"title": t, "body": text, "url": "https://x.example"} for t, text in TEXTS.items()]
FACTS_OF_NEWS = [
    {"title": GOLD[0], "fact": "It was directed by Ada Quill.", "url": "u"},
    {"title": GOLD[1], "fact": "Ada Quill was born in Port Mira.", "url": "v"},
]
UNMARKED = [{k: v for k, v in one.items() if v is not True} for one in paragraphs()]
SELECTED = {"is_selected": [1, 1, 0], "passage_text": [*TEXTS.values()], "url": ["a", "b", "c"]}
CASES = {
    "HotpotQA": of("dev.json", **ONE, context=PAIRS, supporting_facts=FACTS),
    "HotpotQA on the hub": of(
        "distractor/validation-00000-of-00001.parquet",
        **ONE,
        context=columns("sentences"),
        supporting_facts=HUB_FACTS,
    ),
    "HotpotQA without its gold in the context": of(
        "fullwiki.json", CORPUS, **ONE, context=PAIRS[2:], supporting_facts=FACTS
    ),
    "2WikiMultiHopQA": of("dev.json", **TWO_HOP, context=STRIPPED, supporting_facts=FACTS),
    "2WikiMultiHopQA, JSON in texts": of(
        "dev.parquet",
        **ONE,
        context=json.dumps(STRIPPED),
        supporting_facts=json.dumps(FACTS),
        evidences=json.dumps(EVIDENCES),
    ),
    "MuSiQue": of(
        "musique_ans_v1.0_dev.jsonl",
        **ASKS,
        id="2hop__1_2",
        paragraphs=paragraphs("paragraph_text"),
        question_decomposition=[{**s, "paragraph_support_idx": n} for n, s in enumerate(STEPS)],
        answer_aliases=["Mira"],
        answerable=True,
    )._replace(answers=BOTH),
    "MTEB": Case(
        {
            "corpus/corpus-00000-of-00001.parquet": NUMBERED,
            "queries/test-00000-of-00001.parquet": [{"_id": "q1", "text": ASKED}],
            "data/test-00000-of-00001.parquet": JUDGED,
        },
        answers=(),
    ),
    "FlashRAG": of(
        "dev.jsonl",
        id="dev_0",
        question=ASKED,
        golden_answers=["Port Mira"],
        metadata={"type": "bridge", "supporting_facts": HUB_FACTS, "context": columns("sentences")},
    ),
    "HippoRAG, PopQA": of(
        "popqa.json",
        id="1",
        question=ASKED,
        obj="Port Mira",
        possible_answers='["Port Mira", "Mira"]',
        paragraphs=UNMARKED,
    )._replace(answers=BOTH),
    "HippoRAG, NQ": of(
        "nq_rear.json", question=ASKED, reference=["Port Mira"], contexts=paragraphs()
    ),
    "GFM-RAG": of(
        "raw/test.json", {"raw/documents.json": TEXTS}, **ASKS, id="1", supporting_documents=GOLD
    ),
    "MultiHop-RAG": of(
        "MultiHopRAG.json",
        {"corpus.json": NEWS},
        query=ASKED,
        answer="Port Mira",
        question_type="inference_query",
        evidence_list=FACTS_OF_NEWS,
    ),
    "IRCoT": of(
        "dev_subsampled.jsonl",
        dataset="musique",
        question_id="2hop__1_2",
        question_text=ASKED,
        answers_objects=[SPANS],
        contexts=paragraphs("paragraph_text"),
    ),
    "DPR": of(
        "biencoder-nq-dev.json",
        dataset="nq_dev_psgs_w100",
        question=ASKED,
        answers=["Port Mira"],
        positive_ctxs=[
            {"title": t, "text": TEXTS[t], "score": 1000, "passage_id": t} for t in GOLD
        ],
        negative_ctxs=[],
        hard_negative_ctxs=[{"title": "Lorn", "text": LORN, "score": 9.1, "psg_id": "7"}],
    ),
    "SQuAD": Case({"dev-v2.0.json": SQUAD}, gold=("Ada Quill",), passages=1),
    "GraphRAG-Bench": of(
        "novel_questions.json",
        {"novel.json": [{"corpus_name": "Novel-1", "context": "\n\n".join(TEXTS.values())}]},
        **ASKS,
        id="Novel-1-q1",
        source="Novel-1",
        question_type="Complex Reasoning",
        evidence="It was directed by Ada Quill. Ada Quill was born in Port Mira.",
        evidence_relations="Ada Quill; born in; Port Mira",
    )._replace(gold=("Novel-1",), passages=1),
    "RAGAS": of(
        "testset.jsonl",
        CORPUS,
        user_input=ASKED,
        reference="Port Mira",
        reference_contexts=[f"<1-hop>\n\n{FILM}", f"<2-hop>\n\n{QUILL}"],
        synthesizer_name="multi_hop_specific_query_synthesizer",
    ),
    "RAGAS as a table": of(
        "testset.csv",
        CORPUS,
        user_input=ASKED,
        reference_contexts=str([FILM, QUILL]),
        reference="Port Mira",
        synthesizer_name="single_hop",
    ),
    "DeepEval": of(
        "goldens.json",
        CORPUS,
        input=ASKED,
        actual_output=None,
        expected_output="Port Mira",
        context=[FILM, QUILL],
    ),
    "AutoRAG": of(
        "qa.parquet",
        {
            "corpus.parquet": [
                {"doc_id": id_, "contents": text} for id_, text in NUMBERED_TEXTS.items()
            ]
        },
        qid="q1",
        query=ASKED,
        retrieval_gt=[["d0"], ["d1"]],
        generation_gt=["Port Mira"],
    )._replace(gold=("d0", "d1")),
    "LlamaIndex": Case(
        {
            "pairs.json": {
                "queries": {"q1": ASKED},
                "corpus": NUMBERED_TEXTS,
                "relevant_docs": {"q1": ["d0", "d1"]},
                "mode": "text",
            }
        },
        answers=(),
        gold=("d0", "d1"),
    ),
    "LlamaIndex, labelled": Case({"rag_dataset.json": {"examples": [LABELLED]}, **CORPUS}),
    "BrowseComp-Plus": of(
        "bcp.jsonl",
        query_id="q1",
        query=ASKED,
        answer="Port Mira",
        gold_docs=[{"docid": t, "title": t, "text": TEXTS[t]} for t in GOLD],
        evidence_docs=[{"docid": GOLD[0], "title": GOLD[0], "text": TEXTS[GOLD[0]]}],
        negative_docs=[{"docid": "9", "title": "Lorn", "text": LORN}],
    ),
    "FRAMES": of(
        "test.tsv",
        CORPUS,
        **{"": "0", "Prompt": ASKED, "Answer": "Port Mira"},
        wiki_links=str([f"https://en.wikipedia.org/wiki/{t.replace(' ', '_')}" for t in GOLD]),
    ),
    "MS MARCO": of(
        "dev.parquet",
        query_id=1,
        query=ASKED,
        query_type="LOCATION",
        answers=["Port Mira"],
        passages=SELECTED,
    )._replace(gold=(FILM, QUILL)),
}


def write(file: Path, rows: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    elif file.suffix == ".jsonl":
        file.write_bytes(json_lines(*rows))
    elif file.suffix in (".csv", ".tsv"):
        text = io.StringIO()
        delimiter = "," if file.suffix == ".csv" else "\t"
        table = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
        file.write_text(text.getvalue())
    else:
        file.write_text(json.dumps(rows))


def read(folder: Path, files: dict[str, Any]) -> Import:
    for name, rows in files.items():
        write(folder / name, rows)
    return read_path(folder)


def test_steps_of_a_question_are_kept_with_their_passages(tmp_path: Path) -> None:
    (question,) = read(tmp_path, CASES["MuSiQue"].files).questions
    assert [hop.answer for hop in question.decomposition] == ["Ada Quill", "Port Mira"]
    assert tuple(hop.supporting_key for hop in question.decomposition) == question.supporting_keys


def test_grades_beside_ids_are_kept_and_zero_is_no_gold(tmp_path: Path) -> None:
    corpus = [{"id": id_, "text": text} for id_, text in zip("abc", TEXTS.values(), strict=True)]
    asked = {"query": ASKED, "answer": "Port Mira", "relevant_docs": {"a": 3, "b": 1, "c": 0}}
    (question,) = read(tmp_path, {"c.jsonl": corpus, "q.jsonl": [asked]}).questions
    assert question.grades == {"a": 3, "b": 1}


def test_where_titles_repeat_gold_follows_the_text(tmp_path: Path) -> None:
    news = [{"title": "News", "body": text} for text in TEXTS.values()]
    fact = {"title": "News", "fact": "It was founded by Karl Aust."}
    asked = {"query": ASKED, "answer": "?", "evidence_list": [fact]}
    batch = read(tmp_path, {"corpus.json": news, "q.json": [asked]})
    texts = {p.key: p.text for p in batch.passages}
    assert [texts[key] for key in batch.questions[0].supporting_keys] == [LORN]


def test_gold_that_is_nowhere_counts_all_the_same(tmp_path: Path) -> None:
    asked = {**ONE, "context": PAIRS[:2], "supporting_facts": [*FACTS, ["Missing Page", 0]]}
    batch = read(tmp_path, {"h.json": [asked]})
    assert len(batch.questions[0].supporting_keys) == 3
    assert [title for title, _ in batch.clues.values()] == ["Missing Page"]


def test_rows_of_no_known_form_are_answered_with_their_fields() -> None:
    found = report("q.jsonl", json_lines({"frage": ASKED, "antwort": "Port Mira"}))
    assert found.status == "failed"
    assert "Its fields: frage, antwort." in found.message and "--fields" in found.message


@pytest.mark.parametrize("name", ["q.jsonl", "q.csv", "q.parquet"])
def test_somebody_may_say_which_field_is_which(tmp_path: Path, name: str) -> None:
    rows = [{"nr": 7, "frage": ASKED, "antwort": "Port Mira", "stelle": FILM, "titel": "Film"}]
    write(tmp_path / name, rows)
    fields = {"question": "frage", "answers": "antwort", "text": "stelle", "gold": "stelle"}
    told = tuple({**fields, "title": "titel", "id": "nr"}.items())
    (batch,) = read_origin(Origin(path=str(tmp_path / name), fields=told))
    (question,) = batch.questions
    assert (question.id, question.question, question.answers) == ("7", ASKED, ("Port Mira",))
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        (question.supporting_keys[0], "Film", FILM)
    ]


def test_somebody_may_say_what_the_text_is(tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", [{"id": "a", "stelle": FILM, "titel": "Film"}])
    told = (("text", "stelle"), ("title", "titel"))
    (batch,) = read_origin(Origin(path=str(tmp_path / "c.jsonl"), fields=told))
    assert [(p.key, p.title, p.text) for p in batch.passages] == [("a", "Film", FILM)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['it\\'s', \"b\"]", ["it's", "b"]),
        ("['a\\nb' 'c']", ["a\nb", "c"]),  # numpy's
        (
            "[{'title': 'T', 'fact': None, 'n': [1, True]}]",
            [{"title": "T", "fact": None, "n": [1, True]}],
        ),
        ("[sic] he said", "[sic] he said"),
        ("[' unclosed", "[' unclosed"),
        ("plain", "plain"),
    ],
)
def test_lists_in_texts_are_unpacked(value: str, found: object) -> None:
    assert unpacked(value) == found


def test_corpora_with_the_title_in_the_text(tmp_path: Path) -> None:
    rows = [
        {"id": "0", "contents": f'"Harbour Lights"\n{FILM}'},
        {"id": "2", "contents": LORN.replace(" It", "\nIt")},
        {"id": "3", "contents": '"""Lights"" (song)"\nA song.'},
    ]
    batch = read(tmp_path, {"wiki.jsonl": rows})
    assert [p.title for p in batch.passages] == [
        "Harbour Lights",
        "",
        '"Lights" (song)',
    ]
    assert batch.passages[0].text == FILM


@pytest.mark.parametrize(
    "value",
    [
        {"version": 1, "samples": [{"user_input": ASKED, "reference": "Port Mira"}]},
        {"q1": {"question": ASKED, "answer": "Port Mira"}},
    ],
    ids=["beside other things", "by id"],
)
def test_rows_in_an_object(tmp_path: Path, value: object) -> None:
    (question,) = read(tmp_path, {"t.json": value}).questions
    assert (question.question, question.answers) == (ASKED, ("Port Mira",))


@pytest.mark.parametrize(
    ("marks", "gold"),
    [
        ((True, None, False), ["Harbour Lights"]),
        ((None, None, False), GOLD),  # HippoRAG marks only what is not
        ((None, None, None), []),
    ],
)
def test_paragraphs_without_a_mark(
    tmp_path: Path, marks: tuple[bool | None, ...], gold: list[str]
) -> None:
    beside = [
        {"title": title, "text": text} | ({} if mark is None else {"is_supporting": mark})
        for (title, text), mark in zip(TEXTS.items(), marks, strict=True)
    ]
    batch = read(tmp_path, {"q.json": [{"question": ASKED, "paragraphs": beside}]})
    titles = {p.key: p.title for p in batch.passages}
    assert [titles[key] for key in batch.questions[0].supporting_keys] == gold


def test_gold_in_a_cell_is_ids_apart_by_marks_or_a_text(tmp_path: Path) -> None:
    corpus = [{"id": id_, "text": text} for id_, text in zip("abc", TEXTS.values(), strict=True)]
    asked = [
        {"question": "One?", "answer": "x", "gold": "a; c"},
        {"question": "Two?", "answer": "x", "gold": "It was founded by Karl Aust, in Lorn."},
        {"question": "Three?", "answer": "x", "gold": "She studied law."},
    ]
    batch = read(tmp_path, {"c.jsonl": corpus, "q.csv": asked})
    assert [one.supporting_keys for one in batch.questions] == [
        ("a", "c"),
        ("It was founded by Karl Aust, in Lorn.",),
        ("b",),
    ]


@pytest.mark.parametrize(
    ("named", "gold"),
    [
        ("Lorn, on the Sel", ["Lorn, on the Sel"]),
        ("Lorn, on the Sel; Ada Quill", ["Lorn, on the Sel", "Ada Quill"]),
    ],
)
def test_marks_between_names_part_them_and_a_comma_in_a_title_does_not(
    tmp_path: Path, named: str, gold: list[str]
) -> None:
    titles = ["Harbour Lights", "Ada Quill", "Lorn, on the Sel"]
    corpus = [{"id": name, "title": name, "text": f"A passage on {name}."} for name in titles]
    asked = [{"question": "One?", "answer": "x", "gold": named}]
    batch = read(tmp_path, {"c.jsonl": corpus, "q.csv": asked})
    assert sorted(batch.questions[0].supporting_keys) == sorted(gold)


@pytest.mark.parametrize("name", CASES)
def test_a_published_form_gives_its_question_with_answers_and_gold(
    tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    batch = read(tmp_path, case.files)
    assert {one.status for one in batch.reports} == {"accepted"}, batch.reports
    (question,) = batch.questions
    called = {p.key: p.title or p.text for p in batch.passages}
    if name in ("AutoRAG", "LlamaIndex"):
        called = {p.key: p.key for p in batch.passages}
    assert question.question == ASKED
    assert question.answers == case.answers
    assert tuple(called[key] for key in question.supporting_keys) == case.gold
    assert len(batch.passages) == case.passages
    assert batch.clues == {}
