"""The start screen: what a featured run shows, in one sentence and three captions, and which
questions to begin with. Everything is read from the run's events.
"""
