"""Parts of pages: each draws one thing and owns its own keys in the session."""
