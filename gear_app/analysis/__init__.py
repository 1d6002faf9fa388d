"""Facts computed from a run's events, once: the screen, the command line and evaluation take them
from here.
"""
