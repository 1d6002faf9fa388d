"""Embedding models and, later, chat models: the only place that knows weights and the network."""
