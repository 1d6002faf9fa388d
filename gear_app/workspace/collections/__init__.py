"""What is in a collection, and how it comes in: imports, documents, counts."""
