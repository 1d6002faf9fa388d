"""One object for everything that can be done with a workspace file, and its parts."""
