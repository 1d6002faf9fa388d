"""Passages to entities and triples (protocols.Extractor): by rules, or by a language model."""

LLM_EXTRACTOR = "llm"  # asks a language model for entities and triples in one call
LLM_TWO_STEPS = "llm:two"  # asks for the entities first (HippoRAG App. I)
LLM_EXTRACTORS = (LLM_EXTRACTOR, LLM_TWO_STEPS)
