"""English and what any text has: words, sentences, mentions, dates; what a question asks."""
