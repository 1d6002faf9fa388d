"""What is handed on in the formats of others."""
