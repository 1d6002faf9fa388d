"""Readers: whatever a method asks of a language model (roles.Reader), or of rules in its place."""

LLM_READER = "llm"  # the one that asks a language model
TABLE_SIX = "table 6"  # the one of the lesson on GEAR's Table 6, whose replies are written down
