"""The page Class, the routes that learners' and followers' browsers use, and the link to follow."""
