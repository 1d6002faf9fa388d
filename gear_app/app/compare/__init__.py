"""The page Compare: one question, several methods."""
