"""Forms in which the field publishes questions: one table, a row a form.

A form is recognised by the fields that its rows have. Its other columns name the fields that hold
answers, gold and passages; the values there may look alike in all forms (ingest.questions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gear_app.ingest.rows import Row, first, flat, unpacked


def _spelled(names: str) -> tuple[str, ...]:
    """Names of fields, each also with a capital and in capitals."""
    return tuple(word for name in names.split() for word in (name, name.capitalize(), name.upper()))


TEXT = _spelled("text paragraph_text content contents body passage paragraph")
TITLE = _spelled("title name heading")
ID = _spelled("id _id")
# Further names in a corpus, where no field has one of the names above.
CORPUS_TEXT = ("context", "document", "page_content", "chunk")
CORPUS_TITLE = ("corpus_name", "doc_title")
CORPUS_ID = (
    *("passage_id", "psg_id", "pid", "docno", "docid", "doc_id"),
    *("corpus-id", "corpus_id", "chunk_id"),
)
QUESTION = _spelled(
    "question query user_input question_text input questions questiontext prompt problem"
)
QUESTION_ID = (*ID, "qid", "question_id", "query_id", "query-id", "question_identifier")
TYPE = ("type", "question_type", "synthesizer_name", "evolution_type", "query_type")
# PopQA has the last three.
ANSWERS = (
    "answers answer Answer Answers answer_aliases golden_answers gold_answers gold_answer gold_ans"
    " ground_truth ground_truths expected_answer obj possible_answers o_wiki_title o_aliases"
)
GOLD = (
    "supporting_ids gold gold_ids gold_passages gold_docs gold_titles relevant_ids relevant_docs"
    " relevant_passages supporting_facts supporting_documents document_identifier document_id"
    " context_id wiki_links"
)
STEPS = ("question_decomposition", "decomposition")


class QuestionForm(NamedTuple):
    """A form of questions: its name, fields that all rows have, shapes of the last of these if they
    matter, and fields with answers, gold and passages, apart by blanks.
    """

    name: str
    marks: str
    shape: str
    answers: str
    gold: str
    passages: str

    def fits(self, row: Row) -> bool:
        """Whether a row has this form."""
        marks, fields = self.marks.split(), flat(row)
        if not all(name in fields for name in marks):
            return False
        return not self.shape or _shape(fields[marks[-1]]) in self.shape.split()

    @property
    def uses(self) -> frozenset[str]:
        """All fields it uses."""
        named = (self.marks, self.answers, self.gold, self.passages, *STEPS)
        return frozenset(" ".join(named).split())


# An asterisk is ANSWERS or GOLD.
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
BrowseComp-Plus | query gold_docs evidence_docs | | * | gold_docs | gold_docs evidence_docs negative_docs
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
QUESTIONS = "questions"  # of no set that is known: the project's own, and tables
ANY_FORM = QuestionForm(QUESTIONS, "", "", ANSWERS, GOLD, "")
MAPPED = QuestionForm(QUESTIONS, "question", "", "answers", "gold", "text")


def form_of(row: Row, *, strict: bool) -> QuestionForm | None:
    """Form of a row of questions, None where it is none. `strict`: a field "question" alone is not
    enough, there have to be answers or gold.
    """
    published = next((form for form in FORMS if form.fits(row)), None)
    if published is not None:
        return published
    fields = flat(row)
    names = [name for name in QUESTION if name in fields]
    telling = any(name in fields for name in f"{ANSWERS} {GOLD}".split())
    enough = telling or (not strict and "question" in fields)
    if not names or not enough or first(row, TEXT):
        return None
    return ANY_FORM._replace(marks=names[0])


def _shape(value: object) -> str:
    """Shape of passages: words, a list of objects, or titles with sentences."""
    inner = unpacked(value)
    if isinstance(inner, str):
        return "words"
    if isinstance(inner, list) and inner and all(isinstance(item, Mapping) for item in inner):
        return "objects"
    is_pairs = isinstance(inner, list) and all(isinstance(item, list) for item in inner)
    return "pairs" if is_pairs or isinstance(inner, Mapping) else ""


# Containers of rows

_TITLES_WORDS = 5  # of most texts of an object of titles and texts
_MANY = 50  # fields, so many of which are titles


def unfold(value: Any) -> Any:  # noqa: ANN401
    """Rows of a JSON file that does not list them: SQuAD's paragraphs, LlamaIndex's objects,
    columns, rows by id, texts by title, and rows in an object beside what is said of them.
    """
    if not isinstance(value, Mapping) or not value:
        return value
    if all(isinstance(value.get(name), Mapping) for name in ("queries", "relevant_docs")):
        return list(_llama_index(value))
    if any(isinstance(value.get(name), list | Mapping) for name in (*QUESTION, *TEXT)):
        return columns_to_rows(value)
    if all(isinstance(item, Mapping) for item in value.values()):
        return [{"id": id_, **row} for id_, row in value.items()]
    if all(isinstance(item, list) and item and isinstance(item[0], str) for item in value.values()):
        joined = ((title, "".join(map(str, sentences))) for title, sentences in value.items())
        return [{"title": title, "text": text} for title, text in joined]
    if _is_titled_texts(value):
        return [{"title": title, "text": text} for title, text in value.items()]
    lists = [item for item in value.values() if isinstance(item, list) and item]
    objects = [item for item in lists if all(isinstance(row, Mapping) for row in item)]
    if len(objects) != 1 or any(name in value for name in (*QUESTION, *TEXT)):
        return value
    rows = objects[0]
    return list(_squad(rows)) if all("paragraphs" in row for row in rows) else rows


def columns_to_rows(value: Row) -> list[Row]:
    """Rows of columns: lists, or objects of cells by the rows' numbers."""
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
            for question in paragraph.get("qas", ()):
                yield {**question, "title": title, "context": paragraph.get("context", "")}


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
    return len(texts) == len(value) and long > 0.8 * len(texts) and not one_row
