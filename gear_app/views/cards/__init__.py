"""The card of every step of a run, as blocks that Explore and a page of its own both draw."""
