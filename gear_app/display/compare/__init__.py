"""The page Compare as component data, figures and tables."""
