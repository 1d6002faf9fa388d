"""Names of fields by what they hold, whatever question set or corpus they are from, in the spelling
of rows.plain_row. A new form is its names here.
"""

from __future__ import annotations

_TEXT = "text paragraph_text content contents body passage paragraph"
_TITLE = "title name heading headline"
_NAMES = {
    "text": _TEXT,
    "title": _TITLE,
    "id": "id _id",
    "question": (
        "rewrite question query user_input question_text questions questiontext input prompt "
        "problem claim ambiguous_question question_stem stem q rawquestion utterance "
        "raw_utterance input_text input_question anchor"
    ),
    "question id": (
        "id _id qid question_id query_id question_identifier questionid uid task_id "
        "interaction_id question_unique_id q_id example_id claim_id"
    ),
    "type": "type question_type synthesizer_name evolution_type query_type",
    "answers": (
        "answers answer answer_aliases golden_answers gold_answers gold_answer gold_ans "
        "ground_truth ground_truths expected_answer obj possible_answers o_wiki_title o_aliases "
        "answers_objects generation_gt expected_output alt_ans answer1 answer2 final_answer "
        "final_decision nq_answer output short_answers correct_answer correct_answers "
        "best_answer qa_pairs exact_answer answer_text answers_spans answer_list annotations "
        "parses additional_answers answerkey gold_label outputs output_answer ideal answer_0 "
        "answer_1 answer_2 answer_3 answer_4 answer_5 answer_6 answer_7 answer_8 answer_9"
    ),
    # Answers where no other field has any.
    "reference": "reference reference_answer response long_answer ideal_answer label claim_label",
    # Fields of an answer that is an object.
    "answer part": (
        "text value answer aliases spans answer_spans number label en short_answers "
        "extractive_spans free_form_answer yes_no answer_value date answer_text answers qapairs "
        "entityname entity_name input_text output"
    ),
    "gold": (
        "supporting_ids gold gold_ids gold_passages gold_docs gold_titles relevant_ids "
        "relevant_docs relevant_passages supporting_facts retrieval_gt supporting_documents "
        "document_identifier document_id context_id wiki_links evidence_list evidence "
        "reference_contexts positive_ctxs positive_passages answer_pids necessary_evidence "
        "wikipages pos positive snippets fact1 fact2 supporting_context gold_passage gold_inds "
        "rel_paragraphs"
    ),
    # In such an object.
    "gold of an answer": "provenance proof evidence",
    # A text that the question is asked about.
    "own text": f"{_TEXT} article story document_text document_plaintext context",
    # Passages whose words are texts, too.
    "texts": (
        "context contexts ctxs documents passages supports pos neg positive negative fact1 fact2"
    ),
    "passages": (
        "paragraphs pinned_contexts positive_ctxs search_results snippets negative_ctxs "
        "hard_negative_ctxs positive_passages negative_passages gold_docs evidence_docs "
        "negative_docs full_text gold_passage entity_pages document pre_text post_text table "
        "context contexts ctxs documents passages supports pos neg positive negative fact1 "
        "fact2 text paragraph_text content contents body passage paragraph article story "
        "document_text document_plaintext"
    ),
    "steps": "question_decomposition decomposition",
    # Of gold among passages.
    "mark": "is_supporting is_selected is_gold is_relevant",
    # Of a passage next to a question, or of gold.
    "passage text": (
        f"{_TEXT} passage_text page_content fact sentence snippet quote context contexts "
        "page_snippet search_context wiki_context proof_text answer table"
    ),
    "passage title": f"{_TITLE} section_name page_name article wikipage key document_title",
    "passage id": "id _id idx passage_id psg_id docid doc_id chunk_id order",
    "subject": "subject head subj",
    "predicate": "predicate relation relationship rel",
    "object": "object tail obj",
    "passage of a triple": "passage_id passage chunk_id source_id text_unit_ids doc_id",
    # Further names in a corpus, where no field has a usual one.
    "corpus text": f"{_TEXT} context document page_content chunk",
    "corpus title": f"{_TITLE} corpus_name doc_title wikipedia_title",
    "corpus id": "id _id passage_id psg_id pid docno docid doc_id corpus_id chunk_id document_id",
    # Names that few other tables have.
    "usual answers": "answer answers exact_answer ideal_answer answers_spans annotations",
    "article": f"{_TEXT} abstract summary doc",
    # Of topics and documents in TREC's files.
    "tagged id": "num number docno id",
    "topic": "question query title desc description",
    # Objects whose fields are the row's.
    "fields of its own": (
        "metadata meta_data meta additional_metadata question query qa inputs passage"
    ),
    # Of judgements.
    "judged question": "query_id qid",
    "judged passage": "corpus_id docid doc_id pid passage_id document_id",
    "grade": "score relevance rel label",
}
NAMES = {role: tuple(names.split()) for role, names in _NAMES.items()}
TEXT, TITLE, ID = NAMES["text"], NAMES["title"], NAMES["id"]
TRIPLE = (NAMES["subject"], NAMES["predicate"], NAMES["object"])
JUDGEMENT = (NAMES["judged question"], NAMES["judged passage"], NAMES["grade"])
# Fields one of which a question has besides its words; other tables have some of these names, too.
CONTENT = tuple(
    {"question", *NAMES["answers"], *NAMES["reference"], *NAMES["gold"], *NAMES["passages"]}
    - {"output", "outputs", "response", "label", "table", *TEXT}
)
