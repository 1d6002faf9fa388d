"""Runs, comparisons and evaluations as plain values, and their HTML and plotly figures.

Everything here is pure: events and plain values in, values out. No Streamlit, no store, nothing
that retrieves.
"""
