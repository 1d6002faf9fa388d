"""English that GRIEVER and the local reader share; it imports none of their packages."""
