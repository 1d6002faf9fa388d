"""Documents and data sets: files to passages, questions, triples and gold. It knows no store.

`read_origin` reads everything an import is asked for, `read_apart` does so in processes of
its own. A file format is one module in
`formats` (DOCUMENT_FORMATS); docs/documents-and-formats.md lists what is recognised.
"""
