"""The local extractor: triples by a parser and closed rules, no language model; English.

The steps: normalise and parse the text, resolve who is meant, read relations off verbs, nouns and
brackets, filter those that can link passages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.core.text import told_of
from gear_app.core.thread_context import load_timer
from gear_app.core.types import Extraction, Passage, Span
from gear_app.language.blocks import Block, blocks
from gear_app.language.english import NOT_ENGLISH, looks_english
from gear_app.models.extractor.brackets import bracket_facts
from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import trimmed_text
from gear_app.models.extractor.normalise import LONGEST, Bracket, normalise, prose
from gear_app.models.extractor.noun_relations import noun_relations, title_mentions
from gear_app.models.extractor.parse import ParsedText, load_parser, parse
from gear_app.models.extractor.records import statements
from gear_app.models.extractor.title import subject_of, title_of
from gear_app.models.extractor.triple_filter import Relation, TripleFilter
from gear_app.models.extractor.verb_relations import verb_relations

if TYPE_CHECKING:
    from spacy.language import Language

VERSION = 11  # of the rules; raise it with every change that changes triples
BATCH = 32
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
            parsed_texts = parse(nlp, ready)
            rows = zip(batch, parts, ready, parsed_texts, strict=True)
            for passage, of_text, prepared, parsed in rows:
                if of_text is None:
                    yield Extraction((), (), NOT_ENGLISH)
                else:
                    yield extraction(passage, of_text, prepared.brackets, parsed)

    def _language(self) -> Language:
        if self._nlp is None:
            with load_timer():
                self._nlp = load_parser()
        return self._nlp


def extraction(
    passage: Passage, of_text: Sequence[Block], brackets: Sequence[Bracket], parsed: ParsedText
) -> Extraction:
    """The entities and triples of one parsed passage, in the order of its text."""
    doc, offsets = parsed
    title = title_of(passage.title, passage.text)
    resolver = Resolver(doc, title)
    relations = [
        *_bracket_relations(brackets, parsed, resolver),
        *verb_relations(doc, resolver),
        *noun_relations(doc, resolver),
    ]
    subject = subject_of(told_of(passage.title, passage.text), title)
    if subject and not resolver.titled:
        pairs = {(relation.subject, relation.object) for relation in relations}
        mentions = title_mentions(doc, resolver, subject)
        relations += [r for r in mentions if (r.subject, r.object) not in pairs]
    stated: list[tuple[Span, Relation]] = []
    for relation in relations:
        sentence = doc[relation.at].sent
        end = offsets[sentence.end - 1] + len(doc[sentence.end - 1].text)
        stated.append((Span(offsets[sentence.start], end), relation))
    for fact in statements(passage.text, of_text, resolver.title.name or subject):
        stated.append((fact.span, Relation(fact.subject, fact.predicate, fact.object, 0)))
    links = TripleFilter()
    for span, relation in sorted(stated, key=lambda item: item[0].start):
        links.add(relation, span)
    named = [entity for entity in doc.ents if entity.label_ in _LINKABLE]
    entities = links.entities(trimmed_text(doc, entity.start, entity.end) for entity in named)
    return Extraction(entities, tuple(links.triples))


def _bracket_relations(
    brackets: Sequence[Bracket], parsed: ParsedText, resolver: Resolver
) -> Iterator[Relation]:
    """Relations between the name before each bracket and what is in it, in order."""
    doc, offsets = parsed
    for bracket in brackets:
        before = bisect_left(offsets, bracket.at)
        facts = bracket_facts(bracket.text) if before else []
        for fact in facts:
            token = doc[before - 1]
            entities = [span.root for span in doc.ents if span.start < before <= span.end]
            name = resolver.entity(next(iter(entities), token))
            if name:
                yield Relation(name, fact.predicate, fact.object, token.i)
