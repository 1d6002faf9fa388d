"""Judging runs by hand: what is judged, by whom, how far people agree, and what it comes to. Pure:
records in, values out (docs/annotate.md).
"""
