"""The page Collections: add documents, extract triples, look at what is there."""
