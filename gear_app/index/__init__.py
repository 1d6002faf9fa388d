"""Search over any ids: BM25, dense and neighbours; embedded (arrays) now, distributed engines
later.
"""
