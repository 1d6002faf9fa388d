"""Parsing with names out of the way.

Titles look like verbs, pronouns or whole clauses ("Released", "Her Own Free Will", "I Come with the Rain") and would
be parsed as such. The parser is shown a familiar name in their place; its analysis is then put on the real words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.extract.prepare import Prepared
from gear_app.extract.title import Title

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

FAMILIAR = "Google"


def parsed(nlp: Language, ready: Sequence[Prepared], titles: Sequence[Title]) -> Iterator[Doc]:
    """The parsed texts in order, names that belong together as one token each."""
    docs = [tokenised(nlp, prepared) for prepared in ready]
    masks = [_masked(doc, title) for doc, title in zip(docs, titles, strict=True)]
    for doc, seen in zip(docs, nlp.pipe(masks, batch_size=len(masks) or 1), strict=True):
        yield _unmasked(doc, seen)


def tokenised(nlp: Language, prepared: Prepared) -> Doc:
    """The text as tokens, each name to be kept whole as one."""
    doc = nlp.make_doc(prepared.text)
    with doc.retokenize() as retokenizer:
        for start, end in prepared.whole:
            span = doc.char_span(start, end)
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    return doc


def _masked(doc: Doc, title: Title) -> Doc:
    """The same tokens with the familiar name for every name of several words and for the title."""
    from spacy.tokens import Doc as NewDoc

    words = [FAMILIAR if " " in t.text.strip() or t.text in title.forms else t.text for t in doc]
    masked = NewDoc(doc.vocab, words=words, spaces=[bool(t.whitespace_) for t in doc])
    for token, shown in zip(doc, masked, strict=True):
        if shown.text == token.text:
            shown.norm_ = token.norm_
    return masked


def _unmasked(doc: Doc, seen: Doc) -> Doc:
    """The analysis of `seen` on the words of `doc`."""
    from spacy.tokens import Doc as NewDoc

    if not len(doc):
        return doc
    return NewDoc(
        doc.vocab,
        words=[t.text for t in doc],
        spaces=[bool(t.whitespace_) for t in doc],
        tags=[t.tag_ for t in seen],
        heads=[t.head.i for t in seen],
        deps=[t.dep_ for t in seen],
        ents=[f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in seen],
    )
