"""Readers: whatever a method asks of a language model (seams.Reader), or of rules in its place."""

LLM_READER = "llm"  # the one that asks a language model
