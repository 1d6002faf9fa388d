"""Mentions: names, ids, titles and content words that link passages, found by rule."""
