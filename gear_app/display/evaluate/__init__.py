"""An evaluation as words, tables and figures."""
