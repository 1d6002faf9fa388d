"""The forms in which the field publishes questions and corpora: one table, a row a form.

A form is told by the fields that its rows have. Its other columns name the fields that hold
answers, gold and passages; what a value there may look like is the same for all forms
(ingest.question_rows). Fields of a row's `metadata` count as the row's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from gear_app.ingest.contents import first_heading
from gear_app.ingest.rows import ID, TEXT, TITLE, Row, first, listed

QUESTION = ("question", "query", "user_input", "question_text", "input")
QUESTION_ID = ("id", "_id", "qid", "question_id", "query_id")
TYPE = ("type", "question_type", "synthesizer_name", "evolution_type", "query_type")
# PopQA has the last four.
ANSWERS = (
    "answers answer answer_aliases golden_answers gold_answers gold_answer gold_ans ground_truth"
    " ground_truths expected_answer obj possible_answers o_wiki_title o_aliases"
)
GOLD = (
    "supporting_ids gold gold_ids gold_passages gold_docs gold_titles relevant_ids relevant_docs"
    " relevant_passages supporting_facts supporting_documents"
)
STEPS = ("question_decomposition", "decomposition")
_METADATA = ("metadata", "meta_data", "meta", "additional_metadata")


class QuestionForm(NamedTuple):
    """A form of questions: how it is called in reports, the fields that all rows have, what the
    last of these looks like where that matters, and the fields with answers, gold and passages. Of
    each column the parts are apart by blanks.
    """

    name: str
    marks: str
    shape: str
    answers: str
    gold: str
    passages: str

    def fits(self, row: Row) -> bool:
        """Whether a row has this form."""
        marks, whole = self.marks.split(), flat(row)
        if not all(name in whole for name in marks):
            return False
        return not self.shape or _shape(whole[marks[-1]]) in self.shape.split()

    @property
    def uses(self) -> frozenset[str]:
        """All fields it uses."""
        named = [self.marks, self.answers, self.gold, self.passages, " ".join(STEPS)]
        return frozenset(" ".join(named).split())


# An asterisk is ANSWERS or GOLD, as the forms of most have them.
_TABLE = """
RAGAS | user_input | | reference | reference_contexts reference_context_ids |
RAGAS | question contexts ground_truth evolution_type | | ground_truth | contexts |
DeepEval | input expected_output | | expected_output | context |
LongBench | input answers context | words | * | | context
MultiHop-RAG | query evidence_list | | * | evidence_list |
AutoRAG | query retrieval_gt | | generation_gt | retrieval_gt |
LlamaIndex | query reference_contexts | | reference_answer | reference_contexts |
DPR | question positive_ctxs | | * | positive_ctxs | positive_ctxs ctxs negative_ctxs hard_negative_ctxs
DPR | question ctxs | | * | | ctxs
Tevatron | query positive_passages | | * | positive_passages | positive_passages negative_passages
MS MARCO | query passages | | * | | passages
FlashRAG | question golden_answers | | * | * | context contexts paragraphs
MuSiQue | question paragraphs | | * | * | paragraphs
IRCoT | question_text contexts | objects | answers_objects | | contexts pinned_contexts
HippoRAG | question contexts | objects | * reference | * | contexts
HotpotQA | question context | pairs objects | * | supporting_facts | context
SQuAD | question context | words | * | context | context
GraphRAG-Bench | question evidence | | * | evidence |
GFM-RAG | question supporting_documents | | * | supporting_documents |
GFM-RAG | question supporting_facts | | * | supporting_facts |
PopQA | question possible_answers | | * | |
"""  # noqa: E501 - a row is a line


def _form(line: str) -> QuestionForm:
    name, marks, shape, answers, gold, passages = map(str.strip, line.split("|"))
    answers, gold = answers.replace("*", ANSWERS), gold.replace("*", GOLD)
    return QuestionForm(f"{name} questions", marks, shape, answers, gold, passages)


FORMS = tuple(map(_form, _TABLE.strip().splitlines()))
QUESTIONS = "questions"  # of no set that is known: the pack's own
# A question of any other form needs no more than its words; one that is not called a question has
# an answer or gold beside it.
ANY_FORM = QuestionForm(QUESTIONS, "question", "", ANSWERS, GOLD, "")
OTHER_NAMES = tuple(
    ANY_FORM._replace(marks=f"{name} {beside}")
    for name in QUESTION[1:4]
    for beside in f"{ANSWERS} {GOLD}".split()
)

UNKNOWN = "Say which is which"  # told of a file whose fields are not known
# What somebody may say that the fields of a file are called.
ROLES = ("question", "answers", "gold", "text", "title", "id", "type")
Fields = Mapping[str, str]
NO_FIELDS: Fields = {}
TOLD = QuestionForm(QUESTIONS, "question", "", "answers", "gold", "text")

# What a corpus may call a passage's text, title and id beside the names that tables have.
_CORPUS_TEXT, _CORPUS_TITLE = ("context", "document", "page_content"), ("corpus_name", "doc_title")
_CORPUS_ID = ("passage_id", "psg_id", "pid", "docno", "docid", "doc_id", "corpus-id", "corpus_id")
_QUOTED = re.compile(r"\"([^\n]+)\"\n")
_TITLES_WORDS = 5  # of most texts of an object of titles and texts
_MANY = 50  # fields, of which so many are titles
_PYTHON_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PYTHON_VALUE = re.compile(rf"({_PYTHON_TEXT})|\b(None|nan|True|False)\b", re.DOTALL)
_ESCAPED, _MARKS = re.compile(r"\\(.)", re.DOTALL), {"n": "\n", "t": "\t"}
_BETWEEN_TEXTS = re.compile(r"\s*,?\s*")  # as numpy writes lists


def flat(row: Row) -> Row:
    """A row with the fields of its metadata, as FlashRAG's have the questions' context there."""
    beside = [unpacked(row[name]) for name in _METADATA if name in row]
    inside = [one for one in beside if isinstance(one, Mapping)]
    return {**{key: value for one in inside for key, value in one.items()}, **row}


def unpacked(value: object) -> Any:  # noqa: ANN401
    """A list or object that was written into a text, as JSON, or as Python or numpy write it;
    anything else as it is.
    """
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    with suppress(ValueError, RecursionError):
        return json.loads(_PYTHON_VALUE.sub(_as_json, value))
    texts = list(_PYTHON_VALUE.finditer(value))
    if texts and not _BETWEEN_TEXTS.sub("", _PYTHON_VALUE.sub("", value)).strip("[]"):
        return [json.loads(_as_json(text)) for text in texts]
    return value


def _as_json(found: re.Match[str]) -> str:
    """One value of Python's as JSON."""
    if not found[1]:
        return {"True": "true", "False": "false"}.get(found[2], "null")
    return json.dumps(_ESCAPED.sub(lambda mark: _MARKS.get(mark[1], mark[1]), found[1][1:-1]))


