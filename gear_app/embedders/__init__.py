"""Texts to vectors: the bundled model, a sentence-transformers model, an endpoint, kept ones."""
