"""Facts computed from a run's events, once, for the screen, the command line and evaluation.

Numbers and values only: how they are put in words is the business of those who show them.
"""
