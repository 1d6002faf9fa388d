"""Passages to entities and triples. `local.LocalExtractor` needs no model server
(seams.Extractor).
"""
