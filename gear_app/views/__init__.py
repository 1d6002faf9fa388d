"""What the screen shows: rows, HTML, component data, plotly figures, pyvis graphs.

Everything here is pure: events and plain values in, values out. No Streamlit, no store, nothing
that retrieves.
"""
