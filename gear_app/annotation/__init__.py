"""Labels of failed runs: code books, queue, agreement, counts and files. Pure functions
(docs/annotate.md).
"""
