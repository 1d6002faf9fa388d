"""The page Learn: lessons over live runs."""
