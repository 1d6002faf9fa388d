"""What several pages need: the session, pickers, and what is known of a visitor."""
