"""What the screen shows, from events alone: rows, HTML, component data, plotly figures, pyvis
graphs.

Everything here is pure: events and plain values in, values out. No Streamlit, no store, nothing
that retrieves.
"""
