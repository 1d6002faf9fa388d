"""A step of a run as a slide: at most five large cards a column, in the order they are uncovered.

What is on a slide is what its heading speaks of, and what a hall can read; the rest stands in
Explore.
"""
