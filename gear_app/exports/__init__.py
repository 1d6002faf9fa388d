"""What is handed on in the formats of others: pure functions from values to lines of a file."""