def _shape(value: object) -> str:
    """What passages look like: words, a list of objects, or titles with sentences."""
    whole = unpacked(value)
    if isinstance(whole, str):
        return "words"
    if isinstance(whole, list) and whole and all(isinstance(one, Mapping) for one in whole):
        return "objects"
    pairs = isinstance(whole, list) and all(isinstance(one, list) for one in whole)
    return "pairs" if pairs or isinstance(whole, Mapping) else ""


def unfolded(value: Any) -> Any:  # noqa: ANN401
    """The rows of a file that holds them otherwise than one by one: SQuAD's paragraphs with their
    questions, LlamaIndex's objects of queries, texts and relevant ones, columns, objects of rows by
    their ids, of texts by their titles, and rows that lie in an object beside what is said of them.
    """
    if not isinstance(value, Mapping) or "docs" in value:
        return value  # rows, or an OpenIE file
    if all(isinstance(value.get(name), Mapping) for name in ("queries", "relevant_docs")):
        return list(_llama_index(value))
    if any(isinstance(value.get(name), list | Mapping) for name in (*QUESTION, *TEXT)):
        return of_columns(value)
    if value and all(isinstance(one, Mapping) for one in value.values()):
        return [{"id": id_, **row} for id_, row in value.items()]
    lists = [one for one in value.values() if isinstance(one, list) and one]
    objects = [one for one in lists if all(isinstance(row, Mapping) for row in one)]
    if _is_titled_texts(value):
        return [{"title": title, "text": text} for title, text in value.items()]
    if len(objects) != 1 or any(name in value for name in (*QUESTION, *TEXT)):
        return value
    rows = objects[0]
    return list(_squad(rows)) if all("paragraphs" in row for row in rows) else rows


