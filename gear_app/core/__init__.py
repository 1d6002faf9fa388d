"""Values, settings, errors, text and paths: what every room may use."""
