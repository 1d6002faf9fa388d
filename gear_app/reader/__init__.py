"""Readers: language models, or rules in their place (local) and replies in a queue (scripted)."""
