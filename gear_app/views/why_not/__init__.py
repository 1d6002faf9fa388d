"""Why a run does not have a passage: the answer in words, for scripts, and as markup."""
