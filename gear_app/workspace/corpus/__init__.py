"""What a run computes on: one collection and one triple set at one revision, as an index."""
