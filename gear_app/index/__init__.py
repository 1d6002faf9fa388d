"""Search over one collection and one triple set; what a method may ask is at protocols.Index.

`embedded` answers in this process, `opensearch` from a cluster; `changed` is either of them as a
what-if changes it. `bm25` ranks texts by words or vectors, `entities` joins triples and `mentions`
passages by what they name, and `links` scores such joins. `arrays` are the files that all of it is
mapped from.
"""
