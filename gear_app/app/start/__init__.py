"""The page that the bare address opens: what this is, a featured run, ask yours, bring yours."""