def of_columns(value: Row) -> list[Row]:
    """The rows of columns: lists, or objects of cells by the rows' numbers."""
    cells = {
        name: list(column.values() if isinstance(column, Mapping) else column)
        for name, column in value.items()
        if isinstance(column, list | Mapping)
    }
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _squad(articles: list[Row]) -> Iterator[Row]:
    for article in articles:
        title = str(article.get("title", "")).replace("_", " ")
        for paragraph in article["paragraphs"]:
            for asked in paragraph.get("qas", ()):
                yield {**asked, "title": title, "context": paragraph.get("context", "")}


def _llama_index(value: Row) -> Iterator[Row]:
    for id_, question in value["queries"].items():
        yield {"id": id_, "question": question, "gold": value["relevant_docs"].get(id_, [])}
    texts = value.get("corpus")
    for id_, text in texts.items() if isinstance(texts, Mapping) else ():
        yield {"id": id_, "text": text}


def _is_titled_texts(value: Row) -> bool:
    texts = [text for text in value.values() if isinstance(text, str)]
    long = sum(len(text.split()) >= _TITLES_WORDS for text in texts)
    one_row = any(name in value for name in (*QUESTION, *TEXT, *TITLE, *ID)) and len(value) < _MANY
    return len(texts) == len(value) > 0 and long > 0.8 * len(texts) and not one_row


def unknown_words(row: Row) -> str:
    """What is said of rows of no known form that begin with this one."""
    return f"it is of no known form. {needed_words(flat(row))}"


def needed_words(fields: Iterable[str]) -> str:
    """Which fields there are, which would be needed, and how to say which is which."""
    return (
        f"Its fields: {listed(fields) or 'none'}. Needed: a text, or a question with answers or"
        f" gold. {UNKNOWN}: --fields question=…,answers=…,gold=…,text=…,title=…"
    )


def are_told(fields: Fields, head: Row) -> bool:
    """Whether rows that begin with this one have the question, or else the text, that was told."""
    main = fields.get("question") or fields.get("text")
    return main in flat(head)


def as_told(row: Row, fields: Fields) -> Row:
    """A row by the names that its fields were told to have; its id, where none was told."""
    whole = flat(row)
    ids = {name: whole[name] for name in QUESTION_ID if name in whole and "id" not in fields}
    return ids | {role: whole.get(name) for role, name in fields.items()}


def corpus_row(row: Row) -> Row:
    """A row of a corpus by the names that tables have; a title that is the first line of its
    `contents`, as FlashRAG's, is taken from there.
    """
    named = dict(row)
    for target, there, others in (
        ("text", TEXT, _CORPUS_TEXT),
        ("title", TITLE, _CORPUS_TITLE),
        ("id", ID, _CORPUS_ID),
    ):
        other = next((name for name in others if first(row, [name])), "")
        if other and not first(row, there):
            named[target] = named.pop(other)
    text = named.get("contents")
    if isinstance(text, str) and not first(named, TITLE):
        quoted = _QUOTED.match(text)
        title = quoted[1].replace('""', '"') if quoted else first_heading(text)
        rest = text[quoted.end() :] if quoted else text.lstrip().removeprefix(title)
        if title and rest.strip():
            named |= {"title": title, "contents": rest.strip()}
    return named
