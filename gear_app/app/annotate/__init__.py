"""The page Annotate: a queue of runs, a form beside each, agreement, charts, and files."""
