"""Extractors: passages to entities and triples, by rules (local) or a language model (llm)."""
