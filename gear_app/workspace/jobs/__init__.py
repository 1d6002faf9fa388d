"""Background jobs in small slices: import, extraction, vectors. Each slice is kept when it ends."""
