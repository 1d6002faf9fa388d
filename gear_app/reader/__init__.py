"""Readers: whatever a method asks of a language model. The local one selects and follows rules; it
is not a model.
"""
