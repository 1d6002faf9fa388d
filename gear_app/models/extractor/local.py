"""The local extractor: triples by a parser and closed rules, no language model; English.

The steps: normalise and parse the text, find its topic, resolve who is meant, read relations off
verbs, nouns and brackets, filter those that can link passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.core.text import title_and_section, told_of
from gear_app.core.thread_context import load_timer
from gear_app.core.types import Extraction, Passage, Span
from gear_app.language.blocks import Block, Kind, blocks
from gear_app.language.english import NOT_ENGLISH, looks_english
from gear_app.models.extractor.brackets import bracket_facts
from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import trimmed_text
from gear_app.models.extractor.normalise import (
    LONGEST,
    Bracket,
    NormalisedText,
    TextPart,
    normalise,
)
from gear_app.models.extractor.noun_relations import noun_relations
from gear_app.models.extractor.parse import load_parser, parse
from gear_app.models.extractor.records import VALUE_WORDS, statements
from gear_app.models.extractor.title import Title, subject_of, title_of
from gear_app.models.extractor.title_mentions import MENTIONS, title_mentions
from gear_app.models.extractor.triple_filter import Relation, TripleFilter
from gear_app.models.extractor.verb_relations import verb_relations

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

VERSION = 10  # of the rules; raise it with every change that changes triples
BATCH = 32
TOLD_OF_TITLE = 2  # relations of verbs and nouns that make a text one about its title
_LINKABLE = frozenset("PERSON ORG GPE LOC FAC WORK_OF_ART EVENT PRODUCT NORP LANGUAGE LAW".split())


class LocalExtractor:
    """Extracts triples from English text (protocols.Extractor); loads its parser when it must."""

    name = "local"

    def __init__(self) -> None:
        self._nlp: Language | None = None

    @property
    def fingerprint(self) -> str:
        """The versions of the rules and of the parser's model; ModelFailed without a model."""
        meta = self._language().meta
        return f"local-{VERSION}/{meta['lang']}_{meta['name']}-{meta['version']}"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order, lazily; an empty one for empty text.

        A triple's span is the sentence it came from, in the passage's text; None where only the
        title says it. A text that does not look English has no triples, and a note that says so.
        """
        nlp = self._language()
        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            titles = [title_of(passage.title, passage.text) for passage in batch]
            english = [looks_english(passage.text[:LONGEST]) for passage in batch]
            parts = [
                blocks(passage.text[:LONGEST]) if readable else ()
                for passage, readable in zip(batch, english, strict=True)
            ]
            ready = [
                normalise(passage.text, title.forms, spoken(passage.text, passage_blocks))
                for passage, title, passage_blocks in zip(batch, titles, parts, strict=True)
            ]
            docs = parse(nlp, ready, titles)
            rows = zip(batch, english, titles, parts, ready, docs, strict=True)
            for passage, readable, title, passage_blocks, prepared, doc in rows:
                if readable:
                    yield extraction(passage, title, passage_blocks, prepared, doc)
                else:
                    yield Extraction((), (), NOT_ENGLISH)

    def _language(self) -> Language:
        if self._nlp is None:
            with load_timer():
                self._nlp = load_parser()
        return self._nlp


def spoken(text: str, found: Sequence[Block]) -> list[TextPart]:
    """The parts that a parser can read: prose, items, and of pairs what is more than a few words;
    not headings and cells.
    """
    parts: list[TextPart] = []
    for block in found:
        if block.kind in (Kind.HEADING, Kind.ROW):
            continue
        sentences = block.sentences
        if block.key and sentences and len(text[slice(*sentences[0])].split()) <= VALUE_WORDS:
            sentences = sentences[1:]
        if sentences:
            start, end = sentences[0].start, sentences[-1].end
            single = len(sentences) == 1
            parts.append(TextPart(start, end, single))
    return parts


def extraction(
    passage: Passage, title: Title, found: Sequence[Block], prepared: NormalisedText, doc: Doc
) -> Extraction:
    """The entities and triples of one parsed passage, in the order of its text."""
    resolver = Resolver(doc, title, prepared.brackets)
    relations = [
        *_bracket_relations(prepared.brackets, resolver),
        *verb_relations(doc, resolver),
        *noun_relations(doc, resolver),
    ]
    sentence = {token.i: number for number, part in enumerate(doc.sents) for token in part}
    by_sentence: dict[int, list[Relation]] = defaultdict(list)
    for relation in relations:
        by_sentence[sentence[relation.at]].append(relation)
    spans = _sentences(passage.text, prepared, doc, spoken(passage.text, found))
    _, section = title_and_section(passage.title)
    subject = subject_of(told_of(passage.title, passage.text), title)
    of_title = sum(relation.subject == title.name for relation in relations)
    about_title = resolver.titled or of_title >= TOLD_OF_TITLE
    stated: list[tuple[Span, Relation]] = []
    for number, part in enumerate(doc.sents):
        sentence_relations = by_sentence[number]
        if subject and not about_title:
            sentence_relations += title_mentions(part, resolver, subject)
        stated += [(spans[number], relation) for relation in sentence_relations]
    for fact in statements(passage.text, found, resolver.title.name or subject, section):
        relation = Relation(fact.subject, fact.predicate, fact.object, 0)
        stated.append((fact.span, relation))
    links = TripleFilter()
    relation_ends = {(r.subject, r.object) for _, r in stated if r.predicate != MENTIONS}
    for span, relation in sorted(stated, key=lambda item: item[0].start):
        if (
            relation.predicate != MENTIONS
            or (relation.subject, relation.object) not in relation_ends
        ):
            links.add(relation, span)
    named = [entity for entity in doc.ents if entity.label_ in _LINKABLE]
    entities = links.entities(trimmed_text(doc, entity.start, entity.end) for entity in named)
    return Extraction(entities, tuple(links.triples))


def _bracket_relations(brackets: Sequence[Bracket], resolver: Resolver) -> Iterator[Relation]:
    """Relations between the name before each bracket and what is in it, in order."""
    for bracket in brackets:
        token, name = resolver.token_before(bracket), resolver.name_before(bracket)
        if token is None or not name:
            continue
        for fact in bracket_facts(bracket.text):
            yield Relation(name, fact.predicate, fact.object, token.i)


def _sentences(
    text: str, prepared: NormalisedText, doc: Doc, spoken: Sequence[TextPart]
) -> list[Span]:
    """Each parsed sentence as offsets into the original text: up to the next one, and not beyond
    the end of the one that it is of.
    """
    starts = [prepared.origin(sentence.start_char) for sentence in doc.sents]
    ends = [*starts[1:], prepared.origin(len(prepared.text))]
    firsts = [sentence.start for sentence in spoken]
    spans: list[Span] = []
    for start, end in zip(starts, ends, strict=False):
        part_number = bisect_right(firsts, start) - 1
        last = spoken[part_number].end if part_number >= 0 else end
        spans.append(_stripped(text, start, max(start, min(end, last))))
    return spans


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
