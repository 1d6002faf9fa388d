"""The page Explore: ask, and watch a run step by step."""
