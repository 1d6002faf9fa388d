"""English that GRIEVER and the local reader share: words, clauses, mentions, relations, slots."""
